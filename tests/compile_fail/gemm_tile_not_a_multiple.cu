// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: memtile: block_tile's M must be a multiple of thread_tile's M
#include <memtile/block/gemm_shape.hpp>

using namespace memtile;

#if defined(FIXED)
using policy = gemm_policy<block_tile<64, 64, 16>, thread_tile<8, 4>>;
#else
using policy = gemm_policy<block_tile<60, 64, 16>, thread_tile<8, 4>>;
#endif
static_assert(gemm_shape<float, policy>::threads > 0, "");
