// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What may go wrong between the blocks of a cluster. Each faulty kernel has a twin that must be found clean.
#include "verdict.hpp"

namespace {

namespace hw = memtile::hw;
using memtile::block;
using memtile::grid;
using memtile::site;
using memtile::uint32;
using memtile::vector_view;
using memtile::sim::order;
using verdict::fault_kind;
using verdict::says;

enum class fault {
  none,
  no_barrier_at_begin,
  no_barrier_before_load,   // of what the owner stores
  block_barrier_only,       // there
  never_stored,             // before it is loaded
  no_barrier_before_store,  // by the owner, of what another block loads
  no_barrier_at_end,
  store_beside_owner,   // another block stores what the owner stores
  store_beside_other,   // two other blocks store in one place
  late_reader,          // of what another block then stores, after all blocks have read it in an earlier phase
  no_barrier_in_block,  // between two threads of one block, in the memory of another one
};
struct with_neighbour {
  static constexpr int threads = 64, cluster = 4;
  struct storage {
    int value[64], given, common, at_last;
  };
  fault wrong;
  MEMTILE_KERNEL void operator()(block b, storage& shared, vector_view<int> out) const {
    const memtile::cluster c = b.cluster();
    const int t = b.rank(), rank = c.rank(), next = (rank + 1) % 4;
    const site s = site::here();
    if (wrong != fault::no_barrier_at_begin) c.sync();
    if (t == 0 && rank == 2) c.store(shared.given, 3, 5);
    if (t == 1 && rank == 1 && wrong == fault::store_beside_other) c.store(shared.given, 3, 6);
    if (t == 2 && rank == 3 && wrong == fault::store_beside_owner) hw::store_shared(&shared.given, 7, s);
    if (wrong != fault::never_stored || rank != 1 || t != 40) hw::store_shared(&shared.value[t], t, s);
    if (t == 0) hw::store_shared(&shared.common, 1, s);
    if (t == 0) hw::store_shared(&shared.at_last, 1, s);
    if (wrong == fault::block_barrier_only) b.sync();
    else if (wrong != fault::no_barrier_before_load) c.sync();
    int sum = c.load(shared.value[t], next);
    sum += c.load(shared.common, 0);
    if (wrong != fault::no_barrier_before_store) c.sync();
    hw::store_shared(&shared.value[t], t + 1, s);
    if (wrong == fault::late_reader) {
      if (rank == 0 && t == 5) sum += c.load(shared.common, 0);
      if (rank == 1 && t == 6) c.store(shared.common, 0, 2);
    }
    if (rank == 3 && t == 33) c.store(shared.at_last, 1, 8);
    if (wrong != fault::no_barrier_in_block) b.sync();
    if (rank == 3 && t == 3) sum += c.load(shared.at_last, 1);
    if (wrong != fault::no_barrier_at_end) c.sync();
    out.store(b.grid_column() * threads + t, sum);
  }
};

bool clean(memtile::sim::machine& machine, fault wrong) {
  auto out = machine.buffer<int>(8 * 64);
  return memtile::launch(machine, 8, with_neighbour{wrong}, out.view()).ok();
}

struct reaches_outside {
  static constexpr int threads = 32, cluster = 2;
  struct storage {
    int value;
  };
  int rank;
  bool own_variable;
  MEMTILE_KERNEL void operator()(block b, storage& shared, vector_view<int> out) const {
    int local = 0;
    if (b.rank() == 0) hw::store_shared(&shared.value, 1, site::here());
    b.cluster().sync();
    out.store(b.grid_column() * 32 + b.rank(), b.cluster().load(own_variable ? local : shared.value, rank));
    b.cluster().sync();
  }
};

// Some threads or blocks do not come to the cluster's barrier.
struct diverges {
  static constexpr int threads = 64, cluster = 2;
  enum what { nobody, threads_return, block_returns, threads_elsewhere, block_elsewhere, at_block_barrier } who;
  MEMTILE_KERNEL void operator()(block b) const {
    const bool is_second = b.cluster().rank() == 1, is_upper = b.rank() >= 40;
    if (who == threads_return && is_second && is_upper) return;
    if (who == block_returns && is_second) return;
    if ((who == threads_elsewhere && is_upper) || (who == block_elsewhere && is_second)) b.cluster().sync();
    else if (who == at_block_barrier && is_second && is_upper) b.sync();
    else b.cluster().sync();
  }
};

// What one block of a cluster stores in global memory and another one, of this cluster or the next, loads.
struct through_global_memory {
  static constexpr int threads = 32, cluster = 4;
  bool barrier;
  int distance;  // in blocks
  MEMTILE_KERNEL void operator()(block b, vector_view<int> values, vector_view<int> out) const {
    const int i = b.grid_column();
    if (b.rank() == 3) values.store(i, i);
    if (barrier) b.cluster().sync();
    const int other = distance < 4 ? i / 4 * 4 + (i + distance) % 4 : (i + distance) % b.grid_columns();
    if (b.rank() == 4) out.store(i, values.load(other));
  }
};

// All blocks load one word; in the next phase one of them does once more, and another one stores there.
struct late_writer {
  static constexpr int threads = 32, cluster = 3;
  bool once_more;
  MEMTILE_KERNEL void operator()(block b, vector_view<int> word, vector_view<int> out) const {
    const int rank = b.cluster().rank();
    int sum = word.load(0);
    b.cluster().sync();
    if (rank == 0 && once_more) sum += word.load(0);
    if (rank == 2 && b.rank() == 7) word.store(0, 1);
    out.store(32 * rank + b.rank(), sum);
  }
};

// Every block stores a partial sum; the first ones of the clusters find out which cluster is last, and all of its blocks
// read what all have stored.
struct last_cluster {
  static constexpr int threads = 64, cluster = 2;
  struct storage {
    int is_last;
  };
  bool barrier_before, barrier_after;
  MEMTILE_KERNEL void operator()(block b, storage& shared, vector_view<int> partials, vector_view<uint32> ticket,
                                 vector_view<int> sums) const {
    const memtile::cluster c = b.cluster();
    c.sync();
    if (b.rank() == 5) partials.store(b.grid_column(), b.grid_column());
    if (barrier_before) c.sync();
    bool is_last = !barrier_after && b.grid_column() + 1 == b.grid_columns();
    if (c.rank() == 0) {
      is_last = memtile::block_is_last(b, ticket.address(0), b.grid_columns() / 2);
      if (b.rank() == 0) {
        c.store(shared.is_last, 1, is_last);
        hw::store_shared(&shared.is_last, int(is_last), site::here());
      }
    }
    if (barrier_after) {
      c.sync();
      is_last = hw::load_shared(&shared.is_last, site::here()) != 0;
    }
    int sum = 0;
    for (int i = 0; i < b.grid_columns() && is_last; ++i) sum += partials.load(i);
    if (is_last && b.rank() == 9) sums.atomic_add(c.rank(), sum);
    c.sync();
  }
};

struct loads_of_next {
  static constexpr int threads = 32, cluster = 2;
  struct storage {
    int value[32 * 32];
  };
  int step;
  MEMTILE_KERNEL void operator()(block b, storage& shared, vector_view<int> out) const {
    for (int i = b.rank(); i < 32 * 32; i += 32) hw::store_shared(&shared.value[i], i, site::here());
    b.cluster().sync();
    out.store(b.rank() + 32 * b.grid_column(), b.cluster().load(shared.value[step * b.rank()], 1 - b.cluster().rank()));
    b.cluster().sync();
  }
};

// A kernel that knows clusters, launched without: its barrier is the block's.
struct alone {
  static constexpr int threads = 64;
  struct storage {
    int value[64];
  };
  bool barrier;
  MEMTILE_KERNEL void operator()(block b, storage& shared, vector_view<int> out) const {
    hw::store_shared(&shared.value[b.rank()], b.grid_column(), site::here());
    out.store(64 * b.grid_column() + b.rank(), 1);
    if (barrier) b.cluster().sync();
    const int other = 63 - b.rank();
    out.store(64 * b.grid_column() + other, b.cluster().load(shared.value[other], 0));
  }
};

}  // namespace

