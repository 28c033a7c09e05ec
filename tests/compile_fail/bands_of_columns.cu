// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: memtile: run_in_bands must have row-major matrices, or volumes
#include <memtile/pipeline.cuh>

using namespace memtile;

status start(sim::processor& where, const float* in, float* out) {
  const auto work = [](const auto&, auto, auto, const band&) { return status(); };
#if defined(FIXED)
  return run_in_bands(where, row_major(in, 4, 5), row_major(out, 4, 5), bands{2, 1}, work);
#else
  return run_in_bands(where, column_major(in, 4, 5), column_major(out, 4, 5), bands{2, 1}, work);
#endif
}
