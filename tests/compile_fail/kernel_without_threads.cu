// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: memtile: a kernel must say how many threads its block has
#include <memtile/kernel.cuh>

struct kernel {
#if defined(FIXED)
  static constexpr int threads = 32;
#endif
  MEMTILE_KERNEL void operator()(memtile::block, memtile::vector_view<float>) const {}
};
memtile::status start(memtile::sim::processor& where, memtile::vector_view<float> v) {
  return memtile::launch(where, 1, kernel{}, v);
}
