// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two plain copies, of which the faster one is the measure of what is limited by memory.
#pragma once

#include <memtile/core/std.hpp>

#include "benchmark.hpp"

namespace benchmark {

namespace detail {
// 16 bytes at a time, four on their way for each thread: what the copy engine does not always reach.
__global__ static void __launch_bounds__(256) copy_kernel(const uint4* in, uint4* out, memtile::int64 count) {
  const memtile::int64 first = blockIdx.x * memtile::int64(1024) + threadIdx.x;
  uint4 v[4];
  if (first + 768 < count) {
#pragma unroll
    for (int i = 0; i < 4; ++i) v[i] = in[first + i * 256];
#pragma unroll
    for (int i = 0; i < 4; ++i) out[first + i * 256] = v[i];
  } else {
    for (memtile::int64 i = first; i < count; i += 256) out[i] = in[i];
  }
}
}  // namespace detail

/// Copy `bytes` by a kernel, and by the driver.
inline contestant copy_by_kernel(const float* from, float* to, memtile::int64 bytes) {
  return {"kernel", [=](cudaStream_t s) {
            detail::copy_kernel<<<unsigned(memtile::ceil_div(bytes / 16, memtile::int64(1024))), 256, 0, s>>>(
                reinterpret_cast<const uint4*>(from), reinterpret_cast<uint4*>(to), bytes / 16);
          }};
}
inline contestant copy_by_engine(const float* from, float* to, memtile::int64 bytes) {
  return {"engine", [=](cudaStream_t s) {
            check(cudaMemcpyAsync(to, from, size_t(bytes), cudaMemcpyDeviceToDevice, s), "copy");
          }};
}

}  // namespace benchmark
