// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gemm.hpp"

bool start(memtile::stream_t stream, memtile::matrix_view<const memtile::int32> a,
           memtile::matrix_view<memtile::int32> c) {
  return start_with(stream, a, a, c);
}
