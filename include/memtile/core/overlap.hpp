// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Do two views share memory? An algorithm whose output overlaps an input is refused, since blocks would read what
// others have written.
#pragma once

#include <memtile/core/view.hpp>

#if !defined(__CUDACC_RTC__)

namespace memtile::detail {

// `rows` runs of `bytes` bytes, `pitch` bytes apart.
struct rectangle {
  int64 first, rows, bytes, pitch;
  constexpr bool empty() const { return rows <= 0 || bytes <= 0; }
  constexpr int64 end() const { return first + (rows - 1) * pitch + bytes; }
};

// With one pitch for both, the rectangles themselves are compared, so that two column blocks of one matrix do not
// overlap; otherwise the ranges from first to last byte.
constexpr bool overlap(const rectangle& a, const rectangle& b) {
  if (a.empty() || b.empty() || a.end() <= b.first || b.end() <= a.first) return false;
  if (a.pitch != b.pitch || a.pitch <= 0 || a.bytes > a.pitch || b.bytes > b.pitch) return true;
  // b begins `down` rows below and `right` bytes to the right of a; what passes the pitch continues one row below.
  const int64 distance = b.first - a.first, right = (distance % a.pitch + a.pitch) % a.pitch,
              down = (distance - right) / a.pitch;
  const bool rows_meet = down < a.rows && down + b.rows > 0,
             next_rows_meet = down + 1 < a.rows && down + 1 + b.rows > 0;
  return (rows_meet && right < a.bytes) || (next_rows_meet && right + b.bytes > a.pitch);
}

template <class T, class Layout>
rectangle rectangle_of(const matrix_view<T, Layout>& v) {
  const int64 lines = v.is_row_major ? v.rows : v.cols, length = v.is_row_major ? v.cols : v.rows;
  return {int64(reinterpret_cast<size_t>(v.data)), lines, length * int64(sizeof(T)), v.pitch};
}

// The bytes of any view: exactly, or from the first to the last.
template <class T>
rectangle extent_of(const vector_view<T>& v) {
  return {int64(reinterpret_cast<size_t>(v.data)), 1, v.size * int64(sizeof(T)), v.size * int64(sizeof(T))};
}
template <class T, class Layout>
rectangle extent_of(const matrix_view<T, Layout>& v) {
  return rectangle_of(v);
}
template <class T>
rectangle extent_of(const matrix_view<T, strided>& v) {
  const bool is_empty = v.rows <= 0 || v.cols <= 0;
  const int64 last = (v.rows - 1) * v.row_pitch + (v.cols - 1) * v.column_pitch;
  return {int64(reinterpret_cast<size_t>(v.data)), 1, is_empty ? 0 : last + int64(sizeof(T)), 0};
}
template <class T>
rectangle extent_of(const volume_view<T>& v) {
  if (v.depth <= 0 || v.rows <= 0 || v.cols <= 0) return {};
  return {int64(reinterpret_cast<size_t>(v.data)), 1,
          (v.depth - 1) * v.slice_pitch + (v.rows - 1) * v.row_pitch + v.cols * int64(sizeof(T)), 0};
}

}  // namespace memtile::detail
#endif
