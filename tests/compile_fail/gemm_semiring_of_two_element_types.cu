// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: memtile: a semiring over elements of two types must be given accumulate_in<T>
#include <memtile/gemm.cuh>

#if defined(FIXED)
using policy = memtile::gemm_policy<memtile::semiring<memtile::min_plus>, memtile::accumulate_in<float>>;
#else
using policy = memtile::gemm_policy<memtile::semiring<memtile::min_plus>>;
#endif
memtile::status start(memtile::sim::processor& where, memtile::matrix_view<const float> a,
                      memtile::matrix_view<const int> b, memtile::matrix_view<float> out) {
  return memtile::gemm<policy>(where, a, b, out);
}
