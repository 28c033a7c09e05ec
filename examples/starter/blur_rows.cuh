// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blurs the rows of a picture: each pixel becomes (1 4 6 4 1) / 16 of itself and its neighbours left and right. Beyond
// an edge the picture goes on as its last pixel.
#pragma once

#include <memtile/kernel.cuh>

struct blur_rows {
  static constexpr int tile_rows = 8, tile_columns = 32, radius = 2, threads = tile_rows * tile_columns;
  struct storage {  // what a block keeps in shared memory
    memtile::shared_tile<float, tile_rows, tile_columns + 2 * radius> pixels;
  };

  MEMTILE_KERNEL void operator()(memtile::block block, storage& shared, memtile::matrix_view<const float> in,
                                 memtile::matrix_view<float> out) const {
    const int r = block.rank() / tile_columns, c = block.rank() % tile_columns;
    const memtile::int64 row = block.grid_row() * tile_rows + r, column0 = block.grid_column() * tile_columns;
    if (row < in.rows)  // a warp fills a row of the tile
      for (int i = c; i < tile_columns + 2 * radius; i += tile_columns) {
        const memtile::int64 column = memtile::replicate::index(column0 + i - radius, in.cols);
        shared.pixels.store(r, i, in.load(row, column));
      }
    block.sync();
    if (!out.inside(row, column0 + c)) return;
    const auto pixel = [&](int distance) { return shared.pixels.load(r, c + radius + distance); };
    const float sum = (pixel(-2) + pixel(2)) + 4 * (pixel(-1) + pixel(1)) + 6 * pixel(0);
    out.store(row, column0 + c, sum / 16);
  }
};
