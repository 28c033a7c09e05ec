// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All blocks of a launch wait for each other, again and again; and what the simulator and the launch say of kernels that do it
// wrongly.
#include <support/unit.hpp>

using namespace memtile;

namespace {

enum class fault { none, no_barrier, block_leaves, thread_leaves };

// Each block passes its number to the next one, so many times.
template <bool Cooperative>
struct pass_on {
  static constexpr int threads = 64;
  static constexpr bool cooperative = Cooperative;
  struct storage {
    int value;
  };
  fault wrong = fault::none;

  MEMTILE_KERNEL void operator()(block b, storage& shared, int rounds, vector_view<uint32> words,
                                 vector_view<int> values, vector_view<int> out) const {
    const grid_barrier all(b, words);
    const int own = b.grid_column(), blocks = b.grid_columns();
    if (b.rank() == 0) hw::store_shared(&shared.value, own, site::here());
    b.sync();
    for (int round = 0; round < rounds; ++round) {
      if (wrong == fault::block_leaves && round == 1 && own == 2) return;
      if (wrong == fault::thread_leaves && round == 1 && own == 1 && b.rank() >= 40) return;
      const int parity = round % 2 * blocks;  // what the others may still be reading is not written over
      if (b.rank() == 0) values.store(parity + own, hw::load_shared(&shared.value, site::here()));
      if (wrong != fault::no_barrier) all.sync();
      else b.sync();
      if (b.rank() == 63) hw::store_shared(&shared.value, values.load(parity + (own + 1) % blocks), site::here());
      b.cluster().sync();  // of this block alone
    }
    if (b.rank() == 5) out.store(own, hw::load_shared(&shared.value, site::here()));
    all.finish();
  }
};

struct two_rows {
  static constexpr int threads = 32;
  static constexpr bool cooperative = true;
  MEMTILE_KERNEL void operator()(block) const {}
};

std::string only_fault(sim::machine& machine, sim::fault_kind kind) {
  const auto& faults = machine.last_report()->faults();
  return faults.size() == 1 && faults[0].kind == kind ? faults[0].text : machine.last_report()->to_string();
}
bool says(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("all blocks of a launch wait for each other, and see what the others stored", "[block]") {
  for (auto& machine : testing::machines()) {
    auto words = machine.buffer<uint32>(2, [](int) { return uint32(0); });
    for (int blocks : {1, 2, 7, 33})
      for (int rounds : {0, 1, 2, 5}) {  // an odd number leaves the barrier's word as an even one does
        INFO(machine.name() << ", " << blocks << " blocks, " << rounds << " rounds");
        auto values = machine.buffer<int>(2 * blocks), out = machine.buffer<int>(blocks);
        REQUIRE(launch(machine, blocks, pass_on<true>{}, rounds, words.view(), values.view(), out.view()));
        unit::check_clean(machine);
        CHECK(unit::differences(out.host(), blocks, [&](int i) { return (i + rounds) % blocks; }) == 0);
        CHECK((words.host()(0) == 0 && words.host()(1) == 0));
      }
  }
}

TEST_CASE("a cooperative launch must fit on the machine", "[block]") {
  for (auto& machine : testing::machines()) {
    const status large = launch(machine, 100000, two_rows{}), rows = launch(machine, grid(2, 3), two_rows{});
    CHECK(large.code() == status::invalid_configuration);
    CHECK(says(large.message(), ": 100000 blocks of a cooperative kernel must run at one time, but at most "));
    CHECK(says(rows.message(), ": the blocks of a cooperative kernel must be one row, not 1 x 2 x 3"));
    CHECK(launch(machine, 0, two_rows{}).ok());
  }
}

TEST_CASE("a barrier of the grid that is missing, or that not all reach, is found", "[block][simulator]") {
  sim::machine machine;
  auto words = machine.buffer<uint32>(2, [](int) { return uint32(0); });
  auto values = machine.buffer<int>(8), out = machine.buffer<int>(4);
  const auto run = [&](const auto& kernel) {
    return launch(machine, 4, kernel, 2, words.view(), values.view(), out.view()).ok();
  };
  CHECK_FALSE(run(pass_on<true>{fault::no_barrier}));
  CHECK(says(only_fault(machine, sim::fault_kind::race), "Put grid_barrier::sync() between them."));

  CHECK_FALSE(run(pass_on<true>{fault::block_leaves}));
  const std::string blocks = only_fault(machine, sim::fault_kind::divergent_barrier);
  CHECK(says(blocks, "the grid barrier "));
  CHECK(says(blocks, "is reached by this block, but block (0, 2) returned. Every thread of a grid must reach"));

  CHECK_FALSE(run(pass_on<true>{fault::thread_leaves}));
  const std::string threads = only_fault(machine, sim::fault_kind::divergent_barrier);
  CHECK(says(threads, "is reached by this block, but block (0, 1) returned. Every thread of a grid must reach"));

  CHECK_FALSE(
      launch(machine, 4, pass_on<true>{}, 2, vector_view<uint32>(words.view().data, 1), values.view(), out.view()));
  CHECK(says(machine.last_report()->faults()[0].text, "vector_view[1] is outside 1"));

  CHECK_FALSE(run(pass_on<false>{}));
  CHECK(says(only_fault(machine, sim::fault_kind::deadlock),
             "is in a kernel that is not cooperative: its blocks may run one after another, and wait for ever."));
}
