// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: memtile: the window of a filter must be as large as its weights along each axis
#include <memtile/sim.cuh>
#include <memtile/stencil.cuh>

using namespace memtile;

#if defined(FIXED)
using around = window<0, 2, 2, 2>;
#else
using around = window<2, 2, 0, 2>;  // as many places, but of 5 rows and 3 columns
#endif
status smooth(sim::machine& machine, matrix_view<const float> in, matrix_view<float> out) {
  const weights<float, 3, 5> w{{1, 2, 3, 2, 1, 2, 4, 6, 4, 2, 1, 2, 3, 2, 1}};
  return correlate<around>(machine, in, out, w, reflect{});
}
