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

// Two accesses that meet: the one that was found to be wrong, and the earlier one of `thread`.
struct meeting_accesses {
  const report_row& mine;
  const report_row& theirs;
  std::string element;  // of the access that was found
  int my_thread, their_thread;
  std::string their_block;  // empty if it is the same
};

inline std::string cure(const meeting_accesses& m) {
  if (!m.their_block.empty())
    return " Blocks of a launch run in any order: let each block write what no other reads, use atomic operations, or "
           "make two launches.";
  return " Put block.sync() between them.";
}

inline std::string sentence(hazard h, const meeting_accesses& m) {
  const std::string deed = std::string(name_of(m.mine.kind)) + " of " + m.element;
  const std::string them = "thread " + std::to_string(m.their_thread) +
                           (m.their_block.empty() ? "" : " of " + m.their_block) + " at " + place(m.theirs.place);
  const std::string both = deed + " and " + name_of(m.theirs.kind) + " by " + them + " are not ordered";
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
    return both + ", and only one of them is atomic. Make both atomic, or order them:" + cure(m);
  default: return both + "." + cure(m);
  }
}

}  // namespace memtile::sim::detail
