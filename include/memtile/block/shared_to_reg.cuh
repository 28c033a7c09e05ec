// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// shared -> register: a thread loads its share of a tile into a fragment, 16 bytes at a time, whichever way the tile
// lies.
#pragma once

#include <memtile/reg/fragment.cuh>
#include <memtile/shared/tile.cuh>

namespace memtile {

/// The `Count` positions of one thread along one side of a tile: runs of `Run` neighbours, `Step` apart. Lanes side by
/// side take runs side by side, so that a warp reads whole lines.
template <int Count, int Run, int Step>
struct thread_span {
  static_assert(Count % Run == 0, "memtile: a thread's share must be a whole number of runs");
  static constexpr int count = Count, run = Run;
  int first;
  MEMTILE_FUNCTION constexpr int operator[](int i) const { return first + i / Run * Step + i % Run; }
};

/// What becomes of a value of the tile on its way into a fragment: here nothing but its type.
struct as_it_is {
  template <class T, class U>
  MEMTILE_FUNCTION T operator()(detail::same_type<T>, const U& v, int, int) const {
    return T(v);
  }
};

/// Loads K x Count values from a tile that holds k along its rows: (position, k) -> fragment(k, i). One access brings K
/// values of one position; each passes through `convert(type, value, k, i)`. The tile's swizzle keeps lanes a run apart in different banks, and gives all positions of a
/// thread one key.
///
/// Callers   each thread for itself, after the barrier that follows the fill of the tile
/// Requires  K * sizeof(T) is 4, 8 or 16 and k0 a multiple of K
template <class T, int Steps, int Count, int Run, int Step, class Tile, class Convert = as_it_is>
MEMTILE_FUNCTION void shared_rows_to_reg(const Tile& tile, thread_span<Count, Run, Step> span, int k0,
                                         fragment<T, Steps, Count>& out, site s, const Convert& convert = {}) {
  const int first = Tile::offset(span.first, 0);
  MEMTILE_UNROLL
  for (int i = 0; i < Count; ++i) {
    const auto v = tile.load_beside(wide<Steps>, first, span.first, span[i] - span.first, k0, s.inner());
    MEMTILE_UNROLL
    for (int k = 0; k < Steps; ++k) out(k, i) = convert(detail::same_type<T>{}, v[k], k, i);
  }
}

namespace detail {
// Loads run after run: load(k, distance) brings those of step k from span.first + distance on.
template <class T, int Steps, int Count, int Run, int Step, class Load, class Convert>
MEMTILE_FUNCTION void runs_to_reg(thread_span<Count, Run, Step> span, fragment<T, Steps, Count>& out, const Load& load,
                                  const Convert& convert) {
  MEMTILE_UNROLL
  for (int k = 0; k < Steps; ++k) {
    MEMTILE_UNROLL
    for (int i = 0; i < Count; i += Run) {
      const auto v = load(k, span[i] - span.first);
      MEMTILE_UNROLL
      for (int j = 0; j < Run; ++j) out(k, i + j) = convert(same_type<T>{}, v[j], k, i + j);
    }
  }
}
}  // namespace detail

/// The same from a tile that holds the positions along its rows: (k, position) -> fragment(k, i). One access brings a
/// run.
template <class T, int Steps, int Count, int Run, int Step, class Tile, class Convert = as_it_is>
MEMTILE_FUNCTION void shared_columns_to_reg(const Tile& tile, thread_span<Count, Run, Step> span, int k0,
                                            fragment<T, Steps, Count>& out, site s, const Convert& convert = {}) {
  const auto load = [&](int k, int d) { return tile.load(wide<Run>, k0 + k, span.first + d, s.inner()); };
  detail::runs_to_reg(span, out, load, convert);
}

/// The same from swizzled rows that are whole lines of 128 bytes, where span.first and the distances from it have no bit in
/// common: addresses then differ by constants.
template <class T, int Steps, int Count, int Run, int Step, class Tile, class Convert = as_it_is>
MEMTILE_FUNCTION void shared_lines_to_reg(const Tile& tile, thread_span<Count, Run, Step> span, int k0,
                                          fragment<T, Steps, Count>& out, site s, const Convert& convert = {}) {
  const auto load = [&](int k, int d) { return tile.load_along(wide<Run>, k0 + k, span.first, d, s.inner()); };
  detail::runs_to_reg(span, out, load, convert);
}

}  // namespace memtile
