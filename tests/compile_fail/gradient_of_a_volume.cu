// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: memtile: a gradient must be one of a matrix
#include <memtile/sim.cuh>
#include <memtile/stencil.cuh>

using namespace memtile;

#if defined(FIXED)
using view = matrix_view<float>;
#else
using view = volume_view<float>;
#endif
status slope(sim::machine& machine, const view& in, const view& out) {
  return sobel_filter<0>(machine, in, out, reflect{});
}
