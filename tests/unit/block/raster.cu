// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order in which blocks take tiles.
#include <memtile/block/raster.hpp>
#include <support/catch.hpp>

#include <set>
#include <utility>

using memtile::banded;
using memtile::tile_place;

namespace {

constexpr bool is(tile_place p, int row, int column) { return p.row == row && p.column == column; }

}  // namespace

TEST_CASE("every tile is taken once, whatever the band", "[block]") {
  for (int rows : {1, 2, 3, 7, 16})
    for (int columns : {1, 2, 5, 16})
      for (int band : {1, 2, 3, 4, 8, 16, 100}) {
        std::set<std::pair<int, int>> taken;
        for (int index = 0; index < rows * columns; ++index) {
          const tile_place p = banded(index, rows, columns, band);
          if (p.row >= 0 && p.row < rows && p.column >= 0 && p.column < columns) taken.insert({p.row, p.column});
        }
        INFO(rows << "x" << columns << " in bands of " << band);
        CHECK(int(taken.size()) == rows * columns);
      }
}

TEST_CASE("a band is walked column by column, and the last one may be lower", "[block]") {
  static_assert(is(banded(0, 3, 2, 2), 0, 0) && is(banded(1, 3, 2, 2), 1, 0) && is(banded(2, 3, 2, 2), 0, 1) &&
                is(banded(3, 3, 2, 2), 1, 1));
  static_assert(is(banded(4, 3, 2, 2), 2, 0) && is(banded(5, 3, 2, 2), 2, 1));
  for (int index = 0; index < 35; ++index) CHECK(is(banded(index, 5, 7, 1), index / 7, index % 7));  // row by row
  for (int index = 0; index < 35; ++index) CHECK(is(banded(index, 5, 7, 5), index % 5, index / 5));  // column by column
}

TEST_CASE("blocks that run together share rows and columns", "[block]") {
  // of 64 neighbouring numbers on a large grid: 8 rows and 8 columns instead of 1 row and 64 columns
  for (int first = 0; first + 64 <= 4096; first += 64) {
    std::set<int> rows, columns;
    for (int index = first; index < first + 64; ++index) {
      rows.insert(banded(index, 64, 64, 8).row);
      columns.insert(banded(index, 64, 64, 8).column);
    }
    CHECK((rows.size() == 8 && columns.size() == 8));
  }
}
