// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// k_means: sorts the rows of a table into clusters by matmuls and reductions, and asks their labels only at the end.
//
//   k_means [TABLE.csv [CLUSTERS]]        without names: tests/data/digits.csv, handwritten digits of 8 x 8 pixels; 10
//
// The last number of each row is its label, the others are a point x. The first rows are the first centres. A step
// finds the nearest centre c of each point, and moves each centre to the mean of its points. All squared distances at
// once are
//
//   |x - c|^2 = |x|^2 - 2 x.c + |c|^2        one matmul, and a vector along either side of its result
//
// and the sums of each cluster's points are a matmul as well, by a matrix with a 1 where a point belongs to a cluster.
#include <memtile/gemm.cuh>
#include <memtile/reduce.cuh>
#include <memtile/sim.cuh>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

using namespace memtile;

[[noreturn]] void fail(const std::string& why) { throw std::runtime_error(why); }
void check(const status& status) {
  if (!status) fail(status.message());
}

// --- the table ---

struct table {
  int rows = 0, columns = 0;  // columns without the label
  std::vector<float> values, labels;

  float operator()(int r, int c) const { return values[std::size_t(r) * std::size_t(columns) + std::size_t(c)]; }
};

// The numbers of a line, with commas between them; none if it is anything else.
std::vector<float> numbers_of(const std::string& line) {
  std::vector<float> numbers;
  for (const char* at = line.c_str();; ++at) {
    char* end = nullptr;
    numbers.push_back(std::strtof(at, &end));
    if (end == at || !std::isfinite(numbers.back())) return {};
    at = end;
    if (*at == '\0' || *at == '\r') return numbers;
    if (*at != ',') return {};
  }
}

table read_table(const std::string& name) {
  std::ifstream in(name);
  if (!in) fail(name + ": cannot be opened");
  table t;
  for (std::string line; std::getline(in, line); ++t.rows) {
    std::vector<float> row = numbers_of(line);
    if (t.rows == 0) t.columns = int(row.size()) - 1;
    if (row.size() < 2 || int(row.size()) != t.columns + 1)
      fail(name + ": line " + std::to_string(t.rows + 1) +
           " must be numbers with commas between, as many as line 1, 2 at least");
    t.labels.push_back(row.back());
    t.values.insert(t.values.end(), row.begin(), row.end() - 1);
  }
  return t;
}

// --- what a step does besides multiplying and adding ---

// Of the distances of a point from all centres: 1 where the smallest is, else 0.
struct mark_nearest {
  template <class Row>
  MEMTILE_FUNCTION void operator()(Row& distances) const {
    const int64 nearest = distances.reduce(arg_minimum{}).index;
    distances.store([=](float, int64 cluster) { return cluster == nearest ? 1.f : 0.f; });
  }
};

struct distance_of {
  MEMTILE_FUNCTION float operator()(const indexed<float>& nearest) const { return nearest.value; }
};

// An epilogue: the sum of a cluster's points becomes their mean. A cluster without points keeps its centre.
struct divide_by_count {
  vector_view<const float> counts;
  matrix_view<const float> centres;
  MEMTILE_FUNCTION float operator()(float sum, int64 cluster, int64 column) const {
    const float count = counts.load(cluster);
    return count > 0 ? sum / count : centres.load(cluster, column);
  }
};

class clustering {
 public:
  sim::matrix_buffer<float> centres;
  sim::vector_buffer<indexed<float>> nearest;  // of each point: squared distance and number of its centre

  clustering(testing::machine& machine, const table& t, int clusters)
      : centres(machine.buffer<float>(clusters, t.columns, t)), nearest(machine.buffer<indexed<float>>(t.rows)),
        machine_(machine), points_(machine.buffer<float>(t.rows, t.columns, t)),
        distances_(machine.buffer<float>(t.rows, clusters)), membership_(machine.buffer<float>(t.rows, clusters)),
        squares_of_points_(machine.buffer<float>(t.rows)), squares_of_centres_(machine.buffer<float>(clusters)),
        counts_(machine.buffer<float>(clusters)), inertia_(machine.buffer<double>(1)) {
    check(reduce_rows(machine_, points_.view(), squares_of_points_.view(), plus{}, 0, square{}));
  }

