// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: memtile: iterate_until must have the policy automatic or fused_steps<Count>
#include <memtile/sim.cuh>
#include <memtile/stencil.cuh>

using namespace memtile;

struct mean {
  template <class Neighbours>
  MEMTILE_FUNCTION float operator()(const Neighbours& n) const {
    return 0.25f * (n(0, -1) + n(0, 1) + n(-1, 0) + n(1, 0));
  }
};

#if defined(FIXED)
using policy = automatic;
#else
using policy = on_chip<>;
#endif
status settle(sim::machine& machine, matrix_view<float> u, matrix_view<float> scratch,
              vector_view<iterate_progress> progress) {
  return iterate_until<star<1>, policy>(machine, {1e-3, 10, 1000}, u, scratch, progress, mean{}, wrap{});
}
