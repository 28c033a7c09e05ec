// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: memtile: a kernel must take its arguments by value
#include <memtile/kernel.cuh>

struct fill {
  static constexpr int threads = 32;
#if defined(FIXED)
  MEMTILE_KERNEL void operator()(memtile::block block, memtile::vector_view<float> v, float value) const {
#else
  MEMTILE_KERNEL void operator()(memtile::block block, memtile::vector_view<float> v, const float& value) const {
#endif
    v.store(block.rank(), value);
  }
};

memtile::status start(memtile::sim::processor& where, memtile::vector_view<float> v) { return memtile::launch(where, 1, fill{}, v, 1.f); }
