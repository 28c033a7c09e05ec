// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The barrier of all blocks of a launch. They must run at one time: the launch is a cooperative one.
#pragma once

#include <memtile/hw/atomic.cuh>

namespace memtile::hw {

/// Every thread of each of `blocks` blocks arrives, and sees what the others wrote before to global memory. The simulator
/// wants all of them at one source line.
///
/// word      in global memory, 0 before the first barrier; its highest bit changes at each one, and the others are 0 again
/// thread, block   of the caller: numbers from 0 on
/// Cost      about 1.2 us where no block comes late (H200, cooperative groups)
MEMTILE_FUNCTION void grid_barrier(uint32* word, int thread, int block, int blocks, [[maybe_unused]] site s) {
  constexpr uint32 highest = 0x80000000u;
  const uint32 arrival = block == 0 ? highest - uint32(blocks - 1) : 1;  // of all together: the highest bit
#if defined(__CUDA_ARCH__)
  __syncthreads();  // carries on, for one thread, what the others wrote
  if (thread == 0) {
    uint32 before, now;
    asm volatile("atom.add.acq_rel.gpu.u32 %0, [%1], %2;" : "=r"(before) : "l"(word), "r"(arrival) : "memory");
    do {
      asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(now) : "l"(word) : "memory");
    } while (((now ^ before) & highest) == 0);
  }
  __syncthreads();
#else
  if (thread == 0 && word != nullptr) static_cast<void>(atomic_add(memory::global, word, arrival, s));
  if (sim::current != nullptr) sim::current->wait_for_grid(s);
#endif
}

}  // namespace memtile::hw
