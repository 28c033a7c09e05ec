// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: memtile: stages must be at least 2
#include <memtile/block/gemm_shape.hpp>

using namespace memtile;

#if defined(FIXED)
using policy = gemm_policy<stages<2>>;
#else
using policy = gemm_policy<stages<1>>;
#endif
static_assert(gemm_shape<float, policy>::threads > 0, "");
