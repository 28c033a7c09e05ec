// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: memtile: transpose must be given row-major or column-major matrices, or volumes
#include <memtile/sim.cuh>
#include <memtile/transpose.cuh>

using namespace memtile;

#if defined(FIXED)
using given = matrix_view<const float>;
#else
using given = matrix_view<const float, strided>;
#endif
status turn(sim::machine& machine, given in, matrix_view<float> out) { return transpose(machine, in, out); }
