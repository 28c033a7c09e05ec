// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Somebody else's program, compiled by a host compiler: a matmul in the simulator.
#include <memtile/gemm.cuh>
#include <memtile/sim.cuh>

#include <cstdio>

#if defined(CONSUMER_CUDA)
memtile::status multiply_on_gpu(memtile::matrix_view<const float> a, memtile::matrix_view<float> out);
#endif

int main() {
  memtile::sim::machine machine;
  auto a = machine.buffer<float>(8, 8, [](int r, int c) { return float(r == c ? 2 : 0); });
  auto out = machine.buffer<float>(8, 8);
  const memtile::status status = memtile::gemm(machine, a.view(), a.view(), out.view());
  if (!status) return std::puts(status.message().c_str()), 1;
  if (out.host()(3, 3) != 4 || out.host()(3, 4) != 0) return std::puts("wrong product"), 1;
#if defined(CONSUMER_CUDA)
  // sizes that do not match: refused before anything asks for a GPU
  if (multiply_on_gpu(memtile::row_major<const float>(nullptr, 2, 3), memtile::row_major<float>(nullptr, 2, 2))) return 1;
#endif
  return 0;
}
