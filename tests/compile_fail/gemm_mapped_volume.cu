// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: memtile: mapped, add_matrix and the c of linear must get a matrix or a vector
#include <memtile/gemm.cuh>

struct twice {
  MEMTILE_FUNCTION float operator()(float v) const { return 2 * v; }
};
memtile::status start(memtile::sim::processor& where, memtile::volume_view<const float> a,
                      memtile::volume_view<float> out) {
#if defined(FIXED)
  return memtile::gemm(where, memtile::mapped(a.slice(0), twice{}), a, out);
#else
  return memtile::gemm(where, memtile::mapped(a, twice{}), a, out);
#endif
}
