// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: memtile: a cooperative kernel must not run in clusters: leave one of the two out
#include <memtile/kernel.cuh>
#include <memtile/sim.cuh>

struct all_at_once {
  static constexpr int threads = 64;
  static constexpr bool cooperative = true;
#if !defined(FIXED)
  static constexpr int cluster = 2;
#endif
  MEMTILE_KERNEL void operator()(memtile::block) const {}
};
memtile::status start(memtile::sim::machine& machine) { return memtile::launch(machine, 4, all_at_once{}); }
