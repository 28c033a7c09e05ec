// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: memtile: a file with a pipeline on a GPU must be compiled by nvcc
#include <memtile/pipeline.cuh>

using namespace memtile;

#if defined(FIXED)
status start(sim::processor& where) {
#else
status start(stream_t where) {
#endif
  pipeline frames(where, frame<float>{4, 5});
  return frames.run([](auto) { return false; }, [](const auto&, auto, auto) { return status(); }, [](auto) {});
}
