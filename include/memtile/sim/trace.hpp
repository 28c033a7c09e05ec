// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Turns what 32 lanes did one after the other into the accesses of a warp.
//
// Each lane runs alone until it has to wait and notes its accesses in a trace. At the rendezvous the traces are laid
// side by side. As a rule all lanes walked the same way, and the n-th notes of all of them are one access. Where their
// ways differ, lanes that will soon stand where others stand catch up; else the one at the lowest line goes first, and
// takes along those that stand at the same access: after an if or a loop of unequal length the lanes meet again, as they do
// on the hardware. Where hw::lanes_meet says so, nobody goes on before all have come.
#pragma once

#include <memtile/hw/hook.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace memtile::sim::detail {

/// What lanes of a warp did together. A copy that reads nothing is noted without an address, and its lane is not
/// active.
struct warp_access {
  const access* first;
  const access* lane[32];  // null: the lane takes no part
  int active;
};

/// Whether these notes are of a thread that goes round in a small circle and changes nothing.
inline bool goes_round(const access* begin, const access* end) {
  constexpr int few = 32;
  const void* seen[few];
  int count = 0;
  for (const access* note = begin; note != end; ++note) {
    const bool changes = note->kind() == access_kind::store || is_atomic(note->kind());
    if (changes && (note->index & access::keeps_value) == 0) return false;
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
  access* next(int lane) { return begin(lane) + noted_[lane]; }
  void set_next(int lane, const access* next) { noted_[lane] = int(next - begin(lane)); }
  bool has_room(int lane) const { return noted_[lane] < capacity; }
  bool has_rest() const {
    return std::any_of(noted_, noted_ + 32, [](int n) { return n > 0; });
  }
  void clear() { std::fill(noted_, noted_ + 32, 0); }

  /// Calls visit(warp_access) for each access of the warp, in order, and forgets the notes. `unfinished` are lanes that
  /// have more to note: where one of them has run out, what the others have left waits until it is known what that one
  /// does next.
  template <class Visit>
  void drain(std::uint32_t unfinished, Visit&& visit) {
    int at[32] = {};  // how far the notes of each lane are used
    drain_together(at, visit);
    drain_diverged(at, unfinished, visit);
    for (int lane = 0; lane < 32; ++lane) {
      if (at[lane] == 0) continue;
      std::copy(begin(lane) + at[lane], next(lane), begin(lane));
      noted_[lane] -= at[lane];
    }
  }

 private:
  // Not a multiple of the size of a page: the lanes' notes would share the few places of one cache set.
  static constexpr std::size_t stride = capacity + 6;
  static constexpr int look_ahead = 16;

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

  // While all lanes that have notes do the same.
  template <class Visit>
  void drain_together(int (&at)[32], Visit& visit) {
    int lanes[32], count = 0, common = capacity;
    for (int lane = 0; lane < 32; ++lane) {
      if (noted_[lane] == 0) continue;
      lanes[count++] = lane;
      common = (std::min)(common, noted_[lane]);
    }
    if (count == 0) return;
    int used = 0;
    for (warp_access together{}; used < common; ++used) {
      const access& first = begin(lanes[0])[used];
      together.first = &first;
      together.active = 0;
      bool all_alike = true;
      for (int k = 0; k < count && all_alike; ++k) {
        const access& mine = begin(lanes[k])[used];
        all_alike = same_access(mine, first);
        together.lane[lanes[k]] = &mine;
        together.active += mine.address != nullptr;
      }
      if (!all_alike) break;
      if (first.kind() != meeting) visit(together);
    }
    for (int k = 0; k < count; ++k) at[lanes[k]] = used;
  }

  template <class Visit>
  void drain_diverged(int (&at)[32], std::uint32_t unfinished, Visit& visit) {
    for (;;) {
      int leader = -1;
      for (int lane = 0; lane < 32; ++lane) {
        const bool has_notes = at[lane] < noted_[lane];
        if (!has_notes && (unfinished >> lane & 1) != 0) return;
        if (has_notes && (leader < 0 || comes_before(head(lane, at), head(leader, at)))) leader = lane;
      }
      if (leader < 0) return;
      leader = whoever_is_behind(leader, at);
      const access& first = head(leader, at);
      warp_access together{&first, {}, 0};
      for (int lane = 0; lane < 32; ++lane) {
        const access* const mine = begin(lane) + at[lane];
        if (at[lane] >= noted_[lane] || !same_access(*mine, first)) continue;
        together.lane[lane] = mine;
        together.active += mine->address != nullptr;
        ++at[lane];
      }
      if (first.kind() != meeting) visit(together);
    }
  }

  const access& head(int lane, const int (&at)[32]) { return begin(lane)[at[lane]]; }
  // A lane that comes to the leader's access soon, where the leader does not come to that lane's, has to catch up: lines
  // of a function below, or of another file, say nothing of the order.
  int whoever_is_behind(int leader, const int (&at)[32]) {
    const access& first = head(leader, at);
    for (int lane = 0; lane < 32 && first.kind() != meeting; ++lane) {
      if (at[lane] >= noted_[lane] || same_access(head(lane, at), first)) continue;
      if (comes_soon(first, lane, at) && !comes_soon(head(lane, at), leader, at)) return lane;
    }
    return leader;
  }
  bool comes_soon(const access& a, int lane, const int (&at)[32]) {
    const access* const last = (std::min)(next(lane), begin(lane) + at[lane] + look_ahead);
    for (const access* note = begin(lane) + at[lane]; note < last && note->kind() != meeting; ++note)
      if (same_access(*note, a)) return true;
    return false;
  }

  std::unique_ptr<access[]> notes_{new access[32 * stride]};
  int noted_[32] = {};
};

}  // namespace memtile::sim::detail
