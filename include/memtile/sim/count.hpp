// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What one access of a warp costs, from its addresses alone: wavefronts in shared memory, sectors in global memory.
// Pure functions, so that a layout can be proved free of conflicts by a static_assert, without a machine and without a
// GPU.
//
// The trap: a conflict is not "two lanes on one bank". Lanes that ask for the same word share it, a wide access is
// several passes to begin with, and a load (never a store) may merge two passes when pairs of lanes agree. The rules
// were measured with Nsight Compute on an H200; what the hardware does with a kind for which measured() is false is more
// than these functions know.
#pragma once

#include <memtile/sim/count_atomic.hpp>
#include <memtile/sim/count_passes.hpp>

#if !defined(__CUDACC_RTC__)

namespace memtile::sim {

struct global_count {
  int sectors = 0;  // different 32-byte pieces touched

  friend constexpr bool operator==(global_count a, global_count b) { return a.sectors == b.sectors; }
  friend constexpr bool operator!=(global_count a, global_count b) { return !(a == b); }
};

/// Whether the counts of this kind are those of the hardware. The others are printed as "model": an asynchronous copy
/// counts as a load from global and a store to shared memory, where the hardware, that knows both addresses at once,
/// counts more (cp.async of 4 and 8 bytes) or nothing (of 16 bytes, which pass by the counted way). Loads and stores in
/// the shared memory of other blocks of a cluster count as those in one's own, which is a model too.
constexpr bool measured(access_kind kind) { return kind != access_kind::async_copy; }

/// Wavefronts and bank conflicts of one access to shared memory. For matrices the offsets are those of the row that each
/// lane names; lanes beyond the 8 or 16 that ldmatrix.x1 and x2 look at are ignored, and for stmatrix.x1 and x2 those
/// must be idle.
constexpr shared_count count_shared(access_kind kind, int bytes, const lane_offsets& byte_offsets) {
  switch (kind) {
  case access_kind::ldmatrix_x1:
  case access_kind::ldmatrix_x2:
  case access_kind::ldmatrix_x4:
  case access_kind::stmatrix: return detail::count_matrices(kind, byte_offsets);
  case access_kind::atomic:
  case access_kind::atomic_compare:
  case access_kind::atomic_loop: return detail::count_atomic(kind, bytes, byte_offsets);
  default: break;
  }
  const int piece = detail::instruction_bytes(bytes);
  if (piece == bytes) return detail::count_instruction(kind, bytes, byte_offsets);
  shared_count sum;
  for (int begin = 0; begin < bytes; begin += piece) {
    const shared_count part = detail::count_instruction(kind, piece, detail::shifted(byte_offsets, begin));
    sum.wavefronts += part.wavefronts;
    sum.bank_conflicts += part.bank_conflicts;
  }
  return sum;
}

/// Sectors of one load, store or copy of global memory.
constexpr global_count count_global(int bytes, const lane_offsets& byte_offsets) {
  const int piece = detail::instruction_bytes(bytes);
  if (piece == bytes) return {detail::instruction_sectors(byte_offsets, bytes)};
  global_count sum;
  for (int begin = 0; begin < bytes; begin += piece)
    sum.sectors += detail::instruction_sectors(detail::shifted(byte_offsets, begin), piece);
  return sum;
}

/// Sectors of one access of that kind: lanes that update one address do not share its sector.
constexpr global_count count_global(access_kind kind, int bytes, const lane_offsets& byte_offsets) {
  return is_atomic(kind) ? global_count{detail::atomic_sectors(byte_offsets)} : count_global(bytes, byte_offsets);
}

/// How many instructions an access of that many bytes is.
constexpr int instructions(int bytes) {
  const int piece = detail::instruction_bytes(bytes);
  return piece == bytes ? 1 : bytes / piece;
}

/// The sectors that so many lanes need when they lie side by side and begin on a sector.
constexpr int coalesced_sectors(int bytes, int active_lanes) { return (bytes * active_lanes + 31) / 32; }

}  // namespace memtile::sim
#endif
