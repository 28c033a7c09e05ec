// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a block does to global memory before its turn comes, so that the shadow of global memory sees the blocks one after
// the other.
#pragma once

#include <memtile/sim/trace.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace memtile::sim::detail {

/// What a block did to global memory, and its barriers, until its turn comes.
class deferred_accesses {
 public:
  std::size_t size() const { return elements_.size() + events_.size(); }

  void access(const warp_access& a, int first_thread, std::uint16_t row) {
    event e{what::access, *a.first, 0, first_thread, row};
    for (int lane = 0; lane < 32; ++lane) {
      if (a.lane[lane] == nullptr || a.lane[lane]->address == nullptr) continue;
      e.mask |= 1u << lane;
      elements_.push_back({a.lane[lane]->address, a.lane[lane]->index});
    }
    events_.push_back(e);
  }
  void block_barrier() { events_.push_back({what::block_barrier, {}, 0, 0, 0}); }
  void warp_barrier(int warp, std::uint32_t mask) { events_.push_back({what::warp_barrier, {}, mask, warp, 0}); }

  /// Calls access(warp_access, first thread, row), block_barrier() or warp_barrier(warp, mask) for each, and forgets
  /// them.
  template <class Access, class BlockBarrier, class WarpBarrier>
  void replay(Access access_again, BlockBarrier block_barrier_again, WarpBarrier warp_barrier_again) {
    const element* next = elements_.data();
    for (const event& e : events_) {
      if (e.kind == what::block_barrier) block_barrier_again();
      else if (e.kind == what::warp_barrier) warp_barrier_again(e.place, e.mask);
      else access_again(gathered(e, next), e.place, e.row);
    }
    clear();
  }
  void clear() {
    events_.clear();
    elements_.clear();
  }

 private:
  enum class what { access, block_barrier, warp_barrier };
  struct event {
    what kind;
    sim::access first;
    std::uint32_t mask;
    int place;  // the first thread, or the warp
    std::uint16_t row;
  };
  struct element {
    const void* address;
    uint64 index;
  };

  const warp_access& gathered(const event& e, const element*& next) {
    together_ = warp_access{&e.first, {}, 0};
    for (int lane = 0; lane < 32; ++lane) {
      if ((e.mask >> lane & 1) == 0) continue;
      lanes_[lane] = e.first;
      lanes_[lane].address = next->address;
      lanes_[lane].index = next->index;
      ++next;
      together_.lane[lane] = &lanes_[lane];
      ++together_.active;
    }
    return together_;
  }

  std::vector<event> events_;
  std::vector<element> elements_;
  sim::access lanes_[32];
  warp_access together_;
};

}  // namespace memtile::sim::detail
