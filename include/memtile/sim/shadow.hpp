// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The shadow of shared memory: who touched each word last, and when. It finds races whatever the values are and
// whatever the order in which the simulator happened to run the threads.
//
// Time is one counter that every barrier advances. Two accesses by different threads are ordered if a block barrier
// lies between them, or a chain of warp barriers: `known` says up to which time a lane knows what another lane of its
// warp did. Nothing is cleared at a barrier or between blocks; older marks are told by their time.
#pragma once

#include <memtile/sim/count.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace memtile::sim::detail {

enum class hazard : uint8 {
  read_after_write,
  write_after_read,
  write_after_write,
  atomic_and_plain,
  uninitialised,
  in_flight
};

/// A thread, when and on which line it touched a word.
struct mark {
  static constexpr std::uint16_t thread_bits = 0x3ff, atomic = 0x400, in_flight = 0x800, split = 0x1000;
  std::uint32_t time = 0;
  std::uint16_t who = 0;   // the thread, and what is special about the access
  std::uint16_t line = 0;  // a row of the site table

  int thread() const { return who & thread_bits; }
};

/// 24 bytes for a word. Two readers are enough to find every race of a later writer inside one barrier interval: it can
/// be only one of them. Atomic operations are kept among the readers, since they may be repeated by any number of
/// threads.
struct shadow_cell {
  mark write, reader, other_reader;
};

class shadow {
 public:
  /// What was in shared memory before is no longer initialised.
  void begin_block(std::size_t shared_bytes) {
    const std::size_t words = (shared_bytes + 3) / 4;
    if (now_ > 0x80000000u) *this = shadow();  // long before the counter comes round
    if (words_.size() < words) words_.resize(words);
    split_words_.clear();
    block_barrier();
    block_begin_ = now_;
  }
  void block_barrier() { settled_ = barrier_ = ++now_; }
  /// The lanes of the mask know from here on what each of them did, and what each of them knew.
  void warp_barrier(int warp, std::uint32_t mask);

  /// Checks one access of a warp and remembers it. Offsets lie inside the block's shared memory. Calls
  /// found(hazard, thread, byte offset, mark of the other access) for each conflict.
  template <class Found>
  void check(access_kind kind, int access_bytes, const lane_offsets& offsets, int first_thread, std::uint16_t line,
             Found&& found);
  /// The bytes of an asynchronous copy have arrived, on behalf of the thread that waited for them.
  void arrived(int access_bytes, const lane_offsets& offsets, int first_thread, std::uint16_t line);

 private:
  // Calls visit(cell, byte offset, thread) for everything that the access covers. Smaller pieces than a word have
  // shadows of their own once they are used: neighbours in one word may belong to different threads.
  template <class Visit>
  void for_each_cell(int access_bytes, const lane_offsets& offsets, int first_thread, Visit visit);
  template <class Visit>
  void visit_bytes(std::size_t begin, std::size_t end, int thread, Visit& visit);
  std::array<shadow_cell, 4>& bytes_of(shadow_cell& word);

  template <class Found>
  void read(shadow_cell& cell, mark mine, std::size_t offset, Found& found);
  template <class Found>
  void write(shadow_cell& cell, mark mine, std::size_t offset, Found& found);
  template <class Found>
  void update(shadow_cell& cell, mark mine, std::size_t offset, Found& found);
  template <class Found>
  bool in_flight_or_uninitialised(const shadow_cell& cell, mark mine, std::size_t offset, Found& found) const;
  void remember(shadow_cell& cell, mark mine) const;

  // A word written before the last barrier that two threads have read since: another reader changes nothing.
  bool nothing_new(const shadow_cell& cell) const {
    return cell.reader.time >= settled_ && cell.other_reader.time >= settled_ && cell.write.time < barrier_ &&
           cell.write.time >= block_begin_ &&
           ((cell.write.who | cell.reader.who | cell.other_reader.who) & ~mark::thread_bits) == 0;
  }

  // Whether what `earlier` marks is known to the thread of `mine`.
  bool ordered(mark earlier, mark mine) const {
    if (earlier.time < barrier_ || earlier.thread() == mine.thread()) return true;
    if (earlier.time >= settled_) return false;
    return earlier.thread() / 32 == mine.thread() / 32 && earlier.time < known(mine.thread(), earlier.thread());
  }
  std::uint32_t known(int thread, int of) const {
    const std::size_t row = std::size_t(thread);
    return row < known_.size() ? known_[row][std::size_t(of % 32)] : 0;
  }

  std::uint32_t now_ = 1;
  std::uint32_t block_begin_ = 1, barrier_ = 1;  // the last barrier of the block
  std::uint32_t settled_ = 1;                    // the last barrier of any kind: two threads are not ordered since
  std::vector<shadow_cell> words_;
  std::vector<std::array<shadow_cell, 4>> split_words_;
  std::vector<std::array<std::uint32_t, 32>> known_;  // [thread][lane of its warp]; empty until a warp barrier is met
};

