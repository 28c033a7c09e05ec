// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What becomes of a warp access: it is counted under its source line and checked against the shadow of shared memory.
// And how each fault is worded: both lines, both threads, and what to change.
#pragma once

#include <memtile/sim/fault_log.hpp>
#include <memtile/sim/shadow.hpp>
#include <memtile/sim/site_table.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace memtile::sim::detail {

class accounting {
 public:
  // The arrival of an asynchronous copy, in a trace. Not an access of its own: it is checked and not counted.
  static constexpr auto arrival = access_kind(0x80);

  void begin_launch(const char* kernel, bool count, bool check_races, int max_reports) {
    count_ = count;
    check_races_ = check_races;
    faults_.begin(kernel, max_reports);
  }
  void begin_block(const block_place& block, const void* shared, std::size_t shared_bytes) {
    block_ = block;
    shared_ = std::int64_t(shared);
    shared_bytes_ = shared_bytes;
    shadow_.begin_block(shared_bytes);
  }
  void block_barrier() { shadow_.block_barrier(); }
  void warp_barrier(int warp, std::uint32_t mask) { shadow_.warp_barrier(warp, mask); }

  /// One access of a warp whose first lane is `first_thread`. Addresses of idle lanes are negative.
  void visit(access a, const lane_offsets& addresses, int active, int first_thread);

  void out_of_bounds(int thread, const char* what, int dimensions, const int64* index, const int64* extent,
                     const site& at);
  void misaligned(int thread, const void* address, int bytes, const site& at);
  void wrong_mask(int thread, std::uint32_t mask, const site& at);
  /// A block that cannot go on.
  void standstill(fault_kind kind, std::string sentence) { faults_.add(kind, block_, std::move(sentence)); }

  std::vector<report_row> take_rows() { return table_.take_rows(); }
  std::vector<fault> take_faults() { return faults_.take(); }

 private:
  void visit_shared(const access& a, const lane_offsets& addresses, bool arrived, int first_thread, std::uint16_t row);
  void leave_out_lanes_outside(const access& a, lane_offsets& offsets, int first_thread);
  void hazard_found(hazard h, int thread, std::size_t offset, mark other, std::uint16_t row);

  static constexpr std::int64_t idle = INT64_MIN;  // not -1: an address before the arena is a fault

  bool count_ = true, check_races_ = true;
  block_place block_;
  std::int64_t shared_ = 0;
  std::size_t shared_bytes_ = 0;
  site_table table_;
  fault_log faults_;
  shadow shadow_;
};

inline void accounting::visit(access a, const lane_offsets& addresses, int active, int first_thread) {
  const bool arrived = a.kind == arrival;
  if (arrived) a.kind = access_kind::async_copy;
  const std::uint16_t row_number = table_.find(a);
  report_row& row = table_.row(row_number);
  if (count_ && !arrived) {
    row.requests += active > 0 ? instructions(a.bytes) : 0;
    row.lanes += active;
  }
  if (a.where == space::shared) return visit_shared(a, addresses, arrived, first_thread, row_number);
  if (!count_) return;
  row.sectors += count_global(a.bytes, addresses).sectors;
  row.ideal_sectors += coalesced_sectors(a.bytes, active);
}

inline void accounting::visit_shared(const access& a, const lane_offsets& addresses, bool arrived, int first_thread,
                                     std::uint16_t row) {
  const int lanes = address_lanes(a.kind);
  const std::int64_t last = std::int64_t(shared_bytes_) - a.bytes;
  lane_offsets offsets;
  bool all_inside = true;
  for (std::size_t lane = 0; lane < 32; ++lane) {
    const bool takes_part = addresses[lane] >= 0 && int(lane) < lanes;
    const std::int64_t offset = addresses[lane] - shared_;
    offsets[lane] = takes_part ? offset : idle;
    all_inside = all_inside && (!takes_part || (offset >= 0 && offset <= last));
  }
  if (!all_inside) leave_out_lanes_outside(a, offsets, first_thread);
  if (count_ && !arrived) {
    const shared_count cost = count_shared(a.kind, a.bytes, offsets);
    table_.row(row).wavefronts += cost.wavefronts;
    table_.row(row).bank_conflicts += cost.bank_conflicts;
  }
  if (!check_races_) return;
  if (arrived) return shadow_.arrived(a.bytes, offsets, first_thread, row);
  shadow_.check(a.kind, a.bytes, offsets, first_thread, row, [&](hazard h, int thread, std::size_t offset, mark other) {
    hazard_found(h, thread, offset, other, row);
  });
}

