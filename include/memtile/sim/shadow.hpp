// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The shadow of memory: who touched each word last, and when. It finds races whatever the values are and whatever the
// order in which the simulator happened to run the threads. One for the shared memory of the block that runs, whose
// marks end with the block, and one for global memory, whose marks end with the launch. Nothing is cleared in between:
// older marks are told by their time.
#pragma once

#include <memtile/sim/count.hpp>
#include <memtile/sim/race_clock.hpp>
#include <memtile/sim/trace.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace memtile::sim::detail {

enum class hazard : uint8 {
  read_after_write,
  write_after_read,
  write_after_write,
  same_value,  // a store of what another thread has stored there
  atomic_and_plain,
  uninitialised,
  in_flight
};

/// 24 bytes for a word. Two readers are enough to find every race of a later writer: it can be only one of them, and
/// where readers are of several blocks, two of different blocks are kept. Atomic operations are kept among the readers,
/// since they may be repeated by any number of threads.
struct shadow_cell {
  mark write, reader, other_reader;
};

/// Words by their number from the beginning of shared memory.
class shared_cells {
 public:
  static constexpr bool starts_uninitialised = true;
  void reserve(std::size_t words) {
    if (words_.size() < words) words_.resize(words);
  }
  shadow_cell& operator[](std::uint64_t word) { return words_[word]; }

 private:
  std::vector<shadow_cell> words_;
};

/// Words by their address / 4, in pages that come into being when they are touched.
class global_cells {
 public:
  static constexpr bool starts_uninitialised = false;
  shadow_cell& operator[](std::uint64_t word) {
    recent& r = recent_[word / page_words % recent_pages];
    if (r.page != word / page_words) r = {word / page_words, page(word / page_words)};
    return r.cells[word % page_words];
  }

 private:
  static constexpr std::uint64_t page_words = 256, recent_pages = 128;
  struct recent {
    std::uint64_t page = ~std::uint64_t(0);
    shadow_cell* cells = nullptr;
  };
  shadow_cell* page(std::uint64_t number) {
    std::unique_ptr<shadow_cell[]>& cells = pages_[number];
    if (cells == nullptr) cells = std::make_unique<shadow_cell[]>(page_words);
    return cells.get();
  }

  std::unordered_map<std::uint64_t, std::unique_ptr<shadow_cell[]>> pages_;
  std::array<recent, recent_pages> recent_{};
};

template <class Cells>
class shadow {
 public:
  race_clock time;
  Cells cells;

  /// From here on older marks say nothing. Long before the counter comes round, everything is forgotten.
  void begin_scope() {
    if (time.nearly_overflows()) *this = shadow();
    split_words_.clear();
    time.begin_scope();
  }

  /// Checks one access of a warp and remembers it. Calls found(hazard, lane, byte offset, mark of the other access) for
  /// each conflict.
  template <class Found>
  void check(const warp_access& a, int access_bytes, const lane_offsets& offsets, int first_thread, std::uint16_t line,
             Found&& found);
  /// The bytes of an asynchronous copy have arrived, on behalf of the thread that waited for them.
  void arrived(int access_bytes, const lane_offsets& offsets, int first_thread, std::uint16_t line);

 private:
  // Calls visit(cell, byte offset, lane) for everything that the access covers. Smaller pieces than a word have
  // shadows of their own once they are used: neighbours in one word may belong to different threads.
  template <class Visit>
  void for_each_cell(int access_bytes, const lane_offsets& offsets, Visit visit);
  template <class Visit>
  void visit_bytes(std::uint64_t begin, std::uint64_t end, int lane, Visit& visit);
  std::array<shadow_cell, 4>& bytes_of(shadow_cell& word);

  template <class Found>
  void read(shadow_cell& cell, mark mine, Found&& found);
  template <class Found>
  void write(shadow_cell& cell, mark mine, bool keeps_value, Found&& found);
  template <class Found>
  void update(shadow_cell& cell, mark mine, bool overwrites, Found&& found);
  template <class Found>
  bool in_flight_or_uninitialised(const shadow_cell& cell, mark mine, Found& found) const;
  void remember(shadow_cell& cell, mark mine) const;

  bool ordered(mark earlier, mark mine) const { return time.ordered(earlier, mine); }

