// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The clock of the simulator against the plain thing: each thread has the set of all accesses that it knows of, barriers
// unite sets, and an atomic operation between two fences hands one on. Both must agree for every access and thread.
#include <memtile/sim/machine.hpp>
#include <support/catch.hpp>

#include <bitset>
#include <map>
#include <vector>

namespace {

using namespace memtile::sim::detail;
using memtile::uint32;
using memtile::uint64;

constexpr int threads = 64, most_accesses = 1024;
using known_accesses = std::bitset<most_accesses>;

struct thread_of_block {
  known_accesses known, at_fence, seen;  // seen: where its atomic operations were, and not yet acquired
  bool has_passed_fence = false;
};

class both_clocks {
 public:
  explicit both_clocks(int seed) : random_(uint64(seed)) { clock_.begin_scope(); }

  int below(int n) { return int(random_.below(uint64(n))); }
  void run_cluster(int blocks, int phases) {
    const std::vector<thread_of_block> knowing_nothing(threads);
    std::vector<std::vector<thread_of_block>> cluster(std::size_t(blocks), knowing_nothing);
    clock_.begin_block();
    for (int phase = 0; phase < phases; ++phase) {
      for (std::vector<thread_of_block>& block : cluster) {
        if (blocks > 1) clock_.next_block();
        run_block(block);
      }
      if (blocks == 1) return;
      known_accesses all;
      for (auto& block : cluster) all |= united(block, 0, threads, ~uint64(0));
      for (auto& block : cluster)
        for (thread_of_block& t : block) t = {all, {}, {}, false};
      clock_.cluster_barrier();
    }
  }
  int checked = 0, different = 0, ordered = 0;

 private:
  // A few threads, of one warp or of two, do something by chance.
  void run_block(std::vector<thread_of_block>& block) {
    for (const auto& of_word : fresh_) published_[of_word.first] |= of_word.second;
    fresh_.clear();
    const int warps = 1 + below(2), few = 2 + below(4);
    int who[5];
    for (int& t : who) t = below(32 * warps);
    for (int step = 5 + below(20); step > 0 && accesses_.size() < most_accesses; --step) {
      act(block, who[below(few)], who, few);
      for (int i = 0; i < 6 && !accesses_.empty(); ++i) check(block, who[below(few)]);
    }
  }
  void act(std::vector<thread_of_block>& block, int rank, const int* who, int few) {
    thread_of_block& t = block[std::size_t(rank)];
    const int first = rank / 32 * 32;
    uint64 mask = uint64(1) << rank % 32;
    switch (below(8)) {
    case 0:
    case 1: t.known.set(accesses_.size()); return accesses_.push_back({clock_.now(), std::uint16_t(rank), 0});
    case 2:
    case 3: return update(t, rank, below(2));
    case 4:
    case 5:
      t.known |= t.seen;
      t = {t.known, t.known, {}, true};
      return clock_.fence(rank);
    case 6:
      if (below(3) != 0) return;
      unite(block, 0, threads, ~uint64(0));
      return clock_.block_barrier();
    default:
      for (int i = 0; i < few; ++i)
        if (who[i] / 32 == rank / 32 && below(2) != 0) mask |= uint64(1) << who[i] % 32;
      unite(block, first, 32, mask);
      return clock_.warp_barrier(rank / 32, uint32(mask));
    }
  }
  void update(thread_of_block& t, int rank, int word) {
    t.seen |= published_[word];
    if (t.has_passed_fence) fresh_[word] |= t.at_fence;
    if (clock_.has_fences()) clock_.atomic(rank, uint64(4 * word));
  }
  static known_accesses united(const std::vector<thread_of_block>& block, int first, int count, uint64 mask) {
    known_accesses all;
    for (int i = 0; i < count; ++i)
      if ((mask >> i & 1) != 0) all |= block[std::size_t(first + i)].known;
    return all;
  }
  static void unite(std::vector<thread_of_block>& block, int first, int count, uint64 mask) {
    const known_accesses all = united(block, first, count, mask);
    for (int i = 0; i < count; ++i)
      if ((mask >> i & 1) != 0) block[std::size_t(first + i)].known = all;
  }
  void check(const std::vector<thread_of_block>& block, int rank) {
    const auto access = std::size_t(below(int(accesses_.size())));
    const bool found = clock_.ordered(accesses_[access], {clock_.now(), std::uint16_t(rank), 0});
    ++checked;
    ordered += found;
    different += found != block[std::size_t(rank)].known[access];
  }

  random_numbers random_;
  race_clock clock_;
  std::vector<mark> accesses_;
  std::map<int, known_accesses> published_, fresh_;  // by word: by earlier blocks, and by the one that runs
};

}  // namespace

TEST_CASE("the clock orders what barriers, fences and atomic operations order, and nothing else", "[sim]") {
  for (int cluster : {1, 3}) {
    int checked = 0, ordered = 0;
    for (int seed = 0; seed < 500; ++seed) {
      both_clocks clocks(seed);
      for (int i = 0; i < 6 / cluster + 1; ++i) clocks.run_cluster(cluster, 1 + clocks.below(3));
      CAPTURE(cluster, seed);
      CHECK(clocks.different == 0);
      checked += clocks.checked;
      ordered += clocks.ordered;
    }
    CHECK(ordered > checked / 8);
    CHECK(ordered < checked / 8 * 7);
  }
}
