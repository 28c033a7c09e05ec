// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What every algorithm asks of the views it is given, before anything is launched.
#pragma once

#include <memtile/core/region.hpp>
#include <memtile/core/status.hpp>
#include <memtile/core/view.hpp>

#if !defined(__CUDACC_RTC__)

namespace memtile::detail {

// In words.
template <class T>
std::string shape_of(const vector_view<T>& v) {
  return filled_in("of {}", v.size);
}
template <class T, class Layout>
std::string shape_of(const matrix_view<T, Layout>& v) {
  return filled_in("{}x{}", v.rows, v.cols);
}
template <class T>
std::string shape_of(const volume_view<T>& v) {
  return filled_in("{}x{}x{}", v.depth, v.rows, v.cols);
}

// Whether every row of a volume begins at a multiple of so many bytes.
template <class T>
bool begins_rows_at(const volume_view<T>& v, int bytes) {
  const size_t all =
      reinterpret_cast<size_t>(v.data) | size_t(v.rows > 1 ? v.row_pitch : 0) | size_t(v.depth > 1 ? v.slice_pitch : 0);
  return all % size_t(bytes) == 0;
}

// Whether a region lies inside `what`, which has extent_along(axis) elements along each axis.
template <class Extent>
status check_region(const char* algorithm, const char* what, const region& part, int dimensions,
                    const Extent& extent_along) {
  if (part.dimensions != dimensions)
    return status::refused("{}: the region has {} dimensions, but {} {}", algorithm, part.dimensions, what, dimensions);
  for (int axis = 0; axis < dimensions; ++axis) {
    const int64 first = part.first[axis], size = part.size[axis], all = extent_along(axis);
    if (first < 0 || size < 0 || first > all - size)
      return status::refused("{}: the region has {} elements from {} on along axis {}, but {} has {}", algorithm, size,
                             first, axis, what, all);
  }
  return {};
}

template <class T, class Layout>
status check_view(const char* algorithm, const char* name, const matrix_view<T, Layout>& v) {
  constexpr int64 bytes = sizeof(T);
  const int64 length = v.is_row_major ? v.cols : v.rows, lines = v.is_row_major ? v.rows : v.cols;
  if (v.rows < 0 || v.cols < 0)
    return status::refused("{}: {} is {}x{}: sizes must not be negative", algorithm, name, v.rows, v.cols);
  if (length > 0 && lines > 1 && v.pitch < length * bytes)
    return status::refused("{}: {} is {}x{} with a pitch of {} bytes: it must be at least {}, the bytes of one {}",
                           algorithm, name, v.rows, v.cols, v.pitch, length * bytes, v.is_row_major ? "row" : "column");
  if (v.pitch % int64(alignof(T)) != 0 || int64(reinterpret_cast<size_t>(v.data)) % int64(alignof(T)) != 0)
    return status::refused("{}: the address and the pitch ({} bytes) of {} must be multiples of its element's {} bytes",
                           algorithm, v.pitch, name, alignof(T));
  if (v.data == nullptr && v.rows > 0 && v.cols > 0)
    return status::refused("{}: {} is {}x{} but its pointer is null", algorithm, name, v.rows, v.cols);
  return {};
}
/// A pitch of 0 repeats a row, or a column: for a matrix that is only read.
template <class T>
status check_view(const char* algorithm, const char* name, const matrix_view<T, strided>& v) {
  if (v.rows < 0 || v.cols < 0)
    return status::refused("{}: {} is {}x{}: sizes must not be negative", algorithm, name, v.rows, v.cols);
  if (v.row_pitch < 0 || v.column_pitch < 0)
    return status::refused("{}: {} has {} bytes from row to row and {} from column to column: neither may be negative",
                           algorithm, name, v.row_pitch, v.column_pitch);
  if ((int64(reinterpret_cast<size_t>(v.data)) | v.row_pitch | v.column_pitch) % int64(alignof(T)) != 0)
    return status::refused("{}: the address and the pitches ({} and {} bytes) of {} must be multiples of its element's "
                           "{} bytes",
                           algorithm, v.row_pitch, v.column_pitch, name, alignof(T));
  if (v.data == nullptr && v.rows > 0 && v.cols > 0)
    return status::refused("{}: {} is {}x{} but its pointer is null", algorithm, name, v.rows, v.cols);
  return {};
}
template <class T>
status check_view(const char* algorithm, const char* name, const vector_view<T>& v) {
  if (v.size < 0) return status::refused("{}: {} has {} elements: sizes must not be negative", algorithm, name, v.size);
  if (int64(reinterpret_cast<size_t>(v.data)) % int64(alignof(T)) != 0)
    return status::refused("{}: the address of {} must be a multiple of its element's {} bytes", algorithm, name,
                           alignof(T));
  if (v.data == nullptr && v.size > 0)
    return status::refused("{}: {} has {} elements but its pointer is null", algorithm, name, v.size);
  return {};
}
/// Each slice is checked as a matrix; slices may interleave, as those of a volume seen along another axis do.
template <class T>
status check_view(const char* algorithm, const char* name, const volume_view<T>& v) {
  if (v.depth < 0) return status::refused("{}: {} has {} slices: sizes must not be negative", algorithm, name, v.depth);
  matrix_view<T> slice = v.slice(0);
  if (v.depth == 0) slice.rows = min_of(slice.rows, int64(0));  // of no slices nothing has to lie anywhere
  if (status s = check_view(algorithm, name, slice); !s) return s;
  if (v.depth > 1 && v.slice_pitch < 0)
    return status::refused("{}: the slices of {} are {} bytes apart: that must not be negative", algorithm, name,
                           v.slice_pitch);
  if (v.depth > 1 && v.slice_pitch % int64(alignof(T)) != 0)
    return status::refused("{}: the pitch of the slices of {} ({} bytes) must be a multiple of its element's {} bytes",
                           algorithm, name, v.slice_pitch, alignof(T));
  return {};
}
/// Slices that are written: neighbouring ones must not share elements, which blocks would store in any order.
template <class View>
status check_slices_apart(const char*, const char*, const View&) {
  return {};
}
template <class T>
status check_slices_apart(const char* algorithm, const char* name, const volume_view<T>& v) {
  const int64 bytes = v.cols * int64(sizeof(T)), between = v.slice_pitch - v.row_pitch;
  const bool share = v.slice_pitch < bytes || (v.rows > 1 && between < bytes && -between < bytes);
  if (v.depth > 1 && v.rows > 0 && v.cols > 0 && share)
    return status::refused(
        "{}: the slices of {} are {} bytes apart and its rows {}, so that they share elements: a row "
        "has {} bytes",
        algorithm, name, v.slice_pitch, v.row_pitch, bytes);
  return {};
}

}  // namespace memtile::detail
#endif
