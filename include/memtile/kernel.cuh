// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// To write a kernel of one's own: block, views, tiles, movements between the levels of memory, launch.
#pragma once

#include <memtile/block/block.cuh>
#include <memtile/block/block_reduce.cuh>
#include <memtile/block/block_stencil.cuh>
#include <memtile/block/cluster_reduce.cuh>
#include <memtile/block/global_to_shared.cuh>
#include <memtile/block/grid_barrier.cuh>
#include <memtile/block/halo_to_shared.cuh>
#include <memtile/block/last_block.cuh>
#include <memtile/block/reg_to_global.cuh>
#include <memtile/block/shared_to_reg.cuh>
#include <memtile/core/as_view.hpp>
#include <memtile/core/math.hpp>
#include <memtile/core/operators.hpp>
#include <memtile/core/small_float.hpp>
#include <memtile/global/access.cuh>
#include <memtile/global/border.hpp>
#include <memtile/launch/launch.cuh>
#include <memtile/reg/fragment.cuh>
#include <memtile/shared/ring.cuh>
#include <memtile/shared/tile.cuh>
