// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: memtile: the axes of permute_axes must be 0, 1 and 2 in any order
#include <memtile/sim.cuh>
#include <memtile/transpose.cuh>

using namespace memtile;

#if defined(FIXED)
constexpr int last = 0;
#else
constexpr int last = 1;
#endif
status turn(sim::machine& machine, volume_view<const float> in, volume_view<float> out) {
  return permute_axes<1, 2, last>(machine, in, out);
}
