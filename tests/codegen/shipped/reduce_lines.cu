// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions of rows, columns and segments, and rows held on chip.
#include <memtile/reduce.cuh>

using namespace memtile;

struct softmax {
  template <class Row>
  MEMTILE_FUNCTION void operator()(Row& row) const {
    const float largest = row.reduce(maximum{});
    row.map([=](float v) { return memtile::exp(v - largest); });
    const float sum = row.reduce(plus{});
    row.store([=](float e) { return e / sum; });
  }
};
struct first_of_two {
  template <class T>
  MEMTILE_FUNCTION T operator()(T first, T) const {
    return first;
  }
};

bool start(stream_t stream, matrix_view<const float> a, matrix_view<const uint8> bytes, vector_view<float> out,
           vector_view<int> places, vector_view<const int> offsets, matrix_view<float> image) {
  const vector_view<const float> row(a.data, a.cols);
  return reduce_rows(stream, a, out, plus{}, 0).ok() && reduce_rows(stream, bytes, out, plus{}, 0).ok() &&
         reduce_rows(stream, a, places, arg_maximum{}).ok() && reduce_rows(stream, a, out, first_of_two{}, 0).ok() &&
         reduce_columns(stream, a, out, plus{}, 0).ok() && reduce_columns(stream, bytes, places, plus{}, 0).ok() &&
         reduce_segments(stream, row, offsets, out, plus{}, 0).ok() && map_rows(stream, a, image, softmax{}).ok();
}
