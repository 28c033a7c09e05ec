// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: memtile: the functor must return results\(...\) with one for each output
#include <memtile/sim.cuh>
#include <memtile/stencil.cuh>

using namespace memtile;

#if defined(FIXED)
constexpr bool has_third = false;
#else
constexpr bool has_third = true;
#endif
struct slopes {
  template <class Neighbours>
  MEMTILE_FUNCTION auto operator()(const Neighbours& n) const {
    const float down = n(1, 0) - n(-1, 0), across = n(0, 1) - n(0, -1);
    if constexpr (has_third) return results(down, across, n(0, 0));
    else return results(down, across);
  }
};
status both(sim::machine& machine, matrix_view<const float> in, matrix_view<float> a, matrix_view<float> b) {
  return stencil<star<1>>(machine, in, fields(a, b), slopes{}, reflect{});
}
