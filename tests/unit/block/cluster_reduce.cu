// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions over the threads of a cluster: every size of cluster and block, in order, and one after the other.
#include <memtile/block/cluster_reduce.cuh>
#include <support/unit.hpp>

using namespace memtile;

namespace {

// x -> a x + b over integers modulo 2^32: associative, but not commutative.
struct affine {
  uint32 a, b;
};
struct then {
  MEMTILE_FUNCTION affine operator()(const affine& first, const affine& second) const {
    return {second.a * first.a, second.a * first.b + second.b};
  }
};
MEMTILE_FUNCTION affine affine_of(int i) { return {uint32(2 * i + 3), uint32(i + 1)}; }

struct reduce_in_clusters {
  int threads, cluster;
  struct storage {
    cluster_reduce<int, 256>::storage sums;
    cluster_reduce<affine, 256>::storage chain;
  };
  MEMTILE_KERNEL void operator()(block b, storage& shared, vector_view<int> sums, vector_view<int> rounds,
                                 vector_view<uint32> chain) const {
    const int mine = b.cluster().rank() * b.size() + b.rank();  // of the thread in its cluster
    const int64 i = int64(b.grid_column()) * b.size() + b.rank();
    cluster_reduce<int, 256> sum{b, shared.sums};
    sums.store(i, sum.all_threads(mine, plus{}));
    int last = 0;
    for (int round = 0; round < 5; ++round) last = sum.all_threads(round + 1 + last % 3, plus{});
    rounds.store(i, last);
    const affine all = cluster_reduce<affine, 256>{b, shared.chain}.all_threads(affine_of(mine), then{});
    chain.store(i, all.a + 7 * all.b);
    b.cluster().sync();
  }
};

template <class Machine>
void check_clusters(Machine& machine, int cluster, int threads) {
  const int all = cluster * threads, size = 2 * all;
  auto sums = machine.template buffer<int>(size), rounds = machine.template buffer<int>(size);
  auto chain = machine.template buffer<uint32>(size);
  INFO(machine.name() << ", " << threads << " threads, clusters of " << cluster);
  REQUIRE(launch(machine, 2 * cluster, reduce_in_clusters{threads, cluster}, sums.view(), rounds.view(), chain.view()));
  unit::check_clean_without_conflicts(machine);
  int last = 0;
  for (int round = 0; round < 5; ++round) last = all * (round + 1 + last % 3);
  affine expected = affine_of(0);
  for (int i = 1; i < all; ++i) expected = then{}(expected, affine_of(i));
  CHECK(unit::differences(sums.host(), size, [=](int) { return all * (all - 1) / 2; }) == 0);
  CHECK(unit::differences(rounds.host(), size, [=](int) { return last; }) == 0);
  CHECK(unit::differences(chain.host(), size, [=](int) { return expected.a + 7 * expected.b; }) == 0);
  CHECK((sums.untouched() && rounds.untouched() && chain.untouched()));
}

}  // namespace

TEST_CASE("a cluster of any size reduces the values of all its threads, in order and time after time", "[block]") {
  for (auto& machine : testing::machines())
    for (int cluster : {1, 2, 3, 5, 8}) {
      if (cluster > 1 && !unit::has_clusters(machine)) continue;
      for (int threads : {1, 31, 32, 33, 100, 256}) check_clusters(machine, cluster, threads);
    }
}
