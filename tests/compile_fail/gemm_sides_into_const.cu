// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: memtile: the output of reduce_rows_into and reduce_columns_into must not be const
#include <memtile/gemm.cuh>

#if defined(FIXED)
using element = float;
#else
using element = const float;
#endif
memtile::status start(memtile::sim::processor& where, memtile::matrix_view<const float> a,
                      memtile::matrix_view<float> out, memtile::vector_view<element> most) {
  return memtile::gemm(where, a, a, out, memtile::relu() | memtile::reduce_rows_into(most, memtile::maximum{}));
}
