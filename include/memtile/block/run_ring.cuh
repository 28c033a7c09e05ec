// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// global -> shared -> register: warps walk along the slices of a volume, and each lane sees its own runs of some rows. The
// copies of the next slices are on their way meanwhile, and take no registers.
//
// A lane reads what it has brought itself, so that nobody waits for anybody. Outside of the volume there are zeros, or, along
// axes that wrap, what stands at the other end.
#pragma once

#include <memtile/core/vec.hpp>
#include <memtile/global/access.cuh>
#include <memtile/global/border.hpp>
#include <memtile/hw/async_copy.cuh>
#include <memtile/shared/tile.cuh>

namespace memtile {

/// Width columns of Rows rows of each lane, in Slots slices.
///
/// Callers   each lane for itself
/// Result    of fill: may be read after the async_wait that leaves fewer groups pending than were committed since
/// Memory    16 bytes to an access where Width values are as many and the view allows it; no bank conflicts
template <class T, int Width, int Rows, int Slots, bool WrapsRows, bool WrapsColumns>
class run_ring {
  static constexpr int run_bytes = Width * int(sizeof(T));
  static constexpr bool has_copies = run_bytes == 4 || run_bytes == 8 || run_bytes == 16;
  static constexpr bool has_element_copies = alignof(T) == sizeof(T) && (sizeof(T) == 4 || sizeof(T) == 8);

 public:
  struct storage {
    shared_tile<T, Slots * Rows, 32 * Width> cells;
  };

  /// The lane's runs begin at (row, column), which may lie outside. `wide`: base and pitches of `in` are multiples of a run.
  MEMTILE_FUNCTION run_ring(int lane, storage& shared, const volume_view<const T>& in, int row, int column, bool wide,
                            site s)
      : shared_(&shared), in_(in), row_(row), column_(column), place_(lane * Width), site_(s), rows_inside_(0) {
    if (WrapsColumns) column_ = int(detail::modulo(column, in.cols));
    const bool has_all = column_ >= 0 && column_ + Width <= in.cols,
               has_none = column_ + Width <= 0 || column_ >= in.cols;
    by_runs_ = has_copies && wide && column_ % Width == 0 && (has_all || has_none);
    MEMTILE_UNROLL
    for (int r = 0; r < Rows; ++r) {
      if constexpr (WrapsRows) wrapped_[r] = int(detail::modulo(row + r, in.rows));
      rows_inside_ |= uint32(has_all && from_row(r) >= 0 && from_row(r) < in.rows) << r;
    }
    own_ = uint64(reinterpret_cast<size_t>(in.data)) + uint64(int64(column_)) * sizeof(T);
    if (!WrapsRows) own_ += uint64(int64(row)) * uint64(in.row_pitch);
  }

  /// Brings the runs of a slice into a slot, or zeros if it is not `inside`; commits nothing.
  MEMTILE_FUNCTION void fill(int slot, int64 slice, bool inside) {
    if (by_runs_) {
      const uint32 rows = inside ? rows_inside_ : 0;
      const uint64 own = own_ + uint64(slice) * uint64(in_.slice_pitch);
      MEMTILE_UNROLL
      for (int r = 0; r < Rows; ++r)
        copy_run(slot * Rows + r, slice, from_row(r), own + uint64(WrapsRows ? from_row(r) : r) * uint64(in_.row_pitch),
                 (rows >> r & 1) != 0);
    } else {
      MEMTILE_KEEP_LOOP
      for (int i = 0; i < Rows * Width; ++i) bring_element(slot, slice, inside, i / Width, i % Width);
    }
  }
  MEMTILE_FUNCTION vec<T, Width> read(int slot, int r) const {
    return shared_->cells.load(wide<Width>, slot * Rows + r, place_, site_.inner());
  }

 private:
  MEMTILE_FUNCTION void copy_run(int line, int64 slice, int64 row, uint64 from, bool inside) {
    if constexpr (has_copies) {
      if (inside && !hw::inside("volume_view", {slice, row, column_}, {in_.depth, in_.rows, in_.cols}, 2, Width, site_))
        return;
      hw::async_copy<run_bytes>(shared_->cells.address(line, place_), reinterpret_cast<const char*>(from), inside,
                                site_.inner().at(line, place_), site_.inner().at(slice, row, column_));
    }
  }
  MEMTILE_FUNCTION void bring_element(int slot, int64 slice, bool inside, int r, int turn) {
    // Eight lanes cover the banks: the next eight take another element of their runs.
    const int j = (turn + place_ / Width / 8) % Width;
    int64 row = row_ + r, column = column_ + j;
    if (WrapsRows && (row < 0 || row >= in_.rows)) row = detail::modulo(row, in_.rows);
    if (WrapsColumns && column >= in_.cols) column = detail::modulo(column, in_.cols);
    inside = inside && row >= 0 && row < in_.rows && column >= 0 && column < in_.cols;
    T* const to = shared_->cells.address(slot * Rows + r, place_ + j);
    const site at = site_.inner().at(slot * Rows + r, place_ + j);
    if constexpr (has_element_copies) {
      const T* const from = inside ? in_.slice(slice).address(row, column) : in_.data;
      hw::async_copy<int(sizeof(T))>(to, from, inside, at, site_.inner().at(slice, row, column));
    } else {
      T v{};
      if (inside) v = in_.load(slice, row, column, site_.inner());
      hw::store_shared(to, v, at);
    }
  }

  // Where a row comes from.
  MEMTILE_FUNCTION int from_row(int r) const {
    if constexpr (WrapsRows) return wrapped_[r];
    else return row_ + r;
  }

  storage* shared_;
  volume_view<const T> in_;
  int row_, column_;  // the column is that of what comes there
  int wrapped_[WrapsRows ? Rows : 1];
  int place_;
  site site_;
  uint32 rows_inside_;  // by bits
  bool by_runs_;        // all lie inside or outside as a whole
  // The first run in the first slice, or where rows wrap that of row 0: a number, since a pointer must not leave the volume.
  uint64 own_;
};

}  // namespace memtile
