// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Barriers of a block: what is legal runs, what is not is named, and nothing hangs.
#include "verdict.hpp"

namespace {

using memtile::block;
using memtile::vector_view;
using verdict::fault_kind;
using verdict::says;

struct every_second_thread {
  static constexpr int threads = 32;
  static constexpr int line = __LINE__ + 3;
  int missing;  // 1: odd threads stay away; 0: nobody does
  MEMTILE_KERNEL void operator()(block b) const {
    if (b.rank() % 2 * missing == 0) b.sync();
  }
};

struct early_return {
  static constexpr int threads = 64;
  static constexpr int line = __LINE__ + 4;
  int stay;
  MEMTILE_KERNEL void operator()(block b) const {
    if (b.rank() >= stay) return;
    b.sync();
  }
};

struct barrier_in_each_branch {
  static constexpr int threads = 64;
  static constexpr int line = __LINE__ + 4, other_line = line + 2;
  int lower;  // threads below take the first branch
  MEMTILE_KERNEL void operator()(block b) const {
    if (b.rank() < lower) {
      b.sync();
    } else {
      b.sync();
    }
  }
};

// SIM-03
struct butterfly {
  static constexpr int threads = 64;
  struct storage {
    memtile::shared_tile<int, 1, threads> values;
  };
  MEMTILE_KERNEL void operator()(block b, storage& shared, vector_view<int> out) const {
    const int t = b.rank();
    shared.values.store(0, t, 1);
    b.sync();
    for (int bit = 32; bit > 0; bit /= 2) {
      const int sum = shared.values.load(0, t) + shared.values.load(0, t ^ bit);
      b.sync();
      shared.values.store(0, t, sum);
      b.sync();
    }
    out.store(t, shared.values.load(0, t));
  }
};

struct copy_past_the_end {
  static constexpr int threads = 32, line = __LINE__ + 2;
  MEMTILE_KERNEL void operator()(block b, vector_view<const float> x, vector_view<float> y) const {
    y.store(b.rank(), x.load(b.rank()));
    b.sync();
  }
};

struct unequal_numbers_of_barriers {
  static constexpr int threads = 96;
  MEMTILE_KERNEL void operator()(block b) const {
    for (int i = 0; i <= b.rank() / 64; ++i) b.sync();
  }
};

}  // namespace

TEST_CASE("a barrier that half of the threads reach is divergent", "[sim][SIM-02]") {
  memtile::sim::machine machine;
  const auto status = memtile::launch(machine, memtile::grid{2, 3}, every_second_thread{1});
  CHECK(!status.ok());
  const std::string text = verdict::only_fault(machine, fault_kind::divergent_barrier);
  CAPTURE(text);
  CHECK(says(text, "every_second_thread"));
  CHECK(says(text, "block (0, 0)"));
  CHECK(says(text, "the block barrier barrier.cu:" + std::to_string(every_second_thread::line)));
  CHECK(says(text, "reached by threads 0, 2, 4 .. 30"));
  CHECK(says(text, "threads 1, 3, 5 .. 31 returned"));
  CHECK(status.message() == text);
  CHECK(status.code() == memtile::status::launch_failure);

  CHECK(memtile::launch(machine, memtile::grid{2, 3}, every_second_thread{0}).ok());
  CHECK_THAT(*machine.last_report(), memtile::sim::IsClean());
  CHECK(machine.last_report()->barriers() == 6);
}

TEST_CASE("threads that return before a barrier are missed there", "[sim][SIM-02]") {
  memtile::sim::machine machine;
  CHECK(!memtile::launch(machine, memtile::grid{1}, early_return{48}).ok());
  const std::string text = verdict::only_fault(machine, fault_kind::divergent_barrier);
  CAPTURE(text);
  CHECK(says(text, "barrier.cu:" + std::to_string(early_return::line)));
  CHECK(says(text, "threads 48 .. 63 returned"));
  CHECK(memtile::launch(machine, memtile::grid{1}, early_return{64}).ok());
}

TEST_CASE("a barrier in each branch is not one barrier", "[sim][SIM-02]") {
  memtile::sim::machine machine;
  CHECK(!memtile::launch(machine, memtile::grid{1}, barrier_in_each_branch{32}).ok());
  const std::string text = verdict::only_fault(machine, fault_kind::divergent_barrier);
  CAPTURE(text);
  CHECK(
      says(text, "barrier.cu:" + std::to_string(barrier_in_each_branch::line) + " is reached by threads 0 .. 31 only"));
  CHECK(says(text, "threads 32 .. 63 stopped at the block barrier barrier.cu:" +
                       std::to_string(barrier_in_each_branch::other_line)));
  CHECK(memtile::launch(machine, memtile::grid{1}, barrier_in_each_branch{64}).ok());
}

TEST_CASE("a thread that has met the barrier more often than others is noticed", "[sim][SIM-02]") {
  memtile::sim::machine machine;
  CHECK(!memtile::launch(machine, memtile::grid{1}, unequal_numbers_of_barriers{}).ok());
  CHECK(says(verdict::only_fault(machine, fault_kind::divergent_barrier), "threads 0 .. 63 returned"));
  CHECK(machine.last_report()->barriers() == 1);
}

TEST_CASE("the machine works after a run that ended half way", "[sim][SIM-02]") {
  memtile::sim::machine machine;
  for (int i = 0; i < 3; ++i) {
    CHECK(!memtile::launch(machine, memtile::grid{1}, every_second_thread{1}).ok());
    CHECK(memtile::launch(machine, memtile::grid{1}, every_second_thread{0}).ok());
  }
}

TEST_CASE("a loop of barriers is legal and gives the right sums", "[sim][SIM-03]") {
  memtile::sim::machine machine;
  auto sums = machine.buffer<int>(64);
  REQUIRE(memtile::launch(machine, memtile::grid{1}, butterfly{}, sums.view()));
  CHECK_THAT(*machine.last_report(), memtile::sim::IsClean());
  CHECK(machine.last_report()->barriers() == 13);
  for (int i = 0; i < 64; ++i) CHECK(sums.host()(i) == 64);
}

TEST_CASE("an access out of bounds is left out and named, and the other threads go on", "[sim][SIM-04]") {
  memtile::sim::machine machine;
  auto x = machine.buffer<float>(16, [](int i) { return float(i); });
  auto y = machine.buffer<float>(16);
  const auto status = memtile::launch(machine, memtile::grid{1}, copy_past_the_end{}, x.view(), y.view());
  CHECK(!status.ok());
  CHECK(status.code() == memtile::status::illegal_address);
  CHECK(machine.last_report()->barriers() == 1);
  REQUIRE(verdict::faults_of(machine, fault_kind::out_of_bounds) >= 1);
  const std::string text = machine.last_report()->faults()[0].text;
  CAPTURE(text);
  CHECK(says(text, "copy_past_the_end"));
  CHECK(says(text, "block (0, 0), thread 16 and 15 more"));
  CHECK(says(text, "barrier.cu:" + std::to_string(copy_past_the_end::line) + ": vector_view[16] is outside 16"));
  CHECK(y.untouched());
  for (int i = 0; i < 16; ++i) CHECK(y.host()(i) == float(i));
}
