// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A copy through views, as memtile::launch starts it, beside one through pointers.
#include <memtile/kernel.cuh>

struct copy_memtile {
  static constexpr int threads = 256;
  MEMTILE_KERNEL void operator()(memtile::block block, memtile::vector_view<const float> in, memtile::vector_view<float> out) const {
    const int i = block.grid_column() * threads + block.rank();
    out.store_inside(i, in.load_inside(i));
  }
};
memtile::status start(memtile::stream_t stream, memtile::vector_view<const float> in, memtile::vector_view<float> out) {
  return memtile::launch(stream, memtile::ceil_div(in.size, 256), copy_memtile{}, in, out);
}

struct vector {
  float* data;
  long long size;
};
__global__ void __launch_bounds__(256) copy_by_hand(vector in, vector out) {
  const int thread = threadIdx.x;
  __builtin_assume(thread >= 0 && thread < 256);
  const long long i = int(blockIdx.x) * 256 + thread;
  const float v = i >= 0 && i < in.size ? in.data[i] : 0.f;
  if (i >= 0 && i < out.size) out.data[i] = v;
}
