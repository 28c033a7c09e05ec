// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// global -> shared -> register: warps walk along the slices of a volume and see, of each, some lines with the neighbours to
// the left and right. The copies of the next slices are on their way meanwhile, and take no registers.
//
// Each lane owns a run of Width neighbouring columns, a warp 32 of them. Runs to the left and right of the warp's are
// copied as well, so that every lane finds its neighbours' runs in shared memory. Warps of rows one below the other share
// the lines of all of them. Where a run or a line leaves the volume, or a view does not allow wide accesses, elements are
// brought one by one, as the border says.
#pragma once

#include <memtile/block/block.cuh>
#include <memtile/global/access.cuh>
#include <memtile/global/border.hpp>
#include <memtile/hw/async_copy.cuh>
#include <memtile/hw/opaque.cuh>
#include <memtile/reg/packed_run.cuh>
#include <memtile/shared/tile.cuh>

namespace memtile {

/// Reach: a detail::reach, of which rows, left and right matter here. Warps: how many share a ring, each with a row of its
/// own. Slots: slices that the ring holds; one fewer are on their way.
///
/// Callers   every lane of all warps that share it
/// Result    of fill: may be read after the async_wait that leaves fewer groups pending than were committed since, and a
///           barrier of those warps
/// Memory    16 bytes to an access where Width values are as many; no bank conflicts
template <class T, int Width, class Reach, int Warps, int Slots>
class line_ring {
  using way = packing<T, Width>;
  using unit = typename way::unit;
  static constexpr int runs_before = ceil_div(Reach::left, Width), runs_after = ceil_div(Reach::right, Width);
  static constexpr int line_runs = runs_before + 32 + runs_after, run_bytes = Width * int(sizeof(T));
  static constexpr int copy_bytes = min_of(run_bytes, 16);
  // Of runs that end within a copy, those of 20 or 24 bytes, elements are brought one by one.
  static constexpr bool has_copies =
      (copy_bytes == 4 || copy_bytes == 8 || copy_bytes == 16) && run_bytes % copy_bytes == 0;
  static constexpr bool has_element_copies = alignof(T) == sizeof(T) && (sizeof(T) == 4 || sizeof(T) == 8);
  static constexpr int lines = Reach::rows + Warps - 1;  // of a slot
  using tile = shared_tile<unit, Slots * lines, line_runs * way::units>;

 public:
  using line = packed_run<T, Width, runs_before + 1 + runs_after>;
  static constexpr int first = runs_before * Width;  // a lane's own values in its line
  static constexpr int slots = Slots;
  struct storage {
    tile cells;
  };

  /// Warp number `rank` of those that share the ring has row row0 + rank, and columns from column0 on. `wide`: base and
  /// pitches of `in` are multiples of a run.
  MEMTILE_FUNCTION line_ring(int rank, int lane, storage& shared, const volume_view<const T>& in, int64 row0,
                             int64 column0, bool wide, site s)
      : shared_(&shared), in_(in), row0_(row0), column0_(column0), rank_(rank), lane_(lane), wide_(wide), site_(s),
        own_(address_of_own()), columns_inside_(hw::opaque(int(has_columns_inside()))) {}

  /// Brings this warp's share of the lines of a slice into a slot; commits nothing.
  template <class Border>
  MEMTILE_FUNCTION void fill(int slot, int64 slice, const Border& border) {
    const bool slice_inside = uint64(slice) < uint64(in_.depth);
    const uint64 own = own_ + uint64(slice) * uint64(in_.slice_pitch);
    MEMTILE_UNROLL
    for (int round = 0; round < ceil_div(lines, Warps); ++round) {
      const int y = round * Warps + rank_;
      if (lines % Warps != 0 && y >= lines) break;
      const int64 row = row0_ + y - Reach::up;
      if (slice_inside && columns_inside_ && uint64(row) < uint64(in_.rows))
        copy_line(slot * lines + y, slice, row,
                  reinterpret_cast<const char*>(own + uint64(round * Warps) * uint64(in_.row_pitch)));
      else bring_line(slot * lines + y, slice, row, border);
    }
  }
  /// The warp's columns from now on: for a walk along a single line.
  MEMTILE_FUNCTION void move_to(int64 column0) {
    column0_ = column0;
    own_ = address_of_own(), columns_inside_ = has_columns_inside();
  }

  /// This lane's run of the line number y of those around its row, with the runs before and after it; or its own alone.
  MEMTILE_FUNCTION line read(int slot, int y) const { return runs_from<runs_before + 1 + runs_after>(slot, y, 0); }
  MEMTILE_FUNCTION packed_run<T, Width, 1> read_own(int slot, int y) const {
    return runs_from<1>(slot, y, runs_before);
  }

