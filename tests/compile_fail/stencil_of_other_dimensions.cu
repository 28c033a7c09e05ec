// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: memtile: a window must have two numbers for each dimension of the input
#include <memtile/sim.cuh>
#include <memtile/stencil.cuh>

using namespace memtile;

struct itself {
  template <class Neighbours>
  MEMTILE_FUNCTION float operator()(const Neighbours& n) const {
    return n.centre();
  }
};
#if defined(FIXED)
using around = window<0, 0, 1, 1>;
#else
using around = window<1, 1>;
#endif
status copy(sim::machine& machine, matrix_view<const float> in, matrix_view<float> out) {
  return stencil<around>(machine, in, out, itself{}, wrap{});
}
