// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Turns what 32 lanes did one after the other into the accesses of a warp.
//
// Each lane runs alone until it has to wait and notes its accesses in a trace. At the rendezvous the traces are laid
// side by side. As a rule all lanes walked the same way, and the n-th notes of all of them are one access. Where their
// ways differ, the lane that stands at the lowest line goes first and takes along those that stand at the same access:
// after an if or a loop of unequal length the lanes meet again, as they do on the hardware.
#pragma once

#include <memtile/sim/count.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>

namespace memtile::sim::detail {

/// Whether these notes are of a thread that goes round in a small circle.
inline bool few_addresses(const access* begin, const access* end) {
  constexpr int few = 32;
  const void* seen[few];
  int count = 0;
  for (const access* note = begin; note != end; ++note) {
    if (std::find(seen, seen + count, note->address) != seen + count) continue;
    if (count == few) return false;
    seen[count++] = note->address;
  }
  return true;
}

class warp_trace {
 public:
  static constexpr int capacity = 2048;

  access* begin(int lane) { return &notes_[std::size_t(lane) * stride]; }
  access* end(int lane) { return begin(lane) + capacity; }
  void set_end(int lane, const access* next) { noted_[lane] = int(next - begin(lane)); }

  /// Calls visit(access, addresses, active lanes) for each access of the warp, in order, and forgets the notes. An
  /// address is that of the lane, -1 if the lane takes no part.
  template <class Visit>
  void drain(Visit&& visit) {
    int lanes[32], count = 0, common = capacity;
    for (int lane = 0; lane < 32; ++lane) {
      if (noted_[lane] == 0) continue;
      lanes[count++] = lane;
      common = (std::min)(common, noted_[lane]);
    }
    if (count == 0) return;
    drain_diverged(drain_together(lanes, count, common, visit), visit);
    for (int& n : noted_) n = 0;
  }

 private:
  // Not a multiple of the size of a page: the lanes' notes would share the few places of one cache set.
  static constexpr std::size_t stride = capacity + 6;

  // Everything but the address: three words, one comparison. `access` has no padding.
  static bool same_access(const access& a, const access& b) {
    static_assert(sizeof(access) == sizeof(void*) + 24 && offsetof(access, file) == sizeof(void*),
                  "memtile: access must have no padding");
    return __builtin_memcmp(&a.file, &b.file, 24) == 0;
  }
  // An asynchronous copy that reads nothing is noted without an address.
  static std::int64_t address_of(const access& a) { return a.address != nullptr ? std::int64_t(a.address) : -1; }

  // While all lanes do the same; returns how far that went.
  template <class Visit>
  int drain_together(const int* lanes, int count, int common, Visit& visit) {
    lane_offsets addresses;
    addresses.fill(-1);
    for (int i = 0; i < common; ++i) {
      const access& first = begin(lanes[0])[i];
      int active = 0;
      for (int k = 0; k < count; ++k) {
        const access& mine = begin(lanes[k])[i];
        if (!same_access(mine, first)) return i;
        addresses[std::size_t(lanes[k])] = address_of(mine);
        active += mine.address != nullptr;
      }
      visit(first, addresses, active);
    }
    return common;
  }

  template <class Visit>
  void drain_diverged(int from, Visit& visit) {
    int at[32];
    std::fill(at, at + 32, from);
    for (;;) {
      const access* lowest = nullptr;
      for (int lane = 0; lane < 32; ++lane) {
        const access* const mine = begin(lane) + at[lane];
        if (at[lane] < noted_[lane] && (lowest == nullptr || mine->line < lowest->line)) lowest = mine;
      }
      if (lowest == nullptr) return;
      lane_offsets addresses;
      int active = 0;
      for (int lane = 0; lane < 32; ++lane) {
        const access* const mine = begin(lane) + at[lane];
        const bool takes_part = at[lane] < noted_[lane] && same_access(*mine, *lowest);
        addresses[std::size_t(lane)] = takes_part ? address_of(*mine) : -1;
        active += takes_part && mine->address != nullptr;
        at[lane] += takes_part;
      }
      visit(*lowest, addresses, active);
    }
  }

  std::unique_ptr<access[]> notes_{new access[32 * stride]};
  int noted_[32] = {};
};

}  // namespace memtile::sim::detail
