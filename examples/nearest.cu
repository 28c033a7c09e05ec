// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// nearest: recognises handwritten digits by their five nearest neighbours, without the matrix of all distances in
// memory.
//
// Its table is tests/data/digits.csv, 600 rows: the last number of a row is its label, the 64 others are the ink of
// 8 x 8 pixels, a point x. The squared distances of all pairs are
//
//   |x - y|^2 = |x|^2 - 2 x.y + |y|^2        a matmul, and a vector along either side of its result
//
// A block makes them for 64 points, a tile of 64 other points at a time. Its 64 threads share the work of the product;
// then each looks through one row of the tile and keeps the five smallest in registers. The next tile takes its place.
#include <memtile/gemm.cuh>
#include <memtile/kernel.cuh>
#include <memtile/reduce.cuh>
#include <memtile/sim.cuh>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

using namespace memtile;

constexpr int wanted = 5;

// The nearest ones so far, the nearest first; of equally near ones the first that came.
struct nearest_list {
  vec<float, wanted> distances;
  vec<int, wanted> points;

  MEMTILE_FUNCTION nearest_list() {
    MEMTILE_UNROLL
    for (int i = 0; i < wanted; ++i) distances[i] = minimum::identity<float>(), points[i] = -1;
  }
  MEMTILE_FUNCTION void add(float distance, int point) {
    MEMTILE_UNROLL
    for (int i = wanted - 1; i >= 0; --i) {
      if (!(distance < distances[i])) break;
      if (i + 1 < wanted) distances[i + 1] = distances[i], points[i + 1] = points[i];  // moves back by one place
      distances[i] = distance, points[i] = point;
    }
  }
};

// Of each point the nearest others. squares: |x|^2 of each.
struct nearest_others {
  using product = block_gemm<float, gemm_policy<block_tile<64, 64, 16>, thread_tile<8, 8>>>;
  static constexpr int threads = product::threads, points_at_once = product::block_n;
  static_assert(threads == product::block_m, "each thread looks through one row");
  struct storage {
    product::storage multiply;
    shared_tile<float, product::block_m, points_at_once, xor_swizzle<16>> distances;
  };

  MEMTILE_KERNEL void operator()(block block, storage& shared, matrix_view<const float> x,
                                 vector_view<const float> squares, matrix_view<indexed<float>> nearest) const {
    const int rank = block.rank(), row0 = block.grid_column() * product::block_m;
    product multiply{block, shared.multiply};
    nearest_list found;
    for (int column0 = 0; column0 < x.rows; column0 += points_at_once) {
      multiply.clear();
      multiply.multiply_add(x, transposed(x), row0, column0);
      multiply.for_each([&](int row, int column, float& v) {
        const int other = column0 + column;
        const bool is_candidate = other < x.rows && other != row0 + row;
        // |x|^2 is the same for a whole row, so that it does not matter here
        v = is_candidate ? squares.load(other) - 2 * v : minimum::identity<float>();
      });
      // The barriers in multiply_add stand between this and the reading of the tile before.
      multiply.store(shared.distances);
      block.sync();
      for (int column = 0; column < points_at_once; column += 4) {
        const vec<float, 4> four = shared.distances.load(wide<4>, rank, column);
        MEMTILE_UNROLL
        for (int i = 0; i < 4; ++i) found.add(four[i], column0 + column + i);
      }
    }
    if (row0 + rank >= x.rows) return;
    const float square = squares.load(row0 + rank);
    MEMTILE_UNROLL
    for (int i = 0; i < wanted; ++i) nearest.store(row0 + rank, i, {found.distances[i] + square, found.points[i]});
  }
};

struct table {
  int rows = 0, columns = 0;  // columns without the label
  std::vector<float> values, labels;
  float operator()(int r, int c) const { return values[std::size_t(r) * std::size_t(columns) + std::size_t(c)]; }
};
table read_table(const char* name) {
  table t;
  std::ifstream in(name);
  for (std::string line; std::getline(in, line); ++t.rows) {
    const char* at = line.c_str();
    for (char* end = nullptr;; at = end + 1) {
      t.values.push_back(std::strtof(at, &end));
      if (*end != ',') break;
    }
    t.labels.push_back(t.values.back());
    t.values.pop_back();
  }
  if (t.rows > 0) t.columns = int(t.values.size()) / t.rows;
  return t;
}

// How many differ from those of a plain loop. Whole numbers, so small that no order of summation rounds.
template <class Result>
int differences(const table& t, const Result& nearest) {
  int different = 0;
  for (int row = 0; row < t.rows; ++row) {
    std::vector<std::pair<float, int>> others;  // distance and number
    for (int other = 0; other < t.rows; ++other) {
      float distance = 0;
      for (int c = 0; c < t.columns; ++c) distance += (t(row, c) - t(other, c)) * (t(row, c) - t(other, c));
      if (other != row) others.emplace_back(distance, other);
    }
    std::partial_sort(others.begin(), others.begin() + wanted, others.end());
    for (int i = 0; i < wanted; ++i) {
      const auto& other = others[std::size_t(i)];
      different += nearest(row, i).value != other.first || nearest(row, i).index != other.second;
    }
  }
  return different;
}

// The label that most of the neighbours have; of equally frequent ones the one that is nearer.
template <class Result>
float most_frequent(const table& t, const Result& nearest, int row) {
  float label = -1;
  for (int i = 0, most = 0; i < wanted; ++i) {
    const auto label_of = [&](int neighbour) { return t.labels[std::size_t(nearest(row, neighbour).index)]; };
    int count = 0;
    for (int j = 0; j < wanted; ++j) count += label_of(j) == label_of(i);
    if (count > most) most = count, label = label_of(i);
  }
  return label;
}

int main() {
  const table t = read_table("tests/data/digits.csv");
  if (t.rows <= wanted) return std::puts("tests/data/digits.csv is not there: start this in memtile's folder"), 1;
  bool right = true;
  for (auto& machine : testing::machines()) {
    const auto x = machine.buffer<float>(t.rows, t.columns, t);
    const auto squares = machine.buffer<float>(t.rows);
    const auto nearest = machine.buffer<indexed<float>>(t.rows, wanted);
    status done = reduce_rows(machine, x.view(), squares.view(), plus{}, 0, square{});
    if (done)
      done = launch(machine, grid(ceil_div(t.rows, nearest_others::product::block_m)), nearest_others{}, x.view(),
                    squares.view(), nearest.view());
    if (!done) return std::puts(done.message().c_str()), 1;

    const auto result = nearest.host();
    const int different = differences(t, result);
    std::printf("%s: %d of %d neighbours differ from those of a plain loop\n", machine.name().c_str(), different,
                t.rows * wanted);
    right &= different == 0 && nearest.untouched();
    if (const auto* report = machine.last_report()) {  // the simulator's; the GPU has none
      const auto stored = report->total(sim::space::global, sim::access_kind::store).bytes_asked;
      std::printf("  stored: %lld bytes; the distances would be %lld more. %lld bank conflicts\n",
                  static_cast<long long>(stored), 4LL * t.rows * t.rows,
                  static_cast<long long>(report->bank_conflicts()));
      right &= report->clean() && report->bank_conflicts() == 0;
    }
    if (different != 0) continue;
    int recognised = 0;
    for (int row = 0; row < t.rows; ++row) recognised += most_frequent(t, result, row) == t.labels[std::size_t(row)];
    std::printf("  %d of %d rows, %.1f %%, have the label that most of their neighbours have\n", recognised, t.rows,
                100.0 * recognised / t.rows);
  }
  return right ? 0 : 1;
}
