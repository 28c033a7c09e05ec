// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operands of two types, mapped ones, strided ones, and a long epilogue.
#include "gemm.hpp"

using namespace memtile;

struct dequantise {
  vector_view<const float> scales;
  template <class T>
  MEMTILE_FUNCTION float operator()(T value, int64 row, int64) const {
    return float(value) * scales.load(row);
  }
};

bool start(stream_t stream, matrix_view<const float> a, matrix_view<const float16> halves,
           matrix_view<const int8> bytes, matrix_view<const float, strided> apart, vector_view<const float> scales,
           matrix_view<float> c) {
  return gemm(stream, halves, bytes, c).ok() && gemm(stream, mapped(bytes, dequantise{scales}), halves, c).ok() &&
         gemm(stream, apart, a, c).ok() &&
         gemm(stream, a, a, c, linear{2.f, 1.f, c} | bias_columns(scales) | scale_rows(scales) | gelu()).ok();
}
