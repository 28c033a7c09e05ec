// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Who runs: the thread's rank in its block and the block's place in the grid. A grid's columns lie along x, its rows
// along y.
#pragma once

#include <memtile/hw/hook.hpp>

namespace memtile::hw {

/// Row-major over x, y, z, as the hardware forms warps.
MEMTILE_FUNCTION int thread_rank() {
#if defined(__CUDA_ARCH__)
  return int(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z));
#else
  return sim::current != nullptr ? sim::current->rank : 0;
#endif
}
MEMTILE_FUNCTION int block_size() {
#if defined(__CUDA_ARCH__)
  return int(blockDim.x * blockDim.y * blockDim.z);
#else
  return sim::current != nullptr ? sim::current->size : 1;
#endif
}
MEMTILE_FUNCTION int block_column() {
#if defined(__CUDA_ARCH__)
  return int(blockIdx.x);
#else
  return sim::current != nullptr ? int(sim::current->block_column) : 0;
#endif
}
// The same numbers in a grid and blocks of one dimension, read once more: between the two readings no register need hold
// them, nor what follows from them.
MEMTILE_FUNCTION int thread_rank_again() {
#if defined(__CUDA_ARCH__)
  int rank;
  asm volatile("mov.u32 %0, %%tid.x;" : "=r"(rank));
  return rank;
#else
  return thread_rank();
#endif
}
MEMTILE_FUNCTION int block_column_again() {
#if defined(__CUDA_ARCH__)
  int column;
  asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(column));
  return column;
#else
  return block_column();
#endif
}
MEMTILE_FUNCTION int block_row() {
#if defined(__CUDA_ARCH__)
  return int(blockIdx.y);
#else
  return sim::current != nullptr ? int(sim::current->block_row) : 0;
#endif
}
MEMTILE_FUNCTION int block_plane() {
#if defined(__CUDA_ARCH__)
  return int(blockIdx.z);
#else
  return sim::current != nullptr ? int(sim::current->block_plane) : 0;
#endif
}
MEMTILE_FUNCTION int grid_columns() {
#if defined(__CUDA_ARCH__)
  return int(gridDim.x);
#else
  return sim::current != nullptr ? int(sim::current->grid_columns) : 1;
#endif
}
MEMTILE_FUNCTION int grid_rows() {
#if defined(__CUDA_ARCH__)
  return int(gridDim.y);
#else
  return sim::current != nullptr ? int(sim::current->grid_rows) : 1;
#endif
}
MEMTILE_FUNCTION int grid_planes() {
#if defined(__CUDA_ARCH__)
  return int(gridDim.z);
#else
  return sim::current != nullptr ? int(sim::current->grid_planes) : 1;
#endif
}

}  // namespace memtile::hw