  // What was written lies behind a barrier, and two threads have read it since, or two blocks: another reader changes
  // nothing.
  struct instants {
    std::uint32_t scope_begin, block_begin, barrier, settled;
  };
  static bool nothing_new(const shadow_cell& cell, instants t) {
    const mark w = cell.write, r = cell.reader, o = cell.other_reader;
    if (((w.who | r.who | o.who) & (mark::atomic | mark::in_flight | mark::split)) != 0) return false;
    const bool behind_barrier = w.time < t.barrier && w.time >= t.block_begin;
    const bool read_by_two = r.time >= t.settled && o.time >= t.settled;
    if (Cells::starts_uninitialised) return behind_barrier && read_by_two;
    if (!behind_barrier && w.time >= t.scope_begin) return false;
    return read_by_two || ((o.who & mark::two_blocks) != 0 && r.time >= t.scope_begin && o.time >= t.scope_begin);
  }

  std::vector<std::array<shadow_cell, 4>> split_words_;
};

template <class Cells>
template <class Found>
void shadow<Cells>::check(const warp_access& a, int access_bytes, const lane_offsets& offsets, int first_thread,
                          std::uint16_t line, Found&& found) {
  const std::uint32_t now = time.now();
  const auto mine = [=](int lane, unsigned special) {
    return mark{now, std::uint16_t(unsigned(first_thread + lane) | special), line};
  };
  const auto at = [&](int lane, std::uint64_t offset) {
    return [&found, lane, offset](hazard h, mark other) { found(h, lane, offset, other); };
  };
  const auto flag = [&](int lane, std::uint64_t bit) { return (a.lane[lane]->index & bit) != 0; };
  switch (a.first->kind()) {
  case access_kind::store:
  case access_kind::stmatrix:
    return for_each_cell(access_bytes, offsets, [&](shadow_cell& c, std::uint64_t offset, int lane) {
      write(c, mine(lane, 0), flag(lane, access::keeps_value), at(lane, offset));
    });
  case access_kind::async_copy:
    if (a.first->where() == space::global) break;
    return for_each_cell(access_bytes, offsets, [&](shadow_cell& c, std::uint64_t offset, int lane) {
      write(c, mine(lane, mark::in_flight), false, at(lane, offset));
    });
  case access_kind::atomic:
  case access_kind::atomic_compare:
  case access_kind::atomic_loop:
    return for_each_cell(access_bytes, offsets, [&](shadow_cell& c, std::uint64_t offset, int lane) {
      update(c, mine(lane, mark::atomic), flag(lane, access::overwrites), at(lane, offset));
    });
  default: break;
  }
  const instants t{time.scope_begin(), time.block_begin(), time.barrier(), time.settled()};
  for_each_cell(access_bytes, offsets, [&, t](shadow_cell& c, std::uint64_t offset, int lane) {
    if (!nothing_new(c, t)) read(c, mine(lane, 0), at(lane, offset));
  });
}

template <class Cells>
void shadow<Cells>::arrived(int access_bytes, const lane_offsets& offsets, int first_thread, std::uint16_t line) {
  for_each_cell(access_bytes, offsets, [&](shadow_cell& c, std::uint64_t, int lane) {
    if (c.write.thread() == first_thread + lane) c.write = mark{time.now(), std::uint16_t(first_thread + lane), line};
  });
}

template <class Cells>
template <class Visit>
void shadow<Cells>::for_each_cell(int access_bytes, const lane_offsets& offsets, Visit visit) {
  for (int lane = 0; lane < 32; ++lane) {
    if (offsets[std::size_t(lane)] < 0) continue;
    const auto begin = std::uint64_t(offsets[std::size_t(lane)]), end = begin + std::uint64_t(access_bytes);
    if ((begin | end) % 4 != 0) {
      visit_bytes(begin, end, lane, visit);
      continue;
    }
    for (std::uint64_t offset = begin; offset < end; offset += 4) {
      shadow_cell& word = cells[offset / 4];
      if ((word.write.who & mark::split) != 0) visit_bytes(offset, offset + 4, lane, visit);
      else visit(word, offset, lane);
    }
  }
}
template <class Cells>
template <class Visit>
void shadow<Cells>::visit_bytes(std::uint64_t begin, std::uint64_t end, int lane, Visit& visit) {
  for (std::uint64_t offset = begin; offset < end; ++offset)
    visit(bytes_of(cells[offset / 4])[offset % 4], offset, lane);
}

