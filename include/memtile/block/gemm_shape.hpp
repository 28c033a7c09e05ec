// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What follows from a gemm_policy for elements of type T, and the rules it must keep: all numbers of a block-wide
// matmul.
#pragma once

#include <memtile/core/policy.hpp>
#include <memtile/core/semiring.hpp>
#include <memtile/core/vec.hpp>

namespace memtile {

/// The elements of a and of b, where they differ: block_gemm<elements<float16, int8>, Policy>.
template <class A, class B>
struct elements {};

/// The types of a matmul: of the elements as they lie in memory, of what is added up, and the arithmetic.
template <class T, class Policy>
struct gemm_types : gemm_types<elements<T, T>, Policy> {};
template <class A, class B, class Policy>
struct gemm_types<elements<A, B>, Policy> {
  using a = A;
  using b = B;
  using semiring = typename Policy::semiring;

 private:
  template <class Given, class Semiring>
  struct given {
    using type = Given;
  };
  template <class Semiring>
  struct given<void, Semiring> : detail::semiring_accumulator<Semiring, A, B> {};

 public:
  using accumulator = typename given<typename Policy::accumulator, semiring>::type;
};

template <class T, class Policy>
struct gemm_shape {
  using types = gemm_types<T, Policy>;
  using a = typename types::a;
  using b = typename types::b;
  using accumulator = typename types::accumulator;
  static_assert(detail::is_same<typename Policy::math, math::fp32>,
                "memtile: gemm_policy must use math::fp32: the tensor cores' arithmetic is not available yet");
  static constexpr int block_m = Policy::block::m, block_n = Policy::block::n, block_k = Policy::block::k;
  static constexpr int thread_m = Policy::thread::m, thread_n = Policy::thread::n;
  static constexpr int stages = Policy::stages;
  static_assert(block_m > 0 && block_n > 0 && block_k > 0 && thread_m > 0 && thread_n > 0,
                "memtile: the numbers of block_tile and thread_tile must be positive");
  static_assert(block_m % thread_m == 0, "memtile: block_tile's M must be a multiple of thread_tile's M");
  static_assert(block_n % thread_n == 0, "memtile: block_tile's N must be a multiple of thread_tile's N");
  template <class Element>
  static constexpr bool
      fills_lines = 128 % (block_k * int(sizeof(Element))) == 0 || block_k* int(sizeof(Element)) % 128 == 0 ||
                    16 % sizeof(Element) != 0;
  static_assert(fills_lines<a> && fills_lines<b>,
                "memtile: block_tile's K must be a multiple or a divisor of 128 bytes");
  static_assert(stages >= 2, "memtile: stages must be at least 2: one to work on and one on its way");

  // The threads form a grid of threads_m x threads_n; each makes thread_m x thread_n results.
  static constexpr int threads_m = block_m / thread_m, threads_n = block_n / thread_n, threads = threads_m * threads_n;
  static_assert(threads <= 1024,
                "memtile: block_tile / thread_tile must be at most 1024 threads: take a larger thread_tile");
  // Also one that is smaller than a register takes one.
  static constexpr int accumulator_registers = thread_m * thread_n * max_of(4, int(sizeof(accumulator))) / 4;
  static_assert(
      accumulator_registers <= 128,
      "memtile: thread_tile must need at most 128 registers for its accumulators: take a smaller thread_tile");

  static constexpr bool fills_registers = accumulator_registers >= 128;

  // A warp is a patch of lanes_m x lanes_n threads, so that it reads few different values: 4 x 8 or 8 x 4 where the
  // grid allows it.
  static constexpr bool patch_4x8 = threads_m % 4 == 0 && threads_n % 8 == 0,
                        patch_8x4 = threads_m % 8 == 0 && threads_n % 4 == 0;
  static constexpr bool has_patch = patch_4x8 || patch_8x4;
  static constexpr int lanes_n = patch_4x8 ? 8 : patch_8x4 ? 4 : threads_n;
  static constexpr int lanes_m = patch_4x8 ? 4 : patch_8x4 ? 8 : threads_m;

  // Whether the threads of each row of the tile are lanes of one warp.
  static constexpr bool row_is_in_warp = has_patch ? threads_n == lanes_n : 32 % threads_n == 0;

  // Lanes that meet in one access of shared memory, for the swizzle.
  static constexpr int meeting_m = has_patch ? lanes_m : 1, meeting_n = has_patch ? lanes_n : 1;

  // Neighbours of one access: rows of a, columns of b, steps of k. Elements that are narrower than the accumulators are not
  // taken more at a time: what was loaded becomes accumulators' types in registers.
  template <class Element>
  MEMTILE_FUNCTION static constexpr int neighbours(int count) {
    return min_of(widest<Element>(count), widest<accumulator>(count));
  }
  static constexpr int run_m = neighbours<a>(thread_m), run_n = neighbours<b>(thread_n),
                       run_k = min_of(neighbours<a>(block_k), neighbours<b>(block_k));

  // Whether operands can come 16 bytes at a time, whatever their layout.
  template <class Element>
  MEMTILE_FUNCTION static constexpr bool full_access(int count) {
    return 16 % sizeof(Element) == 0 && widest<Element>(count) * sizeof(Element) == 16;
  }
  static constexpr bool allows_wide =
      full_access<a>(block_m) && full_access<a>(block_k) && full_access<b>(block_n) && full_access<b>(block_k);

  // Whether products of elements whose bytes are all zero change nothing.
  template <class Element>
  static constexpr bool zero_bytes_are_zero =
      detail::is_number<Element> || detail::is_small_float<Element> || detail::is_complex<Element>;
  static constexpr bool zeros_add_nothing =
      detail::is_same<typename Policy::semiring, plus_times> && zero_bytes_are_zero<a> && zero_bytes_are_zero<b>;

  // Steps of k in straight code, without a branch: enough to keep loads ahead of their use. Up to 2048 multiply-adds,
  // since more only costs the compiler time (H200, 64x64x32 tile of 8x4 at 1024^3: 512 multiply-adds 1.03 of cuBLAS,
  // 1024 1.12; 16x8: no difference from 2048 on).
  static constexpr int parts_k = max_of(1, thread_m* thread_n* block_k / 2048);
  static constexpr int straight_k = block_k % (parts_k * run_k) == 0 ? block_k / parts_k : block_k;

  // Blocks that share a multiprocessor hide each other's barriers. A thread needs about a hundred registers besides its
  // accumulators to keep its loads ahead; fewer, and it waits for each of them (H200, 128x128x16 tile of 8x8: 128
  // registers 0.84 of cuBLAS, 168 registers 0.87).
  static constexpr int registers = min_of(255, accumulator_registers + 104);
  static constexpr int min_blocks =
      Policy::resident_blocks != 0 ? Policy::resident_blocks : max_of(1, min_of(16, 65536 / (registers * threads)));
};

}  // namespace memtile
