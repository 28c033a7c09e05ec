// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles in shared memory. The layout is part of the type, so an index can not go by a stride that the tile does not
// have.
#pragma once

#include <memtile/core/vec.hpp>
#include <memtile/hw/atomic.cuh>
#include <memtile/hw/bounds.cuh>
#include <memtile/hw/memory.cuh>
#include <memtile/shared/layout.hpp>

namespace memtile {

/// Rows x Columns elements. Trivial: it may be a __shared__ variable, a member of a kernel's storage, or part of a
/// union.
///
/// Callers   each thread for itself
/// Result    a store is seen by the other threads of the block after the next block.sync()
/// Outside   0 <= r < Rows and 0 <= c < Columns is required; the simulator reports anything else and leaves it out
/// Requires  load(wide<N>, r, c) and store(r, c, vec) a layout that keeps N neighbours together and aligned
template <class T, int Rows, int Columns, class Layout = dense>
struct shared_tile {
  using value_type = T;
  using layout = Layout;
  static constexpr int rows = Rows, columns = Columns;
  alignas(max_of(16, int(alignof(T)))) T data[Layout::template elements<T, Rows, Columns>()];

  MEMTILE_FUNCTION static constexpr int offset(int r, int c) { return Layout::template offset<T, Rows, Columns>(r, c); }
  MEMTILE_FUNCTION T* address(int r, int c) { return data + offset(r, c); }
  MEMTILE_FUNCTION const T* address(int r, int c) const { return data + offset(r, c); }

  MEMTILE_FUNCTION T load(int r, int c, site s = site::here()) const { return load_as<T>(r, c, 1, s); }
  template <int Width>
  MEMTILE_FUNCTION vec<T, Width> load(width<Width>, int r, int c, site s = site::here()) const {
    return load_as<vec<T, Width>>(r, c, Width, s);
  }
  /// The N elements from (r + d, c) on, where `row_offset` is offset(r, 0): for a walk over rows with one swizzle key.
  template <int Width>
  MEMTILE_FUNCTION vec<T, Width> load_beside(width<Width>, int row_offset, int r, int d, int c,
                                             site s = site::here()) const {
    if (!inside(r + d, c, Width, s)) return hw::poison<vec<T, Width>>();
    return hw::load_shared(reinterpret_cast<const vec<T, Width>*>(
                               data + Layout::template offset_beside<T, Rows, Columns>(row_offset, d, c)),
                           s.at(r + d, c));
  }
  /// The N elements from (r, c + d) on, where c and d have no bit in common: for a walk along a row.
  template <int Width>
  MEMTILE_FUNCTION vec<T, Width> load_along(width<Width>, int r, int c, int d, site s = site::here()) const {
    if (!inside(r, c + d, Width, s)) return hw::poison<vec<T, Width>>();
    return hw::load_shared(
        reinterpret_cast<const vec<T, Width>*>(data + Layout::template offset_along<T, Rows, Columns>(r, c, d)),
        s.at(r, c + d));
  }
  MEMTILE_FUNCTION void store(int r, int c, T v, site s = site::here()) { store_as(r, c, 1, v, s); }
  template <int Width>
  MEMTILE_FUNCTION void store(int r, int c, const vec<T, Width>& v, site s = site::here()) {
    store_as(r, c, Width, v, s);
  }
  /// Adds and returns what stood there before.
  MEMTILE_FUNCTION T atomic_add(int r, int c, T v, site s = site::here()) {
    return inside(r, c, 1, s) ? hw::atomic_add(hw::memory::shared, address(r, c), v, s.at(r, c)) : T{};
  }

 private:
  MEMTILE_FUNCTION static bool inside(int r, int c, int n, site s) {
    return hw::inside("shared_tile", {r, c}, {Rows, Columns}, 1, n, s);
  }
  template <class V>
  MEMTILE_FUNCTION V load_as(int r, int c, int n, site s) const {
    if (!inside(r, c, n, s)) return hw::poison<V>();
    return hw::load_shared(reinterpret_cast<const V*>(address(r, c)), s.at(r, c));
  }
  template <class V>
  MEMTILE_FUNCTION void store_as(int r, int c, int n, const V& v, site s) {
    if (inside(r, c, n, s)) hw::store_shared(reinterpret_cast<V*>(address(r, c)), v, s.at(r, c));
  }
};

/// Rows x Columns elements and Halo more on every side: r runs from -Halo to Rows + Halo - 1, c likewise.
///
/// Memory    padded so that a warp whose lanes walk along rows of the tile meets no bank conflict, also where it covers
///           several rows: where a warp does, the distance between rows is Columns plus a multiple of all banks
template <class T, int Rows, int Columns, int Halo>
struct halo_tile {
  static_assert(Halo >= 0, "memtile: the halo of a halo_tile must be 0 or more");
  using value_type = T;
  static constexpr int rows = Rows, columns = Columns, halo = Halo;
  static constexpr int full_rows = Rows + 2 * Halo, full_columns = Columns + 2 * Halo;

 private:
  static constexpr int all_banks = max_of(1, 128 / int(sizeof(T)));  // elements across the 32 banks
  static constexpr int pitch =
      Columns % all_banks == 0 ? full_columns : Columns + ceil_div(2 * Halo, all_banks) * all_banks;

 public:
  shared_tile<T, full_rows, full_columns, padded<pitch - full_columns>> cells;

  MEMTILE_FUNCTION T load(int r, int c, site s = site::here()) const {
    return cells.load(r + Halo, c + Halo, s.at(r, c));
  }
  MEMTILE_FUNCTION void store(int r, int c, T v, site s = site::here()) {
    cells.store(r + Halo, c + Halo, v, s.at(r, c));
  }
};

}  // namespace memtile
