// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What follows from a gemm_policy for elements of type T, and the rules it must keep: all numbers of a block-wide
// matmul.
#pragma once

#include <memtile/core/policy.hpp>
#include <memtile/core/vec.hpp>

namespace memtile {

template <class T, class Policy>
struct gemm_shape {
  static_assert(detail::is_same<typename Policy::math, math::fp32>,
                "memtile: gemm_policy must use math::fp32: the tensor cores' arithmetic is not available yet");
  static constexpr int block_m = Policy::block::m, block_n = Policy::block::n, block_k = Policy::block::k;
  static constexpr int thread_m = Policy::thread::m, thread_n = Policy::thread::n;
  static constexpr int stages = Policy::stages;
  static_assert(block_m > 0 && block_n > 0 && block_k > 0 && thread_m > 0 && thread_n > 0,
                "memtile: the numbers of block_tile and thread_tile must be positive");
  static_assert(block_m % thread_m == 0, "memtile: block_tile's M must be a multiple of thread_tile's M");
  static_assert(block_n % thread_n == 0, "memtile: block_tile's N must be a multiple of thread_tile's N");
  static_assert(128 % (block_k * int(sizeof(T))) == 0 || block_k * int(sizeof(T)) % 128 == 0,
                "memtile: block_tile's K must be a multiple or a divisor of 128 bytes");
  static_assert(stages >= 2, "memtile: stages must be at least 2: one to work on and one on its way");

  // The threads form a grid of threads_m x threads_n; each makes thread_m x thread_n results.
  static constexpr int threads_m = block_m / thread_m, threads_n = block_n / thread_n, threads = threads_m * threads_n;
  static_assert(threads <= 1024,
                "memtile: block_tile / thread_tile must be at most 1024 threads: take a larger thread_tile");
  static constexpr int accumulator_registers = thread_m * thread_n * int(sizeof(T)) / 4;
  static_assert(
      accumulator_registers <= 128,
      "memtile: thread_tile must need at most 128 registers for its accumulators: take a smaller thread_tile");

  // A warp is a patch of lanes_m x lanes_n threads, so that it reads few different values: 4 x 8 or 8 x 4 where the
  // grid allows it.
  static constexpr bool patch_4x8 = threads_m % 4 == 0 && threads_n % 8 == 0,
                        patch_8x4 = threads_m % 8 == 0 && threads_n % 4 == 0;
  static constexpr int lanes_n = patch_4x8 ? 8 : patch_8x4 ? 4 : threads_n;
  static constexpr int lanes_m = patch_4x8 ? 4 : patch_8x4 ? 8 : threads_m;

  // Lanes that meet in one access of shared memory, for the swizzle.
  static constexpr int meeting_m = patch_4x8 || patch_8x4 ? lanes_m : 1,
                       meeting_n = patch_4x8 || patch_8x4 ? lanes_n : 1;

  // Neighbours of one access: rows of a, columns of b, steps of k.
  static constexpr int run_m = widest<T>(thread_m), run_n = widest<T>(thread_n), run_k = widest<T>(block_k);

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
