// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// complex<float>, complex<double>: one type on both machines, with the bytes of std::complex. Each operation rounds in a
// stated order, so results agree to the bit.
#pragma once

#include <memtile/core/math.hpp>

namespace memtile {

template <class T>
struct alignas(2 * sizeof(T)) complex {
  using value_type = T;
  T real, imag;

  complex() = default;
  MEMTILE_FUNCTION constexpr complex(T re, T im = T(0)) : real(re), imag(im) {}
  template <class U, class = detail::enable_if_t<!detail::is_same<T, U>>>
  MEMTILE_FUNCTION constexpr explicit complex(const complex<U>& c) : real(T(c.real)), imag(T(c.imag)) {}

  MEMTILE_FUNCTION friend constexpr bool operator==(const complex& a, const complex& b) {
    return a.real == b.real && a.imag == b.imag;
  }
  MEMTILE_FUNCTION friend constexpr bool operator!=(const complex& a, const complex& b) { return !(a == b); }
  MEMTILE_FUNCTION friend complex operator+(const complex& a, const complex& b) { return add(a, b); }
  MEMTILE_FUNCTION friend complex operator*(const complex& a, const complex& b) { return multiply(a, b); }
  MEMTILE_FUNCTION friend constexpr complex operator-(const complex& a) { return {-a.real, -a.imag}; }
};

template <class T>
MEMTILE_FUNCTION constexpr complex<T> conjugate(const complex<T>& c) {
  return {c.real, -c.imag};
}

template <class T>
MEMTILE_FUNCTION complex<T> add(complex<T> a, complex<T> b) {
  return {add(a.real, b.real), add(a.imag, b.imag)};
}
/// a * b + c: two fused multiply-adds for each part, that of a's real part first.
template <class T>
MEMTILE_FUNCTION complex<T> fma(complex<T> a, complex<T> b, complex<T> c) {
  return {fma(-a.imag, b.imag, fma(a.real, b.real, c.real)), fma(a.imag, b.real, fma(a.real, b.imag, c.imag))};
}
template <class T>
MEMTILE_FUNCTION complex<T> multiply(complex<T> a, complex<T> b) {
  return {fma(-a.imag, b.imag, multiply(a.real, b.real)), fma(a.imag, b.real, multiply(a.real, b.imag))};
}

namespace detail {
template <class T>
inline constexpr bool is_complex = false;
template <class T>
inline constexpr bool is_complex<complex<T>> = true;
}  // namespace detail

}  // namespace memtile
