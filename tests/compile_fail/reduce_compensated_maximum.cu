// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: memtile: a compensated reduction must be a sum, by plus
#include <memtile/reduce.cuh>
#include <memtile/sim.cuh>

using namespace memtile;

#if defined(FIXED)
using op = plus;
#else
using op = maximum;
#endif
status largest(sim::machine& machine, vector_view<const float> v, vector_view<float> out) {
  return reduce<compensated>(machine, v, out, op{}, 0.f);
}