 private:
  template <int Runs>
  MEMTILE_FUNCTION packed_run<T, Width, Runs> runs_from(int slot, int y, int run0) const {
    packed_run<T, Width, Runs> v;
    MEMTILE_UNROLL
    for (int r = 0; r < Runs; ++r) {
      const auto run = shared_->cells.load(wide<way::units>, slot * lines + rank_ + y, (lane_ + run0 + r) * way::units,
                                           site_.inner());
      MEMTILE_UNROLL
      for (int i = 0; i < way::units; ++i) v.units[r * way::units + i] = run[i];
    }
    return v;
  }

  // Where this lane's run of the warp's first line would lie in the first slice, perhaps outside the volume: a number, since a
  // pointer must not leave it.
  MEMTILE_FUNCTION uint64 address_of_own() const {
    return uint64(reinterpret_cast<size_t>(in_.data)) + uint64(row0_ + rank_ - Reach::up) * uint64(in_.row_pitch) +
           uint64(column0_ + lane_ * Width) * sizeof(T);
  }
  MEMTILE_FUNCTION bool has_columns_inside() const {
    return has_copies && wide_ && column0_ >= runs_before * Width && column0_ + (32 + runs_after) * Width <= in_.cols;
  }
  // A line that lies inside, this lane's run of it at `own`.
  MEMTILE_FUNCTION void copy_line(int line_index, int64 slice, int64 y, const char* own) {
    if constexpr (has_copies) {
      copy_run(line_index, lane_ + runs_before, slice, y, own, site_.inner());
      // Two accesses, and not one of two places far apart: each moves whole sectors.
      if constexpr (runs_before > 0) {
        if (lane_ < runs_before) copy_run(line_index, lane_, slice, y, own - runs_before * run_bytes, site_.inner());
      }
      if constexpr (runs_after > 0) {
        if (lane_ >= 32 - runs_after)
          copy_run(line_index, lane_ + runs_before + runs_after, slice, y, own + runs_after * run_bytes, site_.inner());
      }
    }
  }
  MEMTILE_FUNCTION void copy_run(int line_index, int run, int64 slice, int64 y, const char* from, site s) {
    const int64 column = column0_ + (run - runs_before) * Width;
    if (!hw::inside("volume_view", {slice, y, column}, {in_.depth, in_.rows, in_.cols}, 2, Width, s)) return;
    char* to = reinterpret_cast<char*>(shared_->cells.address(line_index, run * way::units));
    MEMTILE_UNROLL
    for (int i = 0; i < run_bytes; i += copy_bytes)
      hw::async_copy<copy_bytes>(to + i, from + i, true, s.at(line_index, run), s.at(slice, y, column));
  }

  // A line that leaves the view, or does not allow wide accesses. Whole runs are copied where they may be; the other
  // elements one by one, asynchronously as well if they have as many bytes as that takes: a warp at an edge must not wait
  // for each of them, or its block waits for it.
  template <class Border>
  MEMTILE_FUNCTION void bring_line(int line_index, int64 slice, int64 y, const Border& border) {
    T outside{};
    const bool has_slice = detail::comes_from_inside(border.slices, slice, in_.depth, outside);
    const bool is_there = has_slice && detail::comes_from_inside(border.rows, y, in_.rows, outside);
    const auto is_whole = [&](int run) {
      const int64 column = column0_ + (run - runs_before) * Width;
      return has_copies && wide_ && is_there && column >= 0 && column + Width <= in_.cols;
    };
    if constexpr (has_copies) {
      MEMTILE_KEEP_LOOP
      for (int run = lane_; run < line_runs; run += 32)
        if (is_whole(run)) {
          const int64 column = column0_ + (run - runs_before) * Width;
          const auto* const from = reinterpret_cast<const char*>(in_.slice(slice).address(y, column));
          copy_run(line_index, run, slice, y, from, site_.inner());
        }
    }
    T* const to = reinterpret_cast<T*>(shared_->cells.address(line_index, 0));
    MEMTILE_KEEP_LOOP
    for (int i = lane_; i < line_runs * Width; i += 32) {
      if (is_whole(i / Width)) continue;
      int64 column = column0_ + i - runs_before * Width;
      T v = outside;
      const site at = site_.inner().at(line_index, i);
      if (!is_there || !detail::comes_from_inside(border.columns, column, in_.cols, v)) hw::store_shared(to + i, v, at);
      else if constexpr (has_element_copies) copy_element(to + i, slice, y, column, at);
      else hw::store_shared(to + i, in_.load(slice, y, column, site_.inner()), at);
    }
    hw::lanes_meet(site_);
  }
  MEMTILE_FUNCTION void copy_element(T* to, int64 slice, int64 y, int64 column, site at) {
    if (hw::inside("volume_view", {slice, y, column}, {in_.depth, in_.rows, in_.cols}, 2, 1, at))
      hw::async_copy<int(sizeof(T))>(to, in_.slice(slice).address(y, column), true, at,
                                     site_.inner().at(slice, y, column));
  }

  storage* shared_;
  volume_view<const T> in_;
  int64 row0_, column0_;
  int rank_, lane_;
  bool wide_;
  site site_;
  uint64 own_;          // this lane's run of the warp's first line, in the first slice
  int columns_inside_;  // of every line
};

}  // namespace memtile
