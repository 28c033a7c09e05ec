// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How each fault is worded: both lines, both threads, the element, and what to change. How a block that cannot go on is
// explained stands in standstill.hpp.
#pragma once

#include <memtile/sim/fault_log.hpp>
#include <memtile/sim/shadow.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace memtile::sim::detail {

inline fault_kind kind_of(hazard h) {
  switch (h) {
  case hazard::uninitialised: return fault_kind::uninitialised_read;
  case hazard::in_flight: return fault_kind::copy_in_flight;
  case hazard::same_value: return fault_kind::same_value_stored;
  default: return fault_kind::race;
  }
}

// Two accesses that meet: the one that was found to be wrong, and the earlier one that `other` marks.
struct meeting_accesses {
  const report_row& mine;
  const report_row& theirs;
  std::string element;  // of the access that was found
  int thread;
  mark other;
  std::string other_block;        // empty if it is the same
  const char* barrier_of_blocks;  // of the two blocks; null if there is none
};

// "thread 3 of block (0, 1) at own.cu:12", "thread 3 and others at own.cu:12"
inline std::string words_for_other(const meeting_accesses& m) {
  const std::string at = (m.other_block.empty() ? "" : " of " + m.other_block) + " at " + place(m.theirs.place);
  if (m.other.spread() == mark::several_blocks) return "threads of several blocks at " + place(m.theirs.place);
  if (m.other.spread() == 0) return "thread " + std::to_string(m.other.thread()) + at;
  if (m.other.thread() == m.thread && m.other_block.empty()) return "other threads" + at;
  return "thread " + std::to_string(m.other.thread()) + " and others" + at;
}

inline std::string sentence(hazard h, const meeting_accesses& m) {
  const std::string deed = std::string(name_of(m.mine.kind)) + " of " + m.element, them = words_for_other(m);
  const std::string both = deed + " and " + name_of(m.theirs.kind) + " by " + them + " are not ordered";
  const bool one_block = m.other_block.empty() && m.other.spread() != mark::several_blocks;
  const bool has_barrier = one_block || m.barrier_of_blocks != nullptr;
  const std::string barrier =
      has_barrier ? std::string("put ") + (one_block ? "block.sync()" : m.barrier_of_blocks) + " between them." : "";
  switch (h) {
  case hazard::uninitialised:
    return deed + ", which no thread of the block has written. Write it first, and put a barrier between when another "
                  "thread does.";
  case hazard::in_flight:
    return deed + ", the target of an asynchronous copy issued by " + them +
           " that has not been waited for. Commit it, wait for its group, and let a block barrier follow before others "
           "touch the target.";
  case hazard::same_value:
    return deed + " writes what " + them +
           " has written there, with nothing to order them. It does no harm while both "
           "write the same; one of them would be enough.";
  case hazard::atomic_and_plain:
    return both + ", and only one of them is atomic. Make both atomic, or " +
           (has_barrier ? barrier : "make two launches: blocks run in any order.");
  default:
    if (has_barrier) return both + ". P" + barrier.substr(1);
    return both + ". Blocks of a launch run in any order: let each block write what no other reads, use atomic "
                  "operations, let the block that is done last go on (block_is_last), or make two launches.";
  }
}

inline std::string words_for_out_of_bounds(const char* what, int dimensions, const int64* index, const int64* extent) {
  std::string indices, extents;
  for (int d = 0; d < dimensions; ++d) {
    indices += "[" + std::to_string(index[d]) + "]";
    extents += (d > 0 ? "x" : "") + std::to_string(extent[d]);
  }
  return what + indices + " is outside " + extents +
         "; the access was left out. Let threads past the edge do nothing, or use load_inside and store_inside.";
}

inline std::string words_for_outside_storage(int bytes, std::int64_t offset, std::size_t shared_bytes) {
  return "the " + std::to_string(bytes) + " bytes at " + std::to_string(offset) + " are outside the " +
         std::to_string(shared_bytes) +
         " bytes of shared memory that the kernel asked for. Access shared memory through the tiles of the kernel's "
         "storage.";
}

inline std::string words_for_no_such_block(int block, int cluster) {
  return "block " + std::to_string(block) + " of a cluster of " + std::to_string(cluster) +
         " does not exist; the access was left out. The blocks are numbered from 0, along the columns of the grid.";
}

inline std::string words_for_block_not_running(const std::string& block, bool has_ended) {
  return "reaches into the shared memory of " + block +
         (has_ended ? ", which may have returned before. Let a cluster.sync() follow the last access by other blocks."
                    : ", which may not have begun yet. Put a cluster.sync() before the first access by other blocks.");
}

inline std::string words_for_misaligned(const void* address, int bytes) {
  return "an access of " + std::to_string(bytes) + " bytes must begin at a multiple of " + std::to_string(bytes) +
         ", but begins " + std::to_string(std::uintptr_t(address) % std::uintptr_t(bytes)) +
         " bytes past one; the access was left out. Align the data and its row pitch, or use a narrower access.";
}

inline std::string words_for_caller_not_named(int lane, uint32 mask) {
  return "lane " + std::to_string(lane) + " calls a warp operation whose mask " + hexadecimal(mask) +
         " does not name it. A mask must name exactly the lanes that make the call.";
}

inline std::string words_for_source_not_named(int lane, int source, uint32 mask) {
  return "lane " + std::to_string(lane) + " asks for the value of lane " + std::to_string(source) +
         ", which the mask " + hexadecimal(mask) +
         " does not name: what it gets is not defined. Name the lane, and let it make the call, or ask another one.";
}

inline std::string words_for_returned_lanes(uint32 mask, const std::string& threads) {
  return "the mask " + hexadecimal(mask) + " of this warp operation names " + threads +
         ", which returned before. Name only lanes that make the call, or let the others return after it.";
}

inline std::string words_for_wrong_group(int group) {
  return "a shuffle must be in groups of 1, 2, 4, 8, 16 or 32 lanes, not of " + std::to_string(group) + ".";
}

inline std::string words_for_changed_source() {
  return "the source of this asynchronous copy was changed before the copy was waited for: which bytes arrive is not "
         "defined. Wait before changing it.";
}

// Where lanes of a warp close their groups in different places, the hardware makes a group of each.
inline std::string words_for_divergent_commit(int group, const site& other) {
  return "closes group " + std::to_string(group) +
         " of its asynchronous copies, which another lane of its warp closes at " + place(other) +
         ". A wait that leaves groups pending may wait for more of them than meant: commit where the lanes of a warp "
         "are "
         "together.";
}

inline std::string words_for_no_model(const char* what, const site& s) {
  return std::string(what) + (s.line > 0 ? " at " + place(s) : "") +
         " has no model on the CPU: the run ends here. Test this kernel on a GPU, or take the portable way in the "
         "simulator.";
}

}  // namespace memtile::sim::detail
