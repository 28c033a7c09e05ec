// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A simulated GPU thread: its stack, what it waits for, and its asynchronous copies; and how a block that cannot go on
// is explained.
#pragma once

#include <memtile/sim/fiber.hpp>
#include <memtile/sim/wording.hpp>

#include <cstddef>
#include <memory>
#include <vector>

namespace memtile::sim::detail {

enum class thread_state : uint8 {
  ready,
  trace_full,
  at_block_barrier,
  at_cluster_barrier,
  at_grid_barrier,
  at_warp_operation,
  gave_up,
  returned
};
inline constexpr int thread_states = 8;

/// The copies of one thread that have not been waited for, oldest first, in groups as cp.async has them.
class pending_copies {
 public:
  struct copy {
    void* to;
    const void* from;
    int bytes, valid, group;
    bool done;                 // the bytes are there already
    unsigned char source[16];  // as they were at the issue
    site issued;
  };

  void issue(const copy& c) {
    copies_.push_back(c);
    copies_.back().group = groups_;
  }
  /// Returns the number of the group that is closed.
  int commit() { return groups_++; }
  /// Calls arrived(copy) for each copy of a closed group, but for the newest `left_pending` groups.
  template <class Arrived>
  void wait(int left_pending, Arrived arrived) {
    std::size_t done = 0;
    while (done < copies_.size() && copies_[done].group < groups_ - left_pending) arrived(copies_[done++]);
    copies_.erase(copies_.begin(), copies_.begin() + std::ptrdiff_t(done));
  }
  void drop() {
    copies_.clear();
    groups_ = 0;
  }

 private:
  std::vector<copy> copies_;
  int groups_ = 0;  // closed so far
};

struct simulated_thread {
  fiber stack;
  void* owner = nullptr;
  thread_state state = thread_state::ready;
  bool spins = false;              // the full trace held nothing but the same few addresses
  int left_out = 0;                // accesses that were not done, for they were out of bounds or misaligned
  bool orders = false;             // the warp operation is a barrier
  uint32 mask = 0;                 // of the warp operation
  uint64 value = 0;                // brought to it, or to the block barrier
  exchanged* all = nullptr;        // wanted from it
  site where = site::here("", 0);  // waits there, or ran there last
  pending_copies copies;

  bool stands_with(const simulated_thread& other) const {
    return state == other.state && same_site(where, other.where);
  }
  bool waits_with(const simulated_thread& other) const {
    return mask == other.mask && orders == other.orders && stands_with(other);
  }
};

using simulated_threads = std::vector<std::unique_ptr<simulated_thread>>;

}  // namespace memtile::sim::detail
