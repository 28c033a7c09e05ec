// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: memtile: the input and the output of transpose must both be row major, or both column major
#include <memtile/sim.cuh>
#include <memtile/transpose.cuh>

using namespace memtile;

status turn(sim::machine& machine, matrix_view<const float> in, matrix_view<float, column> out) {
#if defined(FIXED)
  return transpose(machine, transposed(in), out);
#else
  return transpose(machine, in, out);
#endif
}
