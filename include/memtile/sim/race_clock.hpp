// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which of two accesses came first, if either did. Time is one counter that every barrier advances. Two accesses by
// different threads of a block are ordered if a block barrier lies between them, or a chain of warp barriers: `known`
// says up to which time a lane knows what another lane of its warp did. Threads of different blocks are never ordered
// within a launch.
#pragma once

#include <memtile/core/config.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
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

class race_clock {
 public:
  std::uint32_t now() const { return now_; }
  /// Marks that are older say nothing any more.
  std::uint32_t scope_begin() const { return scope_begin_; }
  std::uint32_t block_begin() const { return block_begin_; }
  std::uint32_t barrier() const { return barrier_; }
  bool nearly_overflows() const { return now_ > 0x80000000u; }

  void begin_scope() { scope_begin_ = begin_block(); }
  std::uint32_t begin_block() {
    block_barrier();
    return block_begin_ = now_;
  }
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

  /// Whether all that `earlier` stands for is known to the thread of `mine`, which is of the block that runs.
  bool ordered(mark earlier, mark mine) const {
    if (earlier.time < scope_begin_) return true;
    if (earlier.time < block_begin_ || earlier.spread() == mark::several_blocks) return false;
    if (earlier.time < barrier_) return true;
    if (earlier.spread() == 0) {
      if (earlier.thread() == mine.thread()) return true;
      return earlier.time < settled_ && knows(mine.thread(), earlier.thread(), earlier.time);
    }
    return earlier.spread() < mark::several_warps && knows_group(mine.thread(), earlier);
  }
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
  std::uint32_t scope_begin_ = 1, block_begin_ = 1, barrier_ = 1;
  std::uint32_t settled_ = 1;                         // the last barrier of any kind: two threads are not ordered since
  std::vector<std::array<std::uint32_t, 32>> known_;  // [thread][lane of its warp]; empty until a warp barrier is met
};

}  // namespace memtile::sim::detail
