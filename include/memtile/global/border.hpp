// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What stands outside an image. Each border maps an index i of any size to one inside 0 .. n-1, n >= 1:
//
//   n = 4            -4 -3 -2 -1 | 0 1 2 3 |  4  5  6  7
//   replicate         0  0  0  0 | 0 1 2 3 |  3  3  3  3
//   reflect           3  2  1  0 | 0 1 2 3 |  3  2  1  0     the edge stands twice
//   reflect101        2  3  2  1 | 0 1 2 3 |  2  1  0  1     the edge stands once
//   wrap              0  1  2  3 | 0 1 2 3 |  0  1  2  3
//
// constant{v} has no index: the value is v, rounded and saturated where elements are integers. A radius larger than the image is legal: reflections repeat. A border of one's
// own is a type with such an index(i, n).
#pragma once

#include <memtile/core/convert.hpp>

namespace memtile {

namespace detail {
// i modulo n, never negative.
MEMTILE_FUNCTION constexpr int64 modulo(int64 i, int64 n) {
  // One turn is enough but for images smaller than a window, and a division of 64 bits takes a hundred instructions.
  const int64 turned = i < 0 ? i + n : i >= n ? i - n : i;
  if (turned >= 0 && turned < n) return turned;
  const int64 m = i % n;
  return m < 0 ? m + n : m;
}
}  // namespace detail

template <class T>
struct constant {
  T value{};
};
template <class T>
constant(T) -> constant<T>;

struct replicate {
  MEMTILE_FUNCTION static constexpr int64 index(int64 i, int64 n) { return i < 0 ? 0 : i >= n ? n - 1 : i; }
};
struct reflect {
  MEMTILE_FUNCTION static constexpr int64 index(int64 i, int64 n) {
    const int64 m = detail::modulo(i, 2 * n);
    return m < n ? m : 2 * n - 1 - m;
  }
};
struct reflect101 {
  MEMTILE_FUNCTION static constexpr int64 index(int64 i, int64 n) {
    if (n == 1) return 0;  // the period 2n - 2 would be 0
    const int64 m = detail::modulo(i, 2 * n - 2);
    return m < n ? m : 2 * n - 2 - m;
  }
};
struct wrap {
  MEMTILE_FUNCTION static constexpr int64 index(int64 i, int64 n) { return detail::modulo(i, n); }
};
/// Only outputs whose whole window lies inside are computed; the others keep what they hold.
struct valid {
  MEMTILE_FUNCTION static constexpr int64 index(int64 i, int64 n) { return replicate::index(i, n); }
};

/// One border before the first element of an axis, another behind its last; of `valid` on one side only that rim is left.
template <class Before, class After>
struct sides {
  Before before;
  After after;
};
template <class Before, class After>
sides(Before, After) -> sides<Before, After>;

/// A border for each axis, the slowest first: borders{of_rows, of_columns}, borders{of_slices, of_rows, of_columns}. Where
/// two of them have a constant, that of the slower axis stands.
template <class... Axis>
struct borders;
template <class Rows, class Columns>
struct borders<Rows, Columns> {
  Rows rows;
  Columns columns;
};
template <class Slices, class Rows, class Columns>
struct borders<Slices, Rows, Columns> {
  Slices slices;
  Rows rows;
  Columns columns;
};
template <class... Axis>
borders(Axis...) -> borders<Axis...>;

namespace detail {

// Where element i of an axis of n comes from; false: it is a constant, and `value` becomes that.
template <class T, class Border>
MEMTILE_FUNCTION bool comes_from_inside(const Border& border, int64& i, int64 n, T&) {
  if (i < 0 || i >= n) i = border.index(i, n);
  return true;
}
template <class T, class V>
MEMTILE_FUNCTION bool comes_from_inside(const constant<V>& border, int64& i, int64 n, T& value) {
  if (i >= 0 && i < n) return true;
  value = stored_as<T>(border.value);
  return false;
}
template <class T, class Before, class After>
MEMTILE_FUNCTION bool comes_from_inside(const sides<Before, After>& border, int64& i, int64 n, T& value) {
  if (i < 0) return comes_from_inside(border.before, i, n, value);
  return comes_from_inside(border.after, i, n, value);
}

// Every border as one of a volume, as window.hpp's reach is.
template <int Dimensions, class Border>
MEMTILE_FUNCTION constexpr borders<Border, Border, Border> of_volume(const Border& border) {
  return {border, border, border};
}
template <int Dimensions, class Rows, class Columns>
MEMTILE_FUNCTION constexpr auto of_volume(const borders<Rows, Columns>& border) {
  static_assert(Dimensions == 2, "memtile: borders must have one border for each dimension of the input");
  return borders<Rows, replicate, Columns>{border.rows, {}, border.columns};
}
template <int Dimensions, class Slices, class Rows, class Columns>
MEMTILE_FUNCTION constexpr auto of_volume(const borders<Slices, Rows, Columns>& border) {
  static_assert(Dimensions == 3, "memtile: borders must have one border for each dimension of the input");
  return border;
}

// Whether a border leaves the outputs before the first or behind the last whole window of an axis as they are.
template <class Border>
inline constexpr bool is_valid_before = is_same<Border, valid>;
template <class Before, class After>
inline constexpr bool is_valid_before<sides<Before, After>> = is_same<Before, valid>;
template <class Border>
inline constexpr bool is_valid_after = is_same<Border, valid>;
template <class Before, class After>
inline constexpr bool is_valid_after<sides<Before, After>> = is_same<After, valid>;
// The same of any axis.
template <class Border>
inline constexpr bool leaves_rim = is_valid_before<Border> || is_valid_after<Border>;
template <class... Axis>
inline constexpr bool leaves_rim<borders<Axis...>> = (false || ... || leaves_rim<Axis>);

}  // namespace detail

}  // namespace memtile
