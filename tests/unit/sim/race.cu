// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Races in shared memory. Each faulty kernel has a twin that differs in one barrier and must be found clean.
#include "verdict.hpp"

namespace {

namespace hw = memtile::hw;
using memtile::block;
using memtile::matrix_view;
using memtile::shared_tile;
using memtile::site;
using memtile::vector_view;
using verdict::fault_kind;
using verdict::says;

// SIM-01
template <bool BarrierAfterUse>
struct tiled_multiply {
  static constexpr int side = 3, threads = side * side;
  struct storage {
    shared_tile<float, side, side> a, b;
  };
  MEMTILE_KERNEL void operator()(block block, storage& shared, matrix_view<const float> a, matrix_view<const float> b,
                                 matrix_view<float> c) const {
    const int r = block.rank() / side, column = block.rank() % side, row0 = block.grid_row() * side,
              column0 = block.grid_column() * side;
    float sum = 0;
    for (int k0 = 0; k0 < a.cols; k0 += side) {
      shared.a.store(r, column, a.load_inside(row0 + r, k0 + column), site{"stores.cu", 12});
      shared.b.store(r, column, b.load_inside(k0 + r, column0 + column));
      block.sync();
      for (int k = 0; k < side; ++k) sum += shared.a.load(r, k, site{"loads.cu", 34}) * shared.b.load(k, column);
      if (BarrierAfterUse) block.sync();
    }
    c.store_inside(row0 + r, column0 + column, sum);
  }
};

template <bool BarrierAfterUse>
bool multiplies_rightly(memtile::sim::machine& machine, int size) {
  auto a = machine.buffer<float>(size, size, [](int r, int c) { return float((r + 2 * c) % 7 - 3); });
  auto b = machine.buffer<float>(size, size, [](int r, int c) { return float((3 * r + c) % 5 - 2); });
  auto c = machine.buffer<float>(size, size);
  return memtile::launch(machine, memtile::grid_for(size, size, 3, 3), tiled_multiply<BarrierAfterUse>{}, a.view(),
                         b.view(), c.view())
      .ok();
}

// SIM-11
struct reversed_copy {
  static constexpr int threads = 64;
  struct storage {
    shared_tile<float, 1, 48> values;
  };
  int barriers;
  MEMTILE_KERNEL void operator()(block b, storage& shared, vector_view<float> out) const {
    const int t = b.rank();
    if (t < 48) shared.values.store(0, t, float(t));
    if (barriers > 0) b.sync();
    if (t < 48) out.store(t, shared.values.load(0, 47 - t));
  }
};

// SIM-12
struct counter {
  static constexpr int threads = 256;
  struct storage {
    shared_tile<int, 1, 2> count;
  };
  int reader;
  bool barrier;
  MEMTILE_KERNEL void operator()(block b, storage& shared, vector_view<int> out) const {
    if (b.rank() == 0) shared.count.store(0, 0, 0);
    b.sync();
    shared.count.atomic_add(0, 0, 1);
    if (barrier) b.sync();
    if (b.rank() == reader) out.store(0, shared.count.load(0, 0));
  }
};

// SIM-13
struct last_warp {
  static constexpr int threads = 64;
  struct storage {
    shared_tile<float, 1, 64> values;
  };
  bool warp_barriers;
  MEMTILE_KERNEL void operator()(block b, storage& shared, vector_view<float> out) const {
    const int t = b.rank();
    shared.values.store(0, t, 1);
    b.sync();
    if (t >= 32) return;
    for (int step = 32; step > 0; step /= 2) {
      const float other = shared.values.load(0, (t + step) % 64);
      if (warp_barriers) b.warp().sync();
      shared.values.store(0, t, shared.values.load(0, t) + other);
      if (warp_barriers) b.warp().sync();
    }
    if (t == 0) out.store(0, shared.values.load(0, 0));
  }
};

// Lane 0 hands a value to its warp: with a barrier of the right lanes, of others, or with a mere exchange of registers.
struct hand_over {
  static constexpr int threads = 64;
  struct storage {
    shared_tile<int, 1, 1> value;
  };
  int how;  // 0: nothing, 1: barrier of the warp, 2: shuffle, 3: barrier without the reader
  int reader;
  MEMTILE_KERNEL void operator()(block b, storage& shared, vector_view<int> out) const {
    const int t = b.rank();
    if (t == 0) shared.value.store(0, 0, 7);
    if (how == 1) b.warp().sync();
    if (how == 2) b.warp().shuffle(t, 0);
    if (how == 3 && t < 16) hw::warp_barrier(0x0000ffffu, site::here());
    if (t == reader) out.store(0, shared.value.load(0, 0));
  }
};

// Knowledge travels: 0 to 1 by one barrier, 1 to 2 by another.
struct chain_of_lanes {
  static constexpr int threads = 32;
  struct storage {
    shared_tile<int, 1, 1> value;
  };
  memtile::uint32 second;
  MEMTILE_KERNEL void operator()(block b, storage& shared, vector_view<int> out) const {
    const int t = b.rank();
    if (t == 0) shared.value.store(0, 0, 7);
    if (t < 2) hw::warp_barrier(0x3u, site::here());
    if (t > 0 && (second >> t & 1) != 0) hw::warp_barrier(second, site::here());
    if (t == 2) out.store(0, shared.value.load(0, 0));
  }
};

// All lanes read or write a word; a part of the warp meets; one thread writes.
struct part_of_the_warp {
  static constexpr int threads = 64;
  struct storage {
    shared_tile<int, 1, 1> word;
  };
  memtile::uint32 meeting;  // lanes
  int writer;
  bool readers_in_both_warps;
  MEMTILE_KERNEL void operator()(block b, storage& shared, vector_view<int> out) const {
    if (b.rank() == 0) shared.word.store(0, 0, 1);
    b.sync();
    const bool reads = b.rank() < 32 || readers_in_both_warps;
    int v = reads ? shared.word.load(0, 0) : 0;
    for (int i = 0; i < 300; ++i) v += out.load(64 + b.rank());
    if (b.rank() < 32 && (meeting >> b.rank() & 1) != 0) hw::warp_barrier(meeting, site::here());
    if (b.rank() == writer) shared.word.store(0, 0, 2);
    out.store(b.rank(), v);
  }
};

// The last warp of a block is rarely whole.
struct incomplete_warp {
  int threads;
  struct storage {
    shared_tile<int, 1, 1> word;
  };
  bool barrier;
  MEMTILE_KERNEL void operator()(block b, storage& shared, vector_view<int> out) const {
    if (b.rank() == 0) shared.word.store(0, 0, 1);
    b.sync();
    const int v = shared.word.load(0, 0);
    if (barrier) b.warp().sync();
    if (b.rank() == 0) shared.word.store(0, 0, 2);
    out.store(b.rank(), v);
  }
};

// Several threads store one value, and then one of them another.
struct cleared_by_all {
  static constexpr int threads = 64;
  struct storage {
    shared_tile<int, 1, 1> total;
  };
  int last;
  bool barrier;
  MEMTILE_KERNEL void operator()(block b, storage& shared, vector_view<int> out) const {
    shared.total.store(0, 0, 0);
    if (barrier) b.sync();
    if (b.rank() == last) shared.total.store(0, 0, 7);
    b.sync();
    out.store(b.rank(), shared.total.load(0, 0));
  }
};

// A plain read, ordered before the updates of its own warp, not before those of the other.
struct read_before_updates {
  static constexpr int threads = 64;
  struct storage {
    shared_tile<int, 1, 1> word;
  };
  bool barrier;
  MEMTILE_KERNEL void operator()(block b, storage& shared, vector_view<int> out) const {
    if (b.rank() == 0) shared.word.store(0, 0, 0);
    b.sync();
    if (b.rank() == 0) out.store(0, shared.word.load(0, 0));
    b.warp().sync();
    if (barrier) b.sync();
    shared.word.atomic_add(0, 0, 1);
  }
};

// An exchange is a first write.
struct exchange_first {
  static constexpr int threads = 32;
  struct storage {
    shared_tile<int, 1, 1> lock;
  };
  MEMTILE_KERNEL void operator()(block b, storage& shared, vector_view<int> out) const {
    if (b.rank() == 0) hw::atomic_exchange(hw::memory::shared, shared.lock.address(0, 0), 5, site::here());
    b.sync();
    shared.lock.atomic_add(0, 0, 1);
    b.sync();
    out.store(b.rank(), shared.lock.load(0, 0));
  }
};

}  // namespace

