// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: memtile: a neighbour must have one distance for each dimension of the input
#include <memtile/sim.cuh>
#include <memtile/stencil.cuh>

using namespace memtile;

struct difference {
  template <class Neighbours>
  MEMTILE_FUNCTION float operator()(const Neighbours& n) const {
#if defined(FIXED)
    return n(0, 1) - n(0, -1);
#else
    return n(1) - n(-1);
#endif
  }
};
status slope(sim::machine& machine, matrix_view<const float> in, matrix_view<float> out) {
  return stencil<box<1>>(machine, in, out, difference{}, wrap{});
}
