// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The median of some values in one thread's registers.
#pragma once

#include <memtile/core/operators.hpp>

namespace memtile::detail {

// The smaller and the larger one: one instruction each; a NaN is replaced by the other value.
template <bool Larger, class T>
MEMTILE_FUNCTION T one_of(T a, T b) {
  if constexpr (is_same<T, float> || is_halves<T>) return extreme<Larger, true>(a, b);
  else return (b < a) != Larger ? b : a;
}
template <class T>
MEMTILE_FUNCTION void put_in_order(T& a, T& b) {
  const T low = one_of<false>(a, b);
  b = one_of<true>(a, b), a = low;
}

/// The value number Count / 2 in ascending order. value(i): the i-th value, asked for once each.
///
/// Of half of the values and two the smallest and the largest can not be it: they are forgotten, the next value takes
/// their place, and so on. 20 exchanges for 9 values, 132 for 25.
template <class T, int Count, class Value>
MEMTILE_FUNCTION T median_of(const Value& value) {
  constexpr int odd = Count | 1;  // an even number is made odd by one more that is larger than all
  constexpr int held = odd / 2 + 2 < odd ? odd / 2 + 2 : odd;
  T v[held];
  const auto next = [&](int i) {
    if constexpr (odd != Count) return i < Count ? T(value(i)) : highest<T>();
    else return T(value(i));
  };
  MEMTILE_UNROLL
  for (int i = 0; i < held; ++i) v[i] = next(i);
  MEMTILE_UNROLL
  for (int last = held - 1, taken = held; last > 1; --last, ++taken) {
    // the smallest to the front, the largest to the end
    MEMTILE_UNROLL
    for (int i = 0; i < (last + 1) / 2; ++i) put_in_order(v[i], v[last - i]);
    MEMTILE_UNROLL
    for (int i = 1; i <= last / 2; ++i) put_in_order(v[0], v[i]);
    MEMTILE_UNROLL
    for (int i = (last + 1) / 2; i < last; ++i) put_in_order(v[i], v[last]);
    if (taken < odd) v[0] = next(taken);  // the largest is forgotten with the end
  }
  return v[odd > 1 ? 1 : 0];  // between the last smallest and largest
}

/// The median of three.
template <class T>
MEMTILE_FUNCTION T middle_of(T a, T b, T c) {
  put_in_order(a, b);
  return one_of<true>(a, one_of<false>(b, c));
}
/// The median of 3 x 3 values, value(row, column): of its columns put in order the largest of the smallest, the middle one of
/// the middle ones and the smallest of the largest, and of these the middle one. 21 instructions, of which 6 for each column
/// that other windows share: of a row of windows 18 each.
template <class T, class Value>
MEMTILE_FUNCTION T median_by_columns(const Value& value) {
  T low[3], middle[3], high[3];
  MEMTILE_UNROLL
  for (int x = 0; x < 3; ++x) {
    low[x] = value(0, x), middle[x] = value(1, x), high[x] = value(2, x);
    put_in_order(low[x], middle[x]);
    put_in_order(middle[x], high[x]);
    put_in_order(low[x], middle[x]);
  }
  return middle_of(one_of<true>(one_of<true>(low[0], low[1]), low[2]), middle_of(middle[0], middle[1], middle[2]),
                   one_of<false>(one_of<false>(high[0], high[1]), high[2]));
}

}  // namespace memtile::detail
