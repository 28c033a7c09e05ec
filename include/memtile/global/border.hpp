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
// constant{v} has no index: the value is v. A radius larger than the image is legal: reflections repeat.
#pragma once

#include <memtile/core/std.hpp>

namespace memtile {

namespace detail {
// i modulo n, never negative.
MEMTILE_FUNCTION constexpr int64 modulo(int64 i, int64 n) {
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
/// Only outputs whose whole window lies inside are computed.
struct valid {};

}  // namespace memtile
