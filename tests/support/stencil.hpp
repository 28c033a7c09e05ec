// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// References for tests of stencils: borders walked step by step, and weighted sums of a neighbourhood.
#pragma once

#include <memtile/stencil.cuh>
#include <support/unit.hpp>

#include <algorithm>

namespace test {

using memtile::int64;

// The index that a border gives, found step by step; -1: the constant.
template <class T>
int64 walk(memtile::constant<T>, int64 i, int64 n) {
  return i >= 0 && i < n ? i : -1;
}
inline int64 walk(memtile::replicate, int64 i, int64 n) { return (std::min)((std::max)(i, int64(0)), n - 1); }
inline int64 walk(memtile::valid, int64 i, int64 n) { return walk(memtile::replicate{}, i, n); }
inline int64 walk(memtile::reflect, int64 i, int64 n) {
  while (i < 0 || i >= n) i = i < 0 ? -1 - i : 2 * n - 1 - i;
  return i;
}
inline int64 walk(memtile::reflect101, int64 i, int64 n) {
  while (n > 1 && (i < 0 || i >= n)) i = i < 0 ? -i : 2 * n - 2 - i;
  return n == 1 ? 0 : i;
}
inline int64 walk(memtile::wrap, int64 i, int64 n) {
  while (i < 0) i += n;
  while (i >= n) i -= n;
  return i;
}
template <class Before, class After>
int64 walk(const memtile::sides<Before, After>& border, int64 i, int64 n) {
  return i < 0 ? walk(border.before, i, n) : walk(border.after, i, n);
}
template <class Border>
double value_outside(const Border&) {
  return 0;
}
template <class T>
double value_outside(const memtile::constant<T>& border) {
  return double(border.value);
}
template <class Before, class After>  // of which one has a constant
double value_outside(const memtile::sides<Before, After>& border) {
  return value_outside(border.before) + value_outside(border.after);
}

// Small whole numbers that tell every place from its neighbours: sums of them are exact.
inline int pixel(int64 r, int64 c) { return int((r * 7 + c * 5 + r * c % 3) % 31 - 9); }

// in(r, c) of an image of rows x cols, with the border around.
template <class At, class Border>
double with_border(const At& at, const Border& border, int64 r, int64 c, int64 rows, int64 cols) {
  const int64 from_r = walk(border, r, rows), from_c = walk(border, c, cols);
  return from_r < 0 || from_c < 0 ? value_outside(border) : double(at(from_r, from_c));
}

/// The sum of all neighbours up to Radius, each times its weight.
template <int Radius>
struct weighted {
  static constexpr int side = 2 * Radius + 1;
  int weight[side * side];

  int at(int y, int x) const { return weight[(y + Radius) * side + x + Radius]; }
  template <class Neighbours>
  MEMTILE_FUNCTION auto operator()(const Neighbours& n) const {
    auto sum = 0 * n(0, 0);
    MEMTILE_UNROLL
    for (int y = -Radius; y <= Radius; ++y) {
      MEMTILE_UNROLL
      for (int x = -Radius; x <= Radius; ++x) sum += n(y, x) * weight[(y + Radius) * side + x + Radius];
    }
    return sum;
  }
  template <class At, class Border>
  double expected(const At& at, const Border& border, int64 r, int64 c, int64 rows, int64 cols) const {
    double sum = 0;
    for (int y = -Radius; y <= Radius; ++y)
      for (int x = -Radius; x <= Radius; ++x)
        if (weight[(y + Radius) * side + x + Radius] != 0)
          sum += weight[(y + Radius) * side + x + Radius] * with_border(at, border, r + y, c + x, rows, cols);
    return sum;
  }
};
// Weights that differ: any neighbour that is taken for another one shows.
template <int Radius>
weighted<Radius> unlike_weights() {
  weighted<Radius> w{};
  for (int i = 0; i < w.side * w.side; ++i) w.weight[i] = 1 + i * i % 23;
  return w;
}
// The same along a row, or down a column.
template <int Radius>
weighted<Radius> taps(std::initializer_list<int> values, bool down) {
  weighted<Radius> w{};
  int i = -int(values.size()) / 2;
  for (int v : values) {
    w.weight[down ? (i + Radius) * w.side + Radius : Radius * w.side + i + Radius] = v;
    ++i;
  }
  return w;
}

/// An image of rows x cols, with so many elements between the end of a row and the next, that begins so many behind a
/// 256-byte boundary.
struct image {
  int rows, cols;
  int gap = 0, offset = 0;
};

/// The stencil of the whole image is that of the reference, to the bit, and nothing else was read or written.
template <class Window, class T = float, class R = T, class Machine, class Functor, class Border>
void check_stencil(Machine& machine, const image& shape, const Functor& functor, const Border& border) {
  INFO(machine.name() << ": " << shape.rows << "x" << shape.cols << ", gap " << shape.gap << ", offset "
                      << shape.offset);
  const memtile::sim::placement place{shape.cols + shape.gap, shape.offset};
  auto in = machine.template buffer<T>(shape.rows, shape.cols, pixel, place);
  auto out = machine.template buffer<R>(shape.rows, shape.cols, place);
  const memtile::status status = memtile::stencil<Window>(machine, in.view(), out.view(), functor, border);
  INFO(status.message());
  REQUIRE(status.ok());
  CHECK(unit::differences(out.host(), shape.rows, shape.cols, [&](int r, int c) {
          return R(functor.expected(pixel, border, r, c, shape.rows, shape.cols));
        }) == 0);
  CHECK((in.untouched() && out.untouched()));
  unit::check_clean_without_conflicts(machine);
}

}  // namespace test
