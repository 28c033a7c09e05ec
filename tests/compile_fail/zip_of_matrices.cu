// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: memtile: zip and dot must have vectors
#include <memtile/reduce.cuh>
#include <memtile/sim.cuh>

using namespace memtile;

#if defined(FIXED)
using input = vector_view<const float>;
#else
using input = matrix_view<const float>;
#endif
status product(sim::machine& machine, input a, input b, vector_view<float> out) { return dot(machine, a, b, out); }