TEST_CASE("a tile loop without its second barrier is a race, also where the values are right", "[sim][SIM-01]") {
  memtile::sim::machine machine;
  CHECK(!multiplies_rightly<false>(machine, 8));
  REQUIRE(verdict::faults_of(machine, fault_kind::race) == 2);  // one for each tile
  CHECK(machine.last_report()->faults().size() == 2);
  const std::string text = machine.last_report()->faults()[0].text;
  CAPTURE(text);
  CHECK(says(text, "stores.cu:12"));
  CHECK(says(text, "loads.cu:34"));
  CHECK(says(text, "Put block.sync() between them"));
  CHECK(multiplies_rightly<true>(machine, 8));
  CHECK_THAT(*machine.last_report(), memtile::sim::IsClean());
  CHECK(multiplies_rightly<false>(machine, 3));  // one tile: nothing to overwrite
}

TEST_CASE("a barrier is missed when the active threads are no multiple of a warp", "[sim][SIM-11]") {
  memtile::sim::machine machine;
  auto out = machine.buffer<float>(48);
  CHECK(!memtile::launch(machine, memtile::grid{1}, reversed_copy{0}, out.view()).ok());
  CHECK(verdict::faults_of(machine, fault_kind::race) == 1);
  CHECK(memtile::launch(machine, memtile::grid{1}, reversed_copy{1}, out.view()).ok());
  CHECK(out.host()(0) == 47);
}

