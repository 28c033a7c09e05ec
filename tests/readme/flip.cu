// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// [readme:flip]
#include <memtile/kernel.cuh>
#include <memtile/sim.cuh>

#include <iostream>

struct flip {  // out(c, r) = in(r, c), one tile a block
  static constexpr int side = 32, threads = 256;
  struct storage {  // what a block keeps in shared memory
    memtile::shared_tile<float, side, side, memtile::padded<1>> tile;
  };

  MEMTILE_KERNEL void operator()(memtile::block block, storage& shared, memtile::matrix_view<const float> in,
                                 memtile::matrix_view<float> out) const {
    const int row0 = block.grid_row() * side, column0 = block.grid_column() * side;
    memtile::global_to_shared(block, in, row0, column0, shared.tile);
    block.sync();
    const int r = block.rank() % side;
    for (int c = block.rank() / side; c < side; c += threads / side)
      if (out.inside(column0 + c, row0 + r)) out.store(column0 + c, row0 + r, shared.tile.load(r, c));
  }
};

int main() {
  bool good = true;
  for (auto& machine : memtile::testing::machines()) {  // the simulator, and under nvcc the GPU if there is one
    auto in = machine.buffer<float>(40, 56, [](int r, int c) { return float(100 * r + c); });
    auto out = machine.buffer<float>(56, 40);
    good &= memtile::launch(machine, memtile::grid_for(40, 56, 32, 32), flip{}, in.view(), out.view()).ok();
    const auto result = out.host();
    for (int i = 0; i < 40 * 56; ++i) good &= result(i % 56, i / 56) == 100 * (i / 56) + i % 56;
    if (const auto* report = machine.last_report()) {  // the simulator's; the GPU has none
      good &= report->bank_conflicts() == 0;
      std::cout << *report;
    }
  }
  return good ? 0 : 1;
}
// [readme:end]
