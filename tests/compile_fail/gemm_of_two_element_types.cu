// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: memtile: elements of two types must be numbers, of one byte if whole, or be given accumulate_in<T>
#include <memtile/gemm.cuh>

#if defined(FIXED)
using policy = memtile::gemm_policy<memtile::accumulate_in<memtile::int64>>;
#else
using policy = memtile::automatic;
#endif
memtile::status start(memtile::sim::processor& where, memtile::matrix_view<const int> a,
                      memtile::matrix_view<const memtile::int16> b, memtile::matrix_view<int> out) {
  return memtile::gemm<policy>(where, a, b, out);
}
