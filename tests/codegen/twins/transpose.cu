// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A 32x32 tile is transposed through shared memory: a tile and views beside an array and pointers.
#include <memtile/kernel.cuh>

struct transpose_memtile {
  static constexpr int threads = 256;
  struct storage {
    memtile::shared_tile<float, 32, 32, memtile::padded<1>> tile;
  };
  MEMTILE_KERNEL void operator()(memtile::block block, storage& shared, memtile::matrix_view<const float> in,
                                 memtile::matrix_view<float> out) const {
    const int column = block.rank() % 32, first = block.rank() / 32;
    const int row0 = block.grid_row() * 32, column0 = block.grid_column() * 32;
    MEMTILE_UNROLL
    for (int r = first; r < first + 32; r += 8) shared.tile.store(r, column, in.load(row0 + r, column0 + column));
    block.sync();
    MEMTILE_UNROLL
    for (int r = first; r < first + 32; r += 8) out.store(column0 + r, row0 + column, shared.tile.load(column, r));
  }
};
memtile::status start(memtile::stream_t stream, memtile::matrix_view<const float> in, memtile::matrix_view<float> out) {
  return memtile::launch(stream, memtile::grid_for(in.rows, in.cols, 32, 32), transpose_memtile{}, in, out);
}

struct matrix {
  char* data;
  long long rows, cols, pitch;
};
__global__ void __launch_bounds__(256) transpose_by_hand(matrix in, matrix out) {
  __shared__ alignas(16) float tile[32 * 33];
  const int thread = threadIdx.x;
  __builtin_assume(thread >= 0 && thread < 256);
  const int column = thread % 32, first = thread / 32;
  const int row0 = int(blockIdx.y) * 32, column0 = int(blockIdx.x) * 32;
#pragma unroll
  for (int r = first; r < first + 32; r += 8)
    tile[r * 33 + column] = reinterpret_cast<const float*>(in.data + (row0 + r) * in.pitch)[column0 + column];
  __syncthreads();
#pragma unroll
  for (int r = first; r < first + 32; r += 8) {
    float* to = reinterpret_cast<float*>(out.data + (column0 + r) * out.pitch) + (row0 + column);
    *to = tile[column * 33 + r];
  }
}
