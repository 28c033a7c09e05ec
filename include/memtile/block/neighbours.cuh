// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a stencil's functor gets: its neighbours by their distance, and where it stands.
//
//   struct laplace {
//     template <class Neighbours>
//     MEMTILE_FUNCTION float operator()(const Neighbours& n) const {
//       return n(-1, 0) + n(1, 0) + n(0, -1) + n(0, 1) - 4 * n(0, 0);
//     }
//   };
#pragma once

#include <memtile/core/operators.hpp>
#include <memtile/core/pack.hpp>
#include <memtile/core/site.hpp>
#include <memtile/hw/bounds.cuh>

namespace memtile {

/// n(dx) of a vector, n(dy, dx) of a matrix, n(dz, dy, dx) of a volume: the element so far away in the first field. Small
/// floats come as float, other elements as they are.
///
/// Outside   the distances must lie in the window; the simulator reports others
/// Requires  distances that are constants once loops are unrolled, where the window is one that stays in registers: put
///           MEMTILE_UNROLL before loops over the window
template <int Dimensions, class Source>
class neighbours {
 public:
  MEMTILE_FUNCTION explicit neighbours(const Source& source) : source_(source) {}

  MEMTILE_FUNCTION auto operator()(int dx, site s = site::here()) const { return get<0>(dx, s); }
  MEMTILE_FUNCTION auto operator()(int dy, int dx, site s = site::here()) const { return get<0>(dy, dx, s); }
  MEMTILE_FUNCTION auto operator()(int dz, int dy, int dx, site s = site::here()) const {
    return get<0>(dz, dy, dx, s);
  }

  /// The same of field number Field.
  template <int Field>
  MEMTILE_FUNCTION auto get(int dx, site s = site::here()) const {
    static_assert(Dimensions == 1, "memtile: a neighbour must have one distance for each dimension of the input");
    return plain(source_.template at<Field>(0, 0, dx, s));
  }
  template <int Field>
  MEMTILE_FUNCTION auto get(int dy, int dx, site s = site::here()) const {
    static_assert(Dimensions == 2, "memtile: a neighbour must have one distance for each dimension of the input");
    return plain(source_.template at<Field>(dy, 0, dx, s));
  }
  template <int Field>
  MEMTILE_FUNCTION auto get(int dz, int dy, int dx, site s = site::here()) const {
    static_assert(Dimensions == 3, "memtile: a neighbour must have one distance for each dimension of the input");
    return plain(source_.template at<Field>(dz, dy, dx, s));
  }

  /// The element in the middle, whatever the number of dimensions.
  template <int Field = 0>
  MEMTILE_FUNCTION auto centre(site s = site::here()) const {
    return plain(source_.template at<Field>(0, 0, 0, s));
  }

  /// The first field by the axes of a detail::reach, whatever the number of dimensions: for the filters.
  MEMTILE_FUNCTION auto at(int slow, int middle, int fast, site s = site::here()) const {
    return plain(source_.template at<0>(slow, middle, fast, s));
  }

  // Of the element that is computed.
  MEMTILE_FUNCTION int64 slice() const { return Dimensions == 3 ? source_.slice : 0; }
  MEMTILE_FUNCTION int64 row() const { return Dimensions == 2 ? source_.slice : source_.row; }
  MEMTILE_FUNCTION int64 column() const { return source_.column; }

 private:
  template <class T>
  MEMTILE_FUNCTION static detail::plain_type<T> plain(T v) {
    return detail::plain_type<T>(v);
  }
  const Source& source_;
};

namespace detail {
// Whether a neighbour is one of the window; if not, the simulator says so.
template <class Reach>
MEMTILE_FUNCTION bool in_window(int slice, int row, int column, site s) {
  if (Reach::is_star && (slice != 0) + (row != 0) + (column != 0) > 1)
    return hw::inside("axes of a star", {slice, row, column}, {1, 1, 1}, 2, 1, s);
  return hw::inside("window", {slice + Reach::front, row + Reach::up, column + Reach::left},
                    {Reach::slices, Reach::rows, Reach::columns}, 2, 1, s);
}
}  // namespace detail
}  // namespace memtile
