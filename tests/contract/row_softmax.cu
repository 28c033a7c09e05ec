// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Softmax of every row: the row stays on chip, is read once and written once.
#include <memtile/reduce.cuh>
#include <memtile/sim.cuh>

#include <cmath>

struct softmax {
  template <class Row>
  MEMTILE_FUNCTION void operator()(Row& row) const {
    const float largest = row.reduce(memtile::maximum{});
    row.map([=](float v) { return memtile::exp(v - largest); });
    const float sum = row.reduce(memtile::plus{});
    row.store([=](float e) { return e / sum; });
  }
};

int main() {
  constexpr int rows = 33, columns = 1000;
  for (auto& machine : memtile::testing::machines()) {
    auto x = machine.buffer<float>(rows, columns, [](int r, int c) { return float((r * 31 + c * 17) % 97) / 16; });
    auto y = machine.buffer<float>(rows, columns);
    auto sums = machine.buffer<float>(rows);
    if (!memtile::map_rows(machine, x.view(), y.view(), softmax{})) return 1;
    if (!memtile::reduce_rows(machine, y.view(), sums.view(), memtile::plus{}, 0.f)) return 1;
    auto s = sums.host();
    for (int r = 0; r < rows; ++r)
      if (std::abs(s(r) - 1) > 1e-5f) return 1;
  }
  return 0;
}
