// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "blur_rows.cuh"

#include <memtile/sim.cuh>
#include <memtile/sim/catch2.hpp>

#include <algorithm>
#include <cstdlib>
#include <iostream>

// Multiples of 16: every sum is a whole number, and the result is exact.
float value(int r, int c) { return float(16 * ((5 * r + 3 * c) % 11)); }

TEST_CASE("blur_rows blurs pictures of any size") {
  struct size {
    int rows, columns;
  };
  const size picture = GENERATE(size{1, 1}, size{8, 32}, size{9, 33}, size{40, 53});
  const int rows = picture.rows, columns = picture.columns;
  CAPTURE(rows, columns);
  for (auto& machine : memtile::testing::machines()) {  // the simulator, and under nvcc the GPU if there is one
    auto in = machine.buffer<float>(rows, columns, value);
    auto out = machine.buffer<float>(rows, columns);
    const auto grid = memtile::grid_for(rows, columns, blur_rows::tile_rows, blur_rows::tile_columns);
    const memtile::status done = memtile::launch(machine, grid, blur_rows{}, in.view(), out.view());
    const auto* report = machine.last_report();  // the simulator's; the GPU has none
    if (report != nullptr && std::getenv("GITHUB_ACTIONS") != nullptr) std::cout << report->to_github_annotations();
    REQUIRE(done);

    const auto result = out.host();
    for (int r = 0; r < rows; ++r)
      for (int c = 0; c < columns; ++c) {
        const auto pixel = [&](int distance) { return value(r, std::clamp(c + distance, 0, columns - 1)); };
        const float sum = pixel(-2) + 4 * pixel(-1) + 6 * pixel(0) + 4 * pixel(1) + pixel(2);
        REQUIRE(result(r, c) == sum / 16);
      }
    CHECK(out.untouched());  // nothing was written around the picture
    if (report != nullptr) {
      CHECK_THAT(*report, memtile::sim::IsClean());
      CHECK_THAT(*report, memtile::sim::HasNoBankConflicts());
    }
  }
}
