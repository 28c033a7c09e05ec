// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: memtile: gemm_policy must use math::fp32
#include <memtile/block/gemm_shape.hpp>

using namespace memtile;

#if defined(FIXED)
using policy = gemm_policy<math::fp32>;
#else
using policy = gemm_policy<math::tf32>;
#endif
static_assert(gemm_shape<float, policy>::threads > 0, "");
