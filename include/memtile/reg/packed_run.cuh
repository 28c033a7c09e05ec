// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Neighbours of a row in one thread's registers. Values of one or two bytes stay packed in words of four: on its own,
// each would take a whole register.
#pragma once

#include <memtile/core/std.hpp>
#include <memtile/core/vec.hpp>

namespace memtile {

/// How runs of Width values of T are moved: in words, or value by value where a run is no whole number of words.
template <class T, int Width>
struct packing {
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
      using bits = detail::conditional_t<sizeof(T) == 1, uint8, uint16>;
      return __builtin_bit_cast(T, bits(units[i / way::values] >> i % way::values * 8 * int(sizeof(T))));
    } else {
      return units[i];
    }
  }
};

}  // namespace memtile
