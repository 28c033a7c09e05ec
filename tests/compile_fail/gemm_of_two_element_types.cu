// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: memtile: a, b and the output of gemm must have one element type
#include <memtile/gemm.cuh>

#if defined(FIXED)
using inner = float;
#else
using inner = double;
#endif
memtile::status start(memtile::sim::processor& where, memtile::matrix_view<const float> a, memtile::matrix_view<const inner> b,
                      memtile::matrix_view<float> out) {
  return memtile::gemm(where, a, b, out);
}
