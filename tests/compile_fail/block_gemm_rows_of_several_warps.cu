// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: memtile: block_tile's N must be 1, 2, 4 or 8 times thread_tile's N for reduce_rows
#include <memtile/gemm.cuh>

#if defined(FIXED)
using tile = memtile::block_tile<64, 64, 16>;
#else
using tile = memtile::block_tile<64, 128, 16>;
#endif
using product = memtile::block_gemm<float, memtile::gemm_policy<tile, memtile::thread_tile<8, 8>>>;
auto largest(const product& p) { return p.reduce_rows(memtile::maximum{}); }
