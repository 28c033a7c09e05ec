// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: memtile: block_reduce must be of 1 to 1024 threads
#include <memtile/reduce.cuh>
#include <memtile/sim.cuh>

using namespace memtile;

#if defined(FIXED)
constexpr int threads = 1024;
#else
constexpr int threads = 1025;
#endif
static_assert(block_reduce<float, threads>::shared_bytes > 0, "");
