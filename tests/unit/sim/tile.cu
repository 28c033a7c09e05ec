// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A tile's padding, as the machine counts it when a kernel runs.
#include <memtile/kernel.cuh>
#include <memtile/sim.cuh>

#include <support/catch.hpp>

namespace {

using memtile::padded;
using memtile::shared_tile;

// One warp reads a column of its tile; with 16 columns of threads a warp covers two columns.
template <class Tile, int Columns>
struct read_column {
  static constexpr int threads = 32;
  struct storage {
    Tile tile;
  };
  MEMTILE_KERNEL void operator()(memtile::block block, storage& shared, memtile::vector_view<float> out) const {
    for (int i = block.rank(); i < Tile::rows * Tile::columns; i += threads)
      shared.tile.store(i / Tile::columns, i % Tile::columns, float(i));
    block.sync();
    out.store(block.rank(), shared.tile.load(block.rank() % Columns, block.rank() / Columns));
  }
};

template <class Tile, int Columns>
std::int64_t wavefronts_in_machine() {
  memtile::sim::machine machine;
  auto out = machine.buffer<float>(32);
  REQUIRE(memtile::launch(machine, memtile::grid{1}, read_column<Tile, Columns>{}, out.view()));
  return machine.last_report()->total(memtile::sim::space::shared, memtile::sim::access_kind::load).wavefronts;
}

}  // namespace

TEST_CASE("reading a column of a tile costs what its padding leaves", "[sim][TR-05]") {
  CHECK(wavefronts_in_machine<shared_tile<float, 32, 32>, 32>() == 32);
  CHECK(wavefronts_in_machine<shared_tile<float, 32, 32, padded<1>>, 32>() == 1);
  CHECK(wavefronts_in_machine<shared_tile<float, 16, 16>, 16>() == 8);
  CHECK(wavefronts_in_machine<shared_tile<float, 16, 16, padded<1>>, 16>() == 2);
  CHECK(wavefronts_in_machine<shared_tile<float, 16, 16, padded<2>>, 16>() == 1);
}
