// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every thread knows its place in its warp, its block and the grid, and the barrier of a block orders what its threads do.
#include <support/unit.hpp>

using namespace memtile;

namespace {

struct place {
  int rank, size, row, column, plane, rows, columns, planes, warp, lane, lanes;
  uint32 mask;
};
MEMTILE_FUNCTION place place_of_thread(block b) {
  const warp w = b.warp();
  return {b.rank(),         b.size(),        b.grid_row(), b.grid_column(), b.grid_plane(), b.grid_rows(),
          b.grid_columns(), b.grid_planes(), w.rank(),     w.lane(),        w.size(),       w.mask()};
}

struct where_am_i {
  int threads;
  MEMTILE_KERNEL void operator()(block b, vector_view<place> out) const {
    const int64 number = (int64(b.grid_plane()) * b.grid_rows() + b.grid_row()) * b.grid_columns() + b.grid_column();
    out.store(number * b.size() + b.rank(), place_of_thread(b));
  }
};

struct fixed_threads {
  static constexpr int threads = 96;
  MEMTILE_KERNEL void operator()(block b, vector_view<place> out) const { out.store(b.rank(), place_of_thread(b)); }
};

struct reverse_block {
  int threads;
  struct storage {
    shared_tile<int, 1, 1024> values;
  };
  MEMTILE_KERNEL void operator()(block b, storage& shared, vector_view<int> data) const {
    shared.values.store(0, b.rank(), data.load(b.rank()));
    b.sync();
    data.store(b.rank(), shared.values.load(0, b.size() - 1 - b.rank()));
  }
};

// Each lane reads what the next one wrote, round after round: only warp barriers lie between.
struct rotate_in_warp {
  int threads;
  struct storage {
    shared_tile<int, 1, 1024> values;
  };
  MEMTILE_KERNEL void operator()(block b, storage& shared, vector_view<int> out) const {
    const warp w = b.warp();
    const int first = 32 * w.rank();
    shared.values.store(0, b.rank(), b.rank());
    for (int round = 0; round < 3; ++round) {
      w.sync();
      const int next = shared.values.load(0, first + (w.lane() + 1) % w.size());
      w.sync();
      shared.values.store(0, b.rank(), next);
    }
    out.store(b.rank(), shared.values.load(0, b.rank()));
  }
};

}  // namespace

TEST_CASE("a thread knows its place in warp, block and grid", "[hw]") {
  constexpr int planes = 2, rows = 3, columns = 5;
  for (auto& machine : testing::machines())
    for (int threads : {1, 31, 32, 33, 48, 63, 100, 1024}) {
      auto out = machine.buffer<place>(planes * rows * columns * threads);
      REQUIRE(launch(machine, grid{planes, rows, columns}, where_am_i{threads}, out.view()));
      const auto got = out.host();
      int wrong = 0;
      for (int i = 0; i < planes * rows * columns * threads; ++i) {
        const place p = got(i);
        const int number = i / threads, rank = i % threads, lanes = std::min(32, threads - rank / 32 * 32);
        wrong += p.rank != rank || p.size != threads;
        wrong += p.column != number % columns || p.row != number / columns % rows || p.plane != number / columns / rows;
        wrong += p.columns != columns || p.rows != rows || p.planes != planes;
        wrong += p.warp != rank / 32 || p.lane != rank % 32 || p.lanes != lanes;
        wrong += p.mask != (lanes == 32 ? 0xffffffffu : (uint32(1) << lanes) - 1);
      }
      INFO(machine.name() << ", " << threads << " threads");
      CHECK(wrong == 0);
      CHECK(out.untouched());
      unit::check_clean(machine);
    }
}

TEST_CASE("a number of threads known at compile time is the size of the block", "[hw]") {
  for (auto& machine : testing::machines()) {
    auto out = machine.buffer<place>(96);
    REQUIRE(launch(machine, 1, fixed_threads{}, out.view()));
    const auto got = out.host();
    for (int i = 0; i < 96; ++i) CHECK((got(i).rank == i && got(i).size == 96));
    CHECK(out.untouched());
  }
}

TEST_CASE("a warp of a block of any size has the lanes that are left", "[hw]") {
  static_assert(warp(0, 1).size() == 1 && warp(0, 1).mask() == 1);
  static_assert(warp(31, 33).size() == 32 && warp(31, 33).mask() == 0xffffffffu);
  static_assert(warp(32, 33).size() == 1 && warp(32, 33).rank() == 1 && warp(32, 33).lane() == 0);
  static_assert(warp(40, 48).size() == 16 && warp(40, 48).mask() == 0xffff && warp(40, 48).lane() == 8);
  static_assert(warp(62, 63).mask() == 0x7fffffffu);
  SUCCEED();
}

TEST_CASE("after the block's barrier every thread sees what the others wrote", "[hw]") {
  for (auto& machine : testing::machines())
    for (int threads : {1, 2, 33, 48, 63, 64, 1000, 1024}) {
      auto data = machine.buffer<int>(threads, [](int i) { return 3 * i; });
      REQUIRE(launch(machine, 1, reverse_block{threads}, data.view()));
      INFO(machine.name() << ", " << threads << " threads");
      CHECK(unit::differences(data.host(), threads, [=](int i) { return 3 * (threads - 1 - i); }) == 0);
      CHECK(data.untouched());
      unit::check_clean(machine);
      if (const auto* report = machine.last_report()) CHECK(report->barriers() == 1);
    }
}

TEST_CASE("after the warp's barrier every lane sees what the others wrote, also in a partial warp", "[hw]") {
  for (auto& machine : testing::machines())
    for (int threads : {1, 31, 32, 33, 48, 63}) {
      auto out = machine.buffer<int>(threads);
      REQUIRE(launch(machine, 1, rotate_in_warp{threads}, out.view()));
      INFO(machine.name() << ", " << threads << " threads");
      CHECK(unit::differences(out.host(), threads, [=](int i) {
              const int first = i / 32 * 32, lanes = std::min(32, threads - first);
              return first + (i - first + 3) % lanes;
            }) == 0);
      unit::check_clean(machine);
      if (const auto* report = machine.last_report()) CHECK(report->barriers() == 0);
    }
}

TEST_CASE("outside of a kernel there is one thread, and waiting returns at once", "[hw]") {
  const block b = this_block();
  CHECK((b.rank() == 0 && b.size() == 1 && b.grid_row() == 0 && b.grid_column() == 0 && b.grid_plane() == 0));
  CHECK((b.grid_rows() == 1 && b.grid_columns() == 1 && b.grid_planes() == 1 && b.warp().mask() == 1));
  b.sync();
  b.warp().sync();
}

#if defined(__CUDACC__)
namespace {
__global__ void in_three_dimensions(vector_view<place> out) {
  const unsigned index = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  out.store(index, place_of_thread(this_block()));
}
}  // namespace

TEST_CASE("a __global__ function has a block too, whatever its shape", "[hw]") {
  for (auto& machine : testing::machines()) {
    if (!machine.is_gpu()) continue;
    auto out = machine.buffer<place>(3 * 5 * 7);
    in_three_dimensions<<<1, dim3(3, 5, 7), 0, machine.stream()>>>(out.view());
    REQUIRE(machine.synchronize());
    const auto got = out.host();
    for (int i = 0; i < 105; ++i) CHECK((got(i).rank == i && got(i).size == 105 && got(i).lane == i % 32));
  }
}
#endif