template <class Cells>
std::array<shadow_cell, 4>& shadow<Cells>::bytes_of(shadow_cell& word) {
  const bool was_split = (word.write.who & mark::split) != 0;
  if (!was_split || word.write.time < time.scope_begin()) {
    const shadow_cell before = was_split ? shadow_cell{} : word;  // an older scope's: nothing of it counts
    split_words_.push_back({before, before, before, before});
    word = shadow_cell{};
    word.write = mark{time.now(), mark::split, 0};
    word.reader.time = std::uint32_t(split_words_.size() - 1);  // the readers are in the parts; here is their index
  }
  return split_words_[word.reader.time];
}

template <class Cells>
template <class Found>
bool shadow<Cells>::in_flight_or_uninitialised(const shadow_cell& cell, mark mine, Found& found) const {
  if (cell.write.time < time.scope_begin()) {
    if (Cells::starts_uninitialised) found(hazard::uninitialised, mine);
    return true;
  }
  if ((cell.write.who & mark::in_flight) == 0) return false;
  found(hazard::in_flight, cell.write);
  return true;
}

// A new mark replaces one that is ordered before it: whoever races with the older one races with the new one too.
template <class Cells>
void shadow<Cells>::remember(shadow_cell& cell, mark mine) const {
  constexpr auto same = std::uint16_t(~mark::two_blocks);
  const auto replaceable = [&](mark old) {
    if (old.time < time.barrier()) return !time.of_another_block(old);
    return (old.who & same) == mine.who || (old.thread() != mine.thread() && ordered(old, mine));
  };
  if (replaceable(cell.reader)) cell.reader = mine;
  else if (replaceable(cell.other_reader)) cell.other_reader = mine;
  else if (time.of_another_block(cell.reader) && time.of_another_block(cell.other_reader) &&
           (cell.other_reader.who & mark::two_blocks) == 0)
    cell.other_reader = mine;
  else return;
  if (cell.other_reader.time < time.scope_begin()) return;
  if (time.of_another_block(cell.reader) != time.of_another_block(cell.other_reader))
    cell.other_reader.who |= mark::two_blocks;
  else if (cell.other_reader.time >= time.block_begin()) cell.other_reader.who &= same;
}

template <class Cells>
template <class Found>
void shadow<Cells>::read(shadow_cell& cell, mark mine, Found&& found) {
  if (!in_flight_or_uninitialised(cell, mine, found) && !ordered(cell.write, mine))
    found((cell.write.who & mark::atomic) != 0 ? hazard::atomic_and_plain : hazard::read_after_write, cell.write);
  if (((cell.reader.who | cell.other_reader.who) & mark::atomic) != 0)
    for (const mark& old : {cell.reader, cell.other_reader})
      if ((old.who & mark::atomic) != 0 && !ordered(old, mine)) return found(hazard::atomic_and_plain, old);
  remember(cell, mine);
}

template <class Cells>
template <class Found>
void shadow<Cells>::write(shadow_cell& cell, mark mine, bool keeps_value, Found&& found) {
  const bool pending = cell.write.time >= time.scope_begin() && (cell.write.who & mark::in_flight) != 0;
  if (pending) found(hazard::in_flight, cell.write);
  else if (!ordered(cell.write, mine))
    found((cell.write.who & mark::atomic) != 0 ? hazard::atomic_and_plain
          : keeps_value                        ? hazard::same_value
                                               : hazard::write_after_write,
          cell.write);
  for (const mark& old : {cell.reader, cell.other_reader}) {
    if (ordered(old, mine)) continue;
    const bool atomic = (old.who & mark::atomic) != 0;
    found(atomic ? hazard::atomic_and_plain : hazard::write_after_read, old);
  }
  cell.write = mine;
}

template <class Cells>
template <class Found>
void shadow<Cells>::update(shadow_cell& cell, mark mine, bool overwrites, Found&& found) {
  if (Cells::starts_uninitialised && overwrites && cell.write.time < time.scope_begin()) cell.write = mine;
  if (!in_flight_or_uninitialised(cell, mine, found) && (cell.write.who & mark::atomic) == 0 &&
      !ordered(cell.write, mine))
    found(hazard::atomic_and_plain, cell.write);
  for (const mark& old : {cell.reader, cell.other_reader})
    if ((old.who & mark::atomic) == 0 && !ordered(old, mine)) found(hazard::atomic_and_plain, old);
  remember(cell, mine);
}

}  // namespace memtile::sim::detail
