// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// transpose_steps: a transpose in three steps, each a few characters away from the one before.
//
//   1 naive            reads along rows and writes along columns: every lane of a store has a sector of its own
//   2 a dense tile     both sides of global memory go along rows; the turn happens in shared memory, where a column of
//                      32 floats lies in one bank
//   3 a padded tile    each row of the tile begins one bank later, and a column lies in all of them
//
// The counts are the simulator's, and the program fails if one differs from what is worked out below. On a GPU it also
// prints times.
#include <memtile/kernel.cuh>
#include <memtile/sim.cuh>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <type_traits>
#include <vector>

using namespace memtile;

constexpr int side = 32, warps = 8;  // a block of 8 warps turns a tile of 32 x 32, 4 elements a thread

struct naive {
  static constexpr int threads = side * warps;
  MEMTILE_KERNEL void operator()(block block, matrix_view<const float> in, matrix_view<float> out) const {
    const int64 row0 = int64(block.grid_row()) * side, column0 = int64(block.grid_column()) * side;
    const int lane = block.rank() % side;
    for (int i = block.rank() / side; i < side; i += warps)
      if (in.inside(row0 + i, column0 + lane)) out.store(column0 + lane, row0 + i, in.load(row0 + i, column0 + lane));
  }
};

// One element an access, to be compared with the naive one: global_to_shared would take 16 bytes where it can.
template <class Layout>
struct through_shared {
  static constexpr int threads = side * warps;
  struct storage {
    shared_tile<float, side, side, Layout> tile;
  };
  MEMTILE_KERNEL void operator()(block block, storage& shared, matrix_view<const float> in,
                                 matrix_view<float> out) const {
    const int64 row0 = int64(block.grid_row()) * side, column0 = int64(block.grid_column()) * side;
    const int lane = block.rank() % side;
    for (int i = block.rank() / side; i < side; i += warps)
      if (in.inside(row0 + i, column0 + lane)) shared.tile.store(i, lane, in.load(row0 + i, column0 + lane));
    block.sync();
    for (int i = block.rank() / side; i < side; i += warps)
      if (out.inside(column0 + i, row0 + lane)) out.store(column0 + i, row0 + lane, shared.tile.load(lane, i));
  }
};

// Calls visit(name, kernel) for each step.
template <class Visit>
bool in_steps(const Visit& visit) {
  return visit("1 naive", naive{}) &&                                 //
         visit("2 through a dense tile", through_shared<dense>{}) &&  //
         visit("3 through a padded tile", through_shared<padded<1>>{});
}

template <class Machine, class Kernel>
bool transposes(Machine& machine, const Kernel& kernel, int rows, int columns) {
  auto in = machine.template buffer<float>(rows, columns, [](int r, int c) { return float(1024 * r + c); });
  auto out = machine.template buffer<float>(columns, rows);
  const status done = launch(machine, grid_for(rows, columns, side, side), kernel, in.view(), out.view());
  if (!done) return std::puts(done.message().c_str()), false;
  const auto result = out.host();
  bool right = out.untouched();
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c) right &= result(c, r) == float(1024 * r + c);
  if (!right) std::puts("the transpose is wrong");
  return right;
}

// What warps that go along the rows of a matrix must ask for: one request for each 32 elements of a row, and the
// sectors of 32 bytes that they touch. 5 at most: 128 bytes that begin inside a sector end inside the fifth.
struct row_cost {
  std::int64_t requests = 0, sectors = 0, most_sectors = 0;

  row_cost(int rows, int columns) {
    const auto sector_of = [=](int r, int c) { return (std::int64_t(r) * columns + c) * 4 / 32; };
    for (int r = 0; r < rows; ++r)
      for (int c = 0; c < columns; c += side, ++requests) {
        const std::int64_t touched = sector_of(r, std::min(c + side, columns) - 1) - sector_of(r, c) + 1;
        sectors += touched;
        most_sectors = std::max(most_sectors, touched);
      }
  }
};

