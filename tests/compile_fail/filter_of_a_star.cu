// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: memtile: the window of a filter must be box<r> or window<...>: of a star, give stencil a functor
#include <memtile/sim.cuh>
#include <memtile/stencil.cuh>

using namespace memtile;

#if defined(FIXED)
using around = box<1>;
#else
using around = star<1>;
#endif
status erode(sim::machine& machine, matrix_view<const float> in, matrix_view<float> out) {
  return minimum_filter<around>(machine, in, out, reflect{});
}
