// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a view's load and store reach memory. core/view.hpp says where an element lies; here stands what the simulator
// checks on the way: the index against the extents, in every dimension. On the device nothing is checked and the access
// is the bare one.
#pragma once

#include <memtile/core/view.hpp>
#include <memtile/hw/atomic.cuh>
#include <memtile/hw/bounds.cuh>
#include <memtile/hw/memory.cuh>

namespace memtile {

// The address is computed after the check: out of bounds it need not exist.

template <class T>
MEMTILE_FUNCTION auto vector_view<T>::load(int64 i, site s) const -> element {
  if (!hw::inside("vector_view", {i}, {size}, 0, 1, s)) return hw::poison<element>();
  return hw::load_global(address(i), s.at(i));
}
template <class T>
template <int Width>
MEMTILE_FUNCTION auto vector_view<T>::load(width<Width>, int64 i, site s) const -> vec<element, Width> {
  using wide = vec<element, Width>;
  if (!hw::inside("vector_view", {i}, {size}, 0, Width, s)) return hw::poison<wide>();
  return hw::load_global(reinterpret_cast<const wide*>(address(i)), s.at(i));
}
template <class T>
MEMTILE_FUNCTION void vector_view<T>::store(int64 i, element v, site s) const {
  if (hw::inside("vector_view", {i}, {size}, 0, 1, s)) hw::store_global(address(i), v, s.at(i));
}
template <class T>
template <int Width>
MEMTILE_FUNCTION void vector_view<T>::store(int64 i, const vec<element, Width>& v, site s) const {
  if (hw::inside("vector_view", {i}, {size}, 0, Width, s))
    hw::store_global(reinterpret_cast<vec<element, Width>*>(address(i)), v, s.at(i));
}
template <class T>
MEMTILE_FUNCTION auto vector_view<T>::atomic_add(int64 i, element v, site s) const -> element {
  if (!hw::inside("vector_view", {i}, {size}, 0, 1, s)) return hw::poison<element>();
  return hw::atomic_add(hw::memory::global, address(i), v, s.at(i));
}

template <class T, class Layout>
MEMTILE_FUNCTION auto matrix_view<T, Layout>::load(int64 r, int64 c, site s) const -> element {
  if (!hw::inside("matrix_view", {r, c}, {rows, cols}, is_row_major, 1, s)) return hw::poison<element>();
  return hw::load_global(address(r, c), s.at(r, c));
}
template <class T, class Layout>
template <int Width>
MEMTILE_FUNCTION auto matrix_view<T, Layout>::load(width<Width>, int64 r, int64 c, site s) const
    -> vec<element, Width> {
  using wide = vec<element, Width>;
  if (!hw::inside("matrix_view", {r, c}, {rows, cols}, is_row_major, Width, s)) return hw::poison<wide>();
  return hw::load_global(reinterpret_cast<const wide*>(address(r, c)), s.at(r, c));
}
template <class T, class Layout>
MEMTILE_FUNCTION void matrix_view<T, Layout>::store(int64 r, int64 c, element v, site s) const {
  if (hw::inside("matrix_view", {r, c}, {rows, cols}, is_row_major, 1, s))
    hw::store_global(address(r, c), v, s.at(r, c));
}
template <class T, class Layout>
template <int Width>
MEMTILE_FUNCTION void matrix_view<T, Layout>::store(int64 r, int64 c, const vec<element, Width>& v, site s) const {
  if (hw::inside("matrix_view", {r, c}, {rows, cols}, is_row_major, Width, s))
    hw::store_global(reinterpret_cast<vec<element, Width>*>(address(r, c)), v, s.at(r, c));
}
template <class T, class Layout>
MEMTILE_FUNCTION auto matrix_view<T, Layout>::atomic_add(int64 r, int64 c, element v, site s) const -> element {
  if (!hw::inside("matrix_view", {r, c}, {rows, cols}, is_row_major, 1, s)) return hw::poison<element>();
  return hw::atomic_add(hw::memory::global, address(r, c), v, s.at(r, c));
}

template <class T>
MEMTILE_FUNCTION auto matrix_view<T, strided>::load(int64 r, int64 c, site s) const -> element {
  if (!hw::inside("matrix_view", {r, c}, {rows, cols}, 1, 1, s)) return hw::poison<element>();
  return hw::load_global(address(r, c), s.at(r, c));
}
template <class T>
MEMTILE_FUNCTION void matrix_view<T, strided>::store(int64 r, int64 c, element v, site s) const {
  if (hw::inside("matrix_view", {r, c}, {rows, cols}, 1, 1, s)) hw::store_global(address(r, c), v, s.at(r, c));
}

template <class T>
MEMTILE_FUNCTION auto volume_view<T>::load(int64 z, int64 r, int64 c, site s) const -> element {
  if (!hw::inside("volume_view", {z, r, c}, {depth, rows, cols}, 2, 1, s)) return hw::poison<element>();
  return hw::load_global(slice(z).address(r, c), s.at(z, r, c));
}
template <class T>
MEMTILE_FUNCTION void volume_view<T>::store(int64 z, int64 r, int64 c, element v, site s) const {
  if (hw::inside("volume_view", {z, r, c}, {depth, rows, cols}, 2, 1, s))
    hw::store_global(slice(z).address(r, c), v, s.at(z, r, c));
}

/// True if every access of `Bytes` bytes at a multiple of that many from the beginning of a row (or column, for column
/// major views) is aligned and stays inside: base, pitch and extent are multiples of it. An aligned base alone is not
/// enough.
template <int Bytes, class T, class Layout>
MEMTILE_FUNCTION bool allows_access_of(const matrix_view<T, Layout>& v) {
  const int64 contiguous = v.is_row_major ? v.cols : v.rows;
  return (int64(reinterpret_cast<size_t>(v.data)) | v.pitch | contiguous * int64(sizeof(T))) % Bytes == 0;
}

}  // namespace memtile