bool count(int rows, int columns) {
  std::printf("%-26s %16s %16s %16s %16s\n", (std::to_string(rows) + " x " + std::to_string(columns)).c_str(),
              "sectors/load", "sectors/store", "wavefronts/load", "bank conflicts");
  const row_cost reading(rows, columns), writing(columns, rows);
  const std::int64_t elements = std::int64_t(rows) * columns;
  return in_steps([&](const char* name, auto kernel) {
    sim::machine machine;
    if (!transposes(machine, kernel, rows, columns)) return false;
    const sim::report& report = machine.report();
    const auto loads = report.total(sim::space::global, sim::access_kind::load),
               stores = report.total(sim::space::global, sim::access_kind::store),
               turns = report.total(sim::space::shared, sim::access_kind::load);
    std::printf("%-26s %16.3f %16.3f", name, double(loads.sectors) / double(loads.requests),
                double(stores.sectors) / double(stores.requests));
    if (turns.requests > 0) std::printf(" %16.3f", double(turns.wavefronts) / double(turns.requests));
    else std::printf(" %16s", "-");
    std::printf(" %16lld\n", static_cast<long long>(report.bank_conflicts()));

    bool right = loads.requests == reading.requests && loads.sectors == reading.sectors && reading.most_sectors <= 5;
    if constexpr (std::is_same_v<decltype(kernel), naive>) {
      right &= stores.requests == reading.requests && stores.sectors == elements;  // a sector for every lane
    } else {
      constexpr bool is_dense = std::is_same_v<decltype(kernel), through_shared<dense>>;
      right &= stores.requests == writing.requests && stores.sectors == writing.sectors && writing.most_sectors <= 5;
      right &= turns.wavefronts == (is_dense ? elements : turns.requests);  // a wavefront for every lane, or for all
      right &= report.bank_conflicts() == turns.wavefronts - turns.requests;
    }
    if (!right) std::puts("these are not the counts that the example claims");
    return right;
  });
}

#if MEMTILE_CUDA
// Milliseconds of one launch: the median of 11 turns of 20.
template <class Launch>
double milliseconds(cudaStream_t stream, const Launch& launch_once) {
  cudaEvent_t start, stop;
  cudaEventCreate(&start);
  cudaEventCreate(&stop);
  std::vector<float> turns(11);
  for (float& turn : turns) {
    cudaEventRecord(start, stream);
    for (int i = 0; i < 20; ++i) launch_once();
    cudaEventRecord(stop, stream);
    cudaEventSynchronize(stop);
    cudaEventElapsedTime(&turn, start, stop);
  }
  cudaEventDestroy(start);
  cudaEventDestroy(stop);
  std::sort(turns.begin(), turns.end());
  return turns[turns.size() / 2] / 20;
}

bool run_on_gpu() {
  auto& machine = testing::machines().back();
  if (!machine.is_gpu()) return std::puts("No GPU here, so no times."), true;
  constexpr int large = 8192;
  auto in = machine.buffer<float>(large, large);
  auto out = machine.buffer<float>(large, large);
  std::printf("%-26s %16s %16s\n", (machine.name() + ", " + std::to_string(large) + "^2").c_str(), "ms", "GB/s");
  return in_steps([&](const char* name, auto kernel) {
    if (!transposes(machine, kernel, 1024, 1024) || !transposes(machine, kernel, 1023, 1021)) return false;
    std::string failure;
    const double time = milliseconds(machine.stream(), [&] {
      const status done = launch(machine, grid_for(large, large, side, side), kernel, in.view(), out.view());
      if (!done) failure = done.message();
    });
    if (const status done = machine.synchronize(); !done) failure = done.message();
    if (!failure.empty()) return std::printf("%s: %s\n", name, failure.c_str()), false;
    std::printf("%-26s %16.4f %16.1f\n", name, time, 2.0 * sizeof(float) * large * large / time / 1e6);
    return true;
  });
}
#else
bool run_on_gpu() { return std::puts("Compiled without CUDA, so no times."), true; }
#endif

int main() {
  bool as_claimed = count(1024, 1024);
  std::puts("");
  as_claimed &= count(1023, 1021);
  std::puts("");
  return run_on_gpu() && as_claimed ? 0 : 1;
}
