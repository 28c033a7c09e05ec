// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One part of a domain that is cut among several GPUs or machines: what it owns, what its halo is, and who its
// neighbours are.
//
//   const auto d = memtile::subdomain_of({rows, cols}, {2, 3}, rank, 1);   // 2 x 3 parts, of which this is `rank`
//
//   an array of d.extent(0) x d.extent(1):     . . . . .     halo: copies of what the neighbours own
//                                              . o o o o     d.own(): the region that a step of a stencil computes
//                                              . o o o o
//
// There is a halo only where there is a neighbour. At a true edge of the domain (here on the right and below) the array
// ends, and the border of a stencil holds there as in the whole. Directions are numbered: d.direction(-1, 0) is the
// neighbour above, d.direction(1, 1) the one below on the right; d.directions() - 1 - i is opposite to i.
#pragma once

#include <memtile/core/region.hpp>
#include <memtile/core/status.hpp>

#if !defined(__CUDACC_RTC__)

namespace memtile {

/// Axes are numbered from the slowest; those beyond `dimensions` are of extent 1.
struct subdomain {
  int dimensions = 0;
  int64 whole[3] = {1, 1, 1};             // of the domain
  int parts[3] = {1, 1, 1};               // along each axis
  int place[3] = {0, 0, 0};               // which of them this is
  int64 halo = 0;                         // cells on each side that has a neighbour
  bool wraps[3] = {false, false, false};  // whether the last part along an axis is the neighbour of the first

  constexpr bool has_neighbour(int axis, int step) const {
    return wraps[axis] || (step < 0 ? place[axis] > 0 : place[axis] + 1 < parts[axis]);
  }
  /// The cells that it owns, of the whole.
  constexpr int64 first(int axis) const { return begin_of(axis, place[axis]); }
  constexpr int64 size(int axis) const { return begin_of(axis, place[axis] + 1) - first(axis); }
  /// The array of this part: what it owns, `before` it the halo on that side, and behind it the other.
  constexpr int64 before(int axis) const { return has_neighbour(axis, -1) ? halo : 0; }
  constexpr int64 extent(int axis) const { return before(axis) + size(axis) + (has_neighbour(axis, 1) ? halo : 0); }
  constexpr region own() const {
    return part([](int) { return 0; }, false);
  }

  /// 2, 8 or 26, with the diagonal ones.
  constexpr int directions() const { return dimensions == 1 ? 2 : dimensions == 2 ? 8 : 26; }
  constexpr int direction(int dx) const { return dx < 0 ? 0 : 1; }
  constexpr int direction(int dy, int dx) const { return without_middle(dy * 3 + dx, 4); }
  constexpr int direction(int dz, int dy, int dx) const { return without_middle(dz * 9 + dy * 3 + dx, 13); }
  /// -1, 0 or 1: where a direction goes along an axis.
  constexpr int step(int direction, int axis) const {
    const int code = direction + (direction >= directions() / 2);  // that of the middle is left out
    constexpr int powers[4] = {1, 3, 9, 27};
    return axis < dimensions ? code / powers[dimensions - 1 - axis] % 3 - 1 : 0;
  }
  /// The number of the part there, row by row; -1 if there is none. It may be this part itself, where the domain wraps.
  constexpr int neighbour(int direction) const {
    int number = 0;
    for (int a = 0; a < dimensions; ++a) {
      const int s = step(direction, a);
      if (s != 0 && !has_neighbour(a, s)) return -1;
      number = number * parts[a] + (place[a] + s + parts[a]) % parts[a];
    }
    return number;
  }
  /// The own cells that the neighbour there has in its halo, and those of its cells that lie in the halo here. Both
  /// have `count` cells, none where there is no neighbour, and begin at `offset` of a line that holds those of all
  /// directions.
  constexpr region sent(int direction) const { return of_direction(direction, false); }
  constexpr region received(int direction) const { return of_direction(direction, true); }
  constexpr int64 count(int direction) const {
    if (neighbour(direction) < 0) return 0;
    int64 cells = 1;
    for (int a = 0; a < dimensions; ++a) cells *= step(direction, a) == 0 ? size(a) : halo;
    return cells;
  }
  constexpr int64 offset(int direction) const {
    int64 cells = 0;
    for (int i = 0; i < direction; ++i) cells += count(i);
    return cells;
  }
  /// Of the line.
  constexpr int64 halo_size() const { return offset(directions()); }

