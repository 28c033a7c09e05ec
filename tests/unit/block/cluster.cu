// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks of a cluster reach each other's shared memory, in clusters of every size; what cannot run is refused in words.
#include <support/unit.hpp>

#include <string>

using namespace memtile;

namespace {

// Each thread reads what its namesake in the next block stored, and gives the double back to the block before.
template <class T>
struct exchange {
  int threads, cluster;
  struct storage {
    T mine[256], from_next[256];
  };
  MEMTILE_KERNEL void operator()(block b, storage& shared, vector_view<T> read, vector_view<T> given,
                                 vector_view<int> ranks) const {
    const memtile::cluster c = b.cluster();
    const int next = (c.rank() + 1) % c.size(), before = (c.rank() + c.size() - 1) % c.size();
    const int64 i = (int64(b.grid_row()) * b.grid_columns() + b.grid_column()) * b.size() + b.rank();
    const site s = site::here();
    hw::store_shared(&shared.mine[b.rank()], T(i), s);
    c.sync();
    const T theirs = c.load(shared.mine[b.rank()], next);
    c.store(shared.from_next[b.rank()], before, theirs + theirs);
    c.sync();
    read.store(i, theirs);
    given.store(i, hw::load_shared(&shared.from_next[b.rank()], s));
    ranks.store(i, c.rank() + 10 * c.size());
  }
};

template <class T, class Machine>
void check_exchange(Machine& machine, int cluster, int threads) {
  const int rows = 2, columns = 3 * cluster, all = rows * columns * threads;
  auto read = machine.template buffer<T>(all), given = machine.template buffer<T>(all);
  auto ranks = machine.template buffer<int>(all);
  INFO(machine.name() << ", " << threads << " threads, clusters of " << cluster);
  REQUIRE(launch(machine, grid{rows, columns}, exchange<T>{threads, cluster}, read.view(), given.view(), ranks.view()));
  unit::check_clean_without_conflicts(machine);
  const auto neighbour = [=](int i, int distance) {  // the same thread in another block of the cluster
    const int place = i / threads, rank = place % cluster;
    return (place - rank + (rank + distance + cluster) % cluster) * threads + i % threads;
  };
  CHECK(unit::differences(read.host(), all, [&](int i) { return T(neighbour(i, 1)); }) == 0);
  CHECK(unit::differences(given.host(), all, [&](int i) { return T(2 * neighbour(neighbour(i, 1), 1)); }) == 0);
  CHECK(unit::differences(ranks.host(), all, [&](int i) { return i / threads % cluster + 10 * cluster; }) == 0);
}

// A static size, 16 bytes in one access, and global memory that the cluster's barrier orders.
struct pass_around {
  static constexpr int threads = 64, cluster = 4;
  struct storage {
    vec<int, 4> values[64];
  };
  MEMTILE_KERNEL void operator()(block b, storage& shared, vector_view<int> global, vector_view<int> out) const {
    const memtile::cluster c = b.cluster();
    const int t = b.rank(), i = b.grid_column() * 64 + t;
    hw::store_shared(&shared.values[t], vec<int, 4>{{i, i + 1, i + 2, i + 3}}, site::here());
    global.store(i, i);
    c.sync();
    int sum = 0;
    for (int rank = 0; rank < 4; ++rank) {
      const vec<int, 4> theirs = c.load(shared.values[63 - t], rank);
      for (int k = 0; k < 4; ++k) sum += theirs[k];
    }
    sum += global.load((b.grid_column() / 4 * 4 + (c.rank() + 1) % 4) * 64 + t);
    c.sync();
    out.store(i, sum);
  }
};

// Without clusters a block is one of its own.
struct alone {
  static constexpr int threads = 33;
  struct storage {
    int value;
  };
  MEMTILE_KERNEL void operator()(block b, storage& shared, vector_view<int> out) const {
    const memtile::cluster c = b.cluster();
    if (b.rank() == 7) c.store(shared.value, c.rank(), 40 + b.grid_column());
    c.sync();
    out.store(b.grid_column() * 33 + b.rank(), 100 * c.size() + c.load(shared.value, 0));
    c.sync();
  }
};

bool says(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

struct fill {
  static constexpr int threads = 32;
  int cluster;
  MEMTILE_KERNEL void operator()(block b, vector_view<int> out) const { out.store(b.rank(), 1); }
};

template <class Machine>
std::string refusal(Machine& machine, const grid& blocks, int cluster) {
  auto out = machine.template buffer<int>(32, [](int i) { return i; });
  const status result = launch(machine, blocks, fill{cluster}, out.view());
  CHECK(result.code() == status::invalid_configuration);
  CHECK(unit::differences(out.host(), 32, [](int i) { return i; }) == 0);
  return result.message();
}

}  // namespace

TEST_CASE("blocks of a cluster exchange values through their shared memory", "[block]") {
  for (auto& machine : testing::machines())
    if (unit::has_clusters(machine))
      for (int cluster : {1, 2, 3, 5, 8})
        for (int threads : {1, 33, 256}) {
          check_exchange<int>(machine, cluster, threads);
          if (cluster == 3) check_exchange<double>(machine, cluster, threads);
        }
}

TEST_CASE("wide values and global memory pass between the blocks of a cluster", "[block]") {
  for (auto& machine : testing::machines()) {
    if (!unit::has_clusters(machine)) continue;
    auto global = machine.buffer<int>(12 * 64), out = machine.buffer<int>(12 * 64);
    REQUIRE(launch(machine, 12, pass_around{}, global.view(), out.view()));
    unit::check_clean(machine);
    const auto expected = [](int i) {
      const int first = i / 256 * 256, t = i % 64;
      int sum = first + (i % 256 / 64 + 1) % 4 * 64 + t;
      for (int rank = 0; rank < 4; ++rank) sum += 4 * (first + rank * 64 + 63 - t) + 6;
      return sum;
    };
    CHECK(unit::differences(out.host(), 12 * 64, expected) == 0);
  }
}

TEST_CASE("a kernel without a cluster runs in clusters of one block", "[block]") {
  for (auto& machine : testing::machines()) {
    auto out = machine.buffer<int>(5 * 33);
    REQUIRE(launch(machine, 5, alone{}, out.view()));
    unit::check_clean(machine);
    CHECK(unit::differences(out.host(), 5 * 33, [](int i) { return 140 + i / 33; }) == 0);
  }
}

TEST_CASE("a cluster that cannot run is refused with the numbers", "[block]") {
  for (auto& machine : testing::machines()) {
    CHECK(says(refusal(machine, 8, 0), "1 to 8 blocks, not 0"));
    CHECK(says(refusal(machine, 9, 9), "1 to 8 blocks, not 9"));
    CHECK(says(refusal(machine, grid(2, 6), 4), "6 columns"));
    CHECK(says(refusal(machine, grid(2, 6), 4), "the 4 blocks of a cluster"));
    if (!unit::has_clusters(machine)) CHECK(says(refusal(machine, 8, 2), "needs compute capability 9.0 or newer"));
    auto out = machine.buffer<int>(32);
    CHECK(launch(machine, 4, fill{1}, out.view()).ok());
    CHECK(unit::differences(out.host(), 32, [](int) { return 1; }) == 0);
  }
}
