// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel of one's own and its unit test: a 3x3 mean through a shared tile with halo. This is the test that runs in CI without a GPU.
#include <memtile/kernel.cuh>
#include <memtile/sim.cuh>
#include <memtile/sim/catch2.hpp>

struct mean3x3 {
  static constexpr int tile = 16, threads = tile * tile;
  struct storage {
    memtile::halo_tile<float, tile, tile, 1> pixels;  // 18 x 18 with its halo, padded
  };
  MEMTILE_KERNEL void operator()(memtile::block block, storage& shared, memtile::matrix_view<const float> in,
                                 memtile::matrix_view<float> out) const {
    auto& pixels = shared.pixels;
    const int row0 = block.grid_row() * tile, column0 = block.grid_column() * tile;
    memtile::halo_to_shared(block, in, row0, column0, pixels, memtile::replicate{});
    block.sync();
    const int r = block.rank() / tile, c = block.rank() % tile;
    float sum = 0;
    for (int dy = -1; dy <= 1; ++dy)
      for (int dx = -1; dx <= 1; ++dx) sum += pixels.load(r + dy, c + dx);
    out.store_inside(row0 + r, column0 + c, sum / 9);
  }
};

TEST_CASE("mean3x3 averages the neighbourhood of every pixel") {
  constexpr int rows = 40, columns = 53;
  for (auto& machine : memtile::testing::machines()) {
    auto in = machine.buffer<float>(rows, columns, [](int r, int c) { return float(9 * ((r * 5 + c * 3) % 11)); });
    auto out = machine.buffer<float>(rows, columns);
    const auto grid = memtile::grid_for(rows, columns, mean3x3::tile, mean3x3::tile);
    REQUIRE(memtile::launch(machine, grid, mean3x3{}, in.view(), out.view()));

    const auto source = in.host(), result = out.host();
    const auto clamp = [](int i, int n) { return i < 0 ? 0 : i >= n ? n - 1 : i; };
    for (int r = 0; r < rows; ++r)
      for (int c = 0; c < columns; ++c) {
        float sum = 0;
        for (int dy = -1; dy <= 1; ++dy)
          for (int dx = -1; dx <= 1; ++dx) sum += source(clamp(r + dy, rows), clamp(c + dx, columns));
        REQUIRE(result(r, c) == sum / 9);
      }
    if (const auto* report = machine.last_report()) {  // the simulator's; the GPU has none
      CHECK_THAT(*report, memtile::sim::IsClean());
      CHECK_THAT(*report, memtile::sim::HasNoBankConflicts());
    }
  }
}
