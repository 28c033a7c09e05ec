// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What may be chosen about the machine: order, arrival of copies, OS threads, architecture; and what stops a run.
#include "verdict.hpp"

#include <memtile/gemm.cuh>

#include <stdexcept>

namespace {

namespace hw = memtile::hw;
using memtile::block;
using memtile::grid;
using memtile::matrix_view;
using memtile::shared_tile;
using memtile::site;
using memtile::vector_view;
using memtile::sim::arrive;
using memtile::sim::order;
using verdict::fault_kind;
using verdict::says;

// Writes down in which order blocks and warps came.
struct roll_call {
  static constexpr int threads = 96;
  MEMTILE_KERNEL void operator()(block b, vector_view<int> count, vector_view<int> who) const {
    if (b.rank() % 32 == 0) who.store(count.atomic_add(0, 1), 3 * b.grid_column() + b.rank() / 32);
  }
};

struct copies {
  static constexpr int threads = 32;
  struct storage {
    shared_tile<int, 1, 32> values;
  };
  bool waits;
  MEMTILE_KERNEL void operator()(block b, storage& shared, vector_view<const int> in, vector_view<int> out) const {
    const int i = b.rank();
    shared.values.store(0, i, -1);
    hw::async_copy<4>(shared.values.address(0, i), in.address(i), true, site::here());
    hw::async_commit(site::here());
    if (waits) hw::async_wait<0>(site::here());
    out.store(i, shared.values.load(0, i));
  }
};

struct overwrites_source {
  static constexpr int threads = 32;
  struct storage {
    shared_tile<int, 1, 32> values;
  };
  bool early;
  MEMTILE_KERNEL void operator()(block b, storage& shared, vector_view<int> in, vector_view<int> out) const {
    const int i = b.rank();
    hw::async_copy<4>(shared.values.address(0, i), in.address(i), true, site::here());
    hw::async_commit(site::here());
    if (early) in.store(i, -5);
    hw::async_wait<0>(site::here());
    if (!early) in.store(i, -5);
    out.store(i, shared.values.load(0, i));
  }
};

struct ticket_and_race {
  static constexpr int threads = 64;
  struct storage {
    shared_tile<int, 1, 64> values;
  };
  MEMTILE_KERNEL void operator()(block b, storage& shared, vector_view<int> common, vector_view<int> out) const {
    const int i = b.grid_column() * threads + b.rank();
    shared.values.store(0, b.rank(), i);
    if (b.grid_column() % 3 != 0) b.sync();
    out.store(i, shared.values.load(0, 63 - b.rank()));
    if (b.grid_column() % 4 == 1) common.store(b.rank() % 4, i);
    common.atomic_add(4, 1);
    if (b.grid_column() == 9) out.store(i + threads * 20, 0);
  }
};

// Block `stuck` never ends; those after it would race.
struct one_is_stuck {
  static constexpr int threads = 32;
  int stuck;
  MEMTILE_KERNEL void operator()(block b, vector_view<int> out) const {
    if (b.grid_column() == stuck && b.rank() < 16) b.sync();
    if (b.grid_column() > stuck) out.store(0, b.grid_column());
    else out.store(1 + b.grid_column(), b.rank() / 32);
  }
};

struct of_no_model {
  static constexpr int threads = 64;
  MEMTILE_KERNEL void operator()(block b, vector_view<int> out) const {
    out.store(b.rank(), 1);
    if (b.rank() == 40) hw::no_model("frobnicate.sync", site{"own.cu", 17});
    out.store(64 + b.rank(), 2);
  }
};

#if !MEMTILE_CUDA
struct throws {
  static constexpr int threads = 64;
  MEMTILE_KERNEL void operator()(block b, vector_view<int> out) const {
    out.store(b.rank(), 1);
    if (b.rank() == 33) throw std::runtime_error("thirty-three");
  }
};
#endif

struct one_store {
  static constexpr int threads = 8;
  MEMTILE_KERNEL void operator()(block b, vector_view<int> out) const { out.store(b.rank(), b.rank()); }
};

// Shared memory and an array of the thread's own, seen through views.
struct views_of_other_memory {
  static constexpr int threads = 32;
  struct storage {
    int values[32];
  };
  bool barrier;
  MEMTILE_KERNEL void operator()(block b, storage& shared, vector_view<int> out) const {
    const vector_view<int> values{shared.values, 32};
    int own[4];
    const vector_view<int> mine{own, 4};
    for (int i = 0; i < 4; ++i) mine.store(i, b.rank() + i + b.grid_column());
    values.store(b.rank(), mine.load(1));
    if (barrier) b.sync();
    out.store(32 * b.grid_column() + b.rank(), values.load(31 - b.rank()));
  }
};

struct much_shared {
  static constexpr int threads = 32;
  struct storage {
    unsigned char bytes[100 * 1024];
  };
  MEMTILE_KERNEL void operator()(block, storage&) const {}
};

}  // namespace