  // Returns the inertia: the sum of the squared distances from the centres as they were before.
  double step() {
    check(reduce_rows(machine_, centres.view(), squares_of_centres_.view(), plus{}, 0, square{}));
    check(gemm(machine_, points_.view(), transposed(centres.view()), distances_.view(),
               linear{-2.f, 0.f} | bias_rows(squares_of_points_.view()) | bias_columns(squares_of_centres_.view())));
    check(reduce_rows(machine_, distances_.view(), nearest.view(), arg_minimum{}));
    check(reduce<accumulate_in<double>>(machine_, nearest.view(), inertia_.view(), plus{}, 0, distance_of{}));

    check(map_rows(machine_, distances_.view(), membership_.view(), mark_nearest{}));
    check(reduce_columns(machine_, membership_.view(), counts_.view(), plus{}, 0));
    check(gemm(machine_, transposed(membership_.view()), points_.view(), centres.view(),
               divide_by_count{counts_.view(), centres.view()}));
    check(machine_.synchronize());
    return inertia_.host()(0);
  }

 private:
  testing::machine& machine_;
  sim::matrix_buffer<float> points_, distances_, membership_;
  sim::vector_buffer<float> squares_of_points_, squares_of_centres_, counts_;
  sim::vector_buffer<double> inertia_;
};

// --- what came out ---

// How many rows have the label that is the most frequent one of their cluster.
int agreeing(const clustering& found, const table& t) {
  std::map<int64, std::map<float, int>> labels;  // of each cluster, with their numbers
  const auto nearest = found.nearest.host();
  for (int r = 0; r < t.rows; ++r) ++labels[nearest(r).index][t.labels[std::size_t(r)]];
  int sum = 0;
  for (const auto& cluster : labels) {
    int most = 0;
    for (const auto& label : cluster.second) most = std::max(most, label.second);
    sum += most;
  }
  return sum;
}

// The centres side by side, if they are pictures.
void draw_centres(const clustering& found, const table& t) {
  const int side = int(std::lround(std::sqrt(t.columns)));
  if (side < 4 || side * side != t.columns) return;
  const float white = *std::max_element(t.values.begin(), t.values.end());
  const auto centres = found.centres.host();
  for (int y = 0; y < side; ++y) {
    for (int cluster = 0; cluster < found.centres.rows(); ++cluster) {
      for (int x = 0; x < side; ++x) {
        const float ink = std::max(centres(cluster, y * side + x) / white, 0.f);
        std::putchar(" .:-=+*#%@"[std::min(int(ink * 10), 9)]);
      }
      std::printf("  ");
    }
    std::puts("");
  }
}

int main(int argc, char** argv) try {
  if (argc > 3) fail("usage: k_means [TABLE.csv [CLUSTERS]]");
  const std::string name = argc > 1 ? argv[1] : "tests/data/digits.csv";
  const table t = read_table(name);
  const int clusters = argc > 2 ? std::atoi(argv[2]) : 10;
  if (clusters < 1 || clusters > t.rows)
    fail("the number of clusters must be from 1 to that of the rows, " + std::to_string(t.rows));
  auto& machine = testing::machines().back();  // the GPU, if there is one
  std::printf("table: %s, %d rows of %d numbers and a label\n", name.c_str(), t.rows, t.columns);
  std::printf("machine: %s\n", machine.name().c_str());

  clustering found(machine, t, clusters);
  double inertia = -1, before = 0;
  for (int step = 1; inertia != before && step <= 1000; ++step) {  // the same points have the same mean, bit for bit
    before = inertia;
    inertia = found.step();
    std::printf("step %2d: inertia %.1f\n", step, inertia);
  }
  draw_centres(found, t);
  const int agree = agreeing(found, t);
  std::printf("labels: %d of %d rows, %.1f %%, have the most frequent label of their cluster\n", agree, t.rows,
              100.0 * agree / t.rows);
} catch (const std::exception& error) {
  std::fprintf(stderr, "k_means: %s\n", error.what());
  return 1;
}
