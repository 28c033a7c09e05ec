// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A host compiler can not launch on a GPU, and says so instead of doing something else.
// expect: memtile: a file that launches on a GPU must be compiled by nvcc
#include <memtile/kernel.cuh>

struct twice {
  static constexpr int threads = 32;
  MEMTILE_KERNEL void operator()(memtile::block block, memtile::vector_view<float> v) const {
    v.store(block.rank(), 2 * v.load(block.rank()));
  }
};

#if defined(FIXED)
memtile::status start(memtile::sim::processor& where, memtile::vector_view<float> v) {
#else
memtile::status start(memtile::stream_t where, memtile::vector_view<float> v) {
#endif
  return memtile::launch(where, 1, twice{}, v);
}
