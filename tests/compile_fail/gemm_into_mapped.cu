// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: memtile: the output of gemm must be a view and not mapped
#include <memtile/gemm.cuh>

struct twice {
  MEMTILE_FUNCTION float operator()(float v) const { return 2 * v; }
};
memtile::status start(memtile::sim::processor& where, memtile::matrix_view<const float> a,
                      memtile::matrix_view<float> out) {
#if defined(FIXED)
  return memtile::gemm(where, memtile::mapped(a, twice{}), a, out);
#else
  return memtile::gemm(where, a, a, memtile::mapped(out, twice{}));
#endif
}
