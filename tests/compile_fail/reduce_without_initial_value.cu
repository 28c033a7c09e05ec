// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: memtile: a reduction without an initial value must have an operator with an identity
#include <memtile/reduce.cuh>
#include <memtile/sim.cuh>

using namespace memtile;

struct first {
  template <class T>
  MEMTILE_FUNCTION T operator()(T a, T) const {
    return a;
  }
#if defined(FIXED)
  template <class T>
  MEMTILE_FUNCTION static constexpr T identity() {
    return T(0);
  }
#endif
};
status first_of(sim::machine& machine, vector_view<const float> v, vector_view<float> out) {
  return reduce(machine, v, out, first{});
}
