// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: memtile: the output of reduce must not be a view of const elements
#include <memtile/reduce.cuh>
#include <memtile/sim.cuh>

using namespace memtile;

#if defined(FIXED)
using result = float;
#else
using result = const float;
#endif
status total(sim::machine& machine, vector_view<const float> v, vector_view<result> out) {
  return sum(machine, v, out);
}
