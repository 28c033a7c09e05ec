// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several values that one instruction moves.
#pragma once

#include <memtile/core/std.hpp>

namespace memtile {

namespace detail {
// What the hardware asks of an access of that many bytes: a power of two up to 16 wants its own alignment, another size
// none.
template <class T, int N>
inline constexpr int vec_alignment = (sizeof(T) * N & (sizeof(T) * N - 1)) != 0 ? int(alignof(T))
                                     : sizeof(T) * N <= 16                      ? int(sizeof(T)) * N
                                                                                : 16;
}  // namespace detail

template <class T, int N>
struct alignas(max_of(detail::vec_alignment<T, N>, int(alignof(T)))) vec {
  using value_type = T;
  static constexpr int size = N;
  T values[N];
  MEMTILE_FUNCTION constexpr T& operator[](int i) { return values[i]; }
  MEMTILE_FUNCTION constexpr const T& operator[](int i) const { return values[i]; }
};

/// The width of an access, in elements: `view.load(wide<4>, row, column)` returns a vec<T, 4>. An argument and not a
/// template argument of load, so that a call in a template needs no `.template`.
template <int N>
struct width {};
template <int N>
inline constexpr width<N> wide{};

/// The widest power-of-two number of T, at most 16 bytes, that divides n elements.
template <class T>
MEMTILE_FUNCTION constexpr int widest(int n) {
  int elements = 1;
  while (elements * 2 * int(sizeof(T)) <= 16 && n % (elements * 2) == 0) elements *= 2;
  return elements;
}

}  // namespace memtile
