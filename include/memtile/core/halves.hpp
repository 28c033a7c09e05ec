// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two small integers in one register, which most instructions treat alike.
#pragma once

#include <memtile/core/math.hpp>

namespace memtile {

/// Two values of T, in the lower and the upper half of a register. Of 8 or 16 bits: numbers without a sign in the order of
/// the values, which are the values themselves but for signed types, whose first bit is turned around; minimum and maximum
/// take them. Those of uint8 are added, subtracted, multiplied by an int and shifted right as well, and become halves<int>,
/// as single ones become int: numbers from 0 to 65535. What passes these on the way spoils the other half.
template <class T>
struct halves {
  static constexpr bool is_sum = detail::is_same<T, int>;
  static_assert(is_sum || (detail::is_integer<T> && sizeof(T) <= 2 && !detail::is_same<T, bool>),
                "memtile: halves must be of integers of 8 or 16 bits, or of int");
  static constexpr int bits = is_sum ? 16 : 8 * int(sizeof(T));
  static constexpr uint32 sign = !is_sum && T(-1) < T(0) ? 1u << (bits - 1) : 0;
  uint32 both;
};

namespace detail {

template <class T>
inline constexpr bool is_halves = false;
template <class T>
inline constexpr bool is_halves<halves<T>> = true;

template <class... T>
MEMTILE_FUNCTION constexpr void check_room() {
  static_assert((true && ... && (is_same<T, uint8> || is_same<T, int>)),
                "memtile: only halves of uint8 have room for sums: say takes_halves of a functor of these alone");
}
// The same number in both halves.
MEMTILE_FUNCTION constexpr uint32 twice(int number) { return uint32(number) * 0x10001u; }

template <bool Larger, bool Number, class T>
MEMTILE_FUNCTION halves<T> extreme(halves<T> a, halves<T> b) {
  return {extremes_of_halves<Larger, halves<T>::bits>(a.both, b.both)};
}

// As they are stored in elements of type T: saturated, as single values are. Of a byte in each half the upper one may be
// anything.
template <class T>
MEMTILE_FUNCTION halves<T> stored_as_halves(halves<T> v) {
  return v;
}
template <class T>
MEMTILE_FUNCTION halves<T> stored_as_halves(halves<int> v) {
  return {extremes_of_halves<false, 16>(v.both, twice(int(highest<T>())))};
}

}  // namespace detail

template <class T, class U>
MEMTILE_FUNCTION halves<int> operator+(halves<T> a, halves<U> b) {
  detail::check_room<T, U>();
  return {a.both + b.both};
}
template <class T, class U>
MEMTILE_FUNCTION halves<int> operator-(halves<T> a, halves<U> b) {
  detail::check_room<T, U>();
  return {a.both - b.both};
}
template <class T>
MEMTILE_FUNCTION halves<int> operator+(halves<T> a, int b) {
  detail::check_room<T>();
  return {a.both + detail::twice(b)};
}
template <class T>
MEMTILE_FUNCTION halves<int> operator*(int a, halves<T> b) {
  detail::check_room<T>();
  return {uint32(a) * b.both};
}
template <class T>
MEMTILE_FUNCTION halves<int> operator+(int a, halves<T> b) {
  return b + a;
}
template <class T>
MEMTILE_FUNCTION halves<int> operator*(halves<T> a, int b) {
  return b * a;
}
template <class T>
MEMTILE_FUNCTION halves<int> operator>>(halves<T> a, int bits) {
  detail::check_room<T>();
  return {a.both >> bits & detail::twice(0xffff >> bits)};
}

}  // namespace memtile
