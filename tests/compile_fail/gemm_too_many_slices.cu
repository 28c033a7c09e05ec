// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: memtile: split_k must be 1 to 64 slices
#include <memtile/core/policy.hpp>

#if defined(FIXED)
using policy = memtile::gemm_policy<memtile::split_k<64>>;
#else
using policy = memtile::gemm_policy<memtile::split_k<65>>;
#endif
static_assert(policy::slices == 64, "");
