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

/// memtile chooses, by shape and card.
struct automatic {};

namespace detail {

template <class P>
struct kind_of_part {
  static_assert(always_false<P>, "memtile: a part of gemm_policy must be math::fp32, block_tile<M, N, K>, "
                                 "thread_tile<M, N>, stages<Count> or resident_blocks<Count>");
};
enum class part { math, block_tile, thread_tile, stages, resident_blocks };
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

  using math = typename detail::chosen_part<detail::part::math, memtile::math::fp32, Parts...>::type;
  using block = typename detail::chosen_part<detail::part::block_tile, block_tile<64, 128, 16>, Parts...>::type;
  using thread = typename detail::chosen_part<detail::part::thread_tile, thread_tile<8, 8>, Parts...>::type;
  static constexpr int stages = detail::chosen_part<detail::part::stages, memtile::stages<3>, Parts...>::type::count;
  static constexpr int resident_blocks =
      detail::chosen_part<detail::part::resident_blocks, memtile::resident_blocks<0>, Parts...>::type::count;
};

}  // namespace memtile
