// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels with a fault that compute-sanitizer can judge, each with its corrected twin: `Right` is the only difference.
// It is a template argument, so that each machine code holds one of the two and nothing of the other.
#pragma once

#include <memtile/kernel.cuh>

namespace faulty {

using namespace memtile;

// ---- Races ----------------------------------------------------------------------------------------------------------

enum class barrier_of_loop { none, after_stores, after_loads };

// A tiled matmul that lacks one of its two barriers.
template <barrier_of_loop Missing>
struct tiled_matmul {
  static constexpr int side = 16, threads = side * side;
  struct storage {
    shared_tile<float, side, side> a, b;
  };
  MEMTILE_KERNEL void operator()(block block, storage& shared, matrix_view<const float> a, matrix_view<const float> b,
                                 matrix_view<float> c) const {
    const int r = block.rank() / side, column = block.rank() % side;
    float sum = 0;
    for (int k0 = 0; k0 < a.cols; k0 += side) {
      shared.a.store(r, column, a.load(r, k0 + column));
      shared.b.store(r, column, b.load(k0 + r, column));
      if constexpr (Missing != barrier_of_loop::after_stores) block.sync();
      for (int k = 0; k < side; ++k) sum += shared.a.load(r, k) * shared.b.load(k, column);
      if constexpr (Missing != barrier_of_loop::after_loads) block.sync();
    }
    c.store(r, column, sum);
  }
};

// The last steps of a sum, in one warp.
template <bool Right>
struct sum_in_last_warp {
  static constexpr int threads = 64;
  struct storage {
    shared_tile<float, 1, threads> values;
  };
  MEMTILE_KERNEL void operator()(block b, storage& shared, vector_view<const float> in, vector_view<float> out) const {
    const int t = b.rank();
    shared.values.store(0, t, in.load(t));
    b.sync();
    if (t >= 32) return;
    for (int step = 32; step > 0; step /= 2) {
      const float sum = shared.values.load(0, t) + shared.values.load(0, t + step);
      if constexpr (Right) b.warp().sync();
      if (t < step) shared.values.store(0, t, sum);
      if constexpr (Right) b.warp().sync();
    }
    if (t == 0) out.store(0, shared.values.load(0, 0));
  }
};

// Lane 0 hands a value to the other lanes through shared memory.
template <bool Right>
struct value_from_lane_0 {
  static constexpr int threads = 32;
  struct storage {
    shared_tile<float, 1, 1> value;
  };
  MEMTILE_KERNEL void operator()(block b, storage& shared, vector_view<const float> in, vector_view<float> out) const {
    if (b.rank() == 0) shared.value.store(0, 0, in.load(0));
    if constexpr (Right) b.warp().sync();
    out.store(b.rank(), shared.value.load(0, 0));
  }
};

// The sums of several rows, one after the other, with the same scratch memory.
template <bool Right>
struct scratch_in_loop {
  static constexpr int threads = 64;
  struct storage {
    shared_tile<float, 1, threads / 32> of_warp;
  };
  MEMTILE_KERNEL void operator()(block b, storage& shared, matrix_view<const float> in, vector_view<float> out) const {
    for (int r = 0; r < in.rows; ++r) {
      float sum = in.load(r, b.rank());
      for (int distance = 16; distance > 0; distance /= 2) sum += b.warp().shuffle_down(sum, distance);
      if (b.warp().lane() == 0) shared.of_warp.store(0, b.warp().rank(), sum);
      b.sync();
      if (b.rank() == 0) out.store(r, shared.of_warp.load(0, 0) + shared.of_warp.load(0, 1));
      if constexpr (Right) b.sync();
    }
  }
};

enum class barrier_of_count { none, before, after };

// A count in shared memory is set to zero, added to by all threads, and read by one.
template <barrier_of_count Missing>
struct count_and_read {
  static constexpr int threads = 256;
  struct storage {
    shared_tile<int, 1, 1> count;
  };
  MEMTILE_KERNEL void operator()(block b, storage& shared, vector_view<const int> in, vector_view<int> out) const {
    if (b.rank() == 200) shared.count.store(0, 0, 0);
    if constexpr (Missing != barrier_of_count::before) b.sync();
    shared.count.atomic_add(0, 0, in.load(b.rank()));
    if constexpr (Missing != barrier_of_count::after) b.sync();
    if (b.rank() == 100) out.store(0, shared.count.load(0, 0));
  }
};

// Two threads store into one place: different values, which is a race, or the same one, which is none.
template <bool Right>
struct two_store {
  static constexpr int threads = 64;
  struct storage {
    shared_tile<int, 1, 1> value;
  };
  MEMTILE_KERNEL void operator()(block b, storage& shared, vector_view<int> out) const {
    if (b.rank() % 32 == 0) shared.value.store(0, 0, Right ? 7 : b.rank());
    b.sync();
    if (b.rank() == 0) out.store(0, shared.value.load(0, 0));
  }
};

enum class copy_mistake { none, no_wait, no_barrier, store_before, store_before_wait };

// An asynchronous copy that is read before it is waited for, or by another thread before a barrier; or that goes where
// another thread has just stored, or where its own thread stores before it has arrived.
template <copy_mistake Mistake>
struct asynchronous_copy {
  static constexpr int threads = 64;
  struct storage {
    shared_tile<float, 1, threads> values;
  };
  MEMTILE_KERNEL void operator()(block b, storage& shared, vector_view<const float> in, vector_view<float> out) const {
    const int t = b.rank();
    if constexpr (Mistake == copy_mistake::store_before) shared.values.store(0, t ^ 1, 0);
    hw::async_copy<4>(shared.values.address(0, t), in.address(t), true, site::here());
    hw::async_commit(site::here());
    if constexpr (Mistake == copy_mistake::store_before_wait) shared.values.store(0, t, 1);
    if constexpr (Mistake != copy_mistake::no_wait) hw::async_wait<0>(site::here());
    if constexpr (Mistake != copy_mistake::no_barrier) b.sync();
    out.store(t, shared.values.load(0, threads - 1 - t));
  }
};

// ---- Barriers and masks ---------------------------------------------------------------------------------------------

// Threads that have nothing to do return before the barrier.
template <bool Right>
struct early_return {
  static constexpr int threads = 64;
  MEMTILE_KERNEL void operator()(block b, vector_view<float> out, int stay) const {
    if (!Right && b.rank() >= stay) return;
    b.sync();
    if (b.rank() < stay) out.store(b.rank(), 1);
  }
};

// Even and odd threads reach a barrier each.
template <bool Right>
struct barrier_in_each_branch {
  static constexpr int threads = 64;
  MEMTILE_KERNEL void operator()(block b, vector_view<float> out) const {
    const bool even = b.rank() % 2 == 0;
    if constexpr (Right) {
      out.store(b.rank(), even ? 1.f : 2.f);
      b.sync();
    } else if (even) {
      out.store(b.rank(), 1);
      b.sync();
    } else {
      b.sync();
      out.store(b.rank(), 2);
    }
  }
};

// Half of a warp waits for the block, the other half for the warp.
template <bool Right>
struct half_at_each_barrier {
  static constexpr int threads = 32;
  MEMTILE_KERNEL void operator()(block b, vector_view<float> out) const {
    if (Right || b.rank() < 16) b.sync();
    if (Right || b.rank() >= 16) b.warp().sync();
    out.store(b.rank(), 1);
  }
};

enum class use { barrier, shuffle };

template <use What>
MEMTILE_FUNCTION int wait_or_shuffle(int value, uint32 mask, site s = site::here()) {
  if constexpr (What == use::shuffle) return hw::shuffle(hw::shuffle_kind::index, mask, value, 3, 32, s);
  hw::warp_barrier(mask, s);
  return value;
}

// All lanes call, with a mask that may not name them all. It comes from the host, for the compiler objects to a wrong
// constant.
template <use What>
struct all_lanes {
  static constexpr int threads = 32;
  MEMTILE_KERNEL void operator()(block b, vector_view<int> out, uint32 mask) const {
    out.store(b.rank(), wait_or_shuffle<What>(b.rank(), mask));
  }
};

// Lanes 0 .. 19 call, with a mask that may name others. Those have returned, or wait for the block.
template <use What, bool OthersReturn>
struct some_lanes {
  static constexpr int threads = 32, callers = 20;
  MEMTILE_KERNEL void operator()(block b, vector_view<int> out, uint32 mask) const {
    if (OthersReturn && b.rank() >= callers) return;
    if (b.rank() < callers) out.store(b.rank(), wait_or_shuffle<What>(b.rank(), mask));
    if (!OthersReturn) b.sync();
  }
};

// ---- Addresses ------------------------------------------------------------------------------------------------------

// The last thread has an element of its own only if the views have `threads` elements.
struct one_element_each {
  static constexpr int threads = 64;
  MEMTILE_KERNEL void operator()(block b, vector_view<const float> in, vector_view<float> out) const {
    out.store(b.rank(), in.load(b.rank()));
  }
};

struct four_elements_each {
  static constexpr int threads = 32;
  int first;
  MEMTILE_KERNEL void operator()(block b, vector_view<const float> in, vector_view<float> out) const {
    const vec<float, 4> v = in.load(wide<4>, 4 * b.rank() + first);
    out.store(b.rank(), v[0] + v[1] + v[2] + v[3]);
  }
};

// One past the end of a row that is all of the shared memory.
struct element_of_shared {
  static constexpr int threads = 64;
  struct storage {
    shared_tile<float, 1, threads> values;
  };
  int distance;
  MEMTILE_KERNEL void operator()(block b, storage& shared, vector_view<const float> in, vector_view<float> out) const {
    shared.values.store(0, b.rank() + distance, in.load(b.rank()));
    b.sync();
    out.store(b.rank(), shared.values.load(0, b.rank()));
  }
};

// The last column was stored if there are as many as `columns`.
struct column_of_tile {
  static constexpr int threads = 32;
  struct storage {
    shared_tile<float, threads, 9> values;
  };
  int columns;
  MEMTILE_KERNEL void operator()(block b, storage& shared, vector_view<const float> in, vector_view<float> out) const {
    for (int c = 0; c < columns; ++c) shared.values.store(b.rank(), c, in.load(c));
    b.sync();
    out.store(b.rank(), shared.values.load(b.rank(), 8));
  }
};

}  // namespace faulty
