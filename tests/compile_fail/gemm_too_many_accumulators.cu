// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: memtile: thread_tile must need at most 128 registers for its accumulators
// 64 accumulators a thread fit its registers, 256 cannot: [PRIM-11]
#include <memtile/block/gemm_shape.hpp>

using namespace memtile;

#if defined(FIXED)
using policy = gemm_policy<block_tile<128, 128, 16>, thread_tile<16, 8>>;
#else
using policy = gemm_policy<block_tile<128, 128, 16>, thread_tile<16, 16>>;
#endif
static_assert(gemm_shape<float, policy>::threads > 0, "");
