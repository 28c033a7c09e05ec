// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: memtile: a part of gemm_policy must be math::fp32, block_tile
#include <memtile/core/policy.hpp>

struct swizzled {};

#if defined(FIXED)
using policy = memtile::gemm_policy<memtile::block_tile<64, 64, 8>>;
#else
using policy = memtile::gemm_policy<memtile::block_tile<64, 64, 8>, swizzled>;
#endif
static_assert(policy::block::m == 64, "");
