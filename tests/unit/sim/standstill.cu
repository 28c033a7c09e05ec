// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that cannot go on, and kernels that would never end: the call returns and says who waits where.
#include "verdict.hpp"

namespace {

namespace hw = memtile::hw;
using memtile::block;
using memtile::site;
using memtile::vector_view;
using verdict::fault_kind;
using verdict::says;

constexpr memtile::uint32 full = 0xffffffffu;

struct exchange_of_some {
  static constexpr int threads = 32, line = __LINE__ + 5;
  int callers;
  memtile::uint32 mask;
  MEMTILE_KERNEL void operator()(block b, vector_view<int> out) const {
    if (b.rank() < callers)
      out.store(b.rank(), hw::shuffle(hw::shuffle_kind::exclusive_or, mask, b.rank(), 1, 32, site::here()));
  }
};

struct asks_far_lane {
  static constexpr int threads = 20;
  int callers, distance;
  MEMTILE_KERNEL void operator()(block b, vector_view<int> out) const {
    const memtile::uint32 mask = (1u << callers) - 1;
    if (b.rank() < callers)
      out.store(b.rank(), hw::shuffle(hw::shuffle_kind::down, mask, b.rank(), distance, 32, site::here()));
  }
};

struct polls_outside {
  static constexpr int threads = 32;
  MEMTILE_KERNEL void operator()(block, vector_view<int> flags) const {
    while (flags.load(7) != 1) {}
  }
};

struct half_at_each {
  static constexpr int threads = 32, line = __LINE__ + 2;
  MEMTILE_KERNEL void operator()(block b) const {
    if (b.rank() < 16) b.sync();
    else hw::warp_barrier(full, site::here());
  }
};

struct two_masks {
  static constexpr int threads = 32;
  memtile::uint32 lower_mask, upper_mask;
  MEMTILE_KERNEL void operator()(block b) const {
    hw::warp_barrier(b.rank() < 16 ? lower_mask : upper_mask, site::here());
  }
};

struct barrier_on_two_lines {
  static constexpr int threads = 32;
  int lower;
  MEMTILE_KERNEL void operator()(block b) const {
    if (b.rank() < lower) b.warp().sync();
    else b.warp().sync();
  }
};

// Works on one word for long, or exchanges for long: neither is a wait.
struct long_work {
  static constexpr int threads = 32;
  struct storage {
    memtile::shared_tile<float, 1, 32> sums;
  };
  int rounds, exchanges;
  MEMTILE_KERNEL void operator()(block b, storage& shared) const {
    shared.sums.store(0, b.rank(), 0);
    for (int i = 0; i < rounds; ++i) shared.sums.store(0, b.rank(), shared.sums.load(0, b.rank()) + 1);
    for (int i = 0; i < exchanges; ++i) b.warp().shuffle_xor(i, 1);
  }
};

// Thread `waiter` polls until thread `setter` has raised the flag.
struct polling {
  static constexpr int threads = 64, line = __LINE__ + 5;  // of the loop
  int waiter, setter;
  MEMTILE_KERNEL void operator()(block b, vector_view<int> flag) const {
    if (b.rank() == setter) hw::atomic_exchange(hw::memory::global, flag.address(0), 1, site::here());
    if (b.rank() == waiter)
      while (flag.atomic_add(0, 0) == 0) {}
    b.sync();
  }
};

struct later_block_sets_the_flag {
  static constexpr int threads = 32;
  MEMTILE_KERNEL void operator()(block b, vector_view<int> flag) const {
    if (b.grid_column() == 1 && b.rank() == 0) flag.store(0, 1);
    if (b.grid_column() == 0)
      while (flag.load(0) == 0) {}
  }
};

// Works on and on, but ends: more notes than a trace has room for, of ever other addresses.
struct long_sum {
  static constexpr int threads = 3;
  MEMTILE_KERNEL void operator()(block b, vector_view<const int> values, vector_view<long long> sums) const {
    long long sum = 0;
    for (int repeat = 0; repeat < 20; ++repeat)
      for (memtile::int64 i = b.rank(); i < values.size; i += threads) sum += values.load(i);
    sums.store(b.rank(), sum);
  }
};

// Reads few addresses often and waits for nobody.
struct small_circle {
  static constexpr int threads = 2;
  MEMTILE_KERNEL void operator()(block b, vector_view<const int> values, vector_view<int> sums) const {
    int sum = 0;
    for (int i = 0; i < 100000; ++i) sum += values.load(i % 4);
    sums.store(b.rank(), sum);
  }
};

struct barrier_for_ever {
  static constexpr int threads = 32;
  MEMTILE_KERNEL void operator()(block b) const {
    for (volatile bool go_on = true; go_on;) b.sync();
  }
};

}  // namespace