TEST_CASE("blocks and warps run forward, in reverse or by chance, and the same seed is the same run", "[sim]") {
  memtile::sim::machine machine;
  const auto roll = [&](order o, int seed) {
    machine.order = o;
    machine.seed = memtile::uint64(seed);
    auto count = machine.buffer<int>(1, [](int) { return 0; });
    auto who = machine.buffer<int>(15);
    CHECK(memtile::launch(machine, grid{5}, roll_call{}, count.view(), who.view()).ok());
    std::vector<int> called;
    for (int i = 0; i < 15; ++i) called.push_back(who.host()(i));
    return called;
  };
  const std::vector<int> forward = roll(order::forward, 1), backward = roll(order::reverse, 1);
  for (int i = 0; i < 15; ++i) {
    CHECK(forward[std::size_t(i)] == i);
    CHECK(backward[std::size_t(i)] == 14 - i);
  }
  const std::vector<int> random = roll(order::random, 1);
  CHECK(random == roll(order::random, 1));
  CHECK(random != roll(order::random, 2));
  CHECK(random != forward);
  CHECK(std::is_permutation(random.begin(), random.end(), forward.begin()));
}

TEST_CASE("copies arrive late, early or by chance, and must be waited for in every case", "[sim]") {
  memtile::sim::machine machine;
  auto in = machine.buffer<int>(32, [](int i) { return i + 1; });
  auto out = machine.buffer<int>(32);
  for (auto policy : {arrive::latest, arrive::earliest, arrive::random}) {
    machine.copies = policy;
    CHECK(!memtile::launch(machine, grid{1}, copies{false}, in.view(), out.view()).ok());
    CHECK(says(verdict::only_fault(machine, fault_kind::copy_in_flight), "load of tile[0][0]"));
    int early = 0;
    for (int i = 0; i < 32; ++i) early += out.host()(i) == i + 1;
    CHECK((policy == arrive::latest ? early == 0 : policy == arrive::earliest ? early == 32 : early > 0 && early < 32));
    CHECK(memtile::launch(machine, grid{1}, copies{true}, in.view(), out.view()).ok());
    for (int i = 0; i < 32; ++i) CHECK(out.host()(i) == i + 1);
  }
}

TEST_CASE("the source of a copy must stay until the copy was waited for", "[sim]") {
  memtile::sim::machine machine;
  for (auto policy : {arrive::latest, arrive::earliest}) {
    machine.copies = policy;
    for (bool early : {true, false}) {
      auto in = machine.buffer<int>(32, [](int i) { return i + 1; });
      auto out = machine.buffer<int>(32);
      const bool clean = memtile::launch(machine, grid{1}, overwrites_source{early}, in.view(), out.view()).ok();
      CHECK(clean == !early);
      if (!early) CHECK(out.host()(7) == 8);
    }
  }
}

TEST_CASE("several OS threads make the same report as one", "[sim]") {
  for (auto o : {order::forward, order::reverse, order::random}) {
    std::string one;
    for (int jobs : {1, 2, 3, 8}) {
      CAPTURE(jobs);
      memtile::sim::machine machine;
      machine.order = o;
      machine.jobs = jobs;
      auto common = machine.buffer<int>(5, [](int) { return 0; });
      auto out = machine.buffer<int>(20 * 64);
      CHECK(!memtile::launch(machine, grid{20}, ticket_and_race{}, common.view(), out.view()).ok());
      CHECK(common.host()(4) == 20 * 64);
      const std::string text = machine.last_report()->to_string();
      if (jobs == 1) one = text;
      CHECK(text == one);
      CHECK(verdict::faults_of(machine, fault_kind::race) == 2);
      CHECK(verdict::faults_of(machine, fault_kind::out_of_bounds) == 1);
    }
  }
}

TEST_CASE("several OS threads multiply with the same bits and counts", "[sim]") {
  memtile::sim::machine one, two;
  two.jobs = 2;
  auto a = one.buffer<float>(200, 90, [](int r, int c) { return float((r * 7 + c) % 13 - 6) / 3; });
  auto b = one.buffer<float>(90, 150, [](int r, int c) { return float((r + 5 * c) % 11 - 5) / 7; });
  auto c = one.buffer<float>(200, 150), d = one.buffer<float>(200, 150);
  REQUIRE(memtile::gemm(one, a.view(), b.view(), c.view()));
  REQUIRE(memtile::gemm(two, a.view(), b.view(), d.view()));
  for (int r = 0; r < 200; ++r)
    for (int k = 0; k < 150; ++k) REQUIRE(c.host()(r, k) == d.host()(r, k));
  CHECK(one.last_report()->to_string() == two.last_report()->to_string());
  CHECK(one.last_report()->to_json() == two.last_report()->to_json());
}

