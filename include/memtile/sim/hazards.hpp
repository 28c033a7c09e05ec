// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How each hazard that the shadow finds is worded: both lines, both threads, the element, and what to change.
#pragma once

#include <memtile/sim/fault_log.hpp>
#include <memtile/sim/shadow.hpp>

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
  std::string other_block;  // empty if it is the same
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
           (one_block ? "put block.sync() between them." : "make two launches: blocks run in any order.");
  default:
    return both + (one_block ? ". Put block.sync() between them."
                             : ". Blocks of a launch run in any order: let each block write what no other reads, use "
                               "atomic operations, or make two launches.");
  }
}

}  // namespace memtile::sim::detail
