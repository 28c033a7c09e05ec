// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The shadow of memory: who touched each word last, and when. It finds races whatever the values are and whatever the
// order in which the simulator happened to run the threads. One for the shared memory of the block that runs, or of the
// blocks of its cluster, whose marks end with them, and one for global memory, whose marks end with the launch. Nothing
// is cleared in between: older marks are told by their time.
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

/// 24 bytes for a word: who wrote it last, and who has read and who has updated it atomically since. A mark that is
/// ordered before a new one of its kind is replaced: whoever races with the older one races with the new one too. One
/// that is not is joined with it.
struct shadow_cell {
  mark write, reader, updater;
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

  bool ordered(mark earlier, mark mine) { return time.ordered(earlier, mine); }
  void remember(mark& kept, mark mine) { kept = ordered(kept, mine) ? mine : time.joined(kept, mine); }

  // Most reads are of what was written behind a barrier, and nobody has updated: no hazard, only a reader more.
  struct instants {
    std::uint32_t scope_begin, block_begin, barrier, now;
  };
  static bool is_settled(const shadow_cell& cell, instants t) {
    const mark w = cell.write;
    const bool behind_barrier = w.time < t.barrier && w.time >= t.block_begin;
    const bool good = behind_barrier || (!Cells::starts_uninitialised && w.time < t.scope_begin);
    return good && !w.is(mark::in_flight | mark::split) && cell.updater.time < t.scope_begin;
  }
  // Of lanes side by side that read the same settled words, the first and the last stand for those between.
  lane_offsets without_echoes(int access_bytes, const lane_offsets& offsets, instants t) {
    lane_offsets asking = offsets;
    std::int64_t settled_at = -1, unsettled_at = -1;
    for (std::size_t lane = 1; lane < 31; ++lane) {
      const std::int64_t mine = offsets[lane];
      if (mine != offsets[lane - 1] || mine != offsets[lane + 1] || mine < 0 || mine == unsettled_at) continue;
      if (mine != settled_at) (are_settled(mine, access_bytes, t) ? settled_at : unsettled_at) = mine;
      if (mine == settled_at) asking[lane] = -1;
    }
    return asking;
  }
  bool are_settled(std::int64_t offset, int access_bytes, instants t) {
    for (std::int64_t word = offset / 4; word <= (offset + access_bytes - 1) / 4; ++word)
      if (!is_settled(cells[std::uint64_t(word)], t)) return false;
    return true;
  }
  // The common cases of remember(): the first reader since a barrier, and another one of the same warp access.
  void remember_reader(mark& r, mark mine, instants t) {
    const int apart = r.thread() ^ mine.thread();
    if (r.time == t.now && apart < 32 && r.spread() < mark::several_warps) {
      if (apart >> r.spread() != 0) r.set_spread(32 - __builtin_clz(unsigned(apart)));
    } else if (r.spread() == mark::several_warps    ? r.time < t.barrier
               : r.spread() == mark::several_blocks ? r.time < t.scope_begin || time.in_earlier_phase(r)
                                                    : true) {
      remember(r, mine);
    }
  }

  std::vector<std::array<shadow_cell, 4>> split_words_;
};

template <class Cells>
template <class Found>
void shadow<Cells>::check(const warp_access& a, int access_bytes, const lane_offsets& offsets, int first_thread,
                          std::uint16_t line, Found&& found) {
  const std::uint32_t now = time.now();
  const auto mine = [=](int lane, unsigned special = 0) {
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
      write(c, mine(lane), flag(lane, access::keeps_value), at(lane, offset));
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
      update(c, mine(lane), flag(lane, access::overwrites), at(lane, offset));
    });
  default: break;
  }
  const instants t{time.scope_begin(), time.block_begin(), time.barrier(), now};
  const lane_offsets asking = without_echoes(access_bytes, offsets, t);
  for_each_cell(access_bytes, asking, [&, t](shadow_cell& c, std::uint64_t offset, int lane) {
    if (is_settled(c, t)) remember_reader(c.reader, mine(lane), t);
    else read(c, mine(lane), at(lane, offset));
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

template <class Cells>
template <class Found>
void shadow<Cells>::read(shadow_cell& cell, mark mine, Found&& found) {
  if (!in_flight_or_uninitialised(cell, mine, found) && !ordered(cell.write, mine))
    found(cell.write.is(mark::atomic) ? hazard::atomic_and_plain : hazard::read_after_write, cell.write);
  if (!ordered(cell.updater, mine)) found(hazard::atomic_and_plain, cell.updater);
  remember(cell.reader, mine);
}

template <class Cells>
template <class Found>
void shadow<Cells>::write(shadow_cell& cell, mark mine, bool keeps_value, Found&& found) {
  const bool pending = cell.write.time >= time.scope_begin() && cell.write.is(mark::in_flight);
  if (!ordered(cell.updater, mine)) found(hazard::atomic_and_plain, cell.updater);
  if (!ordered(cell.reader, mine)) found(hazard::write_after_read, cell.reader);
  if (pending) {
    found(hazard::in_flight, cell.write);
  } else if (!ordered(cell.write, mine)) {
    const bool beside_atomic = cell.write.is(mark::atomic), harmless = keeps_value && !beside_atomic;
    found(beside_atomic ? hazard::atomic_and_plain
          : harmless    ? hazard::same_value
                        : hazard::write_after_write,
          cell.write);
    if (harmless)
      return void(cell.write = time.joined(cell.write, mine));  // others may still race with the earlier ones
  }
  cell.write = mine;
}

template <class Cells>
template <class Found>
void shadow<Cells>::update(shadow_cell& cell, mark mine, bool overwrites, Found&& found) {
  if (Cells::starts_uninitialised && overwrites && cell.write.time < time.scope_begin()) {
    cell.write = mine;
    cell.write.who |= mark::atomic;
  }
  if (!in_flight_or_uninitialised(cell, mine, found) && !cell.write.is(mark::atomic) && !ordered(cell.write, mine))
    found(hazard::atomic_and_plain, cell.write);
  if (!ordered(cell.reader, mine)) found(hazard::atomic_and_plain, cell.reader);
  remember(cell.updater, mine);
}

}  // namespace memtile::sim::detail