inline void shadow::warp_barrier(int warp, std::uint32_t mask) {
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

template <class Found>
void shadow::check(access_kind kind, int access_bytes, const lane_offsets& offsets, int first_thread,
                   std::uint16_t line, Found&& found) {
  const std::uint32_t now = now_;
  const auto mine = [=](int thread, std::uint16_t special) {
    return mark{now, std::uint16_t(unsigned(thread) | special), line};
  };
  const auto each = [&](auto visit) { for_each_cell(access_bytes, offsets, first_thread, visit); };
  switch (kind) {
  case access_kind::store:
  case access_kind::stmatrix:
    return each([&](shadow_cell& c, std::size_t offset, int thread) { write(c, mine(thread, 0), offset, found); });
  case access_kind::async_copy:
    return each([&](shadow_cell& c, std::size_t offset, int thread) {
      write(c, mine(thread, mark::in_flight), offset, found);
    });
  case access_kind::atomic:
    return each(
        [&](shadow_cell& c, std::size_t offset, int thread) { update(c, mine(thread, mark::atomic), offset, found); });
  default:
    return each([&](shadow_cell& c, std::size_t offset, int thread) {
      if (!nothing_new(c)) read(c, mine(thread, 0), offset, found);
    });
  }
}

inline void shadow::arrived(int access_bytes, const lane_offsets& offsets, int first_thread, std::uint16_t line) {
  for_each_cell(access_bytes, offsets, first_thread, [&](shadow_cell& c, std::size_t, int thread) {
    if (c.write.thread() == thread) c.write = mark{now_, std::uint16_t(thread), line};
  });
}

template <class Visit>
void shadow::for_each_cell(int access_bytes, const lane_offsets& offsets, int first_thread, Visit visit) {
  for (int lane = 0; lane < 32; ++lane) {
    if (offsets[std::size_t(lane)] < 0) continue;
    const auto begin = std::size_t(offsets[std::size_t(lane)]), end = begin + std::size_t(access_bytes);
    if ((begin | end) % 4 != 0) {
      visit_bytes(begin, end, first_thread + lane, visit);
      continue;
    }
    shadow_cell* word = &words_[begin / 4];
    for (std::size_t offset = begin; offset < end; offset += 4, ++word) {
      if ((word->write.who & mark::split) != 0) visit_bytes(offset, offset + 4, first_thread + lane, visit);
      else visit(*word, offset, first_thread + lane);
    }
  }
}
template <class Visit>
void shadow::visit_bytes(std::size_t begin, std::size_t end, int thread, Visit& visit) {
  for (std::size_t offset = begin; offset < end; ++offset)
    visit(bytes_of(words_[offset / 4])[offset % 4], offset, thread);
}

inline std::array<shadow_cell, 4>& shadow::bytes_of(shadow_cell& word) {
  const bool was_split = (word.write.who & mark::split) != 0;
  if (!was_split || word.write.time < block_begin_) {
    const shadow_cell before = was_split ? shadow_cell{} : word;  // an older block's: nothing of it counts
    split_words_.push_back({before, before, before, before});
    word = shadow_cell{};
    word.write = mark{block_begin_, mark::split, 0};
    word.reader.time = std::uint32_t(split_words_.size() - 1);  // the readers are in the parts; here is their index
  }
  return split_words_[word.reader.time];
}

template <class Found>
bool shadow::in_flight_or_uninitialised(const shadow_cell& cell, mark mine, std::size_t offset, Found& found) const {
  if (cell.write.time < block_begin_) {
    found(hazard::uninitialised, mine.thread(), offset, mine);
    return true;
  }
  if ((cell.write.who & mark::in_flight) == 0) return false;
  found(hazard::in_flight, mine.thread(), offset, cell.write);
  return true;
}

// A new mark replaces one that is ordered before it: whoever races with the older one races with the new one too.
inline void shadow::remember(shadow_cell& cell, mark mine) const {
  const auto replaceable = [&](mark old) {
    return old.time < barrier_ || old.who == mine.who || (old.thread() != mine.thread() && ordered(old, mine));
  };
  if (replaceable(cell.reader)) cell.reader = mine;
  else if (replaceable(cell.other_reader)) cell.other_reader = mine;
}

template <class Found>
void shadow::read(shadow_cell& cell, mark mine, std::size_t offset, Found& found) {
  if (!in_flight_or_uninitialised(cell, mine, offset, found) && !ordered(cell.write, mine))
    found(hazard::read_after_write, mine.thread(), offset, cell.write);
  if (((cell.reader.who | cell.other_reader.who) & mark::atomic) != 0)
    for (const mark& old : {cell.reader, cell.other_reader})
      if ((old.who & mark::atomic) != 0 && !ordered(old, mine))
        return found(hazard::atomic_and_plain, mine.thread(), offset, old);
  remember(cell, mine);
}

template <class Found>
void shadow::write(shadow_cell& cell, mark mine, std::size_t offset, Found& found) {
  const bool pending = cell.write.time >= block_begin_ && (cell.write.who & mark::in_flight) != 0;
  if (pending) found(hazard::in_flight, mine.thread(), offset, cell.write);
  else if (!ordered(cell.write, mine)) found(hazard::write_after_write, mine.thread(), offset, cell.write);
  for (const mark& old : {cell.reader, cell.other_reader}) {
    if (ordered(old, mine)) continue;
    const bool atomic = (old.who & mark::atomic) != 0;
    found(atomic ? hazard::atomic_and_plain : hazard::write_after_read, mine.thread(), offset, old);
  }
  cell.write = mine;
}

template <class Found>
void shadow::update(shadow_cell& cell, mark mine, std::size_t offset, Found& found) {
  if (!in_flight_or_uninitialised(cell, mine, offset, found) && !ordered(cell.write, mine))
    found(hazard::atomic_and_plain, mine.thread(), offset, cell.write);
  for (const mark& old : {cell.reader, cell.other_reader})
    if ((old.who & mark::atomic) == 0 && !ordered(old, mine))
      found(hazard::atomic_and_plain, mine.thread(), offset, old);
  remember(cell, mine);
}

}  // namespace memtile::sim::detail
