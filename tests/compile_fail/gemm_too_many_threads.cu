// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: memtile: block_tile / thread_tile must be at most 1024 threads
#include <memtile/block/gemm_shape.hpp>

using namespace memtile;

#if defined(FIXED)
using policy = gemm_policy<block_tile<128, 128, 16>, thread_tile<4, 4>>;
#else
using policy = gemm_policy<block_tile<128, 128, 16>, thread_tile<2, 4>>;
#endif
static_assert(gemm_shape<float, policy>::threads > 0, "");
