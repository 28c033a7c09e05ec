// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several values that one instruction moves.
#pragma once

#include <memtile/core/std.hpp>

namespace memtile {

namespace detail {
// What the hardware asks of an access of that many bytes: a power of two up to 16 wants its own alignment, another size
// none.
template <class T, int Width>
inline constexpr int vec_alignment = (sizeof(T) * Width & (sizeof(T) * Width - 1)) != 0 ? int(alignof(T))
                                     : sizeof(T) * Width <= 16                          ? int(sizeof(T)) * Width
                                                                                        : 16;
}  // namespace detail

template <class T, int Width>
struct alignas(max_of(detail::vec_alignment<T, Width>, int(alignof(T)))) vec {
  using value_type = T;
  static constexpr int size = Width;
  T values[Width];
  MEMTILE_FUNCTION constexpr T& operator[](int i) { return values[i]; }
  MEMTILE_FUNCTION constexpr const T& operator[](int i) const { return values[i]; }
};

/// The width of an access, in elements: `view.load(wide<4>, row, column)` returns a vec<T, 4>. An argument and not a
/// template argument of load, so that a call in a template needs no `.template`.
template <int Width>
struct width {};
template <int Width>
inline constexpr width<Width> wide{};

/// v[0] op v[1] op ..., neighbours first: log2(Width) operations in a row instead of Width.
template <class T, int Width, class Operator>
MEMTILE_FUNCTION T pairwise(vec<T, Width> v, const Operator& op) {
  MEMTILE_UNROLL
  for (int distance = 1; distance < Width; distance *= 2) {
    MEMTILE_UNROLL
    for (int i = 0; i + distance < Width; i += 2 * distance) v[i] = op(v[i], v[i + distance]);
  }
  return v[0];
}

/// The widest power-of-two number of T, at most 16 bytes, that divides n elements.
template <class T>
MEMTILE_FUNCTION constexpr int widest(int n) {
  int elements = 1;
  while (elements * 2 * int(sizeof(T)) <= 16 && n % (elements * 2) == 0) elements *= 2;
  return elements;
}

namespace detail {

// Unsigned elements of so many bytes: one kernel serves all types of a size, where these lie at the same multiples.
template <int Bytes>
struct element_of_bytes : same_type<void> {};
template <>
struct element_of_bytes<1> : same_type<uint8> {};
template <>
struct element_of_bytes<2> : same_type<uint16> {};
template <>
struct element_of_bytes<4> : same_type<uint32> {};
template <>
struct element_of_bytes<8> : same_type<uint64> {};
template <>
struct element_of_bytes<16> : same_type<vec<uint32, 4>> {};

template <class T, class Element>
inline constexpr bool lies_as = alignof(T) == alignof(Element);
template <class T>
inline constexpr bool lies_as<T, void> = false;

}  // namespace detail

}  // namespace memtile
