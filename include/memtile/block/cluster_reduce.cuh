// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reduction of one value of each thread of a cluster of blocks, through the shared memory of its blocks.
#pragma once

#include <memtile/block/block_reduce.cuh>
#include <memtile/block/cluster.cuh>

namespace memtile {

MEMTILE_USER_CODE_BEGIN
/// v op v op ... over the threads of all blocks of a cluster, in the order of the blocks' ranks and of the threads' in them.
/// Without a `cluster` in the kernel it is a reduction of the block, on every architecture.
///
/// Threads   the most that a block may have, 1 to 1024
/// Callers   all threads of all blocks of the cluster
/// Requires  T trivially copyable; op associative, but not commutative. One cluster.sync() between the last call and the
///           end of the kernel: no block may end while others read what it has left.
/// Memory    that of block_reduce, and two of T; no bank conflicts
/// Cost      one barrier of the block and one of the cluster, and a read of distributed shared memory for each block. Calls
///           may follow each other at once.
template <class T, int Threads = 1024>
class cluster_reduce {
 public:
  static constexpr int threads = Threads;
  struct storage {
    typename block_reduce<T, Threads>::storage of_block;
    T totals[2];
  };
  static constexpr int shared_bytes = int(sizeof(storage));

  MEMTILE_FUNCTION cluster_reduce(const block& b, storage& shared)
      : block_(b), shared_(&shared), of_block_(b, shared.of_block) {}

  /// Every thread of every block gets the result, bit for bit the same.
  template <class Operator>
  MEMTILE_FUNCTION T all_threads(T v, const Operator& op, site s = site::here()) {
    s = s.within("cluster_reduce");
    T& total = shared_->totals[turn_];
    turn_ ^= 1;
    v = of_block_.thread_0(v, op, s.inner());
    if (block_.rank() == 0) hw::store_shared(&total, v, s.inner());
    const cluster c = block_.cluster();
    c.sync(s.inner());
    T all = c.load(total, 0, s.inner());
    for (int rank = 1; rank < c.size(); ++rank) all = op(all, c.load(total, rank, s.inner()));
    return all;
  }

 private:
  block block_;
  storage* shared_;
  block_reduce<T, Threads> of_block_;
  int turn_ = 0;  // which total the next call uses
};
MEMTILE_USER_CODE_END

}  // namespace memtile
