// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The arithmetic of a matmul: c(i, j) = plus over all k of times(a(i, k), b(k, j)), in ascending k, beginning with zero.
//
//   struct modulo_97 {
//     template <class T> MEMTILE_FUNCTION static constexpr T zero() { return T(0); }
//     template <class T> MEMTILE_FUNCTION T plus(T x, T y) const { return (x + y) % 97; }
//     template <class T> MEMTILE_FUNCTION T times(T x, T y) const { return x * y % 97; }
//   };
//   gemm<gemm_policy<semiring<modulo_97>>>(where, a, b, c);
//
// plus must be associative, with zero as its neutral element. In which type it works is `accumulate_in<T>` of the policy, or
// else the type of the elements (float for small floats); elements are converted to it first.
#pragma once

#include <memtile/core/complex.hpp>
#include <memtile/core/operators.hpp>

namespace memtile {

namespace detail {
// In which type products of A and B are added: nothing wraps and nothing is rounded to a storage type on the way.
template <class A, class B>
struct sum_of_products {
  static constexpr bool whole = is_integer<A> && is_integer<B>;
  static constexpr bool floating = (is_number<A> || is_small_float<A>)&&(is_number<B> || is_small_float<B>)&&!whole;
  static constexpr bool in_double = is_same<A, double> || is_same<B, double>;
  using type = conditional_t<floating, conditional_t<in_double, double, float>,
                             conditional_t<is_same<A, B> && (!whole || sizeof(A) >= 4), A,
                                           conditional_t<whole, conditional_t<sizeof(A) == 2, int64, int32>, void>>>;
  static_assert(!is_same<type, void> && (!whole || is_same<A, B> || (sizeof(A) == 1 && sizeof(B) == 1)),
                "memtile: elements of two types must be numbers, of one byte if whole, or be given accumulate_in<T>");
};
}  // namespace detail

/// The usual one, also for types of one's own that have + and *. Products of int8 or uint8 are added in int32, of int16 or
/// uint16 in int64, of small floats in float.
struct plus_times {
  template <class A, class B>
  using accumulator = typename detail::sum_of_products<A, B>::type;
  template <class T>
  MEMTILE_FUNCTION static constexpr T zero() {
    return T(0);
  }
  template <class T>
  MEMTILE_FUNCTION T plus(T x, T y) const {
    return add(x, y);
  }
  template <class T>
  MEMTILE_FUNCTION T times(T x, T y) const {
    return multiply(x, y);
  }
};

/// Shortest paths: lengths are added along a path, and the shorter path counts. Zero is the largest value, an infinity for
/// floats.
struct min_plus {
  template <class T>
  MEMTILE_FUNCTION static constexpr T zero() {
    return detail::highest<T>();
  }
  template <class T>
  MEMTILE_FUNCTION T plus(T x, T y) const {
    return minimum{}(x, y);
  }
  template <class T>
  MEMTILE_FUNCTION T times(T x, T y) const {
    if constexpr (detail::is_integer<T>)  // no path stays no path
      return x == zero<T>() || y == zero<T>() ? zero<T>() : add(x, y);
    else return add(x, y);
  }
};

/// Reachability: is there a k that a joins to i, and b to j?
struct or_and {
  template <class T>
  MEMTILE_FUNCTION static constexpr T zero() {
    return T(0);
  }
  template <class T>
  MEMTILE_FUNCTION T plus(T x, T y) const {
    return T(x != T(0) || y != T(0));
  }
  template <class T>
  MEMTILE_FUNCTION T times(T x, T y) const {
    return T(x != T(0) && y != T(0));
  }
};

namespace detail {
template <class Semiring, class A, class B, class = void>
struct semiring_accumulator {
  static_assert(is_same<A, B>, "memtile: a semiring over elements of two types must be given accumulate_in<T>");
  using type = plain_type<A>;
};
template <class Semiring, class A, class B>
struct semiring_accumulator<Semiring, A, B, void_t<typename Semiring::template accumulator<A, B>>> {
  using type = typename Semiring::template accumulator<A, B>;
};

// The same semiring where the operands have changed places.
template <class Semiring>
struct swapped_semiring : Semiring {};
template <class Semiring>
MEMTILE_FUNCTION const Semiring& unswapped(const swapped_semiring<Semiring>& s) {
  return s;
}
template <class Semiring>
inline constexpr bool is_swapped = false;
template <class Semiring>
inline constexpr bool is_swapped<swapped_semiring<Semiring>> = true;

MEMTILE_USER_CODE_BEGIN
// sum plus (x times y); the usual arithmetic does it with one rounding.
template <class Semiring, class T>
MEMTILE_FUNCTION T multiply_add(const Semiring& semiring, T x, T y, T sum) {
  if constexpr (is_swapped<Semiring>) return multiply_add(unswapped(semiring), y, x, sum);
  else if constexpr (is_same<Semiring, plus_times>) return fma(x, y, sum);
  else return semiring.plus(sum, semiring.times(x, y));
}
MEMTILE_USER_CODE_END
}  // namespace detail

}  // namespace memtile
