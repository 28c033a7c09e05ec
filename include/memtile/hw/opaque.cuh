// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A number of which the compiler forgets how it came about. Where it is part of addresses it stays whole: nvcc 13.0 otherwise
// takes the sums apart, to share what several have in common, and then no longer sees that four stores of 4 bytes are one
// of 16.
#pragma once

#include <memtile/core/config.hpp>

namespace memtile::hw {

MEMTILE_FUNCTION int64 opaque(int64 v) {
#if defined(__CUDA_ARCH__)
  asm("" : "+l"(v));
#endif
  return v;
}
MEMTILE_FUNCTION int32 opaque(int32 v) {
#if defined(__CUDA_ARCH__)
  asm("" : "+r"(v));
#endif
  return v;
}

}  // namespace memtile::hw
