// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a caller may choose about a matmul, as types:
//
//   gemm_policy<math::fp32, block_tile<128, 64, 16>, thread_tile<8, 4>, stages<3>>
//
// The parts may stand in any order and each may be left out; what is left out has the default named below. What follows
// from them, and must hold, is in block/gemm_shape.hpp.
#pragma once

#include <memtile/core/std.hpp>

namespace memtile {

struct plus_times;  // core/semiring.hpp

/// In which arithmetic the products are formed. fp32 is each type's own: fused multiply-add in float for float, double
/// for double.
namespace math {
struct fp32 {};
struct tf32 {};
struct fp32_bf16x6 {};
struct fp32_bf16x9 {};
}  // namespace math

/// A block makes M x N elements of the result, and reads K columns of a and K rows of b at a time.
template <int Rows, int Columns, int Depth>
struct block_tile {
  static constexpr int m = Rows, n = Columns, k = Depth;
};
/// A thread makes M x N of them, in registers.
template <int Rows, int Columns>
struct thread_tile {
  static constexpr int m = Rows, n = Columns;
};
/// So many K steps of a and b are on their way to shared memory, or there, at a time.
template <int Count>
struct stages {
  static constexpr int count = Count;
};

/// So many blocks share a multiprocessor, which bounds the registers of a thread. Left out, it follows from the tile.
template <int Count>
struct resident_blocks {
  static constexpr int count = Count;
};

/// The inner dimension is cut into Count slices, each multiplied by a block of its own; their sums are added in the order of
/// the slices. For outputs of few tiles and a long inner dimension. Left out, memtile chooses by shape and card. With 1
/// the kernel is spared the code for slices, which costs a thread_tile of 128 registers some that it lacks.
template <int Count>
struct split_k {
  static constexpr int count = Count;
};

/// Adds and multiplies as Semiring says; see core/semiring.hpp.
template <class Semiring>
struct semiring {
  using type = Semiring;
};

/// In which type values are combined.
template <class A>
struct accumulate_in {
  using type = A;
};

/// memtile chooses, by shape and card.
struct automatic {};

namespace detail {

template <class P>
struct kind_of_part {
  static_assert(always_false<P>, "memtile: a part of gemm_policy must be math::fp32, block_tile<M, N, K>, "
                                 "thread_tile<M, N>, stages<Count>, resident_blocks<Count>, split_k<Count>, "
                                 "semiring<S> or accumulate_in<T>");
};
enum class part { math, block_tile, thread_tile, stages, resident_blocks, split_k, semiring, accumulate_in };
template <part Kind>
struct part_kind {
  static constexpr part value = Kind;
};
template <>
struct kind_of_part<math::fp32> : part_kind<part::math> {};
template <>
struct kind_of_part<math::tf32> : part_kind<part::math> {};
template <>
struct kind_of_part<math::fp32_bf16x6> : part_kind<part::math> {};
template <>
struct kind_of_part<math::fp32_bf16x9> : part_kind<part::math> {};
template <int Rows, int Columns, int Depth>
struct kind_of_part<block_tile<Rows, Columns, Depth>> : part_kind<part::block_tile> {};
template <int Rows, int Columns>
struct kind_of_part<thread_tile<Rows, Columns>> : part_kind<part::thread_tile> {};
template <int Count>
struct kind_of_part<stages<Count>> : part_kind<part::stages> {};
template <int Count>
struct kind_of_part<resident_blocks<Count>> : part_kind<part::resident_blocks> {};
template <int Count>
struct kind_of_part<split_k<Count>> : part_kind<part::split_k> {};
template <class Semiring>
struct kind_of_part<semiring<Semiring>> : part_kind<part::semiring> {};
template <class A>
struct kind_of_part<accumulate_in<A>> : part_kind<part::accumulate_in> {};

// The part of that kind among Parts, or Default.
template <part Kind, class Default, class... Parts>
struct chosen_part {
  using type = Default;
};
template <part Kind, class Default, class First, class... Rest>
struct chosen_part<Kind, Default, First, Rest...> {
  using type = typename conditional_t<kind_of_part<First>::value == Kind, same_type<First>,
                                      chosen_part<Kind, Default, Rest...>>::type;
};

template <part Kind, class... Parts>
inline constexpr int times_given = (0 + ... + int(kind_of_part<Parts>::value == Kind));

}  // namespace detail

template <class... Parts>
struct gemm_policy {
  static_assert(detail::times_given<detail::part::math, Parts...> <= 1,
                "memtile: gemm_policy must name its math at most once");
  static_assert(detail::times_given<detail::part::block_tile, Parts...> <= 1,
                "memtile: gemm_policy must name its block_tile at most once");
  static_assert(detail::times_given<detail::part::thread_tile, Parts...> <= 1,
                "memtile: gemm_policy must name its thread_tile at most once");
  static_assert(detail::times_given<detail::part::stages, Parts...> <= 1,
                "memtile: gemm_policy must name its stages at most once");
  static_assert(detail::times_given<detail::part::resident_blocks, Parts...> <= 1,
                "memtile: gemm_policy must name its resident_blocks at most once");
  static_assert(detail::times_given<detail::part::split_k, Parts...> <= 1,
                "memtile: gemm_policy must name its split_k at most once");
  static_assert(detail::times_given<detail::part::semiring, Parts...> <= 1,
                "memtile: gemm_policy must name its semiring at most once");
  static_assert(detail::times_given<detail::part::accumulate_in, Parts...> <= 1,
                "memtile: gemm_policy must name its accumulate_in at most once");

  using math = typename detail::chosen_part<detail::part::math, memtile::math::fp32, Parts...>::type;
  using block = typename detail::chosen_part<detail::part::block_tile, block_tile<64, 128, 16>, Parts...>::type;
  using thread = typename detail::chosen_part<detail::part::thread_tile, thread_tile<8, 8>, Parts...>::type;
  static constexpr int stages = detail::chosen_part<detail::part::stages, memtile::stages<3>, Parts...>::type::count;
  // 0: chosen by memtile
  static constexpr int resident_blocks =
      detail::chosen_part<detail::part::resident_blocks, memtile::resident_blocks<0>, Parts...>::type::count;
  static constexpr int slices = detail::chosen_part<detail::part::split_k, split_k<0>, Parts...>::type::count;
  static_assert(slices >= 0 && slices <= 64, "memtile: split_k must be 1 to 64 slices");

  using semiring =
      typename detail::chosen_part<detail::part::semiring, memtile::semiring<plus_times>, Parts...>::type::type;
  // void: what the semiring says of the elements
  using accumulator =
      typename detail::chosen_part<detail::part::accumulate_in, accumulate_in<void>, Parts...>::type::type;

  // Whether it says how the work is cut up; else memtile chooses among the tiles it ships.
  static constexpr bool names_tile = detail::times_given<detail::part::block_tile, Parts...> +
                                         detail::times_given<detail::part::thread_tile, Parts...> +
                                         detail::times_given<detail::part::stages, Parts...> +
                                         detail::times_given<detail::part::resident_blocks, Parts...> >
                                     0;
  /// The same with the tile of another policy, or with another semiring or accumulator. How many slices there are is the
  /// launch's business: one kernel serves all numbers.
  template <class Tile, class Semiring = semiring, class Accumulator = accumulator>
  using with = gemm_policy<math, typename Tile::block, typename Tile::thread, memtile::stages<Tile::stages>,
                           memtile::resident_blocks<Tile::resident_blocks>, memtile::semiring<Semiring>,
                           accumulate_in<Accumulator>>;
};

}  // namespace memtile
