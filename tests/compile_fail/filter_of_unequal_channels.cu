// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: memtile: the input and the output of a filter must have the same number of channels
#include <memtile/sim.cuh>
#include <memtile/stencil.cuh>

using namespace memtile;

#if defined(FIXED)
using pixel = vec<uint8, 3>;
#else
using pixel = vec<uint8, 4>;
#endif
status calm(sim::machine& machine, matrix_view<const vec<uint8, 3>> in, matrix_view<pixel> out) {
  return median_filter<box<1>>(machine, in, out, reflect{});
}