TEST_CASE("atomic operations do not race with each other, but with a plain read", "[sim][SIM-12]") {
  memtile::sim::machine machine;
  auto out = machine.buffer<int>(1);
  CHECK(memtile::launch(machine, memtile::grid{1}, counter{-1, false}, out.view()).ok());
  for (int reader : {0, 100, 255}) {
    CAPTURE(reader);
    CHECK(!memtile::launch(machine, memtile::grid{1}, counter{reader, false}, out.view()).ok());
    const std::string text = verdict::only_fault(machine, fault_kind::race);
    CAPTURE(text);
    CHECK(says(text, "only one of them is atomic"));
    CHECK(memtile::launch(machine, memtile::grid{1}, counter{reader, true}, out.view()).ok());
    CHECK(out.host()(0) == 256);
  }
}

TEST_CASE("the last warp of a reduction needs barriers too", "[sim][SIM-13]") {
  memtile::sim::machine machine;
  auto out = machine.buffer<float>(1);
  CHECK(!memtile::launch(machine, memtile::grid{1}, last_warp{false}, out.view()).ok());
  CHECK(verdict::faults_of(machine, fault_kind::race) >= 1);
  CHECK(memtile::launch(machine, memtile::grid{1}, last_warp{true}, out.view()).ok());
  CHECK(out.host()(0) == 64);
}

TEST_CASE("a warp barrier orders its lanes, a shuffle does not", "[sim]") {
  memtile::sim::machine machine;
  auto out = machine.buffer<int>(1);
  const auto clean = [&](int how, int reader) {
    return memtile::launch(machine, memtile::grid{1}, hand_over{how, reader}, out.view()).ok();
  };
  CHECK(clean(0, 0));
  CHECK(!clean(0, 5));
  CHECK(clean(1, 5));
  CHECK(!clean(1, 37));  // another warp
  CHECK(!clean(2, 5));
  CHECK(clean(3, 5));
  CHECK(!clean(3, 20));
}

TEST_CASE("what one lane knows it hands on", "[sim]") {
  memtile::sim::machine machine;
  auto out = machine.buffer<int>(1);
  CHECK(memtile::launch(machine, memtile::grid{1}, chain_of_lanes{0x6u}, out.view()).ok());
  CHECK(!memtile::launch(machine, memtile::grid{1}, chain_of_lanes{0xcu}, out.view()).ok());
}

TEST_CASE("every reader counts, also where a part of the warp has met", "[sim]") {
  memtile::sim::machine machine;
  auto out = machine.buffer<int>(128, [](int) { return 0; });
  const auto clean = [&](part_of_the_warp kernel) {
    return memtile::launch(machine, memtile::grid{1}, kernel, out.view()).ok();
  };
  for (int writer : {0, 1, 17, 31}) {
    CAPTURE(writer);
    CHECK(!clean({0, writer, false}));
    CHECK(!clean({0x0000ffffu, writer, false}));
    CHECK(!clean({0xffff0000u, writer, false}));
    CHECK(clean({0xffffffffu, writer, false}));
    CHECK(!clean({0xffffffffu, writer, true}));
  }
  CHECK(!clean({0xffffffffu, 40, false}));  // the other warp
}

TEST_CASE("a value that all have stored hides no other store", "[sim]") {
  memtile::sim::machine machine;
  auto out = machine.buffer<int>(64);
  for (int last : {0, 5, 31, 32, 63}) {
    CAPTURE(last);
    CHECK(!memtile::launch(machine, memtile::grid{1}, cleared_by_all{last, false}, out.view()).ok());
    CHECK(verdict::faults_of(machine, fault_kind::race) >= 1);
    CHECK(memtile::launch(machine, memtile::grid{1}, cleared_by_all{last, true}, out.view()).ok());
    CHECK(out.host()(33) == 7);
  }
}

TEST_CASE("updates of one warp do not hide a plain read from those of another", "[sim][SIM-12]") {
  memtile::sim::machine machine;
  auto out = machine.buffer<int>(1);
  for (auto order : {memtile::sim::order::forward, memtile::sim::order::reverse}) {
    machine.order = order;
    CHECK(!memtile::launch(machine, memtile::grid{1}, read_before_updates{false}, out.view()).ok());
    CHECK(memtile::launch(machine, memtile::grid{1}, read_before_updates{true}, out.view()).ok());
  }
}

TEST_CASE("an exchange initialises", "[sim][SIM-05]") {
  memtile::sim::machine machine;
  auto out = machine.buffer<int>(32);
  CHECK(memtile::launch(machine, memtile::grid{1}, exchange_first{}, out.view()).ok());
  CHECK(out.host()(3) == 37);
}

TEST_CASE("a barrier of an incomplete warp orders all lanes that there are", "[sim]") {
  memtile::sim::machine machine;
  auto out = machine.buffer<int>(32);
  for (int threads : {2, 3, 17, 20, 31, 32}) {
    CAPTURE(threads);
    CHECK(memtile::launch(machine, memtile::grid{1}, incomplete_warp{threads, true}, out.view()).ok());
    CHECK(!memtile::launch(machine, memtile::grid{1}, incomplete_warp{threads, false}, out.view()).ok());
  }
}
