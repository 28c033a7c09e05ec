// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How fast the simulator is, with everything counted and checked:
//
//   g++ -std=c++17 -O2 -x c++ -Iinclude tests/benchmark/simulator.cu -o simulator && ./simulator
#include <memtile/gemm.cuh>
#include <memtile/kernel.cuh>
#include <memtile/sim.cuh>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

using namespace memtile;

namespace {

// The textbook's matmul: a thread for each element, tiles of 16 x 16.
struct tiled_matmul {
  static constexpr int side = 16, threads = side * side;
  struct storage {
    shared_tile<float, side, side> a, b;
  };
  MEMTILE_KERNEL void operator()(block block, storage& shared, matrix_view<const float> a, matrix_view<const float> b,
                                 matrix_view<float> c) const {
    const int y = block.rank() / side, x = block.rank() % side;
    const int row = block.grid_row() * side + y, column = block.grid_column() * side + x;
    float sum = 0;
    for (int k0 = 0; k0 < int(a.cols); k0 += side) {
      shared.a.store(y, x, a.load(row, k0 + x));
      shared.b.store(y, x, b.load(k0 + y, column));
      block.sync();
      for (int k = 0; k < side; ++k) sum = fma(shared.a.load(y, k), shared.b.load(k, x), sum);
      block.sync();
    }
    c.store(row, column, sum);
  }
};

struct add_one {
  static constexpr int threads = 256;
  MEMTILE_KERNEL void operator()(block b, vector_view<const float> in, vector_view<float> out) const {
    const int i = b.grid_column() * threads + b.rank();
    if (out.inside(i)) out.store(i, in.load(i) + 1);
  }
};

template <class Run>
double median_seconds(Run run) {
  std::vector<double> seconds;
  for (int i = 0; i < 7; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    if (!run()) return std::puts("a launch failed"), 0;
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds[seconds.size() / 2];
}

double accesses(const sim::report& r) {
  return double(r.total(sim::space::shared).lanes + r.total(sim::space::global).lanes);
}

void matmuls(int n, int jobs) {
  sim::machine machine;
  machine.jobs = jobs;
  const auto a = machine.buffer<float>(n, n, [](int r, int c) { return float((r + 2 * c) % 7 - 3); });
  const auto b = machine.buffer<float>(n, n, [](int r, int c) { return float((3 * r + c) % 5 - 2); });
  auto c = machine.buffer<float>(n, n);
  const double tiled = median_seconds([&] {
    return launch(machine, grid{n / 16, n / 16}, tiled_matmul{}, a.view(), b.view(), c.view()).ok();
  });
  std::printf("%d^3, tiles of 16 x 16, %d OS thread%s: %.4f s, %.1f million accesses a second\n", n, jobs,
              jobs > 1 ? "s" : "", tiled, accesses(*machine.last_report()) / tiled / 1e6);
  const double blocked = median_seconds([&] { return gemm(machine, a.view(), b.view(), c.view()).ok(); });
  std::printf("%d^3, register-blocked, %d OS thread%s: %.4f s\n", n, jobs, jobs > 1 ? "s" : "", blocked);
}

}  // namespace

int main() {
  for (int jobs : {1, 2}) matmuls(256, jobs);
  matmuls(64, 1);

  sim::machine machine;
  const auto in = machine.buffer<float>(10000, [](int i) { return float(i); });
  auto out = machine.buffer<float>(10000);
  const double small = median_seconds([&] {
    bool good = true;
    for (int i = 0; i < 200; ++i) good &= launch(machine, grid{40}, add_one{}, in.view(), out.view()).ok();
    return good;
  });
  std::printf("200 launches of 40 blocks of 256 threads: %.3f s\n", small);
}
