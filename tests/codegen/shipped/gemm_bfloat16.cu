// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Into floats, in the layouts of a linear layer and of its gradient.
#include "gemm.hpp"

using namespace memtile;

bool start(stream_t stream, matrix_view<const bfloat16> a, matrix_view<float> c) {
  return gemm(stream, a, transposed(a), c).ok() && gemm(stream, transposed(a), a, c).ok();
}
