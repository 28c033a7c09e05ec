// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// global -> shared with the neighbours around: a tile of an image and its halo. What lies outside the image is the
// border's matter.
#pragma once

#include <memtile/block/block.cuh>
#include <memtile/global/access.cuh>
#include <memtile/global/border.hpp>
#include <memtile/shared/tile.cuh>

namespace memtile {

namespace detail {
template <class T, class U, class Border>
MEMTILE_FUNCTION T load_with_border(const matrix_view<U>& in, int64 r, int64 c, Border, site s) {
  return in.load(Border::index(r, in.rows), Border::index(c, in.cols), s);
}
template <class T, class U, class V>
MEMTILE_FUNCTION T load_with_border(const matrix_view<U>& in, int64 r, int64 c, constant<V> border, site s) {
  return in.inside(r, c) ? T(in.load(r, c, s)) : T(border.value);  // which an element of `in` may not be able to hold
}
}  // namespace detail

/// Brings the Rows x Columns pixels of `in` from (row0, column0) on, and Halo more on every side, into `tile`.
///
/// Callers   every thread of the block; any number of threads
/// Result    visible after the caller's block.sync()
/// Outside   as the border says: constant{v}, replicate, reflect, reflect101 or wrap; the radius may be larger than the
///           image
/// Memory    a warp walks along one row at a time: neighbouring lanes read neighbouring pixels, and meet no bank
///           conflict
/// Requires  an image of at least one pixel, except with constant{v}
template <class T, int Rows, int Columns, int Halo, class U, class Border>
MEMTILE_FUNCTION void halo_to_shared(block b, const matrix_view<U>& in, int64 row0, int64 column0,
                                     halo_tile<T, Rows, Columns, Halo>& tile, Border border, site s = site::here()) {
  s = s.within("halo_to_shared");
  // Whole warps walk along a row each; a block of less than a warp is one short warp.
  const int lanes = min_of(32, b.size()), warps = b.size() / lanes;
  if (b.rank() >= warps * lanes) return;
  for (int r = b.rank() / lanes - Halo; r < Rows + Halo; r += warps) {
    for (int c = b.rank() % lanes - Halo; c < Columns + Halo; c += lanes)
      tile.store(r, c, detail::load_with_border<T>(in, row0 + r, column0 + c, border, s.inner()), s.inner());
    hw::lanes_meet(s);
  }
}

}  // namespace memtile
