// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Views of global memory: a pointer, a shape and, for two and three dimensions, a pitch. They own nothing.
//
//   matrix_view<float>          row major: element (r, c) lies r * pitch bytes and c elements after data
//   matrix_view<float, column>  column major: c * pitch bytes and r elements after data
//   matrix_view<float, strided> both strides are chosen at run time; single elements only
//
// The layout is a type, so that a kernel knows at compile time along which direction its neighbours lie side by side.
// Pitches are in bytes, because allocators give pitches that are no multiple of the element size. global/access.cuh
// defines load and store.
#pragma once

#include <memtile/core/site.hpp>
#include <memtile/core/std.hpp>
#include <memtile/core/vec.hpp>

namespace memtile {

struct row {};      // unit stride along a row
struct column {};   // unit stride along a column
struct strided {};  // no unit stride known at compile time

/// `size` elements one after the other.
///
/// Callers   each thread for itself, on either machine
/// Outside   load and store need 0 <= i < size; the `_inside` forms return `outside` or do nothing for other i. The
///           simulator reports an access outside and leaves it out.
/// Requires  load(wide<N>, i) and store(i, vec) an address that is a multiple of the bytes moved
template <class T>
struct vector_view {
  using value_type = T;
  using element = detail::remove_const_t<T>;
  T* data = nullptr;
  int64 size = 0;

  constexpr vector_view() = default;
  MEMTILE_FUNCTION constexpr vector_view(T* first, int64 count) : data(first), size(count) {}
  template <class U, class = detail::enable_if_t<detail::adds_const<T, U>>>
  MEMTILE_FUNCTION constexpr vector_view(const vector_view<U>& v) : data(v.data), size(v.size) {}

  MEMTILE_FUNCTION constexpr bool inside(int64 i) const { return i >= 0 && i < size; }
  MEMTILE_FUNCTION constexpr T* address(int64 i) const { return data + i; }

  MEMTILE_FUNCTION element load(int64 i, site s = site::here()) const;
  template <int Width>
  MEMTILE_FUNCTION vec<element, Width> load(width<Width>, int64 i, site s = site::here()) const;
  MEMTILE_FUNCTION void store(int64 i, element v, site s = site::here()) const;
  template <int Width>
  MEMTILE_FUNCTION void store(int64 i, const vec<element, Width>& v, site s = site::here()) const;

  MEMTILE_FUNCTION element load_inside(int64 i, element outside = element{}, site s = site::here()) const {
    return inside(i) ? load(i, s) : outside;
  }
  MEMTILE_FUNCTION void store_inside(int64 i, element v, site s = site::here()) const {
    if (inside(i)) store(i, v, s);
  }
  /// Adds and returns what stood there before, as one step that no other thread can divide.
  MEMTILE_FUNCTION element atomic_add(int64 i, element v, site s = site::here()) const;
};

/// rows x cols elements. `pitch` is the distance in bytes from one row to the next, or from one column to the next when
/// the layout is `column`. Callers, outside and requirements are those of vector_view; load(wide<N>, r, c) moves N
/// neighbours along the unit stride, beginning at (r, c).
template <class T, class Layout = row>
struct matrix_view {
  static_assert(detail::is_same<Layout, row> || detail::is_same<Layout, column>,
                "memtile: the layout of a matrix_view must be row, column or strided");
  using value_type = T;
  using element = detail::remove_const_t<T>;
  using layout = Layout;
  static constexpr bool is_row_major = detail::is_same<Layout, row>;
  T* data = nullptr;
  int64 rows = 0, cols = 0;
  int64 pitch = 0;

  constexpr matrix_view() = default;
  MEMTILE_FUNCTION constexpr matrix_view(T* first, int64 row_count, int64 column_count, int64 pitch_bytes)
      : data(first), rows(row_count), cols(column_count), pitch(pitch_bytes) {}
  template <class U, class = detail::enable_if_t<detail::adds_const<T, U>>>
  MEMTILE_FUNCTION constexpr matrix_view(const matrix_view<U, Layout>& v)
      : data(v.data), rows(v.rows), cols(v.cols), pitch(v.pitch) {}

