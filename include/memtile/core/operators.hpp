// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operators of reductions and the transforms of elements. NaN in minimum and maximum propagates, wherever it stands;
// minimum_number and maximum_number ignore it. Of -0 and +0 all of them take -0 for the smaller one.
//
// A reduction asks an operator three things beside its call:
//
//   identity<A>()            what a missing element counts as. An operator without one works too: missing elements are
//                            then left out.
//   accumulator<V>           in which type values of type V are combined. Left out: V itself, and float for small floats.
//   commutative              whether a reduction may change the order of the elements. Left out: false, and then the
//                            elements are combined in their order. Every operator must be associative.
//
// With those as members, a functor of one's own is served as these are.
#pragma once

#include <memtile/core/halves.hpp>
#include <memtile/core/small_float.hpp>

namespace memtile {

namespace detail {
template <class T>
inline constexpr bool is_small_float = is_same<T, float16> || is_same<T, bfloat16> || is_same<T, float8_e4m3>;

template <class T>
MEMTILE_FUNCTION constexpr T not_a_number() {
  if constexpr (is_same<T, float>) return __builtin_bit_cast(float, uint32(0x7fc00000));
  else return __builtin_bit_cast(double, uint64(0x7ff8) << 48);
}
template <class T>
MEMTILE_FUNCTION constexpr bool is_nan(T v) {
  return v != v;
}

// In which type values are combined that an operator lets grow: small floats in float, integers in 64 bits.
template <class V>
using wide_type = conditional_t<
    is_small_float<V>, float,
    conditional_t<!is_integer<V>, V, conditional_t<is_integer<V> && (V(-1) < V(0) || sizeof(V) < 2), int64, uint64>>>;
template <class V>
using plain_type = conditional_t<is_small_float<V>, float, V>;
template <class T>
using if_number = enable_if_t<is_number<T>>;
}  // namespace detail

struct plus {
  static constexpr bool commutative = true;
  template <class V>
  using accumulator = detail::wide_type<V>;
  template <class T>
  MEMTILE_FUNCTION T operator()(T a, T b) const {
    return add(a, b);
  }
  template <class T, class = detail::if_number<T>>
  MEMTILE_FUNCTION static constexpr T identity() {
    return T(0);
  }
};

struct multiplies {
  static constexpr bool commutative = true;
  template <class V>
  using accumulator = detail::wide_type<V>;
  template <class T>
  MEMTILE_FUNCTION T operator()(T a, T b) const {
    return multiply(a, b);
  }
  template <class T, class = detail::if_number<T>>
  MEMTILE_FUNCTION static constexpr T identity() {
    return T(1);
  }
};

struct minimum {
  static constexpr bool commutative = true;
  template <class T>
  MEMTILE_FUNCTION T operator()(T a, T b) const {
    return detail::extreme<false, false>(a, b);
  }
  template <class T, class = detail::if_number<T>>
  MEMTILE_FUNCTION static constexpr T identity() {
    return detail::highest<T>();
  }
};

struct maximum {
  static constexpr bool commutative = true;
  template <class T>
  MEMTILE_FUNCTION T operator()(T a, T b) const {
    return detail::extreme<true, false>(a, b);
  }
  template <class T, class = detail::if_number<T>>
  MEMTILE_FUNCTION static constexpr T identity() {
    return detail::lowest<T>();
  }
};

/// The smallest value that is a number; NaN if none is (minimumNumber of IEEE 754-2019).
struct minimum_number {
  static constexpr bool commutative = true;
  template <class T>
  MEMTILE_FUNCTION T operator()(T a, T b) const {
    return detail::extreme<false, true>(a, b);
  }
  template <class T, class = detail::if_number<T>>
  MEMTILE_FUNCTION static constexpr T identity() {
    if constexpr (detail::is_floating<T>) return detail::not_a_number<T>();
    else return detail::highest<T>();
  }
};

/// The largest value that is a number; NaN if none is.
struct maximum_number {
  static constexpr bool commutative = true;
  template <class T>
  MEMTILE_FUNCTION T operator()(T a, T b) const {
    return detail::extreme<true, true>(a, b);
  }
  template <class T, class = detail::if_number<T>>
  MEMTILE_FUNCTION static constexpr T identity() {
    if constexpr (detail::is_floating<T>) return detail::not_a_number<T>();
    else return detail::lowest<T>();
  }
};

struct logical_and {
  static constexpr bool commutative = true;
  template <class V>
  using accumulator = bool;
  MEMTILE_FUNCTION bool operator()(bool a, bool b) const { return a && b; }
  template <class T>
  MEMTILE_FUNCTION static constexpr T identity() {
    return T(true);
  }
};

struct logical_or {
  static constexpr bool commutative = true;
  template <class V>
  using accumulator = bool;
  MEMTILE_FUNCTION bool operator()(bool a, bool b) const { return a || b; }
  template <class T>
  MEMTILE_FUNCTION static constexpr T identity() {
    return T(false);
  }
};

struct bit_and {
  static constexpr bool commutative = true;
  template <class T>
  MEMTILE_FUNCTION T operator()(T a, T b) const {
    return T(a & b);
  }
  template <class T, class = detail::if_number<T>>
  MEMTILE_FUNCTION static constexpr T identity() {
    return T(~T(0));
  }
};

struct bit_or {
  static constexpr bool commutative = true;
  template <class T>
  MEMTILE_FUNCTION T operator()(T a, T b) const {
    return T(a | b);
  }
  template <class T, class = detail::if_number<T>>
  MEMTILE_FUNCTION static constexpr T identity() {
    return T(0);
  }
};

struct bit_xor {
  static constexpr bool commutative = true;
  template <class T>
  MEMTILE_FUNCTION T operator()(T a, T b) const {
    return T(a ^ b);
  }
  template <class T, class = detail::if_number<T>>
  MEMTILE_FUNCTION static constexpr T identity() {
    return T(0);
  }
};

namespace detail {
template <class Operator, class = void>
inline constexpr bool is_commutative = false;
template <class Operator>
inline constexpr bool is_commutative<Operator, void_t<decltype(Operator::commutative)>> = Operator::commutative;

template <class Operator, class A, class = void>
inline constexpr bool has_identity = false;
template <class Operator, class A>
inline constexpr bool has_identity<Operator, A, void_t<decltype(Operator::template identity<A>())>> = true;

template <class Operator, class V, class = void>
struct accumulator_of {
  using type = plain_type<V>;
};
template <class Operator, class V>
struct accumulator_of<Operator, V, void_t<typename Operator::template accumulator<V>>> {
  using type = typename Operator::template accumulator<V>;
};
}  // namespace detail

/// In which type a reduction by Operator combines values of type V: 64 bits for sums and products of integers, float for
/// those of small floats, else V. The type of an initial value has no say.
template <class Operator, class V>
using accumulator_t = typename detail::accumulator_of<Operator, V>::type;

// Transforms: what is done to an element before it is combined.
struct identity {
  template <class T>
  MEMTILE_FUNCTION T operator()(T v) const {
    return v;
  }
};
// Those that calculate do it in the type that sums use: an int8 squared does not wrap.
struct square {
  template <class T>
  MEMTILE_FUNCTION auto operator()(T v) const {
    const auto wide = detail::wide_type<T>(v);
    return multiply(wide, wide);
  }
};
struct absolute {
  template <class T>
  MEMTILE_FUNCTION auto operator()(T v) const {
    return abs(detail::wide_type<T>(v));
  }
};
struct square_root {
  template <class T>
  MEMTILE_FUNCTION auto operator()(T v) const {
    if constexpr (detail::is_floating<T>) return sqrt(v);
    else return sqrt(double(v));
  }
};

}  // namespace memtile
