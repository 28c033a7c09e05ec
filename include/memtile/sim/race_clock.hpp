// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which of two accesses came first, if either did. Time is one counter that every barrier advances. Two accesses by
// different threads of a block are ordered if a block barrier lies between them, or a chain of warp barriers: `known`
// says up to which time a lane knows what another lane of its warp did. Threads of different blocks are ordered within a
// launch where one has acquired what the other has published, or where a barrier of their cluster lies between them. Time
// passes through the blocks of a cluster one after the other, from each barrier of the cluster to its next: a phase.
#pragma once

#include <memtile/sim/publications.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace memtile::sim::detail {

class race_clock {
 public:
  std::uint32_t now() const { return now_; }
  /// Marks that are older say nothing any more.
  std::uint32_t scope_begin() const { return scope_begin_; }
  std::uint32_t block_begin() const { return block_begin_; }
  std::uint32_t barrier() const { return barrier_; }
  bool nearly_overflows() const { return now_ > 0x80000000u; }

  void begin_scope() {
    published_.begin_launch();
    scope_begin_ = begin_block();
  }
  /// A block begins that has no cluster, or the first one of its cluster.
  std::uint32_t begin_block() {
    published_.begin_cluster();
    return cluster_begin_ = phase_begin_ = next_block();
  }
  /// Another block of the cluster goes on.
  std::uint32_t next_block() {
    block_barrier();
    published_.begin_block();
    return block_begin_ = now_;
  }
  /// All blocks of the cluster know what all of them did.
  void cluster_barrier() { phase_begin_ = next_block(); }
  void block_barrier() { settled_ = barrier_ = ++now_; }
  /// The lanes of the mask know from here on what each of them did, and what each of them knew. Lanes that the block does
  /// not have belong to every mask: a group of lanes may be named by a wider one that has them.
  void warp_barrier(int warp, std::uint32_t mask) {
    const std::size_t first = std::size_t(warp) * 32;
    if (known_.size() < first + 32) known_.resize(first + 32);
    std::array<std::uint32_t, 32> joined{};
    for (std::size_t lane = 0; lane < 32; ++lane)
      if (mask >> lane & 1)
        for (std::size_t of = 0; of < 32; ++of)
          joined[of] = joined[of] < known_[first + lane][of] ? known_[first + lane][of] : joined[of];
    settled_ = ++now_;
    for (std::size_t lane = 0; lane < 32; ++lane)
      if (mask >> lane & 1) joined[lane] = now_;
    for (std::size_t lane = 0; lane < 32; ++lane)
      if (mask >> lane & 1) known_[first + lane] = joined;
  }

  /// A thread of the block that runs passes a fence: from here on it knows what it saw published, and its next atomic
  /// operations publish what it knows now. What it does later has a later time.
  void fence(int thread) {
    const mark me{now_, std::uint16_t(thread), 0};
    published_.acquire(me);
    knowledge mine{cluster_begin_, phase_begin_, block_begin_, barrier_, thread / 32, {}, {}};
    if (std::size_t(thread) < known_.size()) mine.lanes = known_[std::size_t(thread)];
    mine.lanes[std::size_t(thread % 32)] = ++now_;
    published_.fence(thread, std::move(mine), [&](mark acquired) { return ordered_in_cluster(acquired, me); });
  }
  bool has_fences() const { return published_.has_fences(); }
  void atomic(int thread, std::uint64_t address) { published_.atomic(thread, address, block_begin_); }

  /// Whether all that `earlier` stands for is known to the thread of `mine`, which is of the block that runs.
  bool ordered(mark earlier, mark mine) {
    if (earlier.time < scope_begin_) return true;
    return earlier.time >= block_begin_ ? ordered_in_block(earlier, mine) : ordered_between_blocks(earlier, mine);
  }
  /// All blocks of the cluster have met since.
  bool in_earlier_phase(mark m) const { return m.time >= cluster_begin_ && m.time < phase_begin_; }
  /// The mark of both, where `earlier` is not ordered before `mine`.
  mark joined(mark earlier, mark mine) const {
    if (earlier.time < block_begin_ || earlier.spread() == mark::several_blocks) {
      earlier.set_spread(mark::several_blocks);
    } else if (earlier.spread() == mark::several_warps || earlier.thread() / 32 != mine.thread() / 32) {
      earlier.set_spread(mark::several_warps);
    } else {
      int spread = earlier.spread();
      while ((earlier.thread() ^ mine.thread()) >> spread != 0) ++spread;
      earlier.set_spread(spread);
      earlier.time = mine.time;
    }
    return earlier;
  }

 private:
  bool ordered_between_blocks(mark earlier, mark mine) {
    if (in_earlier_phase(earlier)) return true;
    return earlier.spread() != mark::several_blocks &&
           published_.covers(earlier, [&](mark acquired) { return ordered_in_cluster(acquired, mine); });
  }
  // Both of one cluster.
  bool ordered_in_cluster(mark earlier, mark mine) const {
    return earlier.time < phase_begin_ || (earlier.time >= block_begin_ && ordered_in_block(earlier, mine));
  }
  bool ordered_in_block(mark earlier, mark mine) const {
    if (earlier.time < barrier_) return true;
    if (earlier.spread() == 0) {
      if (earlier.thread() == mine.thread()) return true;
      return earlier.time < settled_ && knows(mine.thread(), earlier.thread(), earlier.time);
    }
    return earlier.spread() < mark::several_warps && knows_group(mine.thread(), earlier);
  }
  bool knows(int thread, int of, std::uint32_t what_happened_at) const {
    const std::size_t row = std::size_t(thread);
    return thread / 32 == of / 32 && row < known_.size() && what_happened_at < known_[row][std::size_t(of % 32)];
  }
  bool knows_group(int thread, mark group) const {
    const int first = group.thread() >> group.spread() << group.spread(), end = first + (1 << group.spread());
    for (int of = first; of < end; ++of)
      if (of != thread && !knows(thread, of, group.time)) return false;
    return true;
  }

  std::uint32_t now_ = 1;
  std::uint32_t scope_begin_ = 1, cluster_begin_ = 1, phase_begin_ = 1, block_begin_ = 1, barrier_ = 1;
  std::uint32_t settled_ = 1;                         // the last barrier of any kind: two threads are not ordered since
  std::vector<std::array<std::uint32_t, 32>> known_;  // [thread][lane of its warp]; empty until a warp barrier is met
  publications published_;
};

}  // namespace memtile::sim::detail