TEST_CASE("a mask that names lanes which have returned is wrong, and the others go on", "[sim][SIM-08]") {
  memtile::sim::machine machine;
  auto out = machine.buffer<int>(32);
  CHECK(!memtile::launch(machine, memtile::grid{1}, exchange_of_some{20, full}, out.view()).ok());
  const std::string text = verdict::only_fault(machine, fault_kind::wrong_mask);
  CAPTURE(text);
  CHECK(says(text, "exchange_of_some, block (0, 0), thread 0 and 19 more, standstill.cu:" +
                       std::to_string(exchange_of_some::line)));
  CHECK(says(text, "the mask 0xffffffff of this warp operation names threads 20 .. 31, which returned before"));
  CHECK(out.host()(5) == 4);

  CHECK(memtile::launch(machine, memtile::grid{1}, exchange_of_some{20, 0x000fffffu}, out.view()).ok());
  CHECK(memtile::launch(machine, memtile::grid{1}, exchange_of_some{32, full}, out.view()).ok());
  CHECK(out.host()(5) == 4);
}

TEST_CASE("a lane that its own mask omits is named", "[sim][SIM-08]") {
  memtile::sim::machine machine;
  auto out = machine.buffer<int>(32);
  CHECK(!memtile::launch(machine, memtile::grid{1}, exchange_of_some{32, 0x0000ffffu}, out.view()).ok());
  const std::string text = verdict::only_fault(machine, fault_kind::wrong_mask);
  CAPTURE(text);
  CHECK(says(text, "thread 16 and 15 more"));
  CHECK(says(text, "0x0000ffff"));
}

TEST_CASE("the value of a lane that the mask does not name is not defined", "[sim][SIM-08]") {
  memtile::sim::machine machine;
  auto out = machine.buffer<int>(20);
  CHECK(!memtile::launch(machine, memtile::grid{1}, asks_far_lane{1, 16}, out.view()).ok());
  const std::string text = verdict::only_fault(machine, fault_kind::wrong_mask);
  CAPTURE(text);
  CHECK(says(text, "lane 0 asks for the value of lane 16, which the mask 0x00000001 does not name"));
  CHECK(memtile::launch(machine, memtile::grid{1}, asks_far_lane{1, 0}, out.view()).ok());
  CHECK(!memtile::launch(machine, memtile::grid{1}, asks_far_lane{10, 4}, out.view()).ok());
  // All that the block has call: what comes from beyond is nonsense, and a tree of sums does not use it.
  CHECK(memtile::launch(machine, memtile::grid{1}, asks_far_lane{20, 4}, out.view()).ok());
  CHECK(out.host()(15) == 19);
  CHECK(out.host()(16) == -1);
}

TEST_CASE("half a warp at the block barrier and half at a warp barrier never meet", "[sim][SIM-02]") {
  memtile::sim::machine machine;
  CHECK(!memtile::launch(machine, memtile::grid{1}, half_at_each{}).ok());
  const std::string text = verdict::only_fault(machine, fault_kind::divergent_barrier);
  CAPTURE(text);
  CHECK(says(text, "standstill.cu:" + std::to_string(half_at_each::line)));
  CHECK(says(text,
             "threads 16 .. 31 stopped at the warp barrier standstill.cu:" + std::to_string(half_at_each::line + 1)));
}

TEST_CASE("lanes of one warp may wait in groups, but not with masks that overlap", "[sim][SIM-08]") {
  memtile::sim::machine machine;
  CHECK(memtile::launch(machine, memtile::grid{1}, two_masks{0x0000ffffu, 0xffff0000u}).ok());
  CHECK(!memtile::launch(machine, memtile::grid{1}, two_masks{0x0000ffffu, 0xffff8000u}).ok());
  CHECK(says(verdict::only_fault(machine, fault_kind::wrong_mask), "names thread 15, which returned before"));
  CHECK(!memtile::launch(machine, memtile::grid{1}, two_masks{full, 0xffff0000u}).ok());
  CHECK(says(verdict::only_fault(machine, fault_kind::wrong_mask), "names threads 16 .. 31, which returned before"));
}

