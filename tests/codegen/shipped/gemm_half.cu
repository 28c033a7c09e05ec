// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gemm.hpp"

using namespace memtile;

bool start(stream_t stream, matrix_view<const float16> a, matrix_view<float16> c) {
  return start_with(stream, a, a, c);
}
