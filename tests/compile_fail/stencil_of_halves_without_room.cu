// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: memtile: only halves of uint8 have room for sums
#include <memtile/sim.cuh>
#include <memtile/stencil.cuh>

using namespace memtile;

#if defined(FIXED)
using pixel = uint8;
#else
using pixel = uint16;
#endif
struct sum_of_row {
  static constexpr bool takes_halves = true;
  template <class Neighbours>
  MEMTILE_FUNCTION auto operator()(const Neighbours& n) const {
    return n(0, -1) + n(0, 0) + n(0, 1);
  }
};
status sum(sim::machine& machine, matrix_view<const pixel> in, matrix_view<pixel> out) {
  return stencil<window<0, 0, 1, 1>>(machine, in, out, sum_of_row{}, reflect{});
}
