// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One value of any type for each of so many places in shared memory, where neighbouring lanes take neighbouring places.
// Values of more than 16 bytes lie word by word, each word of all places side by side: whole, lanes would share banks.
#pragma once

#include <memtile/core/std.hpp>
#include <memtile/hw/memory.cuh>

namespace memtile {

/// Memory   sizeof(T) for each place; no bank conflicts where the lanes of a warp take neighbouring places
template <class T, int Places>
struct lane_values {
  static constexpr bool by_words = sizeof(T) > 16 && sizeof(T) % 4 == 0;
  static constexpr int words = int(sizeof(T)) / 4;
  struct planes {
    uint32 word[max_of(1, words)][Places];
  };
  struct array {
    T value[Places];
  };
  detail::conditional_t<by_words, planes, array> data;

  MEMTILE_FUNCTION void store(int place, const T& v, site s = site::here()) {
    if constexpr (by_words) {
      uint32 bits[words];
      detail::copy_bytes(bits, &v, sizeof(T));
      MEMTILE_UNROLL
      for (int i = 0; i < words; ++i) hw::store_shared(&data.word[i][place], bits[i], s.at(place));
    } else {
      hw::store_shared(&data.value[place], v, s.at(place));
    }
  }
  MEMTILE_FUNCTION T load(int place, site s = site::here()) const {
    if constexpr (by_words) {
      uint32 bits[words];
      MEMTILE_UNROLL
      for (int i = 0; i < words; ++i) bits[i] = hw::load_shared(&data.word[i][place], s.at(place));
      T v;
      detail::copy_bytes(&v, bits, sizeof(T));
      return v;
    } else {
      return hw::load_shared(&data.value[place], s.at(place));
    }
  }
};

}  // namespace memtile
