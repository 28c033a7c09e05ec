// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A run of small integers by halves: each column beside the one half a run further. Then the neighbours of two columns are
// the halves next to them, and two columns cost what one does.
#pragma once

#include <memtile/core/halves.hpp>
#include <memtile/core/vec.hpp>
#include <memtile/reg/packed_run.cuh>

namespace memtile {

/// Whether runs of Width values of T can be held so: a half is whole words.
template <class T, int Width>
inline constexpr bool has_halves =
    detail::is_integer<T> && !detail::is_same<T, bool> && sizeof(T) <= 2 && int(sizeof(T)) * Width % 8 == 0;

/// Columns -Before to Width / 2 - 1 + After, each with that Width / 2 further, of a line whose column 0 is value number
/// `first`.
///
/// Cost   one or two instructions for each
template <class T, int Width, int Before, int After>
struct run_of_halves {
  halves<T> values[Before + Width / 2 + After];

  template <int Runs>
  MEMTILE_FUNCTION static run_of_halves of(const packed_run<T, Width, Runs>& line, int first) {
    constexpr uint32 signs = halves<T>::sign * (sizeof(T) == 1 ? 0x01010101u : 0x10001u);
    constexpr int in_word = 4 / int(sizeof(T));
    run_of_halves run;
    MEMTILE_UNROLL
    for (int i = 0; i < Before + Width / 2 + After; ++i) {
      const int low = first - Before + i, high = low + Width / 2;  // at the same place of their words
      const uint32 half_words = select_bytes(line.units[low / in_word] ^ signs, line.units[high / in_word] ^ signs,
                                             low % in_word * int(sizeof(T)) < 2 ? 0x5410 : 0x7632);
      if constexpr (sizeof(T) == 2) run.values[i].both = half_words;
      else run.values[i].both = low % 2 == 0 ? half_words & 0x00ff00ffu : select_bytes(half_words, 0, 0x4341);
    }
    return run;
  }
  MEMTILE_FUNCTION halves<T> operator[](int i) const { return values[i]; }
};

/// The other way round: Width values side by side, in words.
///
/// Cost   one instruction for each two values
template <int Width, class T>
MEMTILE_FUNCTION auto side_by_side(const vec<halves<T>, Width / 2>& run) {
  constexpr uint32 signs = halves<T>::sign * (sizeof(T) == 1 ? 0x01010101u : 0x10001u);
  constexpr int in_word = 4 / int(sizeof(T)), words = Width / in_word;
  vec<uint32, words> all;
  MEMTILE_UNROLL
  for (int i = 0; i < words / 2; ++i) {
    uint32 first = run[i * in_word].both, second = run[i * in_word + 1].both;
    if constexpr (sizeof(T) == 1) {
      first = select_bytes(first, second, 0x6240);
      second = select_bytes(run[i * in_word + 2].both, run[i * in_word + 3].both, 0x6240);
    }
    all[i] = select_bytes(first, second, 0x5410) ^ signs;
    all[i + words / 2] = select_bytes(first, second, 0x7632) ^ signs;
  }
  return all;
}

}  // namespace memtile
