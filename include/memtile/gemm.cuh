// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix multiplication: memtile::gemm and gemm_list from the host, memtile::block_gemm inside a
// kernel.
#pragma once

#include <memtile/algorithm/gemm.cuh>
#include <memtile/block/block_gemm.cuh>
#include <memtile/launch/gemm.cuh>
#include <memtile/launch/gemm_list.cuh>
