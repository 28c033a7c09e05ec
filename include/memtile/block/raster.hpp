// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// In which order the blocks of a grid take the tiles of a matrix. Blocks run roughly in the order of their numbers;
// those that run together should share rows and columns of the inputs, which then come from the L2 cache. So tiles are
// taken in bands of a few rows, each band column by column, instead of row by row.
#pragma once

#include <memtile/core/std.hpp>

namespace memtile {

struct tile_place {
  int row, column;
};

/// The tile that block number `index` takes of rows x columns tiles, in bands of `band` rows. Every tile is taken once.
MEMTILE_FUNCTION constexpr tile_place banded(int index, int rows, int columns, int band) {
  band = min_of(band, rows);                          // band * columns is then no more than all tiles, and fits an int
  const int first = index / (band * columns) * band;  // the band's first row
  const int height = min_of(band, rows - first);      // the last band may be lower
  const int within = index - first * columns;
  return {first + within % height, within / height};
}

}  // namespace memtile
