// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: memtile: fused steps must fit into the registers of a thread: take fewer, or leave fused_steps out
#include <memtile/sim.cuh>
#include <memtile/stencil.cuh>

using namespace memtile;

struct corner {
  template <class Neighbours>
  MEMTILE_FUNCTION float operator()(const Neighbours& n) const {
    return n(2, 2);
  }
};

#if defined(FIXED)
using policy = fused_steps<2>;
#else
using policy = fused_steps<8>;
#endif
status shift(sim::machine& machine, matrix_view<float> u, matrix_view<float> scratch) {
  return iterate<box<2>, policy>(machine, 10, u, scratch, corner{}, replicate{});
}
