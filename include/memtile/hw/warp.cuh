// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shuffles and votes: lanes of a warp exchange registers. They order no memory: that is warp_barrier's work.
//
// A shuffle works within groups of lanes, a power of two each. Which lane a value comes from is one function here: an
// index is taken modulo the group; up and down past its ends mean one's own value; an exclusive or reaches into earlier
// groups, not into later ones.
#pragma once

#include <memtile/hw/hook.hpp>

namespace memtile::hw {

enum class shuffle_kind { index, up, down, exclusive_or };

namespace detail {

// The lane that `lane` reads from.
MEMTILE_FUNCTION constexpr int shuffle_source(shuffle_kind kind, int lane, int argument, int group) {
  const int first = lane & ~(group - 1), last = first + group - 1;
  const uint32 distance = uint32(argument);  // the hardware takes a negative one for a long one
  switch (kind) {
  case shuffle_kind::index: return first + (argument & (group - 1));
  case shuffle_kind::up: return distance <= uint32(lane - first) ? lane - argument : lane;
  case shuffle_kind::down: return distance <= uint32(last - lane) ? lane + argument : lane;
  case shuffle_kind::exclusive_or: return (uint32(lane) ^ distance) <= uint32(last) ? lane ^ argument : lane;
  }
  return lane;
}

MEMTILE_FUNCTION uint32 shuffle_word(shuffle_kind kind, uint32 mask, uint32 v, int argument, int group,
                                     [[maybe_unused]] site s) {
#if defined(__CUDA_ARCH__)
  switch (kind) {
  case shuffle_kind::index: return __shfl_sync(mask, v, argument, group);
  case shuffle_kind::up: return __shfl_up_sync(mask, v, unsigned(argument), group);
  case shuffle_kind::down: return __shfl_down_sync(mask, v, unsigned(argument), group);
  default: return __shfl_xor_sync(mask, v, argument, group);
  }
#else
  if (sim::current == nullptr) return v;
  if (group < 1 || group > 32 || (group & (group - 1)) != 0) {
    sim::current->wrong_group(group, s);
    group = 32;
  }
  sim::exchanged all;
  const int lane = sim::current->rank % 32;
  sim::current->wait_for_warp(mask, v, all, false, s);
  const int source = shuffle_source(kind, lane, argument, group);
  if ((mask >> source & 1) == 0) sim::current->lane_not_named(source, mask, s);
  return uint32(all.value[source]);
#endif
}

}  // namespace detail

/// Values of any trivially copyable type, moved in words of 4 bytes.
template <class T>
MEMTILE_FUNCTION T shuffle(shuffle_kind kind, uint32 mask, T v, int argument, int group, site s) {
  constexpr int words = (int(sizeof(T)) + 3) / 4;
  uint32 bits[words] = {};
  memtile::detail::copy_bytes(bits, &v, sizeof(T));
  MEMTILE_UNROLL
  for (int w = 0; w < words; ++w) bits[w] = detail::shuffle_word(kind, mask, bits[w], argument, group, s);
  memtile::detail::copy_bytes(&v, bits, sizeof(T));
  return v;
}

/// Bit i is what lane i of the mask voted.
MEMTILE_FUNCTION uint32 ballot(uint32 mask, bool vote, [[maybe_unused]] site s) {
#if defined(__CUDA_ARCH__)
  return __ballot_sync(mask, vote);
#else
  if (sim::current == nullptr) return vote ? mask : 0;
  sim::exchanged all;
  sim::current->wait_for_warp(mask, vote, all, false, s);
  uint32 votes = 0;
  for (int lane = 0; lane < 32; ++lane)
    if (all.came >> lane & 1) votes |= uint32(all.value[lane] != 0) << lane;
  return votes;
#endif
}

/// No instruction: the lanes of a warp that went different ways, round a loop of unequal length, are together again. The
/// hardware finds that place by itself; the simulator, which lays the accesses of the lanes side by side, has to be told
/// where one such loop stands inside another.
MEMTILE_FUNCTION void lanes_meet([[maybe_unused]] site s) {
#if !defined(__CUDA_ARCH__)
  sim::note(sim::space::shared, sim::meeting, nullptr, 0, s);
#endif
}

}  // namespace memtile::hw
