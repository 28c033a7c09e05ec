// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: memtile: iterate_until must be of a matrix: of a volume call iterate
#include <memtile/sim.cuh>
#include <memtile/stencil.cuh>

using namespace memtile;

struct middle {
  template <class Neighbours>
  MEMTILE_FUNCTION float operator()(const Neighbours& n) const {
    return n.centre() / 2;
  }
};

#if defined(FIXED)
template <class T>
using view = matrix_view<T>;
#else
template <class T>
using view = volume_view<T>;
#endif
status settle(sim::machine& machine, view<float> u, view<float> scratch, vector_view<iterate_progress> progress) {
  return iterate_until<star<1>>(machine, {0.5, 4, 100}, u, scratch, progress, middle{}, wrap{});
}
