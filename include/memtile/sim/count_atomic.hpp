// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How atomic operations are served, as Nsight Compute counted them on an H200. What count.hpp is made of.
//
// The trap: lanes that update one word do not share it, as readers do. 32 lanes on one counter are 32 wavefronts, and
// 96 where the hardware has no such operation and the compiler makes a loop of it, as for the addition of floats.
#pragma once

#include <memtile/sim/count_passes.hpp>

#if !defined(__CUDACC_RTC__)

namespace memtile::sim::detail {

constexpr int lanes_in_pass(int bytes) { return bytes == 8 ? 16 : 32; }
// The banks, or pairs of banks, that an access can meet another one in.
constexpr int bank_of(std::int64_t offset, int bytes) {
  return int(offset / (bytes == 8 ? 8 : 4) % lanes_in_pass(bytes));
}

// Each lane needs its bank for itself.
constexpr shared_count count_updates(int bytes, const lane_offsets& offsets) {
  shared_count sum;
  for (int first = 0; first < 32; first += lanes_in_pass(bytes)) {
    int lanes_on[32] = {}, most = 0;
    for (int lane = first; lane < first + lanes_in_pass(bytes); ++lane) {
      if (offsets[lane] < 0) continue;
      const int lanes = ++lanes_on[bank_of(offsets[lane], bytes)];
      most = lanes > most ? lanes : most;
    }
    sum.wavefronts += most;
    sum.bank_conflicts += most > 0 ? most - 1 : 0;
  }
  return sum;
}

// One round of load, compute, compare and swap: the lowest lane of each bank wins, unless an earlier pass has changed
// its word. Winners leave. Returns the wavefronts of the exchange: two for each pass that is not empty.
constexpr int let_winners_leave(int bytes, lane_offsets& left) {
  int wavefronts = 0, winners = 0;
  std::int64_t changed[32] = {};
  bool wins[32] = {};
  for (int first = 0; first < 32; first += lanes_in_pass(bytes)) {
    std::uint32_t taken = 0;
    const int changed_before = winners;
    for (int lane = first; lane < first + lanes_in_pass(bytes); ++lane) {
      if (left[lane] < 0) continue;
      const std::uint32_t bank = 1u << bank_of(left[lane], bytes);
      if ((taken & bank) != 0) continue;
      taken |= bank;
      bool stale = false;
      for (int i = 0; i < changed_before; ++i) stale = stale || changed[i] == left[lane];
      if (stale) continue;
      changed[winners++] = left[lane];
      wins[lane] = true;
    }
    wavefronts += taken != 0 ? 2 : 0;
  }
  for (int lane = 0; lane < 32; ++lane)
    if (wins[lane]) left[lane] = -1;
  return wavefronts;
}

constexpr bool any_active(const lane_offsets& offsets) {
  for (int lane = 0; lane < 32; ++lane)
    if (offsets[lane] >= 0) return true;
  return false;
}

constexpr shared_count count_loop(int bytes, const lane_offsets& offsets) {
  shared_count sum;
  lane_offsets left = offsets;
  while (any_active(left)) {
    const shared_count load = count_instruction(access_kind::load, bytes, left);
    sum.wavefronts += load.wavefronts + let_winners_leave(bytes, left);
    sum.bank_conflicts += load.bank_conflicts;
  }
  return sum;
}

constexpr shared_count count_atomic(access_kind kind, int bytes, const lane_offsets& offsets) {
  if (kind == access_kind::atomic_loop) return count_loop(bytes, offsets);
  shared_count sum = count_updates(bytes, offsets);
  if (kind == access_kind::atomic_compare) sum.wavefronts *= 2;
  return sum;
}

// In global memory lanes on one address go one after the other, and each such round asks for its sectors anew: for each
// sector, as often as its most wanted address.
constexpr int atomic_sectors(const lane_offsets& offsets) {
  int sum = 0;
  for (int lane = 0; lane < 32; ++lane) {
    if (offsets[lane] < 0) continue;
    int earlier_here = 0;  // lanes before this one on its address
    bool counted = false;  // another address of the sector was wanted as often before
    for (int other = 0; other < lane; ++other) earlier_here += offsets[other] == offsets[lane];
    for (int other = 0; other < lane && !counted; ++other) {
      if (offsets[other] < 0 || offsets[other] == offsets[lane] || offsets[other] / 32 != offsets[lane] / 32) continue;
      int earlier_there = 0;
      for (int i = 0; i < other; ++i) earlier_there += offsets[i] == offsets[other];
      counted = earlier_there == earlier_here;
    }
    sum += !counted;
  }
  return sum;
}

}  // namespace memtile::sim::detail
#endif
