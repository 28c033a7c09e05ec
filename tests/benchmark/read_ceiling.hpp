// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How fast this card reads: a kernel that loads everything and keeps one word of it.
#pragma once

#include "benchmark.hpp"

#include <cstdint>

namespace benchmark {

__global__ static void __launch_bounds__(512) read_kernel(const uint4* data, int64_t count, unsigned* never) {
  constexpr int loads = 4;
  const int64_t tile = int64_t(blockDim.x) * loads;
  unsigned seen = 0;
  for (int64_t at = blockIdx.x * tile; at + tile <= count; at += gridDim.x * tile) {
    uint4 v[loads];
#pragma unroll
    for (int i = 0; i < loads; ++i) v[i] = data[at + i * blockDim.x + threadIdx.x];
#pragma unroll
    for (int i = 0; i < loads; ++i) seen |= v[i].x ^ v[i].y ^ v[i].z ^ v[i].w;
  }
  if (seen == 0x12345678u) *never = seen;
}

/// Blocks of 512 threads for each multiprocessor: the best of these is the ceiling. 0: one block for each 256 KiB.
inline const int read_sweep[] = {0, 2, 4, 8};

inline void read_only(const void* data, int64_t bytes, int blocks_per_multiprocessor, cudaStream_t stream) {
  static unsigned* never = nullptr;
  if (never == nullptr) check(cudaMalloc(&never, 4), "word");
  const int64_t blocks = blocks_per_multiprocessor == 0 ? bytes >> 18 : int64_t(132) * blocks_per_multiprocessor;
  read_kernel<<<unsigned(blocks), 512, 0, stream>>>(static_cast<const uint4*>(data), bytes / 16, never);
}

}  // namespace benchmark
