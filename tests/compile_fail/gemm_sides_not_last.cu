// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: memtile: reduce_rows_into and reduce_columns_into must be the last part of an epilogue
#include <memtile/gemm.cuh>

memtile::status start(memtile::sim::processor& where, memtile::matrix_view<const float> a, memtile::vector_view<float> v,
                      memtile::matrix_view<float> out) {
  const auto sums = memtile::reduce_rows_into(v, memtile::plus{});
#if defined(FIXED)
  return memtile::gemm(where, a, a, out, memtile::relu{} | sums);
#else
  return memtile::gemm(where, a, a, out, sums | memtile::relu{});
#endif
}
