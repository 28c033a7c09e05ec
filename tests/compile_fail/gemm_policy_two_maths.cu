// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: memtile: gemm_policy must name its math at most once
#include <memtile/core/policy.hpp>

#if defined(FIXED)
using policy = memtile::gemm_policy<memtile::math::tf32, memtile::stages<2>>;
#else
using policy = memtile::gemm_policy<memtile::math::tf32, memtile::stages<2>, memtile::math::fp32>;
#endif
static_assert(policy::stages == 2, "");
