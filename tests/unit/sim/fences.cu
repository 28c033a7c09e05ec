// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a fence, an atomic operation and a fence order between blocks, and what they do not. Each faulty kernel has a twin
// that must be found clean.
#include "verdict.hpp"

#include <memtile/hw/fence.cuh>

namespace {

namespace hw = memtile::hw;
using memtile::block;
using memtile::grid;
using memtile::int64;
using memtile::site;
using memtile::uint32;
using memtile::vector_view;
using memtile::sim::order;
using verdict::fault_kind;
using verdict::says;

/// What may be wrong with the last block's sum.
enum class fault {
  none,
  no_fence_before,    // the ticket is taken
  no_fence_after,     // it was taken
  no_barrier_before,  // and another thread than the first one has stored
  no_barrier_after,   // and other threads than the first one read
  other_word,         // each block takes a ticket elsewhere, and reads too early
  stored_too_late     // behind the fence
};
// Thread `storing` stores the partial sum of its block; the last block of each row adds them up, thread by thread.
struct sum_of_rows {
  static constexpr int threads = 64, store_line = __LINE__ + 11, load_line = __LINE__ + 29;
  struct storage {
    memtile::shared_tile<int, 1, 1> is_last;
  };
  fault wrong;
  int storing;
  MEMTILE_KERNEL void operator()(block b, storage& shared, vector_view<const int> in, vector_view<int> partials,
                                 vector_view<uint32> tickets, vector_view<int> sums) const {
    const int blocks = b.grid_columns(), row = b.grid_row(), own = row * blocks + b.grid_column();
    const int loaded = in.load(b.rank() % 4) + own;  // all blocks read the same
    const auto store = [&] {
      if (b.rank() == storing) partials.store(own, loaded);
    };
    if (wrong != fault::stored_too_late) store();
    if (wrong != fault::no_barrier_before) b.sync();
    if (b.rank() == 0) {
      if (wrong != fault::no_fence_before) hw::device_fence(site::here());
      if (wrong == fault::stored_too_late) store();
      const int64 word = wrong == fault::other_word ? tickets.size - 1 - own : row;
      uint32 ticket =
          hw::atomic_increment_wrapping(hw::memory::global, tickets.address(word), uint32(blocks - 1), site::here());
      if (wrong == fault::other_word) ticket = uint32(b.grid_column());
      if (wrong != fault::no_fence_after) hw::device_fence(site::here());
      shared.is_last.store(0, 0, ticket + 1 == uint32(blocks));
    }
    if (wrong != fault::no_barrier_after) b.sync();
    const bool is_last = wrong == fault::no_barrier_after ? b.grid_column() == blocks - 1 : shared.is_last.load(0, 0);
    if (!is_last) return;
    int sum = 0;
    for (int i = 0; i < blocks; ++i) sum += partials.load(row * blocks + i);
    if (b.rank() == 0 || wrong == fault::no_barrier_after) sums.atomic_add(row, sum);
  }
};

constexpr int rows = 3, columns = 5;

// The faults of one launch, or of several in the same memory.
std::string races_of(memtile::sim::machine& machine, sum_of_rows kernel, int launches = 1) {
  auto in = machine.buffer<int>(4, [](int) { return 10; });
  auto partials = machine.buffer<int>(rows * columns);
  auto tickets = machine.buffer<uint32>(rows + rows * columns, [](int) { return uint32(0); });
  auto sums = machine.buffer<int>(rows, [](int) { return 0; });
  std::string faults;
  for (int i = 0; i < launches; ++i) {
    const auto done =
        memtile::launch(machine, grid{rows, columns}, kernel, in.view(), partials.view(), tickets.view(), sums.view());
    if (!done.ok()) faults += verdict::only_fault(machine, fault_kind::race);
  }
  if (kernel.wrong != fault::none) return faults;
  const auto result = sums.host();
  const auto left = tickets.host();
  for (int r = 0; r < rows; ++r) {
    CHECK(result(r) == launches * (columns * 10 + columns * (columns * r) + columns * (columns - 1) / 2));
    CHECK(left(r) == 0);
  }
  return faults;
}

// One block hands a value on to the next one, through a flag of its own; the last one looks at the first one's.
struct chain {
  static constexpr int threads = 32;
  bool fences;  // between taking and handing on
  MEMTILE_KERNEL void operator()(block b, vector_view<int> values, vector_view<int> flags, vector_view<int> out) const {
    if (b.rank() != 0) return;
    const int i = b.grid_column();
    values.store(i, i);
    if (i > 0) {
      flags.atomic_add(i - 1, 0);
      if (fences) hw::device_fence(site::here());
    }
    if (i == b.grid_columns() - 1) return out.store(0, values.load(0));
    if (fences || i == 0) hw::device_fence(site::here());
    flags.atomic_add(i, 1);
  }
};

// The lanes of a warp store, and one of them tells the others' blocks; or lanes of another warp.
struct warps_tell {
  static constexpr int threads = 64;
  bool barrier;
  int storing_warp;
  MEMTILE_KERNEL void operator()(block b, vector_view<int> values, vector_view<int> flag, vector_view<int> out) const {
    if (b.grid_column() == 0) {
      if (b.rank() / 32 == storing_warp) values.store(b.rank() % 32, b.rank());
      if (barrier) b.warp().sync();
      if (b.rank() != 5) return;
      hw::device_fence(site::here());
      flag.atomic_add(0, 1);
    } else {
      if (b.rank() == 40) {
        flag.atomic_add(0, 1);
        hw::device_fence(site::here());
      }
      if (barrier) b.warp().sync();
      if (b.rank() >= 32) out.store(b.rank() % 32, values.load(b.rank() % 32));
    }
  }
};

}  // namespace

