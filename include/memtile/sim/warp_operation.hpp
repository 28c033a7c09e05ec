// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// When a barrier or an exchange of a warp opens: when every lane of its mask has come with the same mask to the same
// place. PTX asks for the same mask only; that it is one place in the source keeps the meaning plain. Lanes that the
// last warp of a block does not have count as come. Lanes that have returned do so on the hardware; here they do when
// nobody else can run, and the mask is a fault.
#pragma once

#include <memtile/sim/simulated_thread.hpp>

#include <cstddef>

namespace memtile::sim::detail {

/// The lanes of one warp; a block's last warp may have fewer than 32.
struct warp_lanes {
  const simulated_threads& threads;
  int first, count;

  simulated_thread& operator[](int lane) const { return *threads[std::size_t(first + lane)]; }
  uint32 existing() const { return count == 32 ? ~0u : (1u << count) - 1; }
};

// The lanes of its mask that have not come to where `l` waits.
inline uint32 missing_lanes(const warp_lanes& warp, const simulated_thread& l) {
  uint32 missing = 0;
  for (uint32 left = l.mask & warp.existing(); left != 0; left &= left - 1)
    if (!warp[__builtin_ctz(left)].waits_with(l)) missing |= left & -left;
  return missing;
}
inline uint32 returned_lanes(const warp_lanes& warp) {
  uint32 returned = 0;
  for (int lane = 0; lane < warp.count; ++lane) returned |= uint32(warp[lane].state == thread_state::returned) << lane;
  return returned;
}

// What each lane brought; a lane that is not named brings nonsense.
inline exchanged gathered(const warp_lanes& warp, uint32 mask) {
  exchanged all;
  all.came = mask;
  for (int lane = 0; lane < 32; ++lane) all.value[lane] = (mask >> lane & 1) != 0 ? warp[lane].value : ~uint64(0);
  return all;
}

/// Opens what can open without the lanes of `done_without`: calls release(lane) for every lane that may go on, after
/// giving it the values, and ordered(mask) before that where the operation is a barrier. True if there was one.
template <class Ordered, class Release>
bool open_warp_operations(const warp_lanes& warp, uint32 done_without, Ordered ordered, Release release) {
  bool opened = false;
  for (int lane = 0; lane < warp.count; ++lane) {
    const simulated_thread& l = warp[lane];
    if (l.state != thread_state::at_warp_operation) continue;
    const uint32 missing = missing_lanes(warp, l);
    if ((missing & ~done_without) != 0) continue;
    const uint32 mask = l.mask & warp.existing() & ~missing;
    const exchanged all = gathered(warp, mask);
    if (l.orders) ordered(mask);
    for (uint32 left = mask; left != 0; left &= left - 1) {
      const int released = __builtin_ctz(left);
      *warp[released].all = all;
      release(released);
    }
    opened = true;
  }
  return opened;
}

}  // namespace memtile::sim::detail
