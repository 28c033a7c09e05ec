// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The median of some values in one thread's registers.
#pragma once

#include <memtile/core/operators.hpp>

namespace memtile::detail {

// Puts two values in order. One instruction each; a NaN is replaced by the other value.
template <class T>
MEMTILE_FUNCTION void put_in_order(T& a, T& b) {
  if constexpr (is_same<T, float>) {
    const float low = extreme<false, true>(a, b);
    b = extreme<true, true>(a, b), a = low;
  } else {
    const T low = b < a ? b : a;
    b = b < a ? a : b, a = low;
  }
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
  const auto next = [&](int i) { return i < Count ? T(value(i)) : highest<T>(); };
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

}  // namespace memtile::detail