  MEMTILE_FUNCTION constexpr bool inside(int64 r, int64 c) const { return r >= 0 && r < rows && c >= 0 && c < cols; }
  MEMTILE_FUNCTION T* address(int64 r, int64 c) const {
    using bytes = detail::conditional_t<detail::is_const<T>, const char, char>;
    return reinterpret_cast<T*>(reinterpret_cast<bytes*>(data) + (is_row_major ? r : c) * pitch) +
           (is_row_major ? c : r);
  }

  MEMTILE_FUNCTION element load(int64 r, int64 c, site s = site::here()) const;
  template <int Width>
  MEMTILE_FUNCTION vec<element, Width> load(width<Width>, int64 r, int64 c, site s = site::here()) const;
  MEMTILE_FUNCTION void store(int64 r, int64 c, element v, site s = site::here()) const;
  template <int Width>
  MEMTILE_FUNCTION void store(int64 r, int64 c, const vec<element, Width>& v, site s = site::here()) const;

  MEMTILE_FUNCTION element load_inside(int64 r, int64 c, element outside = element{}, site s = site::here()) const {
    return inside(r, c) ? load(r, c, s) : outside;
  }
  MEMTILE_FUNCTION void store_inside(int64 r, int64 c, element v, site s = site::here()) const {
    if (inside(r, c)) store(r, c, v, s);
  }
  MEMTILE_FUNCTION element atomic_add(int64 r, int64 c, element v, site s = site::here()) const;
};

/// A matrix whose strides are known at run time only. A stride may be 0: then all rows, or columns, are one. An algorithm
/// turns it into a row or column major view where one of the strides is one element.
template <class T>
struct matrix_view<T, strided> {
  using value_type = T;
  using element = detail::remove_const_t<T>;
  using layout = strided;
  T* data = nullptr;
  int64 rows = 0, cols = 0;
  int64 row_pitch = 0, column_pitch = 0;  // bytes from a row, and from a column, to the next

  constexpr matrix_view() = default;
  MEMTILE_FUNCTION constexpr matrix_view(T* first, int64 row_count, int64 column_count, int64 row_bytes,
                                         int64 column_bytes)
      : data(first), rows(row_count), cols(column_count), row_pitch(row_bytes), column_pitch(column_bytes) {}
  template <class U, class = detail::enable_if_t<detail::adds_const<T, U>>>
  MEMTILE_FUNCTION constexpr matrix_view(const matrix_view<U, strided>& v)
      : data(v.data), rows(v.rows), cols(v.cols), row_pitch(v.row_pitch), column_pitch(v.column_pitch) {}

  MEMTILE_FUNCTION constexpr bool inside(int64 r, int64 c) const { return r >= 0 && r < rows && c >= 0 && c < cols; }
  MEMTILE_FUNCTION T* address(int64 r, int64 c) const {
    using bytes = detail::conditional_t<detail::is_const<T>, const char, char>;
    return reinterpret_cast<T*>(reinterpret_cast<bytes*>(data) + r * row_pitch + c * column_pitch);
  }
  MEMTILE_FUNCTION element load(int64 r, int64 c, site s = site::here()) const;
  MEMTILE_FUNCTION vec<element, 1> load(width<1>, int64 r, int64 c, site s = site::here()) const {
    return {{load(r, c, s)}};
  }
  MEMTILE_FUNCTION void store(int64 r, int64 c, element v, site s = site::here()) const;
  MEMTILE_FUNCTION void store(int64 r, int64 c, const vec<element, 1>& v, site s = site::here()) const {
    store(r, c, v[0], s);
  }
};

/// depth x rows x cols elements, each row of neighbours side by side.
template <class T>
struct volume_view {
  using value_type = T;
  using element = detail::remove_const_t<T>;
  T* data = nullptr;
  int64 depth = 0, rows = 0, cols = 0;
  int64 row_pitch = 0, slice_pitch = 0;  // bytes from a row, and from a slice, to the next

