// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: memtile: the pixels of a filter must have 1 to 4 channels
#include <memtile/sim.cuh>
#include <memtile/stencil.cuh>

using namespace memtile;

#if defined(FIXED)
using pixel = vec<uint8, 4>;
#else
using pixel = vec<uint8, 5>;
#endif
status calm(sim::machine& machine, matrix_view<const pixel> in, matrix_view<pixel> out) {
  return median_filter<box<1>>(machine, in, out, reflect{});
}
