// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The block that is done last knows it, and sees what the others stored; the ticket serves every launch.
#include <support/unit.hpp>

using namespace memtile;

namespace {

// Each thread, or the first one, stores a number of its block; the last block adds all of them up.
struct add_up {
  int threads;
  stored_by who;
  MEMTILE_KERNEL void operator()(block b, int round, vector_view<uint32> ticket, vector_view<int> partials,
                                 vector_view<int> sums, vector_view<int> finished) const {
    const int own = b.grid_column() * b.size() + b.rank();
    if (who == stored_by::any_thread || b.rank() == 0) partials.store(own, own % 1000 + round);
    if (!block_is_last(b, ticket.address(0), b.grid_columns(), who)) return;
    const int stride = who == stored_by::any_thread ? 1 : b.size();
    int sum = 0;  // each thread reads what others stored
    for (int i = b.size() - 1 - b.rank(); i < b.grid_columns() * b.size(); i += b.size())
      if (i % stride == 0) sum += partials.load(i);
    sums.atomic_add(0, sum);
    finished.atomic_add(0, 1);
  }
};

// Two tickets in one launch, one behind the other.
struct twice {
  static constexpr int threads = 64;
  MEMTILE_KERNEL void operator()(block b, vector_view<uint32> tickets, vector_view<int> count) const {
    const bool first = block_is_last(b, tickets.address(0), b.grid_columns(), stored_by::thread_0);
    const bool second = block_is_last(b, tickets.address(1), b.grid_columns(), stored_by::thread_0);
    count.atomic_add(0, first);
    count.atomic_add(1, second);
  }
};

struct count_wrapping {
  static constexpr int threads = 1;
  MEMTILE_KERNEL void operator()(block, vector_view<uint32> x, vector_view<uint32> old) const {
    for (int i = 0; i < 6; ++i)
      old.store(i, hw::atomic_increment_wrapping(hw::memory::global, x.address(0), 2, site::here()));
  }
};

struct votes {
  int threads, yes;
  MEMTILE_KERNEL void operator()(block b, vector_view<int> out) const {
    out.store(b.rank(), 2 * b.any(b.rank() == yes) + b.any(false));
  }
};

}  // namespace

TEST_CASE("one block of a launch is the last, and sees what all have stored", "[block]") {
  for (auto& machine : testing::machines())
    for (stored_by who : {stored_by::any_thread, stored_by::thread_0})
      for (int blocks : {1, 2, 7, 64})
        for (int threads : {1, 32, 33, 256}) {
          INFO(machine.name() << ", " << blocks << " blocks of " << threads << ", stored by " << int(who));
          auto ticket = machine.buffer<uint32>(1, [](int) { return uint32(0); });
          for (int round = 0; round < 3; ++round) {  // the ticket stays
            auto partials = machine.buffer<int>(blocks * threads);
            auto sums = machine.buffer<int>(1, [](int) { return 0; }),
                 finished = machine.buffer<int>(1, [](int) { return 0; });
            REQUIRE(launch(machine, blocks, add_up{threads, who}, round, ticket.view(), partials.view(), sums.view(),
                           finished.view()));
            unit::check_clean(machine);
            int expected = 0;
            for (int i = 0; i < blocks * threads; i += who == stored_by::any_thread ? 1 : threads)
              expected += i % 1000 + round;
            CHECK(sums.host()(0) == expected);
            CHECK(finished.host()(0) == threads);
            CHECK(ticket.host()(0) == 0);
          }
        }
}

TEST_CASE("a block may ask for several tickets in a row", "[block]") {
  for (auto& machine : testing::machines()) {
    auto tickets = machine.buffer<uint32>(2, [](int) { return uint32(0); });
    auto count = machine.buffer<int>(2, [](int) { return 0; });
    REQUIRE(launch(machine, 9, twice{}, tickets.view(), count.view()));
    CHECK((count.host()(0) == 64 && count.host()(1) == 64));
    CHECK((tickets.host()(0) == 0 && tickets.host()(1) == 0));
    unit::check_clean(machine);
  }
}

TEST_CASE("a wrapping count begins again behind its last number", "[hw]") {
  for (auto& machine : testing::machines()) {
    auto x = machine.buffer<uint32>(1, [](int) { return uint32(1); }), old = machine.buffer<uint32>(6);
    REQUIRE(launch(machine, 1, count_wrapping{}, x.view(), old.view()));
    const uint32 expected[6] = {1, 2, 0, 1, 2, 0};
    CHECK(unit::differences(old.host(), 6, [&](int i) { return expected[i]; }) == 0);
    CHECK(x.host()(0) == 1);
    unit::check_clean(machine);
  }
}

TEST_CASE("a vote of a block is heard by every thread", "[block]") {
  for (auto& machine : testing::machines())
    for (int threads : {1, 33, 256})
      for (int yes : {-1, 0, threads - 1}) {
        auto out = machine.buffer<int>(threads);
        REQUIRE(launch(machine, 1, votes{threads, yes}, out.view()));
        CHECK(unit::differences(out.host(), threads, [&](int) { return yes < 0 ? 0 : 2; }) == 0);
        unit::check_clean(machine);
      }
}
