// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: memtile: the policy of a reduction must be accumulate_in<T>, compensated or automatic
#include <memtile/reduce.cuh>
#include <memtile/sim.cuh>

using namespace memtile;

#if defined(FIXED)
using policy = accumulate_in<double>;
#else
using policy = double;
#endif
status total(sim::machine& machine, vector_view<const float> v, vector_view<float> out) {
  return sum<policy>(machine, v, out);
}
