// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reduction of one value of each thread of a block: shuffles within the warps, and one word of shared memory for each
// warp.
//
//   using reducer = memtile::block_reduce<float, 192>;
//   __shared__ reducer::storage storage;
//   reducer reduce{memtile::this_block(), storage};
//   const float sum = reduce.all_threads(mine, memtile::plus{});
#pragma once

#include <memtile/block/lane_values.cuh>
#include <memtile/block/warp_reduce.cuh>
#include <memtile/core/vec.hpp>
#include <memtile/hw/bounds.cuh>

namespace memtile {

MEMTILE_USER_CODE_BEGIN
/// v(0) op v(1) op ... over the threads of a block, in the order of their ranks: x first, then y, then z.
///
/// Threads   the most that the block may have, 1 to 1024; it may have any number up to that
/// Values    how many values of each thread one call may reduce behind one barrier
/// Callers   all threads of the block; those that have nothing to bring, bring the identity
/// Requires  T trivially copyable; op associative, but not commutative
/// Memory    2 * Values * ceil(Threads / 32) of T in shared memory, no bank conflicts
/// Cost      one barrier; all_threads has a second one where the last warp is incomplete; none for a single warp. Calls
///           may follow each other at once: they use two sets of words in turn. Two objects on one storage need a
///           block.sync() between them.
template <class T, int Threads = 1024, int Values = 1>
class block_reduce {
  static_assert(Threads >= 1 && Threads <= 1024, "memtile: block_reduce must be of 1 to 1024 threads");
  static_assert(__is_trivially_copyable(T), "memtile: block_reduce must be of a trivially copyable type");
  static constexpr int warps = (Threads + 31) / 32;
  static constexpr int lanes_of_totals = warps > 16 ? 32 : warps > 8 ? 16 : warps > 4 ? 8 : warps > 2 ? 4 : 2;

 public:
  static constexpr int threads = Threads;
  struct storage {
    lane_values<T, warps> totals[2][Values];
  };
  static constexpr int shared_bytes = int(sizeof(storage));

  /// A block of more threads is a fault in the simulator.
  MEMTILE_FUNCTION block_reduce(const block& b, storage& shared, site s = site::here()) : block_(b), shared_(&shared) {
    static_cast<void>(hw::inside("the threads of block_reduce", {b.size() - 1}, {Threads}, 0, 1, s));
  }

  /// Every thread gets the result, bit for bit the same.
  template <class Operator>
  MEMTILE_FUNCTION T all_threads(T v, const Operator& op, site s = site::here()) {
    return all_threads(vec<T, 1>{{v}}, op, s)[0];
  }
  /// Thread 0 gets the result; what the others get has no meaning.
  template <class Operator>
  MEMTILE_FUNCTION T thread_0(T v, const Operator& op, site s = site::here()) {
    return thread_0(vec<T, 1>{{v}}, op, s)[0];
  }

  /// Several reductions behind one barrier: for each i, of value i of every thread.
  template <int Count, class Operator>
  MEMTILE_FUNCTION vec<T, Count> all_threads(vec<T, Count> v, const Operator& op, site s = site::here()) {
    static_assert(Count <= Values, "memtile: block_reduce must be told in its type how many values a call brings");
    s = s.within("block_reduce");
    const warp w = block_.warp();
    if (block_.size() <= 32) {
      MEMTILE_UNROLL
      for (int i = 0; i < Count; ++i) v[i] = warp_reduce(w, v[i], op, 32, s.inner());
      return v;
    }
    leave_totals(w, v, op, s);
    if (block_.size() % 32 == 0) {  // every warp is complete and makes the result for itself
      v = fold_totals(w, v, op, s);
      MEMTILE_UNROLL
      for (int i = 0; i < Count; ++i)
        if (!each_lane_folds()) v[i] = w.complete().shuffle(v[i], 0, 32, s.inner());
    } else {
      if (w.rank() == 0) v = fold_totals(w, v, op, s);
      hand_round(v, s);
    }
    turn_ ^= 1;
    return v;
  }
  template <int Count, class Operator>
  MEMTILE_FUNCTION vec<T, Count> thread_0(vec<T, Count> v, const Operator& op, site s = site::here()) {
    static_assert(Count <= Values, "memtile: block_reduce must be told in its type how many values a call brings");
    s = s.within("block_reduce");
    const warp w = block_.warp();
    leave_totals(w, v, op, s);
    if (block_.size() > 32 && w.rank() == 0) v = fold_totals(w, v, op, s);
    turn_ ^= 1;
    return v;
  }

 private:
  // Lane 0 of each warp has the total of its warp; of several warps, all of them are in shared memory afterwards.
  template <int Count, class Operator>
  MEMTILE_FUNCTION void leave_totals(const warp& w, vec<T, Count>& v, const Operator& op, site s) {
    MEMTILE_UNROLL
    for (int i = 0; i < Count; ++i) {
      v[i] = warp_reduce_to_first(w, v[i], op, 32, s.inner());
      if (block_.size() > 32 && w.lane() == 0) shared_->totals[turn_][i].store(w.rank(), v[i], s.inner());
    }
    if (block_.size() > 32) block_.sync(s.inner());
  }
  // Of few totals, every lane makes the result for itself: that is sooner done than asking other lanes.
  MEMTILE_FUNCTION bool each_lane_folds() const {
    return warps <= 8 && sizeof(T) <= 8 && block_.size() % 32 == 0 && block_.size() / 32 == warps;
  }
  // A complete warp makes the results of the totals, in its lane 0 at least.
  template <int Count, class Operator>
  MEMTILE_FUNCTION vec<T, Count> fold_totals(const warp& w, vec<T, Count> v, const Operator& op, site s) {
    const int count = (block_.size() + 31) / 32;
    MEMTILE_UNROLL
    for (int i = 0; i < Count; ++i) {
      if (each_lane_folds()) {
        vec<T, warps> all;
        MEMTILE_UNROLL
        for (int k = 0; k < warps; ++k) all[k] = shared_->totals[turn_][i].load(k, s.inner());
        v[i] = pairwise(all, op);
      } else {
        T total = v[i];
        if (w.lane() < count) total = shared_->totals[turn_][i].load(w.lane(), s.inner());
        v[i] = detail::fold_lanes(w.complete(), total, op, lanes_of_totals, count, s.inner());
      }
    }
    return v;
  }
  // From warp 0 to the others. The word that it goes through is that of warp 0, which only warp 0 has read.
  template <int Count>
  MEMTILE_FUNCTION void hand_round(vec<T, Count>& v, site s) {
    MEMTILE_UNROLL
    for (int i = 0; i < Count; ++i)
      if (block_.rank() == 0) shared_->totals[turn_][i].store(0, v[i], s.inner());
    block_.sync(s.inner());
    MEMTILE_UNROLL
    for (int i = 0; i < Count; ++i) v[i] = shared_->totals[turn_][i].load(0, s.inner());
  }

  block block_;
  storage* shared_;
  int turn_ = 0;  // which set of words the next call uses
};
MEMTILE_USER_CODE_END

}  // namespace memtile