// Tiles check their indices; this finds the address arithmetic of those who go around them.
inline void accounting::leave_out_lanes_outside(const access& a, lane_offsets& offsets, int first_thread) {
  const site at{a.file, a.line, a.operation};
  const std::int64_t last = std::int64_t(shared_bytes_) - a.bytes;
  for (std::size_t lane = 0; lane < 32; ++lane) {
    std::int64_t& offset = offsets[lane];
    if (offset == idle || (offset >= 0 && offset <= last)) continue;
    faults_.add(fault_kind::out_of_bounds, block_, first_thread + int(lane), at, at, [&] {
      return "the " + std::to_string(a.bytes) + " bytes at " + std::to_string(offset) + " are outside the " +
             std::to_string(shared_bytes_) +
             " bytes of shared memory that the kernel asked for. Access shared memory through the tiles of the "
             "kernel's storage.";
    });
    offset = idle;
  }
}

inline void accounting::out_of_bounds(int thread, const char* what, int dimensions, const int64* index,
                                      const int64* extent, const site& at) {
  faults_.add(fault_kind::out_of_bounds, block_, thread, at, at, [&] {
    std::string indices, extents;
    for (int d = 0; d < dimensions; ++d) {
      indices += "[" + std::to_string(index[d]) + "]";
      extents += (d > 0 ? "x" : "") + std::to_string(extent[d]);
    }
    return what + indices + " is outside " + extents +
           "; the access was left out. Let threads past the edge do nothing, or use load_inside and store_inside.";
  });
}

inline void accounting::misaligned(int thread, const void* address, int bytes, const site& at) {
  faults_.add(fault_kind::misaligned, block_, thread, at, at, [&] {
    return "an access of " + std::to_string(bytes) + " bytes must begin at a multiple of " + std::to_string(bytes) +
           ", but begins " + std::to_string(std::uintptr_t(address) % std::uintptr_t(bytes)) +
           " bytes past one; the access was left out. Align the data and its row pitch, or use a narrower access.";
  });
}

inline void accounting::wrong_mask(int thread, std::uint32_t mask, const site& at) {
  faults_.add(fault_kind::wrong_mask, block_, thread, at, at, [&] {
    return "lane " + std::to_string(thread % 32) + " calls a warp operation whose mask " + hexadecimal(mask) +
           " does not name it. A mask must name exactly the lanes that make the call.";
  });
}

inline void accounting::hazard_found(hazard h, int thread, std::size_t offset, mark other, std::uint16_t row) {
  const report_row &mine = table_.row(row), &theirs = table_.row(other.line);
  const fault_kind kind = h == hazard::uninitialised ? fault_kind::uninitialised_read
                          : h == hazard::in_flight   ? fault_kind::copy_in_flight
                                                     : fault_kind::race;
  faults_.add(kind, block_, thread, mine.place, theirs.place, [&] {
    const std::string deed = std::string(name_of(mine.kind)) + " of shared byte " + std::to_string(offset);
    const std::string them = "thread " + std::to_string(other.thread()) + " at " + place(theirs.place);
    const bool one_warp = other.thread() / 32 == thread / 32;
    switch (h) {
    case hazard::uninitialised:
      return deed + ", which no thread of the block has written. Write it first, and put a barrier between when "
                    "another thread does.";
    case hazard::in_flight:
      return deed + ", the target of an asynchronous copy issued by " + them +
             " that has not been waited for. Commit it, wait for its group, and let a block barrier follow before "
             "others touch the target.";
    case hazard::atomic_and_plain:
      return deed + " and " + name_of(theirs.kind) + " by " + them +
             " are not ordered, and only one of them is atomic. Make both atomic, or put block.sync() between them.";
    default:
      return deed + " and " + name_of(theirs.kind) + " by " + them + " are not ordered. Put block.sync() between them" +
             (one_warp ? " (a warp barrier will do if it is always one warp)." : ".");
    }
  });
}

}  // namespace memtile::sim::detail
