// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cluster a block runs in: blocks side by side in a row of the grid that reach each other's shared memory. A kernel
// asks for it with `static constexpr int cluster = 4;`, or with a plain `int cluster` that is set at run time.
#pragma once

#include <memtile/core/std.hpp>
#include <memtile/hw/cluster.cuh>

namespace memtile {

/// Blocks are numbered 0 .. size() - 1 along the columns of the grid. Without a `cluster` in the kernel it is one block.
class cluster {
 public:
  MEMTILE_FUNCTION int rank() const { return hw::cluster_rank(); }  // of the block in the cluster
  MEMTILE_FUNCTION int size() const { return hw::cluster_size(); }  // blocks

  /// Every thread of every block of the cluster arrives, and sees what the others wrote before to shared and global
  /// memory.
  MEMTILE_FUNCTION void sync(site s = site::here()) const { hw::cluster_barrier(s); }

  // The variable of block `rank` that stands where `own` does in the storage of the caller's block.
  //
  // Requires  a sync() before the first of these in a kernel, so that all blocks have begun, and one behind the last, so
  //           that none has ended
  template <class T>
  MEMTILE_FUNCTION T load(const T& own, int rank, site s = site::here()) const {
    return hw::load_cluster(&own, rank, s);
  }
  template <class T>
  MEMTILE_FUNCTION void store(T& own, int rank, const typename detail::same_type<T>::type& v,
                              site s = site::here()) const {
    hw::store_cluster(&own, rank, v, s);
  }
};

}  // namespace memtile
