// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: memtile: fused steps must be of a matrix, with a window that reaches equally far to opposite sides, or of a volume, with a star of radius 1 and one field; and have a border of memtile's that does not wrap on one side only: leave the policy out
#include <memtile/sim.cuh>
#include <memtile/stencil.cuh>

using namespace memtile;

struct left {
  template <class Neighbours>
  MEMTILE_FUNCTION float operator()(const Neighbours& n) const {
    return n(0, -1);
  }
};

#if defined(FIXED)
using policy = automatic;
#else
using policy = fused_steps<4>;
#endif
status shift(sim::machine& machine, matrix_view<float> u, matrix_view<float> scratch) {
  return iterate<star<1>, policy>(machine, 10, u, scratch, left{}, sides{wrap{}, replicate{}});
}
