// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A __global__ function and the same as a memtile kernel, as the README shows them.
#include <memtile/kernel.cuh>
#include <memtile/sim.cuh>

#if defined(__CUDACC__)
namespace before {
// [readme:scale]
__global__ void scale(float factor, const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = factor * x[i];
}
// [readme:end]
}  // namespace before
#endif

// [readme:scale]
struct scale {
  static constexpr int threads = 256;
  MEMTILE_KERNEL void operator()(memtile::block block, float factor, memtile::vector_view<const float> x,
                                 memtile::vector_view<float> y) const {
    const int i = block.grid_column() * block.size() + block.rank();
    if (y.inside(i)) y.store(i, factor * x.load(i));
  }
};
// [readme:end]

int main() {
  constexpr int n = 1000;
  for (auto& machine : memtile::testing::machines()) {
    auto x = machine.buffer<float>(n, [](int i) { return float(i); });
    auto y = machine.buffer<float>(n);
    if (!memtile::launch(machine, memtile::grid(memtile::ceil_div(n, scale::threads)), scale{}, 3.f, x.view(),
                         y.view()))
      return 1;
    const auto result = y.host();
    for (int i = 0; i < n; ++i)
      if (result(i) != 3 * i) return 1;
#if defined(__CUDACC__)
    if (machine.is_gpu()) {
      auto z = machine.buffer<float>(n);
      before::scale<<<unsigned(memtile::ceil_div(n, 256)), 256, 0, machine.stream()>>>(3, x.view().data, z.view().data,
                                                                                       n);
      if (!machine.synchronize()) return 1;
      const auto result_before = z.host();
      for (int i = 0; i < n; ++i)
        if (result_before(i) != result(i)) return 1;
    }
#endif
  }
  return 0;
}
