// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// global -> shared -> register: a warp walks along the slices of a volume and sees, of each, some lines with the
// neighbours to the left and right. The copies of the next slices are on their way meanwhile, and take no registers.
//
// Each lane owns a run of Width neighbouring columns, a warp 32 of them. Runs to the left and right of the warp's are
// copied as well, so that every lane finds its neighbours' runs in shared memory. Where a run or a line leaves the
// volume, or a view does not allow wide accesses, elements are brought one by one, as the border says.
#pragma once

#include <memtile/block/block.cuh>
#include <memtile/global/access.cuh>
#include <memtile/global/border.hpp>
#include <memtile/hw/async_copy.cuh>
#include <memtile/reg/packed_run.cuh>
#include <memtile/shared/tile.cuh>

namespace memtile {

/// Reach: a detail::reach, of which rows, left and right matter here. Slots: slices that the ring holds; one fewer are on
/// their way.
///
/// Callers   every lane of a whole warp, for the warp's own storage
/// Result    of fill: may be read after wait() that leaves fewer groups pending than were committed since
/// Memory    16 bytes to an access where Width values are as many; no bank conflicts
template <class T, int Width, class Reach, int Slots>
class line_ring {
  using way = packing<T, Width>;
  using unit = typename way::unit;
  static constexpr int runs_before = ceil_div(Reach::left, Width), runs_after = ceil_div(Reach::right, Width);
  static constexpr int line_runs = runs_before + 32 + runs_after, run_bytes = Width * int(sizeof(T));
  static constexpr int copy_bytes = min_of(run_bytes, 16);
  static constexpr bool has_copies = copy_bytes == 4 || copy_bytes == 8 || copy_bytes == 16;
  using tile = shared_tile<unit, Slots * Reach::rows, line_runs * way::units>;

 public:
  static constexpr int rows = Reach::rows, runs = runs_before + 1 + runs_after;
  using line = packed_run<T, Width, runs>;
  struct storage {
    tile lines;
  };

  /// The lines around `row`, of the warp whose first column is `column0`. `wide`: base and pitches of `in` are multiples of
  /// a run.
  MEMTILE_FUNCTION line_ring(warp w, storage& shared, const volume_view<const T>& in, int64 row, int64 column0,
                             bool wide, site s)
      : shared_(&shared), in_(in), row_(row), column0_(column0), lane_(w.lane()), wide_(wide), site_(s) {}

  /// Brings the lines of a slice into a slot; commits nothing.
  template <class Border>
  MEMTILE_FUNCTION void fill(int slot, int64 slice, const Border& border) {
    const bool columns_inside =
        wide_ && column0_ >= runs_before * Width && column0_ + (32 + runs_after) * Width <= in_.cols;
    if (columns_inside && slice >= 0 && slice < in_.depth && row_ >= Reach::up && row_ + Reach::down < in_.rows) {
      MEMTILE_UNROLL
      for (int y = 0; y < rows; ++y) copy_line(slot * rows + y, slice, row_ + y - Reach::up);
    } else {
      MEMTILE_KEEP_LOOP
      for (int y = 0; y < rows; ++y) bring_line(slot * rows + y, slice, row_ + y - Reach::up, border);
    }
  }
  /// The warp's columns from now on: for a walk along a single line.
  MEMTILE_FUNCTION void move_to(int64 column0) { column0_ = column0; }

  /// This lane's run of one line, with the runs before and after it: its own values begin at `first`.
  MEMTILE_FUNCTION line read(int slot, int y) const {
    line v;
    MEMTILE_UNROLL
    for (int r = 0; r < runs; ++r) {
      const auto run = shared_->lines.load(wide<way::units>, slot * rows + y, (lane_ + r) * way::units, site_.inner());
      MEMTILE_UNROLL
      for (int i = 0; i < way::units; ++i) v.units[r * way::units + i] = run[i];
    }
    return v;
  }
  static constexpr int first = runs_before * Width;

 private:
  MEMTILE_FUNCTION void copy_line(int line_index, int64 slice, int64 y) {
    if constexpr (has_copies) {
      copy_run(line_index, lane_ + runs_before, slice, y, site_.inner());
      // Two accesses, and not one of two places far apart: each moves whole sectors.
      if constexpr (runs_before > 0) {
        if (lane_ < runs_before) copy_run(line_index, lane_, slice, y, site_.inner());
      }
      if constexpr (runs_after > 0) {
        if (lane_ >= 32 - runs_after) copy_run(line_index, lane_ + runs_before + runs_after, slice, y, site_.inner());
      }
    }
  }
  MEMTILE_FUNCTION void copy_run(int line_index, int run, int64 slice, int64 y, site s) {
    const int64 column = column0_ + (run - runs_before) * Width;
    if (!hw::inside("volume_view", {slice, y, column}, {in_.depth, in_.rows, in_.cols}, 2, Width, s)) return;
    const char* from = reinterpret_cast<const char*>(in_.slice(slice).address(y, column));
    char* to = reinterpret_cast<char*>(shared_->lines.address(line_index, run * way::units));
    MEMTILE_UNROLL
    for (int i = 0; i < run_bytes; i += copy_bytes)
      hw::async_copy<copy_bytes>(to + i, from + i, true, s.at(line_index, run), s.at(slice, y, column));
  }

  template <class Border>
  MEMTILE_FUNCTION void bring_line(int line_index, int64 slice, int64 y, const Border& border) {
    T outside{};
    const bool is_there = detail::comes_from_inside(border.slices, slice, in_.depth, outside) &&
                          detail::comes_from_inside(border.rows, y, in_.rows, outside);
    T* const to = reinterpret_cast<T*>(shared_->lines.address(line_index, 0));
    MEMTILE_KEEP_LOOP
    for (int i = lane_; i < line_runs * Width; i += 32) {
      int64 column = column0_ + i - runs_before * Width;
      T v = outside;
      if (is_there && detail::comes_from_inside(border.columns, column, in_.cols, v))
        v = in_.load(slice, y, column, site_.inner());
      hw::store_shared(to + i, v, site_.inner().at(line_index, i));
    }
    hw::lanes_meet(site_);
  }

  storage* shared_;
  volume_view<const T> in_;
  int64 row_, column0_;
  int lane_;
  bool wide_;
  site site_;
};

}  // namespace memtile