TEST_CASE("blocks of a cluster that wait for each other are clean in every order", "[sim]") {
  memtile::sim::machine machine;
  for (int jobs : {1, 3})
    for (auto o : {order::forward, order::reverse, order::random}) {
      machine.jobs = jobs;
      machine.order = o;
      CHECK(clean(machine, fault::none));
    }
}

TEST_CASE("a barrier of the cluster that is missing is found, in every order", "[sim]") {
  memtile::sim::machine machine;
  const auto check = [&](fault wrong, fault_kind kind, const char* words) {
    std::string before;
    for (auto o : {order::forward, order::reverse, order::random}) {
      machine.order = o;
      machine.jobs = 1;
      CHECK(!clean(machine, wrong));
      const std::string report = machine.last_report()->to_string();
      CAPTURE(int(wrong), int(o), report);
      for (const auto& f : machine.last_report()->faults())  // what is loaded too early may not have been stored
        CHECK((f.kind == kind || (f.kind == fault_kind::uninitialised_read && kind == fault_kind::race)));
      CHECK(verdict::faults_of(machine, kind) > 0);
      CHECK(says(report, words));
      machine.jobs = 3;
      CHECK(!clean(machine, wrong));
      CHECK(machine.last_report()->to_string() == report);
    }
  };
  const auto race = fault_kind::race, not_running = fault_kind::block_not_running;
  check(fault::no_barrier_before_load, race, "Put cluster.sync() between them.");
  check(fault::block_barrier_only, race, "Put cluster.sync() between them.");
  check(fault::no_barrier_before_store, race, "Put cluster.sync() between them.");
  check(fault::store_beside_owner, race, "Put cluster.sync() between them.");
  check(fault::store_beside_other, race, "Put cluster.sync() between them.");
  check(fault::late_reader, race, "Put cluster.sync() between them.");
  check(fault::no_barrier_in_block, race, "Put block.sync() between them.");
  check(fault::no_barrier_at_begin, not_running, ", which may not have begun yet");
  check(fault::no_barrier_at_end, not_running, ", which may have returned before");
  check(fault::never_stored, fault_kind::uninitialised_read, ", which no thread of the block has written");
}