  constexpr volume_view() = default;
  MEMTILE_FUNCTION constexpr volume_view(T* first, int64 slices, int64 row_count, int64 column_count, int64 row_bytes,
                                         int64 slice_bytes)
      : data(first), depth(slices), rows(row_count), cols(column_count), row_pitch(row_bytes),
        slice_pitch(slice_bytes) {}
  template <class U, class = detail::enable_if_t<detail::adds_const<T, U>>>
  MEMTILE_FUNCTION constexpr volume_view(const volume_view<U>& v)
      : data(v.data), depth(v.depth), rows(v.rows), cols(v.cols), row_pitch(v.row_pitch), slice_pitch(v.slice_pitch) {}

  MEMTILE_FUNCTION constexpr bool inside(int64 z, int64 r, int64 c) const {
    return z >= 0 && z < depth && r >= 0 && r < rows && c >= 0 && c < cols;
  }
  /// One slice, as a matrix.
  MEMTILE_FUNCTION matrix_view<T> slice(int64 z) const {
    using bytes = detail::conditional_t<detail::is_const<T>, const char, char>;
    return {reinterpret_cast<T*>(reinterpret_cast<bytes*>(data) + z * slice_pitch), rows, cols, row_pitch};
  }
  MEMTILE_FUNCTION element load(int64 z, int64 r, int64 c, site s = site::here()) const;
  MEMTILE_FUNCTION void store(int64 z, int64 r, int64 c, element v, site s = site::here()) const;
};

/// Views of plain pointers. `ld`, the leading dimension, is in elements: the distance between the beginnings of two
/// rows (row_major) or two columns (column_major); `pitched` takes the distance between rows in bytes.
template <class T>
MEMTILE_FUNCTION constexpr matrix_view<T> row_major(T* p, int64 rows, int64 cols, int64 ld) {
  return {p, rows, cols, ld * int64(sizeof(T))};
}
template <class T>
MEMTILE_FUNCTION constexpr matrix_view<T> row_major(T* p, int64 rows, int64 cols) {
  return row_major(p, rows, cols, cols);
}
template <class T>
MEMTILE_FUNCTION constexpr matrix_view<T, column> column_major(T* p, int64 rows, int64 cols, int64 ld) {
  return {p, rows, cols, ld * int64(sizeof(T))};
}
template <class T>
MEMTILE_FUNCTION constexpr matrix_view<T, column> column_major(T* p, int64 rows, int64 cols) {
  return column_major(p, rows, cols, rows);
}
template <class T>
MEMTILE_FUNCTION constexpr matrix_view<T> pitched(T* p, int64 rows, int64 cols, int64 pitch_bytes) {
  return {p, rows, cols, pitch_bytes};
}

/// The same elements with rows and columns exchanged. Nothing moves.
template <class T>
MEMTILE_FUNCTION constexpr matrix_view<T, column> transposed(const matrix_view<T, row>& v) {
  return {v.data, v.cols, v.rows, v.pitch};
}
template <class T>
MEMTILE_FUNCTION constexpr matrix_view<T, row> transposed(const matrix_view<T, column>& v) {
  return {v.data, v.cols, v.rows, v.pitch};
}
template <class T>
MEMTILE_FUNCTION constexpr matrix_view<T, strided> transposed(const matrix_view<T, strided>& v) {
  return {v.data, v.cols, v.rows, v.column_pitch, v.row_pitch};
}

/// The rows x cols elements from (r0, c0) on. Requires that they lie inside v. The view is a matrix of its own: what
/// lies around it in v does not exist for an algorithm.
template <class T, class Layout>
MEMTILE_FUNCTION matrix_view<T, Layout> subview(const matrix_view<T, Layout>& v, int64 r0, int64 c0, int64 rows,
                                                int64 cols) {
  return {v.address(r0, c0), rows, cols, v.pitch};
}
template <class T>
MEMTILE_FUNCTION vector_view<T> subview(const vector_view<T>& v, int64 first, int64 size) {
  return {v.address(first), size};
}

}  // namespace memtile
