// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: memtile: a stencil must have row-major matrices
#include <memtile/sim.cuh>
#include <memtile/stencil.cuh>

using namespace memtile;

#if defined(FIXED)
using given = matrix_view<const float>;
#else
using given = matrix_view<const float, strided>;
#endif
status calm(sim::machine& machine, given in, matrix_view<float> out) {
  return median_filter<box<1>>(machine, in, out, wrap{});
}