TEST_CASE("a fault between blocks of a cluster names both of them", "[sim]") {
  memtile::sim::machine machine;
  CHECK(!clean(machine, fault::store_beside_other));
  const std::string text = verdict::only_fault(machine, fault_kind::race);
  CAPTURE(text);
  CHECK(says(text, "block (0, 2), thread 0"));
  CHECK(says(text, "thread 1 of block (0, 1)"));
  CHECK(says(text, "of block (0, 3)"));
  CHECK(!clean(machine, fault::no_barrier_at_end));
  CHECK(says(machine.last_report()->to_string(), "into the shared memory of block (0, 1), which may have returned"));
}

TEST_CASE("a place that the cluster does not have is out of bounds", "[sim]") {
  memtile::sim::machine machine;
  auto out = machine.buffer<int>(64);
  const auto run = [&](int rank, bool own) {
    return memtile::launch(machine, 2, reaches_outside{rank, own}, out.view()).ok();
  };
  CHECK(run(0, false));
  CHECK(run(1, false));
  for (int rank : {-1, 2}) {
    CHECK(!run(rank, false));
    const std::string text = verdict::only_fault(machine, fault_kind::out_of_bounds);
    CAPTURE(text);
    CHECK(says(text, "block " + std::to_string(rank) + " of a cluster of 2 does not exist"));
  }
  CHECK(!run(1, true));
  CHECK(says(verdict::only_fault(machine, fault_kind::out_of_bounds), "are outside the 4 bytes of shared memory"));
}

TEST_CASE("a barrier that not all of the cluster reach is explained", "[sim]") {
  memtile::sim::machine machine;
  const auto text = [&](diverges::what who) {
    const bool good = memtile::launch(machine, 4, diverges{who}).ok();
    return good ? std::string() : verdict::only_fault(machine, fault_kind::divergent_barrier);
  };
  CHECK(text(diverges::nobody).empty());
  CHECK(says(text(diverges::threads_return), "block (0, 0): the cluster barrier"));
  CHECK(says(text(diverges::threads_return), "is reached by this block, but block (0, 1) returned"));
  CHECK(says(text(diverges::block_returns), "is reached by this block, but block (0, 1) returned"));
  CHECK(says(text(diverges::threads_elsewhere), "is reached by threads 0 .. 39 only"));
  CHECK(says(text(diverges::threads_elsewhere), "threads 40 .. 63 stopped at the cluster barrier"));
  CHECK(says(text(diverges::block_elsewhere), "but block (0, 1) stopped at the cluster barrier"));
  CHECK(says(text(diverges::at_block_barrier), "block (0, 1): the block barrier"));
  CHECK(says(text(diverges::at_block_barrier), "threads 0 .. 39 stopped at the cluster barrier"));
}

