// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What blocks of a launch let each other know. A thread that passes a fence and then does an atomic operation on a word
// of global memory publishes there what it knew at the fence. A thread of another block that does one on the same word
// later, and then passes a fence, has acquired that, and all that the first one had acquired before.
//
// The trap: "later" is the order in which the simulator happens to run the blocks. A kernel that does not look at what
// its atomic operation returned may be right in this order only; machine.order has others.
#pragma once

#include <memtile/core/config.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <unordered_map>
#include <utility>
#include <vector>

namespace memtile::sim::detail {

/// A thread, when and on which line it touched a word; and how far apart the others are that did the same and are not
/// ordered with it.
struct mark {
  static constexpr std::uint16_t thread_bits = 0x3ff, atomic = 0x400, in_flight = 0x800, split = 0x1000;
  static constexpr int spread_shift = 13;
  // Spread: 0, the thread alone; 1 to 5, lanes of the aligned group of 2, 4, 8, 16 or 32 around it; or:
  static constexpr int several_warps = 6, several_blocks = 7;

  std::uint32_t time = 0;  // of the last one in a warp; of the first one where the spread is wider
  std::uint16_t who = 0;   // the first thread, what is special about the access, and the spread
  std::uint16_t line = 0;  // a row of the table of sites

  int thread() const { return who & thread_bits; }
  int spread() const { return who >> spread_shift; }
  bool is(std::uint16_t flag) const { return (who & flag) != 0; }
  void set_spread(int s) { who = std::uint16_t((who & ((1u << spread_shift) - 1)) | unsigned(s) << spread_shift); }
};

/// What a thread knew at a fence.
struct knowledge {
  std::uint32_t cluster_begin, phase_begin;  // all that its cluster did from the one time to the other
  std::uint32_t block_begin, barrier;        // all that its block did
  int warp;                                  // of the thread
  std::array<std::uint32_t, 32> lanes;       // and what each lane of that did before its time
  std::vector<std::uint32_t> acquired;       // from other blocks: numbers of acquisitions

  bool knows_all_of(std::uint32_t time) const {
    return (time >= cluster_begin && time < phase_begin) || (time >= block_begin && time < barrier);
  }
  /// The lanes of a group in one warp, as bits, of which it knows all that they did up to the group's time.
  std::uint32_t lanes_known(mark group) const {
    if (group.time < block_begin || group.thread() / 32 != warp) return 0;
    std::uint32_t known = 0;
    for (std::size_t lane = 0; lane < 32; ++lane) known |= std::uint32_t(group.time < lanes[lane]) << lane;
    return known;
  }
};

/// Costs nothing in a launch without fences. Else a few hundred bytes for each thread that publishes, until the end of
/// the launch.
class publications {
 public:
  void begin_launch() {
    if (has_fences()) *this = publications();
  }
  void begin_cluster() { first_of_cluster_ = acquisitions_.size(); }
  void begin_block() { threads_.clear(); }
  bool has_fences() const { return has_fences_; }

  /// A thread passes a fence, in two steps: it has acquired what its atomic operations have met;
  void acquire(mark thread) {
    has_fences_ = true;
    std::vector<met>& all = state_of(thread.thread()).seen;
    for (const met& m : all) acquisitions_.push_back({m, thread});
    all.clear();
  }
  /// and it will publish that: `mine`, to which is added what it has acquired. knows(mark) says whether it knows of an
  /// acquisition by a thread of its cluster.
  template <class Knows>
  void fence(int thread, knowledge mine, Knows knows) {
    mine.acquired = known_acquisitions(knows);
    state_of(thread).at_fence = std::move(mine);
    state_of(thread).snapshot = to_be_kept;
  }
  /// A thread has done an atomic operation, in a launch that has fences.
  void atomic(int thread, std::uint64_t address, std::uint32_t block_begin);

  /// Whether all that `earlier`, of an earlier block, stands for was acquired by a thread that knows(mark).
  template <class Knows>
  bool covers(mark earlier, Knows knows);

 private:
  // A word of global memory, and what was published there.
  struct word {
    std::vector<std::uint32_t> snapshots;
    std::uint32_t last_block = 0;   // the beginning of the block that published last
    std::uint32_t before_last = 0;  // so many snapshots are of earlier ones
  };
  // The first so many snapshots at a word.
  struct met {
    std::uint32_t word, count;
  };
  struct acquisition {
    met what;
    mark who;
  };
  static constexpr std::uint32_t no_fence = 0xffffffff, to_be_kept = 0xfffffffe;
  struct thread_state {
    std::vector<met> seen;  // since the last fence
    knowledge at_fence{};
    std::uint32_t snapshot = no_fence;  // the number of at_fence
  };

