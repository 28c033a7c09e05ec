// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Thread block clusters (sm_90 and newer): blocks that run together, wait for each other and read and write each other's
// shared memory. Code for older devices runs in clusters of one block, and a launch with larger ones is refused there.
//
// The trap: a block's shared memory is there from its first to its last instruction only. A barrier of the cluster comes
// before the first access by another block, and another one behind the last.
#pragma once

#include <memtile/hw/bounds.cuh>
#include <memtile/hw/memory.cuh>

namespace memtile::hw {

/// The rank of the block in its cluster.
MEMTILE_FUNCTION int cluster_rank() {
#if !defined(__CUDA_ARCH__)
  return sim::current != nullptr ? sim::current->cluster_rank : 0;
#elif __CUDA_ARCH__ >= 900
  uint32 rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return int(rank);
#else
  return 0;
#endif
}
/// The number of blocks in it.
MEMTILE_FUNCTION int cluster_size() {
#if !defined(__CUDA_ARCH__)
  return sim::current != nullptr ? sim::current->cluster_size : 1;
#elif __CUDA_ARCH__ >= 900
  uint32 size;
  asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
  return int(size);
#else
  return 1;
#endif
}

/// Every thread of every block of the cluster arrives, and sees what the others wrote before. The simulator wants all of
/// them at one source line.
MEMTILE_FUNCTION void cluster_barrier([[maybe_unused]] site s) {
#if !defined(__CUDA_ARCH__)
  if (sim::current != nullptr) sim::current->wait_for_cluster(s);
#elif __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.arrive.release;\n\tbarrier.cluster.wait.acquire;" ::: "memory");
#else
  __syncthreads();
#endif
}

namespace detail {
// Where in block `rank` the same variable stands as `own` is in the shared memory of this one. In the simulator null if
// it does not.
template <class V>
MEMTILE_FUNCTION V* in_block(V* own, [[maybe_unused]] int rank, [[maybe_unused]] site s) {
#if !defined(__CUDA_ARCH__)
  if (sim::current == nullptr) return own;
  return static_cast<V*>(sim::current->in_block(own, rank, int(sizeof(V)), s));
#elif __CUDA_ARCH__ >= 900
  V* theirs;
  asm("mapa.u64 %0, %1, %2;" : "=l"(theirs) : "l"(own), "r"(rank));
  return theirs;
#else
  return own;
#endif
}
}  // namespace detail

/// Loads the variable of block `rank` that stands where *own does in the caller's shared memory.
template <class V>
MEMTILE_FUNCTION V load_cluster(const V* own, int rank, site s) {
  const V* const theirs = detail::in_block(own, rank, s);
#if defined(__CUDA_ARCH__)
  return *theirs;
#else
  return theirs != nullptr ? detail::read(sim::space::cluster, theirs, s) : poison<V>();
#endif
}
/// Stores there.
template <class V>
MEMTILE_FUNCTION void store_cluster(V* own, int rank, const V& v, site s) {
  V* const theirs = detail::in_block(own, rank, s);
#if defined(__CUDA_ARCH__)
  *theirs = v;
#else
  if (theirs != nullptr) detail::write(sim::space::cluster, theirs, v, s);
#endif
}

}  // namespace memtile::hw
