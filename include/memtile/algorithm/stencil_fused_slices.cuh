// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a lane holds of each step of several of a volume, and how the borders are imposed on it anew: from what it holds
// alone.
#pragma once

#include <memtile/algorithm/stencil_fused_window.cuh>

namespace memtile {

MEMTILE_USER_CODE_BEGIN

namespace detail {

// The border before the first or behind the last element of an axis.
template <bool IsBefore, class Border>
MEMTILE_FUNCTION const Border& side_of(const Border& border) {
  return border;
}
template <bool IsBefore, class Before, class After>
MEMTILE_FUNCTION const auto& side_of(const sides<Before, After>& border) {
  if constexpr (IsBefore) return border.before;
  else return border.after;
}
// The first element outside, beside the one at the edge: `inner` is that one's other neighbour, if it has one inside.
template <class T, class Side>
MEMTILE_FUNCTION T first_outside(const Side&, T edge, T inner, bool has_inner) {
  return is_same<Side, reflect101> && has_inner ? inner : edge;
}
template <class T, class V>
MEMTILE_FUNCTION T first_outside(const constant<V>& border, T, T, bool) {
  return stored_as<T>(border.value);
}
// Where element i of an axis is said to be: of those outside of the volume, where they come from if the axis wraps, or the
// nearest one inside.
template <class Border>
MEMTILE_FUNCTION int named_place(const Border&, int i, int64 n) {
  return is_wrap<Border> ? int(modulo(i, n)) : max_of(0, min_of(i, int(n) - 1));
}

// The tile of a block that makes Depth steps of a star of radius 1: 8 warps of up to 255 registers a thread. 96 of them for
// slices leave enough for any functor; with fewer than 4 rows of a warp too much would be rim, and 128 are taken.
template <class T, class Reach, int Depth>
struct fused_volume_shape {
  using line = fused_shape<T, Reach, Depth>;
  static constexpr int width = line::width, margin = line::margin, columns = line::columns;
  static constexpr int warps = 8, words_of_row = ceil_div(int(sizeof(T)), 4) * Depth * 2 * width;
  static constexpr int warp_rows = max_of(4, min_of(7, 96 / words_of_row)), tile_rows = warps * warp_rows;
  static constexpr int rows = tile_rows - 2 * Depth;  // that are whole after all steps, as `columns` of 32 runs
  // Which row of its warp the volume's first row is in the tile that stores it, and its last one: tiles are laid so.
  static constexpr int first_row = Depth % warp_rows, last_row = (tile_rows - 1 - Depth) % warp_rows;
  static constexpr bool fits = warp_rows * words_of_row <= 128 && columns > 0 && rows >= 2 * Depth;
};

// The slices of one step around a lane's part of Rows runs. Of the one in the middle also what lies around them.
template <class T, int Width, int Rows>
struct held_slices {
  T at_place[3][Rows + 2][Width + 2];

  MEMTILE_FUNCTION const T& own(int slice, int row, int column) const {
    return at_place[slice + 1][row + 1][column + 1];
  }
  MEMTILE_FUNCTION T& own(int slice, int row, int column) { return at_place[slice + 1][row + 1][column + 1]; }

  // A slice becomes the last one, and the first one is forgotten.
  MEMTILE_FUNCTION void enter(const vec<T, Width> (&newest)[Rows]) {
    MEMTILE_UNROLL
    for (int r = 0; r < Rows; ++r) {
      MEMTILE_UNROLL
      for (int j = 0; j < Width; ++j) {
        own(-1, r, j) = own(0, r, j);
        own(0, r, j) = own(1, r, j);
        own(1, r, j) = newest[r][j];
      }
    }
  }
  MEMTILE_FUNCTION void see_beside(const warp& w, site s) {
    MEMTILE_UNROLL
    for (int r = 0; r < Rows; ++r) {
      own(0, r, -1) = w.shuffle_up(own(0, r, Width - 1), 1, 32, s);
      own(0, r, Width) = w.shuffle_down(own(0, r, 0), 1, 32, s);
    }
  }
  MEMTILE_FUNCTION void see_row(int r, const vec<T, Width>& run) {
    MEMTILE_UNROLL
    for (int j = 0; j < Width; ++j) own(0, r, j) = run[j];
  }
  MEMTILE_FUNCTION vec<T, Width> middle(int r) const {
    vec<T, Width> run;
    MEMTILE_UNROLL
    for (int j = 0; j < Width; ++j) run[j] = own(0, r, j);
    return run;
  }

  // What lies outside of the volume gets its values: `way` is -1 before the first slice, row or column of the volume, which
  // stands here, and 1 behind the last one. has_inner: the axis has more than one.
  template <class Side>
  MEMTILE_FUNCTION void impose_slice(const Side& side, int way, bool has_inner) {
    MEMTILE_UNROLL
    for (int r = 0; r < Rows; ++r) {
      MEMTILE_UNROLL
      for (int j = 0; j < Width; ++j) own(way, r, j) = first_outside<T>(side, own(0, r, j), own(-way, r, j), has_inner);
    }
  }
  template <class Side>
  MEMTILE_FUNCTION void impose_row(const Side& side, int r, int way, bool has_inner) {
    MEMTILE_UNROLL
    for (int j = 0; j < Width; ++j)
      own(0, r + way, j) = first_outside<T>(side, own(0, r, j), own(0, r - way, j), has_inner);
  }
  template <class Side>
  MEMTILE_FUNCTION void impose_column(const Side& side, int r, int j, int way, bool has_inner) {
    own(0, r, j + way) = first_outside<T>(side, own(0, r, j), own(0, r, j - way), has_inner);
  }
};
// One of the rows, as a functor's neighbours see the windows of all fields.
template <class Slices>
struct row_of_slices {
  const Slices& slices;
  int row;
  MEMTILE_FUNCTION auto at(int dz, int dy, int column) const { return slices.own(dz, row + dy, column); }
};

}  // namespace detail

MEMTILE_USER_CODE_END

}  // namespace memtile
