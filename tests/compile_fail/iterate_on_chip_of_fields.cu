// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: memtile: steps on the chip must be of one field, a matrix: leave on_chip out
#include <memtile/sim.cuh>
#include <memtile/stencil.cuh>

using namespace memtile;

struct conduct {
  template <class Neighbours>
  MEMTILE_FUNCTION float operator()(const Neighbours& n) const {
    return n(0, 0) + n.template get<1>(0, 0) * n(0, 1);
  }
};

#if defined(FIXED)
using policy = automatic;
#else
using policy = on_chip<>;
#endif
status heat(sim::machine& machine, matrix_view<float> u, matrix_view<const float> k, matrix_view<float> scratch) {
  return iterate<star<1>, policy>(machine, 10, fields(u, k), scratch, conduct{}, wrap{});
}
