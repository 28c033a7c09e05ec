// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Batches have the tile of one warp beside the others.
#include "gemm.hpp"

using namespace memtile;

bool start(stream_t stream, matrix_batch<const float> a, matrix_batch<float> c, matrix_batch<const double> x,
           matrix_batch<double> z, matrix_batch<const float16> h, matrix_batch<float16> half_c) {
  return gemm(stream, a, a, c).ok() && gemm(stream, transposed(a), transposed(a), c).ok() &&
         gemm(stream, a, transposed(a), c, linear{2.f, 1.f}).ok() && gemm(stream, x, x, z).ok() &&
         gemm(stream, h, transposed(h), half_c).ok();
}
