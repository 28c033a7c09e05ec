// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gemm.hpp"

bool start(memtile::stream_t stream, memtile::matrix_view<const double> a, memtile::matrix_view<double> c) {
  return start_with(stream, a, a, c);
}
