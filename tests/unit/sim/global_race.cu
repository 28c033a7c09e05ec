// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Races in global memory: between blocks, which nothing orders within a launch, and between threads of one block. Each
// faulty kernel has a twin that must be found clean.
#include "verdict.hpp"

namespace {

using memtile::block;
using memtile::grid;
using memtile::matrix_view;
using memtile::vector_view;
using verdict::fault_kind;
using verdict::says;

// SIM-14: every element becomes the sum of its neighbours, in place or not.
struct sum_of_neighbours {
  static constexpr int threads = 32, load_line = __LINE__ + 5;
  MEMTILE_KERNEL void operator()(block b, vector_view<const int> in, vector_view<int> out) const {
    const int i = b.grid_column() * threads + b.rank();
    int sum = 0;
    for (int d : {-1, 1})
      if (in.inside(i + d)) sum += in.load(i + d);
    b.sync();
    out.store(i, sum);
  }
};

// Threads of one block hand a value on through global memory.
struct rotate_in_place {
  static constexpr int threads = 64;
  bool barrier;
  MEMTILE_KERNEL void operator()(block b, vector_view<int> v) const {
    const int first = b.grid_column() * threads, next = v.load(first + (b.rank() + 1) % threads);
    if (barrier) b.sync();
    v.store(first + b.rank(), next);
  }
};

// All blocks add to one word, or store to it.
struct common_word {
  static constexpr int threads = 32;
  enum what { atomic, store, same_value, read_beside_atomic } how;
  MEMTILE_KERNEL void operator()(block b, vector_view<int> word, vector_view<int> out) const {
    if (b.rank() != 0) return;
    if (how == store) word.store(0, b.grid_column());
    if (how == same_value) word.store(0, 7);
    if (how == atomic || how == read_beside_atomic) word.atomic_add(0, 1);
    if (how == read_beside_atomic && b.grid_column() == 2) out.store(0, word.load(0));
  }
};

// Many readers of one element, then a writer in one of their blocks.
struct late_writer {
  static constexpr int threads = 64;
  int writer_block, writer, readers;  // the first so many blocks read
  bool barrier;
  MEMTILE_KERNEL void operator()(block b, vector_view<int> word, vector_view<int> out) const {
    int sum = 0;
    if (b.grid_column() < readers) sum = word.load(0);
    if (barrier) b.sync();
    if (b.grid_column() == writer_block && b.rank() == writer) word.store(0, sum + 1);
    out.store(b.grid_column() * threads + b.rank(), sum);
  }
};

// Neighbours in one word, one byte each.
struct bytes_of_blocks {
  static constexpr int threads = 2;
  int overlap;
  MEMTILE_KERNEL void operator()(block b, vector_view<memtile::uint8> out) const {
    const int i = b.grid_column() * threads + b.rank();
    out.store(i, memtile::uint8(i));
    if (overlap > 0 && i > 0) out.store(i - 1, memtile::uint8(i));
  }
};

}  // namespace

TEST_CASE("a block barrier is no barrier of the grid", "[sim][SIM-14]") {
  memtile::sim::machine machine;
  for (auto order : {memtile::sim::order::forward, memtile::sim::order::reverse, memtile::sim::order::random}) {
    machine.order = order;
    auto values = machine.buffer<int>(128, [](int i) { return i; });
    CHECK(!memtile::launch(machine, grid{4}, sum_of_neighbours{}, values.view(), values.view()).ok());
    const std::string text = verdict::only_fault(machine, fault_kind::race);
    CAPTURE(text);
    CHECK(says(text, "global_race.cu:" + std::to_string(sum_of_neighbours::load_line)));
    CHECK(says(text, "global_race.cu:" + std::to_string(sum_of_neighbours::load_line + 2)));
    CHECK(says(text, "Blocks of a launch run in any order"));
    const bool at_an_edge = says(text, "view[31]") || says(text, "view[32]") || says(text, "view[63]") ||
                            says(text, "view[64]") || says(text, "view[95]") || says(text, "view[96]");
    CHECK(at_an_edge);

    auto in = machine.buffer<int>(128, [](int i) { return i; });
    auto out = machine.buffer<int>(128);
    CHECK(memtile::launch(machine, grid{4}, sum_of_neighbours{}, in.view(), out.view()).ok());
    for (int i = 1; i < 127; ++i) CHECK(out.host()(i) == 2 * i);
  }
}

