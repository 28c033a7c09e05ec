// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Distances between points, made inside a kernel: |x|^2 + |y|^2 - 2 x.y, with the product from memtile's block-wide matmul.
#include <memtile/gemm.cuh>
#include <memtile/kernel.cuh>
#include <memtile/reduce.cuh>
#include <memtile/sim.cuh>

struct squared_distances {
  using product = memtile::block_gemm<float, memtile::gemm_policy<memtile::block_tile<32, 32, 8>, memtile::thread_tile<4, 4>>>;
  static constexpr int threads = product::threads;
  using storage = product::storage;

  MEMTILE_KERNEL void operator()(memtile::block block, storage& shared, memtile::matrix_view<const float> x,
                                 memtile::matrix_view<const float, memtile::column> y_transposed,
                                 memtile::vector_view<const float> x_norms, memtile::vector_view<const float> y_norms,
                                 memtile::matrix_view<float> out) const {
    product multiply{block, shared};
    const int row0 = block.grid_row() * product::block_m, column0 = block.grid_column() * product::block_n;
    multiply.multiply_add(x, y_transposed, row0, column0);
    multiply.for_each_inside(out, row0, column0, [&](int r, int c, float dot) { return x_norms.load(r) + y_norms.load(c) - 2 * dot; });
  }
};

#ifdef __CUDACC__
// the same block-wide matmul in an ordinary __global__ function, with the caller's own shared memory
__global__ __launch_bounds__(squared_distances::threads) void dots(const float* x, const float* y, float* out, int points, int features) {
  using product = squared_distances::product;
  __shared__ product::storage storage;
  product multiply{memtile::this_block(), storage};
  const int row0 = blockIdx.y * product::block_m, column0 = blockIdx.x * product::block_n;
  multiply.multiply_add(memtile::row_major(x, points, features), memtile::column_major(y, features, points), row0, column0);
  multiply.store(memtile::row_major(out, points, points), row0, column0);
}
#endif

int main() {
  constexpr int points = 70, features = 13;
  for (auto& machine : memtile::testing::machines()) {
    auto x = machine.buffer<float>(points, features, [](int r, int c) { return float((r * 3 + c) % 8); });
    auto norms = machine.buffer<float>(points);
    auto out = machine.buffer<float>(points, points);
    if (!memtile::reduce_rows(machine, x.view(), norms.view(), memtile::plus{}, 0.f, memtile::square{})) return 1;
    const auto grid = memtile::grid_for(points, points, squared_distances::product::block_m, squared_distances::product::block_n);
    if (!memtile::launch(machine, grid, squared_distances{}, x.view(), memtile::transposed(x.view()), norms.view(), norms.view(), out.view())) return 1;
    const auto d = out.host(), p = x.host();
    for (int i = 0; i < points; ++i)
      for (int j = 0; j < points; ++j) {
        float sum = 0;
        for (int f = 0; f < features; ++f) sum += (p(i, f) - p(j, f)) * (p(i, f) - p(j, f));
        if (d(i, j) != sum) return 1;
      }
  }
  return 0;
}
