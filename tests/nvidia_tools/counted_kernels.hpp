// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels whose accesses the simulator and Nsight Compute both count. Each access of the source is one instruction of
// its width: no value is stored and loaded again by the same thread, and none is loaded twice, so that the compiler
// neither merges accesses nor leaves any out.
#pragma once

#include <memtile/kernel.cuh>

namespace counted {

using namespace memtile;

/// The place of a thread in a grid of one row of blocks.
MEMTILE_FUNCTION int64 place_in_grid(block b) { return int64(b.grid_column()) * b.size() + b.rank(); }

// ---- Copies and walks through global memory -------------------------------------------------------------------------

template <class T>
struct copy {
  static constexpr int threads = 256;
  MEMTILE_KERNEL void operator()(block b, vector_view<const T> in, vector_view<T> out) const {
    const int64 i = place_in_grid(b);
    if (out.inside(i)) out.store(i, in.load(i));
  }
};

struct copy_by_four {
  static constexpr int threads = 256;
  MEMTILE_KERNEL void operator()(block b, vector_view<const float> in, vector_view<float> out) const {
    const int64 i = 4 * place_in_grid(b);
    if (out.inside(i)) out.store(i, in.load(wide<4>, i));
  }
};

// Element i of the output is element i * step + first of the input.
struct copy_from_afar {
  static constexpr int threads = 256;
  int64 step, first;
  MEMTILE_KERNEL void operator()(block b, vector_view<const float> in, vector_view<float> out) const {
    const int64 i = place_in_grid(b);
    if (out.inside(i)) out.store(i, in.load(i * step + first));
  }
};

struct second_of_four_fields {
  static constexpr int threads = 256;
  MEMTILE_KERNEL void operator()(block b, matrix_view<const float> records, vector_view<float> out) const {
    const int64 i = place_in_grid(b);
    if (out.inside(i)) out.store(i, records.load(i, 1));
  }
};

// A thread adds up a row: the lanes of a warp go down a column.
struct sums_of_rows {
  static constexpr int threads = 64;
  MEMTILE_KERNEL void operator()(block b, matrix_view<const float> in, vector_view<float> out) const {
    const int64 r = place_in_grid(b);
    if (!out.inside(r)) return;
    float sum = 0;
    for (int64 c = 0; c < in.cols; ++c) sum += in.load(r, c);
    out.store(r, sum);
  }
};

struct three_points {
  static constexpr int threads = 128;
  MEMTILE_KERNEL void operator()(block b, vector_view<const float> in, vector_view<float> out) const {
    const int64 i = place_in_grid(b);
    if (!out.inside(i)) return;
    // A line each: of several on one line, the simulator cannot tell which one a lane leaves out.
    float sum = in.load_inside(i - 1);
    sum += in.load(i);
    sum += in.load_inside(i + 1);
    out.store(i, sum);
  }
};

// ---- Through shared memory ------------------------------------------------------------------------------------------

struct reverse {
  static constexpr int threads = 256;
  struct storage {
    shared_tile<float, 1, threads> values;
  };
  MEMTILE_KERNEL void operator()(block b, storage& shared, vector_view<const float> in, vector_view<float> out) const {
    const int64 from = place_in_grid(b);
    shared.values.store(0, b.rank(), in.load_inside(from));
    b.sync();
    // The last block is incomplete, and its elements come first.
    const int64 to = in.size - int64(b.grid_column() + 1) * threads + b.rank();
    out.store_inside(to, shared.values.load(0, threads - 1 - b.rank()));
  }
};

// One warp fills a tile by rows and reads a column. Which one is known at run time only: of neighbouring columns the
// compiler would read four at once.
struct column_of_dense_tile {
  static constexpr int threads = 32;
  struct storage {
    shared_tile<float, 32, 32> tile;
  };
  int column;
  MEMTILE_KERNEL void operator()(block b, storage& shared, matrix_view<const float> in, vector_view<float> out) const {
    for (int r = 0; r < 32; ++r) shared.tile.store(r, b.rank(), in.load(r, b.rank()));
    b.sync();
    out.store(b.rank(), shared.tile.load(b.rank(), column));
  }
};

// One warp; every lane works on a row, 16 bytes at a time. It reads its neighbour's row, not its own: what a thread has
// stored itself, the compiler would not load again.
template <class Layout>
struct rows_by_four {
  static constexpr int threads = 32;
  struct storage {
    shared_tile<float, 32, 32, Layout> tile;
  };
  MEMTILE_KERNEL void operator()(block b, storage& shared, matrix_view<const float> in, matrix_view<float> out) const {
    const int r = b.rank();
    for (int c = 0; c < 32; c += 4) shared.tile.store(r, c, in.load(wide<4>, r, c));
    b.sync();
    for (int c = 0; c < 32; c += 4) out.store(r, c, shared.tile.load(wide<4>, r ^ 1, c));
  }
};

// One warp reads 16 bytes a lane, at places that try out when the hardware serves two groups of lanes at once.
struct pairs_of_lanes {
  static constexpr int threads = 32;
  enum pattern { pairs_by_one_then_by_two, pairs_in_lower_half, pairs_in_upper_half, every_fourth_lane } what;
  struct storage {
    shared_tile<float, 1, 4 * threads> values;
  };
  MEMTILE_KERNEL void operator()(block b, storage& shared, vector_view<const float> in, vector_view<float> out) const {
    const int t = b.rank();
    shared.values.store(0, 4 * t, in.load(wide<4>, 4 * t));
    b.sync();
    const int by_one = t / 8 * 2 + t % 8 / 2 % 2, by_two = t / 8 * 2 + t % 8 % 2;
    int place = t < 16 ? by_one : by_two;
    if (what == pairs_in_lower_half && t >= 16) place = t;
    if (what == pairs_in_upper_half && t < 16) place = t ^ 1;
    if (what == every_fourth_lane) place = t ^ 4;
    if (what != every_fourth_lane || t % 4 == 0) out.store(4 * t, shared.values.load(wide<4>, 0, 4 * place));
  }
};

// One warp copies 512 bytes without registers, of which `inside` lanes of each 8 read and the others bring zeros.
struct asynchronous_copy {
  static constexpr int threads = 32;
  struct storage {
    shared_tile<float, 1, 4 * threads> values;
  };
  int first, inside;
  MEMTILE_KERNEL void operator()(block b, storage& shared, vector_view<const float> in, vector_view<float> out) const {
    const int i = 4 * b.rank();
    hw::async_copy<16>(shared.values.address(0, i), in.address(i + first), b.rank() % 8 < inside, site::here());
    hw::async_commit(site::here());
    hw::async_wait<0>(site::here());
    b.sync();
    out.store(i, shared.values.load(wide<4>, 0, i));
  }
};

struct naive_transpose {
  static constexpr int side = 32, threads = 256;
  MEMTILE_KERNEL void operator()(block b, matrix_view<const float> in, matrix_view<float> out) const {
    const int64 row0 = int64(b.grid_row()) * side, column0 = int64(b.grid_column()) * side;
    const int lane = b.rank() % side;
    for (int i = b.rank() / side; i < side; i += threads / side)
      if (in.inside(row0 + i, column0 + lane)) out.store(column0 + lane, row0 + i, in.load(row0 + i, column0 + lane));
  }
};

template <class Layout>
struct transpose {
  static constexpr int side = 32, threads = 256;
  struct storage {
    shared_tile<float, side, side, Layout> tile;
  };
  MEMTILE_KERNEL void operator()(block b, storage& shared, matrix_view<const float> in, matrix_view<float> out) const {
    const int64 row0 = int64(b.grid_row()) * side, column0 = int64(b.grid_column()) * side;
    const int lane = b.rank() % side;
    for (int i = b.rank() / side; i < side; i += threads / side)
      if (in.inside(row0 + i, column0 + lane)) shared.tile.store(i, lane, in.load(row0 + i, column0 + lane));
    b.sync();
    for (int i = b.rank() / side; i < side; i += threads / side)
      if (out.inside(column0 + i, row0 + lane)) out.store(column0 + i, row0 + lane, shared.tile.load(lane, i));
  }
};

struct mean_of_3x3 {
  static constexpr int tile = 16, threads = tile * tile;
  struct storage {
    halo_tile<float, tile, tile, 1> pixels;
  };
  MEMTILE_KERNEL void operator()(block b, storage& shared, matrix_view<const float> in, matrix_view<float> out) const {
    const int row0 = b.grid_row() * tile, column0 = b.grid_column() * tile;
    halo_to_shared(b, in, row0, column0, shared.pixels, replicate{});
    b.sync();
    const int r = b.rank() / tile, c = b.rank() % tile;
    if (!out.inside(row0 + r, column0 + c)) return;
    float sum = 0;
    for (int dy = -1; dy <= 1; ++dy)
      for (int dx = -1; dx <= 1; ++dx) sum += shared.pixels.load(r + dy, c + dx);
    out.store(row0 + r, column0 + c, sum / 9);
  }
};

// A block adds up its share: lanes by shuffles, warps through shared memory.
struct sums_of_blocks {
  static constexpr int threads = 256, warps = threads / 32;
  struct storage {
    shared_tile<float, 1, warps> of_warp;
  };
  MEMTILE_FUNCTION static float sum_of_lanes(warp w, float v) {
    for (int distance = 16; distance > 0; distance /= 2) v += w.shuffle_down(v, distance);
    return v;
  }
  MEMTILE_KERNEL void operator()(block b, storage& shared, vector_view<const float> in, vector_view<float> out) const {
    const int64 step = int64(b.grid_columns()) * threads;
    const int lane = b.warp().lane();
    float sum = 0;
    for (int64 i = place_in_grid(b); i < in.size; i += step) sum += in.load(i);
    sum = sum_of_lanes(b.warp(), sum);
    if (lane == 0) shared.of_warp.store(0, b.warp().rank(), sum);
    b.sync();
    if (b.warp().rank() > 0) return;
    sum = sum_of_lanes(b.warp(), lane < warps ? shared.of_warp.load(0, lane) : 0);
    if (lane == 0) out.store(b.grid_column(), sum);
  }
};

struct histogram {
  static constexpr int threads = 128, bins = 16;
  struct storage {
    shared_tile<int, 1, bins> count;
  };
  MEMTILE_KERNEL void operator()(block b, storage& shared, vector_view<const int> in, matrix_view<int> out) const {
    if (b.rank() < bins) shared.count.store(0, b.rank(), 0);
    b.sync();
    const int64 i = place_in_grid(b);
    if (in.inside(i)) shared.count.atomic_add(0, in.load(i) % bins, 1);
    b.sync();
    if (b.rank() < bins) out.store(b.grid_column(), b.rank(), shared.count.load(0, b.rank()));
  }
};

// One warp adds up values by key. Not so float in several warps: its addition is a loop, whose rounds depend on who
// comes first.
template <class T>
struct sums_by_key {
  static constexpr int threads = 32, keys = 16;
  struct storage {
    shared_tile<T, 1, keys> sum;
  };
  MEMTILE_KERNEL void operator()(block b, storage& shared, vector_view<const T> in, vector_view<T> out) const {
    if (b.rank() < keys) shared.sum.store(0, b.rank(), T(0));
    b.sync();
    const T value = in.load(b.rank());
    shared.sum.atomic_add(0, int(value) % keys, value);
    b.sync();
    if (b.rank() < keys) out.store(b.rank(), shared.sum.load(0, b.rank()));
  }
};

struct sums_by_key_in_global {
  static constexpr int threads = 256, keys = 48;
  MEMTILE_KERNEL void operator()(block b, vector_view<const float> in, vector_view<float> out) const {
    const int64 i = place_in_grid(b);
    if (!in.inside(i)) return;
    const float value = in.load(i);
    out.atomic_add(int(value) % keys, value);
  }
};

}  // namespace counted
