// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gemm.hpp"

using namespace memtile;

bool start(stream_t stream, matrix_view<const int8> a, matrix_view<const uint8> b, matrix_view<int32> c,
           matrix_view<int8> narrow) {
  return start_with(stream, a, a, c) && gemm(stream, b, a, c).ok() && gemm(stream, a, transposed(a), narrow).ok();
}
