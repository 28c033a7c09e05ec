// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A barrier of all blocks of a launch, so that one kernel goes on where several had to follow each other.
//
//   struct relax {
//     static constexpr int threads = 256;
//     static constexpr bool cooperative = true;     // all blocks run at one time, or the launch is refused
//     MEMTILE_KERNEL void operator()(memtile::block block, memtile::vector_view<memtile::uint32> words, ...) const {
//       const memtile::grid_barrier all(block, words);
//       ...; all.sync(); ...; all.sync(); ...
//       all.finish();
//     }
//   };
#pragma once

#include <memtile/block/last_block.cuh>
#include <memtile/global/access.cuh>
#include <memtile/hw/grid_barrier.cuh>

namespace memtile {

/// Who calls  every thread of every block of a cooperative kernel, whose grid is one row
/// Requires   two words of global memory that are 0 at the launch, and that nobody else uses meanwhile
/// Cost       of sync(): see hw::grid_barrier
class grid_barrier {
 public:
  MEMTILE_FUNCTION grid_barrier(const block& b, const vector_view<uint32>& two_words) : block_(b), words_(two_words) {}

  /// Every thread of the launch arrives, and sees what the others wrote before to global memory.
  MEMTILE_FUNCTION void sync(site s = site::here()) const {
    hw::grid_barrier(has_words(s) ? words_.address(0) : nullptr, block_.rank(), block_.grid_column(),
                     block_.grid_columns(), s);
  }
  /// Behind the last sync(): leaves the words 0, ready for the next launch. Waits for nobody.
  MEMTILE_FUNCTION void finish(site s = site::here()) const {
    if (!has_words(s)) return;
    const bool is_last = block_is_last(block_, words_.address(1), block_.grid_columns(), stored_by::thread_0, s);
    if (is_last && block_.rank() == 0) words_.store(0, 0, s);
  }

 private:
  MEMTILE_FUNCTION bool has_words(site s) const { return hw::inside("vector_view", {1}, {words_.size}, 0, 1, s); }
  block block_;
  vector_view<uint32> words_;
};

}  // namespace memtile
