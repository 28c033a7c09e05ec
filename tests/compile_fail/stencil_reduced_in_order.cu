// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: memtile: what a stencil reduces by must be commutative, and have an identity
#include <memtile/sim.cuh>
#include <memtile/stencil.cuh>

using namespace memtile;

#if defined(FIXED)
using difference = maximum;
#else
struct difference {
  MEMTILE_FUNCTION float operator()(float a, float b) const { return a - b; }
};
#endif
struct change {
  template <class Neighbours>
  MEMTILE_FUNCTION auto operator()(const Neighbours& n) const {
    return measured(n(0, 1), n(0, 1) - n(0, 0));
  }
};
status step(sim::machine& machine, matrix_view<const float> in, matrix_view<float> out, vector_view<float> total) {
  return stencil<star<1>>(machine, in, out, change{}, reflect{}, reduce_into(total, difference{}));
}
