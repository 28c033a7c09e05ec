// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cp.async: a copy from global to shared memory that passes no register and finishes later (sm_80 and newer; older ones
// copy at once, through registers, which is a legal early finish).
//
// The trap: async_wait makes a thread's own copies visible to that thread alone. Others see them after a block barrier
// that follows.
#pragma once

#include <memtile/hw/hook.hpp>

namespace memtile::hw {

/// Copies `Bytes` bytes, or writes so many zeros if not `inside`: then nothing is read, and the source need
/// not exist. Both addresses are multiples of Bytes, which is 4, 8 or 16. The two sites name the two elements.
template <int Bytes>
MEMTILE_FUNCTION void async_copy(void* to_shared, const void* from_global, bool inside, [[maybe_unused]] site to_site,
                                 [[maybe_unused]] site from_site) {
  static_assert(Bytes == 4 || Bytes == 8 || Bytes == 16, "memtile: an asynchronous copy must move 4, 8 or 16 bytes");
#if !defined(__CUDA_ARCH__)
  if (!sim::aligned(to_shared, Bytes, to_site) || !sim::aligned(from_global, Bytes, from_site)) return;
  if (sim::current != nullptr)
    return sim::current->async_copy(to_shared, from_global, Bytes, inside ? Bytes : 0, to_site, from_site);
  if (inside) __builtin_memcpy(to_shared, from_global, Bytes);
  else __builtin_memset(to_shared, 0, Bytes);
#elif __CUDA_ARCH__ >= 800
  const uint32 to = uint32(__cvta_generic_to_shared(to_shared));
  const int valid =
      inside ? Bytes : 0;     // 0 or all: the hardware does either by a predicate, anything between costs arithmetic
  if constexpr (Bytes == 16)  // past L1: nobody reads these lines again through it
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(to), "l"(from_global), "r"(valid));
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(to), "l"(from_global), "n"(Bytes), "r"(valid));
#else
  uint32 words[Bytes / 4];
  MEMTILE_UNROLL
  for (int w = 0; w < Bytes / 4; ++w) words[w] = inside ? static_cast<const uint32*>(from_global)[w] : 0;
  MEMTILE_UNROLL
  for (int w = 0; w < Bytes / 4; ++w) static_cast<uint32*>(to_shared)[w] = words[w];
#endif
}

template <int Bytes>
MEMTILE_FUNCTION void async_copy(void* to_shared, const void* from_global, bool inside, site s) {
  async_copy<Bytes>(to_shared, from_global, inside, s, s);
}

/// Closes the group of the copies that this thread issued since the last call.
MEMTILE_FUNCTION void async_commit([[maybe_unused]] site s) {
#if !defined(__CUDA_ARCH__)
  if (sim::current != nullptr) sim::current->async_commit(s);
#elif __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/// Waits until at most `Pending` of this thread's newest groups are still on their way.
template <int Pending>
MEMTILE_FUNCTION void async_wait([[maybe_unused]] site s) {
#if !defined(__CUDA_ARCH__)
  if (sim::current != nullptr) sim::current->async_wait(Pending, s);
#elif __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
#endif
}

}  // namespace memtile::hw
