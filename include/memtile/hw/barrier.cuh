// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Barriers: of a block (bar.sync) and of lanes of a warp (bar.warp.sync).
#pragma once

#include <memtile/hw/hook.hpp>

namespace memtile::hw {

/// Every thread of the block arrives, and sees what the others wrote before. The simulator wants all of them at one
/// source line.
MEMTILE_FUNCTION void block_barrier([[maybe_unused]] site s) {
#if defined(__CUDA_ARCH__)
  __syncthreads();
#else
  if (sim::current != nullptr) sim::current->wait_for_block(false, s);
#endif
}

/// The same barrier; each thread brings a vote and hears whether one of them was yes.
MEMTILE_FUNCTION bool block_barrier_any(bool vote, [[maybe_unused]] site s) {
#if defined(__CUDA_ARCH__)
  return __syncthreads_or(vote) != 0;
#else
  return sim::current != nullptr ? sim::current->wait_for_block(vote, s) : vote;
#endif
}

/// The lanes of `mask` arrive, and see what the others of them wrote before.
MEMTILE_FUNCTION void warp_barrier(uint32 mask, [[maybe_unused]] site s) {
#if defined(__CUDA_ARCH__)
  __syncwarp(mask);
#else
  sim::exchanged unused;
  if (sim::current != nullptr) sim::current->wait_for_warp(mask, 0, unused, true, s);
#endif
}

}  // namespace memtile::hw