TEST_CASE("threads of a block are ordered by its barrier in global memory too", "[sim]") {
  memtile::sim::machine machine;
  auto values = machine.buffer<int>(192, [](int i) { return i; });
  CHECK(memtile::launch(machine, grid{3}, rotate_in_place{true}, values.view()).ok());
  CHECK(values.host()(64) == 65);
  CHECK(values.host()(127) == 64);
  CHECK(!memtile::launch(machine, grid{3}, rotate_in_place{false}, values.view()).ok());
  const std::string text = verdict::only_fault(machine, fault_kind::race);
  CAPTURE(text);
  CHECK(says(text, "block.sync()"));
  CHECK(says(text, "and in other blocks"));
}

TEST_CASE("blocks may add to one word, and not store to it", "[sim]") {
  memtile::sim::machine machine;
  auto word = machine.buffer<int>(1, [](int) { return 0; });
  auto out = machine.buffer<int>(1);
  const auto run = [&](common_word::what how) {
    return memtile::launch(machine, grid{4}, common_word{how}, word.view(), out.view()).ok();
  };
  CHECK(run(common_word::atomic));
  CHECK(word.host()(0) == 4);
  CHECK(!run(common_word::store));
  const std::string text = verdict::only_fault(machine, fault_kind::race);
  CAPTURE(text);
  CHECK(says(text, "block (0, 1), thread 0"));
  CHECK(says(text, "store of view[0] and store by thread 0 of block (0, 0)"));
  CHECK(run(common_word::same_value));
  CHECK(machine.last_report()->remarks().size() == 1);
  CHECK(!run(common_word::read_beside_atomic));
  CHECK(says(verdict::only_fault(machine, fault_kind::race), "only one of them is atomic"));
}

TEST_CASE("whoever of many readers writes is found", "[sim]") {
  memtile::sim::machine machine;
  auto word = machine.buffer<int>(1, [](int) { return 0; });
  auto out = machine.buffer<int>(5 * 64);
  const auto clean = [&](late_writer kernel) {
    return memtile::launch(machine, grid{5}, kernel, word.view(), out.view()).ok();
  };
  for (auto order : {memtile::sim::order::forward, memtile::sim::order::reverse})
    for (int block = 0; block < 5; ++block)
      for (int thread : {0, 1, 33, 63}) {
        CAPTURE(block, thread);
        machine.order = order;
        CHECK(!clean({block, thread, 5, true}));  // the others' blocks read it
        CHECK(!clean({block, thread, 5, false}));
        CHECK(clean({block, thread, 0, false}));  // nobody reads
      }
  for (int thread : {0, 1, 33, 63}) {
    CHECK(clean({0, thread, 1, true}));  // only its own block reads, before the barrier
    CHECK(!clean({0, thread, 1, false}));
    CHECK(!clean({1, thread, 1, true}));
  }
}

TEST_CASE("what an earlier launch did is ordered before", "[sim]") {
  memtile::sim::machine machine;
  auto word = machine.buffer<int>(1, [](int) { return 0; });
  auto out = machine.buffer<int>(5 * 64);
  for (int block = 0; block < 5; ++block)
    CHECK(memtile::launch(machine, grid{5}, late_writer{block, 0, 0, false}, word.view(), out.view()).ok());
}

TEST_CASE("blocks may share a word of global memory byte by byte", "[sim]") {
  memtile::sim::machine machine;
  auto out = machine.buffer<memtile::uint8>(16);
  CHECK(memtile::launch(machine, grid{8}, bytes_of_blocks{0}, out.view()).ok());
  CHECK(!memtile::launch(machine, grid{8}, bytes_of_blocks{1}, out.view()).ok());
}
