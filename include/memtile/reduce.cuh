// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions of whole arrays, rows, columns and segments, from the host and inside kernels.
#pragma once

#include <memtile/block/block_reduce.cuh>
#include <memtile/launch/read_back.hpp>
#include <memtile/launch/reduce.cuh>
#include <memtile/launch/reduce_rows.cuh>
#include <memtile/launch/reduce_segments.cuh>