TEST_CASE("the last block of each row reads what the others have stored", "[sim]") {
  memtile::sim::machine machine;
  for (int jobs : {1, 2, 3})
    for (auto o : {order::forward, order::reverse, order::random})
      for (int storing : {0, 31, 63}) {
        CAPTURE(jobs, int(o), storing);
        machine.jobs = jobs;
        machine.order = o;
        CHECK(races_of(machine, {fault::none, storing}, 3).empty());
      }
}

TEST_CASE("a fence, a barrier or the ticket that is missing is a race", "[sim]") {
  memtile::sim::machine machine;
  const auto store = "fences.cu:" + std::to_string(sum_of_rows::store_line);
  const auto load = "fences.cu:" + std::to_string(sum_of_rows::load_line);
  for (int jobs : {1, 3})
    for (auto wrong : {fault::no_fence_before, fault::no_fence_after, fault::no_barrier_before, fault::no_barrier_after,
                       fault::other_word, fault::stored_too_late}) {
      machine.jobs = jobs;
      const int storing = wrong == fault::no_barrier_before ? 40 : 0;
      const std::string text = races_of(machine, {wrong, storing});
      CAPTURE(int(wrong), text);
      CHECK(says(text, "race: "));
      CHECK(says(text, store));
      CHECK(says(text, load));
      CHECK(says(text, "Blocks of a launch run in any order"));
    }
}

TEST_CASE("the thread that passes the fence needs no barrier for what it stored itself", "[sim]") {
  memtile::sim::machine machine;
  CHECK(races_of(machine, {fault::no_barrier_before, 0}).empty());
  CHECK(!races_of(machine, {fault::no_barrier_before, 1}).empty());
}

TEST_CASE("what a block has acquired it hands on", "[sim]") {
  memtile::sim::machine machine;
  for (int blocks : {2, 3, 9}) {
    auto values = machine.buffer<int>(blocks, [](int) { return -1; });
    auto flags = machine.buffer<int>(blocks, [](int) { return 0; });
    auto out = machine.buffer<int>(1);
    const auto run = [&](bool fences) {
      return memtile::launch(machine, blocks, chain{fences}, values.view(), flags.view(), out.view()).ok();
    };
    CAPTURE(blocks);
    CHECK(run(true));
    CHECK(!run(false));
    CHECK(out.host()(0) == 0);
  }
}

TEST_CASE("a barrier of a warp carries what one of its lanes gives away or acquires", "[sim]") {
  memtile::sim::machine machine;
  auto values = machine.buffer<int>(32, [](int) { return 0; });
  auto flag = machine.buffer<int>(1, [](int) { return 0; });
  auto out = machine.buffer<int>(32);
  const auto run = [&](warps_tell kernel) {
    return memtile::launch(machine, 2, kernel, values.view(), flag.view(), out.view()).ok();
  };
  CHECK(run({true, 0}));
  CHECK(!run({false, 0}));
  CHECK(!run({true, 1}));
}
