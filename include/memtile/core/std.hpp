// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The few things of the standard library that device code needs and NVRTC does not have.
#pragma once

#include <memtile/core/config.hpp>

namespace memtile::detail {

template <bool B, class T = void>
struct enable_if {};
template <class T>
struct enable_if<true, T> {
  using type = T;
};
template <bool B, class T = void>
using enable_if_t = typename enable_if<B, T>::type;

template <bool B, class T, class F>
struct conditional {
  using type = T;
};
template <class T, class F>
struct conditional<false, T, F> {
  using type = F;
};
template <bool B, class T, class F>
using conditional_t = typename conditional<B, T, F>::type;

template <class A, class B>
inline constexpr bool is_same = false;
template <class A>
inline constexpr bool is_same<A, A> = true;

template <class T>
struct same_type {
  using type = T;
};

template <class T>
struct remove_const {
  using type = T;
};
template <class T>
struct remove_const<const T> {
  using type = T;
};
template <class T>
using remove_const_t = typename remove_const<T>::type;

template <class T>
struct remove_reference {
  using type = T;
};
template <class T>
struct remove_reference<T&> {
  using type = T;
};
template <class T>
struct remove_reference<T&&> {
  using type = T;
};
template <class T>
using remove_reference_t = typename remove_reference<T>::type;
template <class T>
using bare_t = remove_const_t<remove_reference_t<T>>;  // the type without const and reference

template <class T>
inline constexpr bool is_const = false;
template <class T>
inline constexpr bool is_const<const T> = true;
template <class T>
inline constexpr bool is_reference = false;
template <class T>
inline constexpr bool is_reference<T&> = true;
template <class T>
inline constexpr bool is_reference<T&&> = true;
template <class T>
inline constexpr bool is_floating = is_same<T, float> || is_same<T, double>;

template <class...>
using void_t = void;
template <class...>
inline constexpr bool always_false = false;  // for a static_assert in a template that must not be used

template <class T>
MEMTILE_FUNCTION T&& declval() noexcept;  // unevaluated only; NVRTC wants the mark all the same

// For trivially copyable types; with a size known at compile time it moves registers. NVRTC has only the one name.
MEMTILE_FUNCTION void copy_bytes(void* to, const void* from, size_t bytes) {
#if defined(__CUDACC_RTC__)
  memcpy(to, from, bytes);
#else
  __builtin_memcpy(to, from, bytes);
#endif
}

// const U -> const T and U -> T: a view of mutable elements converts to a view of const ones.
template <class To, class From>
inline constexpr bool adds_const = is_same<To, const From> && !is_same<To, From>;

}  // namespace memtile::detail

namespace memtile {

// By value on purpose: a reference parameter would odr-use the static constexpr numbers of policies, which device code
// cannot.
template <class T>
MEMTILE_FUNCTION constexpr T min_of(T a, T b) {
  return b < a ? b : a;
}
template <class T>
MEMTILE_FUNCTION constexpr T max_of(T a, T b) {
  return a < b ? b : a;
}

/// The number of pieces of size `piece` that cover `n`. Does not overflow where n + piece would.
template <class T>
MEMTILE_FUNCTION constexpr T ceil_div(T n, detail::remove_reference_t<T> piece) {
  return n / piece + (n % piece > 0 ? T(1) : T(0));
}

}  // namespace memtile