TEST_CASE("the barrier of a cluster orders global memory for its blocks and no others", "[sim]") {
  memtile::sim::machine machine;
  auto values = machine.buffer<int>(12), out = machine.buffer<int>(12);
  for (auto o : {order::forward, order::reverse, order::random}) {
    machine.order = o;
    const auto run = [&](bool barrier, int distance) {
      return memtile::launch(machine, 12, through_global_memory{barrier, distance}, values.view(), out.view()).ok();
    };
    CHECK(run(true, 1));
    CHECK(run(true, 3));
    CHECK(!run(false, 1));
    CHECK(says(verdict::only_fault(machine, fault_kind::race), "Put cluster.sync() between them"));
    CHECK(!run(true, 4));
    CHECK(says(verdict::only_fault(machine, fault_kind::race), "Blocks of a launch run in any order"));
  }
}

TEST_CASE("a reader is remembered after a phase in which several blocks have read", "[sim]") {
  memtile::sim::machine machine;
  auto word = machine.buffer<int>(1, [](int) { return 0; });
  auto out = machine.buffer<int>(96);
  for (auto o : {order::forward, order::reverse, order::random}) {
    machine.order = o;
    CHECK(memtile::launch(machine, 3, late_writer{false}, word.view(), out.view()).ok());
    CHECK(!memtile::launch(machine, 3, late_writer{true}, word.view(), out.view()).ok());
    CHECK(says(verdict::only_fault(machine, fault_kind::race), "Put cluster.sync() between them"));
  }
}

TEST_CASE("a cluster gives away and acquires what its barriers have gathered", "[sim]") {
  memtile::sim::machine machine;
  for (auto o : {order::forward, order::reverse, order::random}) {
    machine.order = o;
    auto partials = machine.buffer<int>(10);
    auto ticket = machine.buffer<uint32>(1, [](int) { return uint32(0); });
    auto sums = machine.buffer<int>(2, [](int) { return 0; });
    const auto run = [&](bool before, bool after) {
      return memtile::launch(machine, 10, last_cluster{before, after}, partials.view(), ticket.view(), sums.view())
          .ok();
    };
    CHECK(run(true, true));
    CHECK((sums.host()(0) == 45 && sums.host()(1) == 45 && ticket.host()(0) == 0));
    CHECK(!run(false, true));
    CHECK(!run(true, false));
  }
}

TEST_CASE("what other blocks of the cluster have is counted as shared memory", "[sim]") {
  memtile::sim::machine machine;
  auto out = machine.buffer<int>(64);
  for (int step : {1, 2, 32}) {
    machine.clear_report();
    REQUIRE(memtile::launch(machine, 2, loads_of_next{step}, out.view()));
    CHECK(machine.report().bank_conflicts() == 2 * (step - 1));
    CHECK(out.host()(63) == 31 * step);
  }
}

TEST_CASE("the barrier of a cluster of one block orders as the block's does, and nothing else", "[sim]") {
  memtile::sim::machine machine;
  machine.architecture = 80;
  auto out = machine.buffer<int>(9 * 64);
  for (int jobs : {1, 3}) {
    machine.jobs = jobs;
    CHECK(memtile::launch(machine, 9, alone{true}, out.view()).ok());
    CHECK((out.host()(0) == 0 && out.host()(9 * 64 - 1) == 8));
    CHECK(!memtile::launch(machine, 9, alone{false}, out.view()).ok());
    CHECK(verdict::faults_of(machine, fault_kind::race) == 2);
  }
}

TEST_CASE("there are no clusters before compute capability 9.0", "[sim]") {
  memtile::sim::machine machine;
  machine.architecture = 89;
  auto out = machine.buffer<int>(64);
  const auto refused = memtile::launch(machine, 2, loads_of_next{1}, out.view());
  CHECK(refused.code() == memtile::status::invalid_configuration);
  CHECK(says(refused.message(), "a cluster of 2 blocks needs compute capability 9.0 or newer"));
  CHECK(says(refused.message(), "not 8.9"));
  machine.architecture = 90;
  CHECK(memtile::launch(machine, 2, loads_of_next{1}, out.view()).ok());
}
