// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mend: a tiled matmul with three mistakes, mended one after the other by what the simulator says of it.
//
// The product is c = a * b^T, as in a layer of a neural network: b holds one output a row. All mistakes are common. The
// first two need not show in a result: it depends on what lies behind a matrix, and on which warp is faster. The third
// costs time only. Only the mended kernel runs on a GPU too, if there is one.
#include <memtile/kernel.cuh>
#include <memtile/sim.cuh>

#include <cstdint>
#include <cstdio>
#include <type_traits>

using namespace memtile;
using matrix = matrix_view<const float>;

enum step { as_written, bounds_mended, barrier_added, tile_padded };  // each includes those before it

template <step Step>
struct product {
  static constexpr const char* name = "product";
  static constexpr int tile = 32, threads = tile * tile;
  using layout_of_b = std::conditional_t<(Step < tile_padded), dense, padded<1>>;
  struct storage {
    shared_tile<float, tile, tile> a;
    shared_tile<float, tile, tile, layout_of_b> b;
  };

  MEMTILE_KERNEL void operator()(block block, storage& shared, matrix a, matrix b, matrix_view<float> c) const {
    const int64 row0 = int64(block.grid_row()) * tile, column0 = int64(block.grid_column()) * tile;
    const int y = block.rank() / tile, x = block.rank() % tile;
    float sum = 0;
    for (int64 k0 = 0; k0 < a.cols; k0 += tile) {
      if constexpr (Step < bounds_mended) {
        shared.a.store(y, x, a.load(row0 + y, k0 + x));
        shared.b.store(y, x, b.load(column0 + y, k0 + x));
      } else {
        shared.a.store(y, x, a.load_inside(row0 + y, k0 + x));
        shared.b.store(y, x, b.load_inside(column0 + y, k0 + x));
      }
      block.sync();  // the tiles are there
      for (int k = 0; k < tile; ++k) {
        const float from_a = shared.a.load(y, k);  // a line each: the simulator counts by line
        const float from_b = shared.b.load(x, k);
        sum = fma(from_a, from_b, sum);
      }
      if constexpr (Step >= barrier_added) block.sync();  // all have done with them
    }
    if constexpr (Step < bounds_mended) c.store(row0 + y, column0 + x, sum);
    else c.store_inside(row0 + y, column0 + x, sum);
  }
};

// No multiples of the tile. Whole numbers, so small that every order of summation gives the same bits.
constexpr int rows = 50, columns = 72, inner = 40;
float value_of_a(int r, int k) { return float((3 * r + k) % 7 - 3); }
float value_of_b(int c, int k) { return float((c + 5 * k) % 11 - 5); }

template <step Step, class Machine>
bool is_exact(Machine& machine) {
  auto a = machine.template buffer<float>(rows, inner, value_of_a);
  auto b = machine.template buffer<float>(columns, inner, value_of_b);
  auto c = machine.template buffer<float>(rows, columns);
  const auto grid = grid_for(rows, columns, product<Step>::tile, product<Step>::tile);
  const bool launched = launch(machine, grid, product<Step>{}, a.view(), b.view(), c.view()).ok();

  const auto result = c.host();
  bool right = launched && c.untouched();
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) {
      float sum = 0;
      for (int k = 0; k < inner; ++k) sum += value_of_a(i, k) * value_of_b(j, k);
      right &= result(i, j) == sum;
    }
  return right;
}

struct findings {
  bool right = false;  // ran without a fault, and the product is what it should be
  bool outside = false, race = false;
  std::int64_t bank_conflicts = 0;
};

// Runs a step in the simulator and prints what it found.
template <step Step>
findings look_at(const char* title) {
  sim::machine machine;
  findings found;
  found.right = is_exact<Step>(machine);
  const sim::report& report = machine.report();
  found.bank_conflicts = report.bank_conflicts();
  for (const sim::fault& fault : report.faults()) {
    found.outside |= fault.kind == sim::fault_kind::out_of_bounds;
    found.race |= fault.kind == sim::fault_kind::race;
  }
  std::printf("%s\n%s", title, report.to_string().c_str());
  return found;
}

int main() {
  bool as_claimed = true;
  const auto claim = [&](bool claimed, const char* next) {
    as_claimed &= claimed;
    std::printf("=> %s\n\n", claimed ? next : "THIS IS NOT WHAT THE EXAMPLE CLAIMS");
  };

  const findings written =
      look_at<as_written>("1. As written: c = a * b^T, 50 x 40 times 40 x 72, in tiles of 32 x 32.");
  claim(written.outside && written.race && !written.right,
        "No size is a multiple of 32: load_inside and store_inside instead of load and store.");

  const findings inside = look_at<bounds_mended>("2. Bounds mended.");
  claim(!inside.outside && inside.race && !inside.right,
        "A warp that is ahead fills the tiles while another still reads them: block.sync() at the loop's end.");

  const findings ordered = look_at<barrier_added>("3. Barrier added: the product is right.");
  claim(ordered.right && ordered.bank_conflicts > 0,
        "32 lanes read a column of b's tile, which lies in one bank: padded<1> begins each row one bank later.");

  const findings mended = look_at<tile_padded>("4. Tile padded.");
  claim(mended.right && mended.bank_conflicts == 0, "Nothing is left to mend.");

  for (auto& machine : testing::machines()) {
    const bool right = is_exact<tile_padded>(machine);
    std::printf("%s: the product is %s\n", machine.name().c_str(), right ? "exact" : "WRONG");
    as_claimed &= right;
  }
  return as_claimed ? 0 : 1;
}