  /// Whether there is such a part, and every part owns what its neighbours want of it.
  status check() const {
    if (dimensions < 1 || dimensions > 3)
      return status::refused("subdomain: {} dimensions: there must be 1 to 3", dimensions);
    for (int a = 0; a < dimensions; ++a) {
      if (parts[a] < 1 || place[a] < 0 || place[a] >= parts[a])
        return status::refused("subdomain: part {} of {} along axis {} does not exist", place[a], parts[a], a);
      if (whole[a] < 0 || halo < 0)
        return status::refused("subdomain: {} cells along axis {} with a halo of {}: neither may be negative", whole[a],
                               a, halo);
      if ((parts[a] > 1 || wraps[a]) && whole[a] / parts[a] < halo)
        return status::refused(
            "subdomain: {} cells in {} parts along axis {} are fewer than the halo of {} in each: use "
            "fewer parts",
            whole[a], parts[a], a, halo);
    }
    return {};
  }

 private:
  // whole * part / parts, rounded down, without a product that overflows
  constexpr int64 begin_of(int axis, int64 part_number) const {
    return whole[axis] / parts[axis] * part_number + whole[axis] % parts[axis] * part_number / parts[axis];
  }
  static constexpr int without_middle(int code, int middle) { return code < 0 ? code + middle : code + middle - 1; }
  // The cells next to the side that step(axis) says, or all along the axis.
  template <class Step>
  constexpr region part(const Step& step_of, bool in_halo) const {
    int64 from[3] = {0, 0, 0}, cells[3] = {0, 0, 0};
    for (int a = 0; a < dimensions; ++a) {
      const int s = step_of(a);
      const int64 begin = before(a), end = before(a) + size(a);
      from[a] = s == 0 ? begin : s < 0 ? (in_halo ? 0 : begin) : (in_halo ? end : end - halo);
      cells[a] = s == 0 ? size(a) : halo;
    }
    return dimensions == 1   ? region(from[0], cells[0])
           : dimensions == 2 ? region(from[0], from[1], cells[0], cells[1])
                             : region(from[0], from[1], from[2], cells[0], cells[1], cells[2]);
  }
  constexpr region of_direction(int direction, bool in_halo) const {
    region r = part([&](int a) { return step(direction, a); }, in_halo);
    if (neighbour(direction) < 0)
      for (int64& cells : r.size) cells = 0;
    return r;
  }
};

/// The part `number`, row by row, of a domain that is cut into so many along each axis, as equal as can be.
///
///   subdomain_of({rows, cols}, {2, 3}, number, halo)
///   subdomain_of({depth, rows, cols}, {2, 2, 2}, number, halo, true)   // wraps along all axes
template <int Dimensions>
constexpr subdomain subdomain_of(const int64 (&whole)[Dimensions], const int (&parts)[Dimensions], int number,
                                 int64 halo, bool wraps = false) {
  static_assert(Dimensions <= 3, "memtile: a domain must have 1, 2 or 3 dimensions");
  subdomain d;
  d.dimensions = Dimensions, d.halo = halo;
  for (int a = Dimensions - 1; a >= 0; --a) {
    d.whole[a] = whole[a], d.parts[a] = parts[a], d.wraps[a] = wraps;
    d.place[a] = a == 0 || parts[a] < 1 ? number : number % parts[a];
    if (parts[a] > 0) number /= parts[a];
  }
  return d;
}

}  // namespace memtile
#endif
