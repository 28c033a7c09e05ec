// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: memtile: the input and the output of transpose must have one element type, or a functor between them
#include <memtile/sim.cuh>
#include <memtile/transpose.cuh>

using namespace memtile;

#if defined(FIXED)
using element = float;
#else
using element = double;
#endif
status turn(sim::machine& machine, matrix_view<const float> in, matrix_view<element> out) {
  return transpose(machine, in, out);
}
