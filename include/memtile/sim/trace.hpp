// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Turns what 32 lanes did one after the other into the accesses of a warp.
//
// Each lane runs alone until it has to wait and notes its accesses in a trace. At the rendezvous the traces are laid
// side by side. As a rule all lanes walked the same way, and the n-th notes of all of them are one access. Where their
// ways differ, the lane that stands at the lowest line goes first and takes along those that stand at the same access:
// after an if or a loop of unequal length the lanes meet again, as they do on the hardware. Where hw::lanes_meet says
// so, nobody goes on before all have come.
#pragma once

#include <memtile/hw/hook.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>

namespace memtile::sim::detail {

/// What lanes of a warp did together. A copy that reads nothing is noted without an address, and its lane is not
/// active.
struct warp_access {
  const access* first;
  const access* lane[32];  // null: the lane takes no part
  int active;
};

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
  static constexpr int capacity = 256;

  access* begin(int lane) { return &notes_[std::size_t(lane) * stride]; }
  access* end(int lane) { return begin(lane) + capacity; }
  void set_end(int lane, const access* next) { noted_[lane] = int(next - begin(lane)); }

  /// Calls visit(warp_access) for each access of the warp, in order, and forgets the notes.
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

  // Everything but the address and the element: four words, one comparison. `access` has no padding.
  static bool same_access(const access& a, const access& b) {
    static_assert(sizeof(void*) != 8 || (sizeof(access) == 48 && offsetof(access, file) == 16),
                  "memtile: access must have no padding");
    return __builtin_memcmp(&a.file, &b.file, sizeof(access) - offsetof(access, file)) == 0;
  }
  // Where the lanes meet comes after all lines.
  static bool comes_before(const access& a, const access& b) {
    const bool a_meets = a.kind() == meeting, b_meets = b.kind() == meeting;
    if (a_meets != b_meets) return b_meets;
    return a.line != b.line ? a.line < b.line : a.inner_line < b.inner_line;
  }

  // While all lanes do the same; returns how far that went.
  template <class Visit>
  int drain_together(const int* lanes, int count, int common, Visit& visit) {
    warp_access together{};
    for (int i = 0; i < common; ++i) {
      const access& first = begin(lanes[0])[i];
      together.first = &first;
      together.active = 0;
      for (int k = 0; k < count; ++k) {
        const access& mine = begin(lanes[k])[i];
        if (!same_access(mine, first)) return i;
        together.lane[lanes[k]] = &mine;
        together.active += mine.address != nullptr;
      }
      if (first.kind() != meeting) visit(together);
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
        if (at[lane] < noted_[lane] && (lowest == nullptr || comes_before(*mine, *lowest))) lowest = mine;
      }
      if (lowest == nullptr) return;
      warp_access together{lowest, {}, 0};
      for (int lane = 0; lane < 32; ++lane) {
        const access* const mine = begin(lane) + at[lane];
        if (at[lane] >= noted_[lane] || !same_access(*mine, *lowest)) continue;
        together.lane[lane] = mine;
        together.active += mine->address != nullptr;
        ++at[lane];
      }
      if (lowest->kind() != meeting) visit(together);
    }
  }

  std::unique_ptr<access[]> notes_{new access[32 * stride]};
  int noted_[32] = {};
};

}  // namespace memtile::sim::detail
