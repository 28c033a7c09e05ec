// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions of whole arrays: wide and narrow elements, every kind of accumulator, each at both alignments.
#include <memtile/reduce.cuh>

using namespace memtile;

template <class T, class R>
bool sums(stream_t stream, const T* data, int64 size, R* out) {
  return sum(stream, vector_view<const T>(data, size), vector_view<R>(out, 1)).ok();
}

bool start(stream_t stream, const float* floats, const int8* bytes, const float16* halves, const double* doubles,
           int64 size, float* out, int64* whole, double* wide, statistics_of<float>* numbers,
           both<indexed<float>, indexed<float>>* ends) {
  const vector_view<const float> v(floats, size);
  return sums(stream, floats, size, out) && sums(stream, bytes, size, whole) && sums(stream, halves, size, out) &&
         sums(stream, doubles, size, wide) && sum<compensated>(stream, v, vector_view<float>(out, 1)).ok() &&
         statistics(stream, v, vector_view<statistics_of<float>>(numbers, 1)).ok() &&
         minmax(stream, v, vector_view<both<indexed<float>, indexed<float>>>(ends, 1)).ok() &&
         dot(stream, v, v, vector_view<float>(out, 1)).ok();
}
