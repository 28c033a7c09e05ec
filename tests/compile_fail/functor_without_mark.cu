// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// nvcc alone only warns, and makes a kernel that does nothing.
// compiler: nvcc
// expect: calling a __host__ function\("square::operator \(\)
#include <memtile/gemm.cuh>

struct square {
#if defined(FIXED)
  MEMTILE_FUNCTION
#endif
  float operator()(float product, memtile::int64, memtile::int64) const {
    return product * product;
  }
};

memtile::status start(cudaStream_t stream, memtile::matrix_view<const float> a, memtile::matrix_view<float> out) {
  return memtile::gemm<memtile::gemm_policy<>>(stream, a, a, out, square{});
}
