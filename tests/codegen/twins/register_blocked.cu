// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A register-blocked matmul: tiles, vectors and a fragment beside arrays, float4 and pointers. 64x64 results a block, 4x4 a thread.
#include <memtile/kernel.cuh>

struct blocked_memtile {
  static constexpr int threads = 256, tile = 64, depth = 16;
  struct storage {
    memtile::shared_tile<float, depth, tile> a, b;  // both with k down the rows
  };
  MEMTILE_KERNEL void operator()(memtile::block block, storage& shared, memtile::matrix_view<const float> a,
                                 memtile::matrix_view<const float> b, memtile::matrix_view<float> c) const {
    const int row0 = block.grid_row() * tile, column0 = block.grid_column() * tile;
    const int y = block.rank() / 16 * 4, x = block.rank() % 16 * 4;
    memtile::fragment<float, 4, 4> sums;
    sums.fill(0);
    for (int k0 = 0; k0 < int(a.rows); k0 += depth) {
      shared.a.store(block.rank() / 16, x, a.load(memtile::wide<4>, k0 + block.rank() / 16, row0 + x));
      shared.b.store(block.rank() / 16, x, b.load(memtile::wide<4>, k0 + block.rank() / 16, column0 + x));
      block.sync();
      MEMTILE_UNROLL
      for (int k = 0; k < depth; ++k) {
        const auto column = shared.a.load(memtile::wide<4>, k, y), row = shared.b.load(memtile::wide<4>, k, x);
        sums.add_outer_product(column.values, row.values);
      }
      block.sync();
    }
    MEMTILE_UNROLL
    for (int i = 0; i < 4; ++i) {
      memtile::vec<float, 4> row;
      MEMTILE_UNROLL
      for (int j = 0; j < 4; ++j) row[j] = sums(i, j);
      c.store(row0 + y + i, column0 + x, row);
    }
  }
};
memtile::status start(memtile::stream_t stream, memtile::matrix_view<const float> a,
                      memtile::matrix_view<const float> b, memtile::matrix_view<float> c) {
  return memtile::launch(stream, memtile::grid_for(c.rows, c.cols, 64, 64), blocked_memtile{}, a, b, c);
}

struct matrix {
  char* data;
  long long rows, cols, pitch;
};
__device__ __forceinline__ float4* at(matrix m, long long r, long long c) {
  return reinterpret_cast<float4*>(reinterpret_cast<float*>(m.data + r * m.pitch) + c);
}
__global__ void __launch_bounds__(256) blocked_by_hand(matrix a, matrix b, matrix c) {
  __shared__ struct { alignas(16) float a[16 * 64], b[16 * 64]; } s;
  const int thread = threadIdx.x;
  __builtin_assume(thread >= 0 && thread < 256);
  const int row0 = int(blockIdx.y) * 64, column0 = int(blockIdx.x) * 64;
  const int y = thread / 16 * 4, x = thread % 16 * 4;
  float sums[4][4] = {};
  for (int k0 = 0; k0 < int(a.rows); k0 += 16) {
    *reinterpret_cast<float4*>(&s.a[thread / 16 * 64 + x]) = *at(a, k0 + thread / 16, row0 + x);
    *reinterpret_cast<float4*>(&s.b[thread / 16 * 64 + x]) = *at(b, k0 + thread / 16, column0 + x);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; ++k) {
      const float4 p = *reinterpret_cast<const float4*>(&s.a[k * 64 + y]),
                   q = *reinterpret_cast<const float4*>(&s.b[k * 64 + x]);
      const float column[4] = {p.x, p.y, p.z, p.w}, row[4] = {q.x, q.y, q.z, q.w};
#pragma unroll
      for (int i = 0; i < 4; ++i) {
#pragma unroll
        for (int step = 0; step < 4; ++step) {
          const int j = i % 2 == 0 ? step : 3 - step;
          sums[i][j] = fmaf(column[i], row[j], sums[i][j]);
        }
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 4; ++i)
    *at(c, row0 + y + i, column0 + x) = make_float4(sums[i][0], sums[i][1], sums[i][2], sums[i][3]);
}
