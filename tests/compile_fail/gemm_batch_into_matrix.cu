// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: memtile: the output of gemm must be a batch where an input is one
#include <memtile/gemm.cuh>

#if defined(FIXED)
using output = memtile::volume_view<float>;
#else
using output = memtile::matrix_view<float>;
#endif
memtile::status start(memtile::sim::processor& where, memtile::volume_view<const float> a,
                      memtile::matrix_view<const float> b, output out) {
  return memtile::gemm(where, a, b, out);
}
