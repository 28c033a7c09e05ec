// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Neighbours of a row in one thread's registers. Values of one or two bytes stay packed in words of four: on its own,
// each would take a whole register.
#pragma once

#include <memtile/core/math.hpp>
#include <memtile/core/vec.hpp>

namespace memtile {

/// How runs of Width values of T are moved: in words, or value by value where a run is no whole number of words.
template <class T, int Width>
struct packing {
  using bits = typename detail::element_of_bytes<int(sizeof(T))>::type;
  static constexpr bool is_packed = sizeof(T) < 4 && sizeof(T) * Width % 4 == 0;
  static constexpr int values = is_packed ? 4 / int(sizeof(T)) : 1;  // in a unit
  static constexpr int units = Width / values;                       // in a run
  using unit = detail::conditional_t<is_packed, uint32, T>;
};

/// Runs of Width values each, one behind the other.
///
/// Requires  indices that are constants once loops are unrolled: on the device the values are registers
template <class T, int Width, int Runs>
struct packed_run {
  using way = packing<T, Width>;
  typename way::unit units[Runs * way::units];

  MEMTILE_FUNCTION T operator[](int i) const {
    if constexpr (way::is_packed) {
      using bits = typename way::bits;
      return __builtin_bit_cast(T, bits(units[i / way::values] >> i % way::values * 8 * int(sizeof(T))));
    } else {
      return units[i];
    }
  }
};

/// Values of one, two or four bytes packed into words, and one of those.
///
/// Cost   one instruction for each value of a byte: a compiler that is left to itself takes twice as many
template <class T, int Width>
MEMTILE_FUNCTION auto in_words(const vec<T, Width>& run) {
  using way = packing<T, Width>;
  vec<uint32, Width* int(sizeof(T)) / 4> all;
  const auto bits_of = [&](int i) { return uint32(__builtin_bit_cast(typename way::bits, run[i])); };
  MEMTILE_UNROLL
  for (int i = 0; i < all.size; ++i) {
    const int j = i * way::values;
    if constexpr (sizeof(T) == 4) all[i] = bits_of(i);
    else if constexpr (sizeof(T) == 2) all[i] = select_bytes(bits_of(j), bits_of(j + 1), 0x5410);
    else
      all[i] = select_bytes(select_bytes(bits_of(j), bits_of(j + 1), 0x40),
                            select_bytes(bits_of(j + 2), bits_of(j + 3), 0x40), 0x5410);
  }
  return all;
}
template <class T, int Words>
MEMTILE_FUNCTION T value_in_words(const vec<uint32, Words>& run, int i) {
  using way = packing<T, Words * 4 / int(sizeof(T))>;
  using bits = typename way::bits;
  return __builtin_bit_cast(T, bits(run[i / way::values] >> i % way::values * 8 * int(sizeof(T))));
}

}  // namespace memtile
