// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The fence of the whole device: with an atomic operation behind it a thread gives away what it knows, with one before
// it a thread takes over what another one gave away there.
//
// The trap: alone it orders nothing. Both sides need the fence, and the atomic operation on the same word between them.
#pragma once

#include <memtile/hw/hook.hpp>

namespace memtile::hw {

/// The calling thread's accesses before, and those it knows of, come before its later ones for every thread of the
/// device that sees one of these.
MEMTILE_FUNCTION void device_fence([[maybe_unused]] site s) {
#if defined(__CUDA_ARCH__)
  asm volatile("fence.acq_rel.gpu;" ::: "memory");
#else  // what has no address counts as left out
  sim::note(sim::space::global, sim::fence, sim::current, 0, s);
#endif
}

}  // namespace memtile::hw