TEST_CASE("a block that is stuck ends the launch, however many OS threads run it", "[sim]") {
  std::string one;
  for (int jobs : {1, 2, 4}) {
    memtile::sim::machine machine;
    machine.jobs = jobs;
    auto out = machine.buffer<int>(60);
    CHECK(!memtile::launch(machine, grid{50}, one_is_stuck{20}, out.view()).ok());
    CHECK(says(verdict::only_fault(machine, fault_kind::divergent_barrier), "block (0, 20)"));
    if (jobs == 1) one = machine.last_report()->to_string();
    CHECK(machine.last_report()->to_string() == one);
  }
}

TEST_CASE("what has no model stops the run with one message", "[sim]") {
  memtile::sim::machine machine;
  auto out = machine.buffer<int>(128, [](int) { return 0; });
  CHECK(!memtile::launch(machine, grid{3}, of_no_model{}, out.view()).ok());
  const std::string text = verdict::only_fault(machine, fault_kind::no_model);
  CAPTURE(text);
  CHECK(says(text, "block (0, 0): frobnicate.sync at own.cu:17 has no model on the CPU: the run ends here"));
  CHECK(out.host()(40) == 1);
  CHECK(out.host()(64 + 40) == 0);
  CHECK(memtile::launch(machine, grid{1}, of_no_model{}, machine.buffer<int>(128).view()).ok() == false);
  hw::no_model("frobnicate.sync", site::here());  // no machine listens: nothing happens
}

TEST_CASE("shared memory is that of the architecture", "[sim]") {
  memtile::sim::machine machine;
  CHECK(memtile::launch(machine, grid{1}, much_shared{}).ok());
  machine.architecture = 80;
  CHECK(memtile::launch(machine, grid{1}, much_shared{}).ok());
  for (int small : {75, 86, 89, 120}) {
    machine.architecture = small;
    const memtile::status status = memtile::launch(machine, grid{1}, much_shared{});
    CAPTURE(status.message());
    CHECK(status.code() == memtile::status::invalid_configuration);
    CHECK(says(status.message(), "102400 bytes of shared memory do not fit"));
  }
}

TEST_CASE("accumulators count their operations", "[sim]") {
  memtile::sim::machine machine;
  auto a = machine.buffer<float>(64, 128, [](int, int) { return 1.f; });
  auto b = machine.buffer<float>(128, 64, [](int, int) { return 1.f; });
  auto c = machine.buffer<float>(64, 64);
  REQUIRE(memtile::gemm(machine, a.view(), b.view(), c.view()));
  CHECK(machine.last_report()->flops() == 2 * 64 * 64 * 128);
  CHECK(machine.report().flops() == 2 * 64 * 64 * 128);
}

TEST_CASE("a launch that was stopped leaves nothing to the next one", "[sim]") {
  for (int jobs : {1, 4}) {
    memtile::sim::machine machine;
    machine.jobs = jobs;
    auto out = machine.buffer<int>(128);
    CHECK(!memtile::launch(machine, grid{6}, of_no_model{}, out.view()).ok());
    CHECK(memtile::launch(machine, grid{1}, one_store{}, out.view()).ok());
    CHECK(machine.last_report()->rows().size() == 1);
    CHECK(machine.last_report()->total(memtile::sim::space::global).lanes == 8);
  }
}

#if !MEMTILE_CUDA
TEST_CASE("an exception ends the run, not the program", "[sim]") {
  memtile::sim::machine machine;
  auto out = machine.buffer<int>(64);
  CHECK(!memtile::launch(machine, grid{2}, throws{}, out.view()).ok());
  CHECK(
      says(verdict::only_fault(machine, fault_kind::no_model), "an exception (thirty-three) has no model on the CPU"));
  CHECK(memtile::launch(machine, grid{1}, one_store{}, out.view()).ok());
}
#endif

TEST_CASE("a view of shared memory counts as shared, one of the thread's own array not at all", "[sim]") {
  memtile::sim::machine machine;
  auto out = machine.buffer<int>(96);
  REQUIRE(memtile::launch(machine, grid{3}, views_of_other_memory{true}, out.view()));
  CHECK(out.host()(32) == 33);
  const auto& report = *machine.last_report();
  CHECK(report.total(memtile::sim::space::shared).requests == 6);
  CHECK(report.total(memtile::sim::space::global).requests == 3);
  CHECK(!memtile::launch(machine, grid{3}, views_of_other_memory{false}, out.view()).ok());
  CHECK(verdict::faults_of(machine, fault_kind::race) + verdict::faults_of(machine, fault_kind::uninitialised_read) >=
        1);
}
