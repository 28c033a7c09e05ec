// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What becomes of a value that is stored as an element of another type, with the same bits on both machines:
//
//   float, double -> integer     the nearest integer, the even one of two; the end of the range for what lies beyond
//                                it, 0 for NaN
//   integer -> integer           the end of the range for what lies beyond it
//   any number -> small float    rounded once, to nearest even, however many bits the number has
//   everything else, and bool    static_cast
#pragma once

#include <memtile/core/halves.hpp>
#include <memtile/core/math.hpp>
#include <memtile/core/operators.hpp>
#include <memtile/core/small_float.hpp>

namespace memtile::detail {

template <class T, class V>
MEMTILE_FUNCTION T saturated(V v) {
  constexpr bool may_be_above = uint64(highest<V>()) > uint64(highest<T>());
  constexpr bool may_be_below = lowest<V>() != 0 && (lowest<T>() == 0 || sizeof(T) < sizeof(V));
  if constexpr (may_be_above) v = v > V(highest<T>()) ? V(highest<T>()) : v;
  if constexpr (may_be_below) v = v < V(lowest<T>()) ? V(lowest<T>()) : v;
  return T(v);
}

// v if that is a float, else the one of its two neighbours with an odd last bit. A later rounding to fewer bits then
// gives what it would have given for v: rounding to nearest twice need not.
MEMTILE_FUNCTION float rounded_to_odd(double v) {
  const float nearest = float(v);
  const uint32 bits = bits_of(nearest);
  if (double(nearest) == v || v != v || bits % 2 == 1) return nearest;
  const bool is_larger = v < 0 ? double(nearest) < v : double(nearest) > v;
  return float_of(is_larger ? bits - 1 : bits + 1);
}
template <class V>
MEMTILE_FUNCTION float float_for_rounding(V v) {
  if constexpr (is_same<V, float> || (is_integer<V> && sizeof(V) < 4)) {
    return float(v);
  } else if constexpr (is_integer<V> && sizeof(V) == 8) {  // more bits than a double: the last 16 become an odd one
    constexpr V unit = V(1) << 16;
    const bool is_long = v / (V(1) << 48) != 0;
    return rounded_to_odd(double(is_long ? V((v & ~(unit - 1)) | (v % unit != 0 ? unit : V(0))) : v));
  } else {
    return rounded_to_odd(double(v));
  }
}

template <class T, class V>
MEMTILE_FUNCTION T stored_as(const V& v) {
  constexpr bool to_integer = is_integer<T> && !is_same<T, bool>;
  if constexpr (is_same<T, V>) return v;
  else if constexpr (is_small_float<V>) return stored_as<T>(float(v));
  else if constexpr (is_small_float<T> && is_number<V>) return T(float_for_rounding(v));
  else if constexpr (to_integer && is_floating<V>) return nearest_integer<T>(v);
  else if constexpr (to_integer && is_integer<V>) return saturated<T>(v);
  else return static_cast<T>(v);
}

// A sum that is still to be divided: into integers exactly, without a division of floats, else in the type Mean.
template <int Count, class Mean, class Sum>
struct quotient {
  Sum sum;
};
template <class T, int Count, class Mean, class Sum>
MEMTILE_FUNCTION T stored_as(const quotient<Count, Mean, Sum>& q) {
  if constexpr (is_integer<T> && is_integer<Sum> && Count % 2 == 1) {  // nothing lies in the middle of two integers
    return stored_as<T>(Sum((q.sum < 0 ? q.sum - Count / 2 : q.sum + Count / 2) / Count));
  } else if constexpr (is_integer<T> && is_integer<Sum>) {  // from the middle to the even one
    const Sum down = q.sum / Count - (q.sum % Count < 0), rest = q.sum - down * Count;
    return stored_as<T>(Sum(down + (2 * rest + (down & 1) > Count)));
  } else {
    return stored_as<T>(Mean(q.sum) / Mean(Count));
  }
}

// Of both halves, where Count is odd: the upper byte of a product with 2^24 / Count, which is a little too large, but by less than
// what lies between two quotients. The lower product is what the higher one leaves of that of both: multiplications are cheaper
// than masks. Where it is a power of two: shifted, from the middle to the even one.
template <int Count>
inline constexpr bool divides_halves = Count <= 256 && (Count % 2 == 1 || (Count & (Count - 1)) == 0);
template <class T, int Count, class Mean>
MEMTILE_FUNCTION halves<T> stored_as_halves(const quotient<Count, Mean, halves<int>>& q) {
  static_assert(is_same<T, uint8> && divides_halves<Count>,
                "memtile: a mean of halves must be one of bytes, of an odd number of them or a power of two up to 256");
  if constexpr (Count % 2 == 1) {
    constexpr uint32 factor = (uint32(1) << 24) / Count + 1, half = Count / 2 * factor;
    const uint32 high = (q.sum.both >> 16) * factor, low = q.sum.both * factor - high * 65536u;
    return {select_bytes(low + half, high + half, 0x7733)};
  } else {
    int bits = 0;
    while (1 << bits < Count) ++bits;
    return {(q.sum.both + twice(Count / 2 - 1) + (q.sum.both >> bits & twice(1))) >> bits};
  }
}

}  // namespace memtile::detail
