// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which block is done last, so that it can finish what all of them began: no second launch is needed.
//
//   partials.store(block.grid_column(), sum);                                            // of each block
//   if (block_is_last(block, tickets.address(0), block.grid_columns())) add_up(partials);  // by one of them
#pragma once

#include <memtile/block/block.cuh>
#include <memtile/hw/atomic.cuh>

namespace memtile {

/// Which threads of a block have stored what the last block shall see. If only thread 0 has, one barrier is saved.
enum class stored_by { any_thread, thread_0 };

/// Whether this block is the last of `blocks` that call with the same ticket.
///
/// Who calls  every thread of each of these blocks, once in a launch; `ticket` points to 0 in global memory
/// Returns    the same in all threads of a block. In the last block they see what the others stored to global memory
///            before their calls, and the ticket is 0 again, ready for the next launch.
/// Requires   plain loads of what other blocks stored come after the call, and only in the last block
/// Cost       a fenced atomic operation for each block, and two barriers; with stored_by::thread_0 one
MEMTILE_FUNCTION bool block_is_last(block b, uint32* ticket, int blocks, stored_by who = stored_by::any_thread,
                                    site s = site::here()) {
  s = s.within("block_is_last");
  if (who == stored_by::any_thread) b.sync(s.inner());
  bool is_last = false;
  if (b.rank() == 0) {  // the barriers carry on, for the other threads, what the fences order for this one
    const auto last = uint32(blocks - 1);
    is_last = hw::fenced_increment_wrapping(ticket, last, s.inner()) == last;
  }
  return b.any(is_last, s.inner());
}

}  // namespace memtile
