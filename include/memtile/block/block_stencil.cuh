// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A stencil inside a kernel of one's own: a tile with its neighbours in shared memory, and every place of it with what lies
// around.
//
//   using around = memtile::block_stencil<float, memtile::star<1>, 16, 64>;   // 16 x 64 outputs to a block
//   around stencil{block, shared.tile};               // of type around::storage
//   stencil.load(in, row0, column0, memtile::replicate{});
//   block.sync();
//   stencil.each([&](int r, int c, const auto& n) {
//     out.store_inside(row0 + r, column0 + c, n(-1, 0) + n(1, 0) + n(0, -1) + n(0, 1) - 4 * n(0, 0));
//   });
#pragma once

#include <memtile/block/halo_to_shared.cuh>
#include <memtile/block/neighbours.cuh>
#include <memtile/core/window.hpp>

namespace memtile {

MEMTILE_USER_CODE_BEGIN

/// Rows x Columns places and their neighbours in a Window of a matrix.
///
/// Callers   every thread of the block, any number of them
/// Result    of load: may be read after the caller's block.sync(); the storage may be used again after another one
/// Outside   as the border says, which is constant{v}, replicate, reflect, reflect101 or wrap. each() calls for all places
///           of the tile, those beyond the matrix too
/// Memory    as of halo_to_shared; a neighbour is one access to shared memory, without conflicts where a warp stands along
///           one row
template <class T, class Window, int Rows, int Columns>
class block_stencil {
  using reach = typename detail::reach_of<Window, 2>::type;
  static constexpr int halo = max_of(max_of(reach::front, reach::back), max_of(reach::left, reach::right));
  using tile = halo_tile<T, Rows, Columns, halo>;

  struct neighbours_in_tile {
    const tile& cells;
    int64 slice, row, column;  // of a matrix slices are its rows, as in a detail::reach
    template <int Field>
    MEMTILE_FUNCTION T at(int dy, int, int dx, site s) const {
      if (!detail::in_window<reach>(dy, 0, dx, s)) return T{};
      return cells.load(int(slice) + dy, int(column) + dx, s);
    }
  };

 public:
  struct storage {
    tile cells;
  };
  static constexpr int rows = Rows, columns = Columns, shared_bytes = int(sizeof(storage));

  MEMTILE_FUNCTION block_stencil(const block& b, storage& shared) : block_(b), shared_(&shared) {}

  /// Brings the places from (row0, column0) of `in` on, and their neighbours.
  template <class U, class Border>
  MEMTILE_FUNCTION void load(const matrix_view<U>& in, int64 row0, int64 column0, const Border& border,
                             site s = site::here()) {
    halo_to_shared(block_, in, row0, column0, shared_->cells, border, s);
  }
  /// visit(r, c, n) for every place of the tile, n being its neighbours; n.row() and n.column() are r and c.
  template <class Visit>
  MEMTILE_FUNCTION void each(const Visit& visit) const {
    for (int i = block_.rank(); i < Rows * Columns; i += block_.size()) {
      const neighbours_in_tile around{shared_->cells, i / Columns, 0, i % Columns};
      visit(i / Columns, i % Columns, neighbours<2, neighbours_in_tile>(around));
    }
  }

 private:
  block block_;
  storage* shared_;
};

MEMTILE_USER_CODE_END

}  // namespace memtile