  thread_state& state_of(int thread) {
    if (threads_.size() <= std::size_t(thread)) threads_.resize(std::size_t(thread) + 1);
    return threads_[std::size_t(thread)];
  }
  void see(std::vector<met>& seen, met m) {
    const auto same = [=](const met& s) { return s.word == m.word; };
    if (std::none_of(seen.begin(), seen.end(), same)) seen.push_back(m);  // others publish only in other blocks
  }
  void publish(std::uint32_t word_number, thread_state&, std::uint32_t block_begin);
  template <class Knows>
  std::vector<std::uint32_t> known_acquisitions(Knows knows) const {
    std::vector<std::uint32_t> known;
    for (std::size_t a = first_of_cluster_; a < acquisitions_.size(); ++a)
      if (knows(acquisitions_[a].who)) known.push_back(std::uint32_t(a));
    return known;
  }
  void reach(std::vector<std::uint32_t> from);

  bool has_fences_ = false;
  std::vector<thread_state> threads_;  // of the block that runs, up to the last one that has done something
  std::unordered_map<std::uint64_t, std::uint32_t> number_of_word_;
  std::vector<word> words_;
  std::vector<knowledge> snapshots_;  // in the order of their blocks
  std::vector<acquisition> acquisitions_;
  std::size_t first_of_cluster_ = 0;
  std::vector<std::uint32_t> reached_from_, reached_;  // acquisitions, and all snapshots that are known through them
};

inline void publications::atomic(int thread, std::uint64_t address, std::uint32_t block_begin) {
  const auto known = number_of_word_.find(address);
  const bool has_passed_fence = std::size_t(thread) < threads_.size() && state_of(thread).snapshot != no_fence;
  if (known == number_of_word_.end() && !has_passed_fence) return;
  thread_state& t = state_of(thread);
  if (known != number_of_word_.end()) {
    const word& w = words_[known->second];
    const std::uint32_t count = w.last_block == block_begin ? w.before_last : std::uint32_t(w.snapshots.size());
    if (count > 0) see(t.seen, {known->second, count});
  }
  if (!has_passed_fence) return;
  const auto added = number_of_word_.emplace(address, std::uint32_t(words_.size()));
  if (added.second) words_.emplace_back();
  publish(added.first->second, t, block_begin);
}

inline void publications::publish(std::uint32_t word_number, thread_state& t, std::uint32_t block_begin) {
  if (t.snapshot == to_be_kept) {
    t.snapshot = std::uint32_t(snapshots_.size());
    snapshots_.push_back(t.at_fence);
  }
  word& w = words_[word_number];
  if (w.last_block != block_begin) w.before_last = std::uint32_t(w.snapshots.size());
  w.last_block = block_begin;
  if (w.snapshots.empty() || w.snapshots.back() != t.snapshot) w.snapshots.push_back(t.snapshot);
}

template <class Knows>
bool publications::covers(mark earlier, Knows knows) {
  if (first_of_cluster_ == acquisitions_.size()) return false;
  reach(known_acquisitions(knows));
  const bool in_one_warp = earlier.spread() < mark::several_warps;
  const int first = earlier.thread() % 32 >> earlier.spread() << earlier.spread();
  const auto group = std::uint32_t((std::uint64_t(1) << (in_one_warp ? 1 << earlier.spread() : 0)) - 1) << first;
  // The snapshots of the cluster that ran at that time: those of earlier ones know nothing so late.
  auto next = std::upper_bound(reached_.begin(), reached_.end(), earlier.time,
                               [&](std::uint32_t time, std::uint32_t s) { return time < snapshots_[s].cluster_begin; });
  std::uint32_t known = 0;
  while (next != reached_.begin()) {
    const knowledge& k = snapshots_[*--next];
    if (k.knows_all_of(earlier.time)) return true;
    known |= k.lanes_known(earlier);
    if (in_one_warp && (group & ~known) == 0) return true;
    if (next != reached_.begin() && snapshots_[*std::prev(next)].cluster_begin != k.cluster_begin) return false;
  }
  return false;
}

// Goes from the acquisitions to what was published there, and on to what its publishers had acquired.
inline void publications::reach(std::vector<std::uint32_t> from) {
  if (from == reached_from_) return;
  reached_from_ = from;
  reached_.clear();
  std::unordered_map<std::uint32_t, std::uint32_t> seen_of_word;
  while (!from.empty()) {
    const met m = acquisitions_[from.back()].what;
    from.pop_back();
    for (std::uint32_t& seen = seen_of_word[m.word]; seen < m.count; ++seen) {
      const std::uint32_t snapshot = words_[m.word].snapshots[seen];
      reached_.push_back(snapshot);
      from.insert(from.end(), snapshots_[snapshot].acquired.begin(), snapshots_[snapshot].acquired.end());
    }
  }
  std::sort(reached_.begin(), reached_.end());
  reached_.erase(std::unique(reached_.begin(), reached_.end()), reached_.end());
}

}  // namespace memtile::sim::detail
