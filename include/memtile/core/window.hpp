// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which neighbours a stencil may read, as a type.
#pragma once

#include <memtile/core/config.hpp>

namespace memtile {

/// How far the neighbours reach: window<left, right> in one dimension, window<up, down, left, right> in two,
/// window<front, back, up, down, left, right> in three.
template <int... Reach>
struct window {
  static_assert(sizeof...(Reach) == 0, "memtile: a window must have 2, 4 or 6 numbers: two for each dimension");
};
template <int Left, int Right>
struct window<Left, Right> {
  static constexpr int left = Left, right = Right;
};
/// So many rows above and below, and columns to the left and right.
template <int Up, int Down, int Left, int Right>
struct window<Up, Down, Left, Right> {
  static constexpr int up = Up, down = Down, left = Left, right = Right;
};
template <int Front, int Back, int Up, int Down, int Left, int Right>
struct window<Front, Back, Up, Down, Left, Right> {
  static constexpr int front = Front, back = Back, up = Up, down = Down, left = Left, right = Right;
};
/// All neighbours up to the radius, in any number of dimensions.
template <int Radius>
struct box : window<Radius, Radius, Radius, Radius> {};
/// The neighbours along the axes alone, up to the radius, in any number of dimensions.
template <int Radius>
struct star : window<Radius, Radius, Radius, Radius> {};

/// A window of a matrix whose size is known at run time alone: rows x columns, around an anchor that has `up` of the rows
/// above it and `left` of the columns to its left: half of them, where nothing is said.
struct sized_window {
  int64 rows, columns, up, left;
  MEMTILE_FUNCTION constexpr sized_window(int64 rows_, int64 columns_)
      : sized_window(rows_, columns_, rows_ / 2, columns_ / 2) {}
  MEMTILE_FUNCTION constexpr sized_window(int64 rows_, int64 columns_, int64 up_, int64 left_)
      : rows(rows_), columns(columns_), up(up_), left(left_) {}
};

namespace detail {

// Every window as one of a volume whose slowest axis is the one that a stencil walks along: the rows of a matrix are
// slices of one row each, a vector is one row of one slice.
template <int Front, int Back, int Up, int Down, int Left, int Right, bool IsStar = false>
struct reach {
  static_assert(Front >= 0 && Back >= 0 && Up >= 0 && Down >= 0 && Left >= 0 && Right >= 0,
                "memtile: the reach of a window must be 0 or more");
  static constexpr int front = Front, back = Back, up = Up, down = Down, left = Left, right = Right;
  static constexpr int slices = Front + 1 + Back, rows = Up + 1 + Down, columns = Left + 1 + Right;
  static constexpr bool is_star = IsStar;
};
template <class Window, int Dimensions>
struct reach_of {
  static_assert(Dimensions == 0, "memtile: a window must have two numbers for each dimension of the input");
};
template <int Left, int Right>
struct reach_of<window<Left, Right>, 1> {
  using type = reach<0, 0, 0, 0, Left, Right>;
};
template <int Up, int Down, int Left, int Right>
struct reach_of<window<Up, Down, Left, Right>, 2> {
  using type = reach<Up, Down, 0, 0, Left, Right>;
};
template <int Front, int Back, int Up, int Down, int Left, int Right>
struct reach_of<window<Front, Back, Up, Down, Left, Right>, 3> {
  using type = reach<Front, Back, Up, Down, Left, Right>;
};
template <int R, int Dimensions>
struct reach_of<box<R>, Dimensions> {
  static constexpr int slow = Dimensions > 1 ? R : 0, middle = Dimensions > 2 ? R : 0;
  using type = reach<slow, slow, middle, middle, R, R>;
};
template <int R, int Dimensions>
struct reach_of<star<R>, Dimensions> {
  static constexpr int slow = Dimensions > 1 ? R : 0, middle = Dimensions > 2 ? R : 0;
  using type = reach<slow, slow, middle, middle, R, R, true>;
};

}  // namespace detail
}  // namespace memtile
