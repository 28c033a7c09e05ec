// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The shadow of shared memory, word by word: bytes of different threads in one word, and words that nobody has written.
#include "verdict.hpp"

namespace {

using memtile::block;
using memtile::shared_tile;
using memtile::vector_view;
using verdict::fault_kind;
using verdict::says;

// Neighbours share a word: halves and bytes belong to different threads.
template <class T>
struct narrow_elements {
  static constexpr int threads = 64;
  struct storage {
    shared_tile<T, 1, 64> values;
  };
  int distance;
  MEMTILE_KERNEL void operator()(block b, storage& shared, vector_view<T> out) const {
    const int t = b.rank();
    shared.values.store(0, t, T(t));
    shared.values.store(0, t, T(t + 1));
    out.store(t, shared.values.load(0, (t + distance) % 64));
  }
};

// Reads the neighbours as whole words, after a barrier or not.
struct words_of_bytes {
  static constexpr int threads = 64;
  struct storage {
    shared_tile<memtile::uint8, 1, 64> values;
  };
  bool barrier;
  MEMTILE_KERNEL void operator()(block b, storage& shared, vector_view<memtile::uint8> out) const {
    const int t = b.rank();
    shared.values.store(0, t, memtile::uint8(t));
    if (barrier) b.sync();
    if (t < 16) out.store(4 * t, shared.values.load(memtile::wide<4>, 0, 4 * t));
  }
};

struct same_word {
  static constexpr int threads = 64;
  struct storage {
    shared_tile<int, 1, 1> flag;
  };
  int first, second, difference;  // these threads store values that differ by so much
  MEMTILE_KERNEL void operator()(block b, storage& shared) const {
    if (b.rank() == first) shared.flag.store(0, 0, 1);
    if (b.rank() == second) shared.flag.store(0, 0, 1 + difference);
  }
};

struct never_written {
  static constexpr int threads = 32, line = __LINE__ + 9;
  struct storage {
    shared_tile<float, 4, 9> values;
  };
  int columns;
  MEMTILE_KERNEL void operator()(block b, storage& shared, vector_view<float> out) const {
    for (int c = 0; c < columns; ++c)
      if (b.rank() < 4) shared.values.store(b.rank(), c, 1);
    b.sync();
    if (b.rank() < 4) out.store(b.rank(), shared.values.load(b.rank(), 8));
  }
};

// Goes around the tile.
struct past_the_storage {
  static constexpr int threads = 32;
  using storage = never_written::storage;
  int distance;
  MEMTILE_KERNEL void operator()(block b, storage& shared) const {
    memtile::hw::store_shared(shared.values.data + b.rank() + distance, 1.f, memtile::site::here());
  }
};

}  // namespace

TEMPLATE_TEST_CASE("threads that share a word but no byte do not race", "[sim]", memtile::uint8, memtile::int16, int) {
  memtile::sim::machine machine;
  auto out = machine.buffer<TestType>(64);
  CHECK(memtile::launch(machine, memtile::grid{2}, narrow_elements<TestType>{0}, out.view()).ok());
  CHECK(out.host()(9) == 10);
  CHECK(!memtile::launch(machine, memtile::grid{2}, narrow_elements<TestType>{1}, out.view()).ok());
  CHECK(verdict::faults_of(machine, fault_kind::race) >= 1);
}

TEST_CASE("a word read is ordered after all of its bytes, or races with one", "[sim]") {
  memtile::sim::machine machine;
  auto out = machine.buffer<memtile::uint8>(64);
  CHECK(memtile::launch(machine, memtile::grid{2}, words_of_bytes{true}, out.view()).ok());
  CHECK(out.host()(9) == 9);
  CHECK(!memtile::launch(machine, memtile::grid{2}, words_of_bytes{false}, out.view()).ok());
}

TEST_CASE("two threads that store to one word race, in one warp and in two", "[sim]") {
  memtile::sim::machine machine;
  CHECK(memtile::launch(machine, memtile::grid{1}, same_word{4, 4, 1}).ok());
  for (int second : {5, 45}) {
    CAPTURE(second);
    CHECK(!memtile::launch(machine, memtile::grid{1}, same_word{4, second, 1}).ok());
    const std::string text = verdict::only_fault(machine, fault_kind::race);
    CAPTURE(text);
    CHECK(says(text, "store of tile[0][0] and store by thread 4"));
  }
}

// V19
TEST_CASE("two threads that store one value are a remark and no fault", "[sim]") {
  memtile::sim::machine machine;
  CHECK(memtile::launch(machine, memtile::grid{1}, same_word{4, 45, 0}).ok());
  REQUIRE(machine.last_report()->remarks().size() == 1);
  CHECK(machine.last_report()->remarks()[0].kind == fault_kind::same_value_stored);
  CHECK(says(machine.last_report()->to_string(), "remark: same value stored"));
  CHECK(memtile::launch(machine, memtile::grid{1}, same_word{4, 4, 0}).ok());
  CHECK(machine.last_report()->remarks().empty());
}

TEST_CASE("a read of what nobody has written is named, in every block anew", "[sim]") {
  memtile::sim::machine machine;
  auto out = machine.buffer<float>(4);
  CHECK(memtile::launch(machine, memtile::grid{1}, never_written{9}, out.view()).ok());
  CHECK(!memtile::launch(machine, memtile::grid{2}, never_written{8}, out.view()).ok());
  const std::string text = verdict::only_fault(machine, fault_kind::uninitialised_read);
  CAPTURE(text);
  CHECK(says(text, "thread 0 and 3 more, and in other blocks, words.cu:" + std::to_string(never_written::line)));
  CHECK(says(text, "load of tile[0][8]"));
  CHECK(out.host()(0) != out.host()(0));  // NaN
}

TEST_CASE("an access past the storage of the kernel is named", "[sim]") {
  memtile::sim::machine machine;
  CHECK(memtile::launch(machine, memtile::grid{1}, past_the_storage{4}).ok());
  CHECK(!memtile::launch(machine, memtile::grid{1}, past_the_storage{8}).ok());
  const std::string text = verdict::only_fault(machine, fault_kind::out_of_bounds);
  CAPTURE(text);
  CHECK(says(text, "thread 28 and 3 more"));
  CHECK(says(text, "the 4 bytes at 144 are outside the 144 bytes"));
  CHECK(!memtile::launch(machine, memtile::grid{1}, past_the_storage{-1}).ok());
  CHECK(says(verdict::only_fault(machine, fault_kind::out_of_bounds), "thread 0, words.cu"));
}

TEST_CASE("without check_races nothing of this is looked for", "[sim]") {
  memtile::sim::machine machine;
  machine.check_races = false;
  CHECK(memtile::launch(machine, memtile::grid{1}, same_word{4, 5, 1}).ok());
}