TEST_CASE("a warp barrier is one place in the source", "[sim]") {
  memtile::sim::machine machine;
  CHECK(memtile::launch(machine, memtile::grid{1}, barrier_on_two_lines{32}).ok());
  CHECK(!memtile::launch(machine, memtile::grid{1}, barrier_on_two_lines{8}).ok());
  CHECK(verdict::faults_of(machine, fault_kind::deadlock) == 1);
}

TEST_CASE("a thread may poll for what another one brings", "[sim]") {
  memtile::sim::machine machine;
  for (const auto& [waiter, setter] : {std::pair{3, 40}, std::pair{40, 3}, std::pair{3, 5}, std::pair{5, 3}}) {
    auto flag = machine.buffer<int>(1, [](int) { return 0; });
    CHECK(memtile::launch(machine, memtile::grid{1}, polling{waiter, setter}, flag.view()).ok());
  }
}

TEST_CASE("a thread that polls in vain is a livelock", "[sim]") {
  memtile::sim::machine machine;
  auto flag = machine.buffer<int>(1, [](int) { return 0; });
  const auto status = memtile::launch(machine, memtile::grid{1}, polling{3, -1}, flag.view());
  CHECK(status.code() == memtile::status::launch_timeout);
  const std::string text = verdict::only_fault(machine, fault_kind::livelock);
  CAPTURE(text);
  CHECK(says(text, "thread 3 kept running at standstill.cu:" + std::to_string(polling::line)));
  CHECK(says(text, "threads 0 .. 2, 4 .. 63 stopped at the block barrier"));
}

TEST_CASE("a thread that polls outside its view is stopped too", "[sim]") {
  memtile::sim::machine machine;
  auto flags = machine.buffer<int>(4, [](int) { return 0; });
  CHECK_FALSE(memtile::launch(machine, memtile::grid{1}, polls_outside{}, flags.view()).ok());
  CHECK(verdict::faults_of(machine, fault_kind::out_of_bounds) == 1);
  CHECK(verdict::faults_of(machine, fault_kind::livelock) == 1);
}

TEST_CASE("a block that waits for a later one is a livelock", "[sim]") {
  memtile::sim::machine machine;
  machine.max_spins = 20;
  auto flag = machine.buffer<int>(1, [](int) { return 0; });
  CHECK(!memtile::launch(machine, memtile::grid{2}, later_block_sets_the_flag{}, flag.view()).ok());
  CHECK(says(verdict::only_fault(machine, fault_kind::livelock), "no block may wait for a later one"));
}

TEST_CASE("a long way through memory is no livelock", "[sim]") {
  memtile::sim::machine machine;
  machine.max_spins = 2;
  constexpr int size = 30000;
  auto values = machine.buffer<int>(size, [](int i) { return i; });
  auto sums = machine.buffer<long long>(3);
  CHECK(memtile::launch(machine, memtile::grid{1}, long_sum{}, values.view(), sums.view()).ok());
  CHECK(sums.host()(0) + sums.host()(1) + sums.host()(2) == 20ll * size * (size - 1) / 2);
}

TEST_CASE("a small circle is no livelock while it may still end", "[sim]") {
  memtile::sim::machine machine;
  auto values = machine.buffer<int>(4, [](int i) { return i; });
  auto sums = machine.buffer<int>(2);
  CHECK(memtile::launch(machine, memtile::grid{1}, small_circle{}, values.view(), sums.view()).ok());
  CHECK(sums.host()(1) == 150000);
}

TEST_CASE("a loop of barriers that never ends is stopped", "[sim]") {
  memtile::sim::machine machine;
  machine.max_stops = 10000;
  CHECK(!memtile::launch(machine, memtile::grid{1}, barrier_for_ever{}).ok());
  CHECK(verdict::faults_of(machine, fault_kind::livelock) == 1);
}

TEST_CASE("long work on one word, and many exchanges, are no livelock", "[sim]") {
  memtile::sim::machine machine;
  CHECK(memtile::launch(machine, memtile::grid{1}, long_work{300000, 0}).ok());
  machine.max_stops = 30000;
  CHECK(memtile::launch(machine, memtile::grid{1}, long_work{0, 25000}).ok());
  CHECK(!memtile::launch(machine, memtile::grid{1}, long_work{0, 35000}).ok());
  CHECK(says(verdict::only_fault(machine, fault_kind::livelock), "If it does end, raise machine.max_stops"));
}
