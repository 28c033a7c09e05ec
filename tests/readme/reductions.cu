// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reductions that the README shows: a sum, statistics of rows, a softmax.
#include <memtile/reduce.cuh>
#include <memtile/sim.cuh>

#include <cmath>

// A line less for the README:
// clang-format off
// [readme:reduce]
struct softmax {  // of a row, which stays in registers meanwhile
  template <class Row> MEMTILE_FUNCTION void operator()(Row& row) const {
    row.map([largest = row.reduce(memtile::maximum{})](float v) { return memtile::exp(v - largest); });
    row.store([sum = row.reduce(memtile::plus{})](float v) { return v / sum; });
  }
};
// [readme:end]
// clang-format on

template <class Where>
memtile::status reductions(Where& stream, memtile::matrix_view<const float> x, memtile::vector_view<float> total,
                           memtile::vector_view<memtile::statistics_of<float>> each, memtile::matrix_view<float> y) {
  // [readme:reduce]
  if (auto s = memtile::sum(stream, x, total); !s) return s;  // or reduce, dot, norm, argmin, minmax, statistics
  if (auto s = memtile::reduce_rows(stream, x, each, memtile::moments{}); !s) return s;  // mean, variance, extremes
  return memtile::map_rows(stream, x, y, softmax{});
  // [readme:end]
}

int main() {
  constexpr int rows = 3, columns = 50;
  for (auto& machine : memtile::testing::machines()) {
    auto x = machine.buffer<float>(rows, columns, [](int r, int c) { return float((r + 1) * (c % 5)); });
    auto total = machine.buffer<float>(1);
    auto each = machine.buffer<memtile::statistics_of<float>>(rows);
    auto y = machine.buffer<float>(rows, columns);
    if (!reductions(machine, x.view(), total.view(), each.view(), y.view())) return 1;
    if (!machine.synchronize()) return 1;
    if (total.host()(0) != 600) return 1;  // 10 times 0, 1, 2, 3, 4 in the first row: 100, then 200 and 300
    const auto moments = each.host();
    const auto result = y.host();
    for (int r = 0; r < rows; ++r) {
      const auto near = [](double a, double b) { return std::abs(a - b) <= 1e-5 * b; };
      const double step = r + 1, mean = 2 * step, largest = 4 * step;
      if (!near(moments(r).mean, mean) || !near(moments(r).variance(), 2 * step * step)) return 1;
      if (moments(r).minimum != 0 || moments(r).maximum != largest) return 1;
      double sum = 0;
      for (int i = 0; i < 5; ++i) sum += 10 * std::exp(step * i);
      for (int c = 0; c < columns; ++c)
        if (!near(result(r, c), std::exp(step * (c % 5)) / sum)) return 1;
    }
  }
  return 0;
}
