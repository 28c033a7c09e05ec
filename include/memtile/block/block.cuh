// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The thread block a kernel runs in, and the warp: who am I, wait for the others, exchange.
//
// One type on both machines, so that kernels need not be templates. Rank and size are fields, read once at the entry of
// the kernel: a member that read threadIdx would lose the range that the launch bounds promise, and with it some
// instructions at every use.
#pragma once

#include <memtile/block/cluster.cuh>
#include <memtile/core/std.hpp>
#include <memtile/hw/barrier.cuh>
#include <memtile/hw/thread.cuh>
#include <memtile/hw/warp.cuh>

namespace memtile {

/// 32 threads of a block that run together; the last warp of a block may have fewer.
class warp {
 public:
  MEMTILE_FUNCTION constexpr warp(int thread_rank, int block_size)
      : rank_(thread_rank / 32), lane_(thread_rank % 32), size_(min_of(32, block_size - thread_rank / 32 * 32)) {}
  MEMTILE_FUNCTION constexpr int rank() const { return rank_; }  // of the warp in its block
  MEMTILE_FUNCTION constexpr int lane() const { return lane_; }
  MEMTILE_FUNCTION constexpr int size() const { return size_; }
  /// The same lane, where the caller knows that all 32 exist: a mask that the compiler knows costs nothing, another one
  /// several instructions at every shuffle.
  MEMTILE_FUNCTION constexpr warp complete() const { return warp(*this, 32); }
  /// One bit for each lane that exists.
  MEMTILE_FUNCTION constexpr uint32 mask() const { return size_ == 32 ? 0xffffffffu : (1u << size_) - 1; }

  /// All lanes arrive, and see what the others wrote before.
  MEMTILE_FUNCTION void sync(site s = site::here()) const { hw::warp_barrier(mask(), s); }

  /// No instruction: tells the simulator that lanes which left an inner loop at different times are together again, where
  /// that loop stands inside another. Without it the accesses of one round are laid beside those of the next.
  MEMTILE_FUNCTION void meet(site s = site::here()) const { hw::lanes_meet(s); }

  // Each lane brings a value and gets another lane's. All lanes of the warp call; `group` is a power of two up to 32.
  // Within groups of so many lanes, an index is taken modulo the group, and up and down past its ends give back one's own
  // value; an exclusive or reaches into earlier groups. Memory is not ordered: that is sync's work.
  template <class T>
  MEMTILE_FUNCTION T shuffle(T v, int lane, int group = 32, site s = site::here()) const {
    return hw::shuffle(hw::shuffle_kind::index, mask(), v, lane, group, s);
  }
  template <class T>
  MEMTILE_FUNCTION T shuffle_up(T v, int distance, int group = 32, site s = site::here()) const {
    return hw::shuffle(hw::shuffle_kind::up, mask(), v, distance, group, s);
  }
  template <class T>
  MEMTILE_FUNCTION T shuffle_down(T v, int distance, int group = 32, site s = site::here()) const {
    return hw::shuffle(hw::shuffle_kind::down, mask(), v, distance, group, s);
  }
  template <class T>
  MEMTILE_FUNCTION T shuffle_xor(T v, int bits, int group = 32, site s = site::here()) const {
    return hw::shuffle(hw::shuffle_kind::exclusive_or, mask(), v, bits, group, s);
  }

  /// Bit i is the vote of lane i; whether any, and whether every lane voted true. All lanes of the warp call.
  MEMTILE_FUNCTION uint32 ballot(bool vote, site s = site::here()) const { return hw::ballot(mask(), vote, s); }
  MEMTILE_FUNCTION bool any(bool vote, site s = site::here()) const { return ballot(vote, s) != 0; }
  MEMTILE_FUNCTION bool all(bool vote, site s = site::here()) const { return ballot(vote, s) == mask(); }

 private:
  MEMTILE_FUNCTION constexpr warp(const warp& w, int size) : rank_(w.rank_), lane_(w.lane_), size_(size) {}
  int rank_, lane_, size_;
};

class block {
 public:
  MEMTILE_FUNCTION constexpr block(int rank, int size) : rank_(rank), size_(size) {
    MEMTILE_ASSUME(rank >= 0 && rank < size);
  }
  MEMTILE_FUNCTION constexpr int rank() const { return rank_; }  // of this thread in the block
  MEMTILE_FUNCTION constexpr int size() const { return size_; }  // threads
  MEMTILE_FUNCTION constexpr memtile::warp warp() const { return memtile::warp(rank_, size_); }

  MEMTILE_FUNCTION constexpr memtile::cluster cluster() const { return memtile::cluster(); }

  // The block's place in the grid, in blocks.
  MEMTILE_FUNCTION int grid_row() const { return hw::block_row(); }
  MEMTILE_FUNCTION int grid_column() const { return hw::block_column(); }
  MEMTILE_FUNCTION int grid_plane() const { return hw::block_plane(); }
  MEMTILE_FUNCTION int grid_rows() const { return hw::grid_rows(); }
  MEMTILE_FUNCTION int grid_columns() const { return hw::grid_columns(); }
  MEMTILE_FUNCTION int grid_planes() const { return hw::grid_planes(); }

  /// Every thread of the block arrives, and sees what the others wrote before.
  MEMTILE_FUNCTION void sync(site s = site::here()) const { hw::block_barrier(s); }
  /// The same barrier; whether any thread voted true.
  MEMTILE_FUNCTION bool any(bool vote, site s = site::here()) const { return hw::block_barrier_any(vote, s); }

 private:
  int rank_, size_;
};

/// The block of the calling thread, in a __global__ function of one's own.
MEMTILE_FUNCTION block this_block() { return block(hw::thread_rank(), hw::block_size()); }

}  // namespace memtile
