// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Filters of matrices whose window is known at run time alone.
//
// any_window_kernel adds up the neighbours of each place by themselves: its cost grows with the window. running_box_kernel
// does so for the sums of integers only where a walk begins, and then adds what enters the window and takes away what leaves
// it. That is exact however long the walk is, because integers wrap around; floats would keep what rounding left behind.
#pragma once

#include <memtile/block/block.cuh>
#include <memtile/core/convert.hpp>
#include <memtile/core/window.hpp>
#include <memtile/global/access.cuh>
#include <memtile/global/border.hpp>
#include <memtile/global/run_of_words.cuh>
#include <memtile/global/source.cuh>
#include <memtile/reg/packed_run.cuh>
#include <memtile/shared/tile.cuh>

namespace memtile {

MEMTILE_USER_CODE_BEGIN

namespace detail {

/// Means of `count` integers of type In, whose sum has 32 bits: rounded to nearest, of two to the even one, by the upper bits of
/// a product. (2 * sum + count) / (2 * count) is the quotient rounded up of two; a sum of negative numbers is moved to
/// where it is positive. Exact as long as that numerator is below 2^31.
struct quotients_of_count {
  uint32 count, factor;
  int shift;
  MEMTILE_FUNCTION static quotients_of_count of(int64 count) {
    int bits = 1;
    while (int64(1) << bits < 2 * count) ++bits;
    return {uint32(count), uint32((int64(1) << (31 + bits)) / (2 * count) + 1), bits - 1};
  }
  template <class In, bool IsEven>
  MEMTILE_FUNCTION int32 mean(int32 sum) const {
    constexpr int64 least = int64(lowest<In>());
    const uint32 numerator = 2 * uint32(sum) + uint32(1 - 2 * least) * count;
    uint32 q = uint32(uint64(numerator) * factor >> 32) >> shift;
    if (IsEven && numerator == 2 * count * q) q &= ~1u;
    return int32(q + least);
  }
};

}  // namespace detail

/// A part of `out`, the window around each of its places, and how warps share the work.
template <class Out>
struct any_window_job {
  matrix_view<Out> out;
  int64 row0, column0, rows, columns;  // the part
  sized_window window;
  int chunks;  // warps side by side
  // Of running_box_kernel:
  int strip;                // rows of one warp
  int lanes_before, lanes;  // those whose columns are only in windows of others, and those that have results
  bool wide;                // rows begin at multiples of 16 bytes, in both
  detail::quotients_of_count mean;
};

/// A lane computes one element: Sum{}.enter(v, i, j) for every neighbour v, row by row, and then result().
///
/// Grid      of one row: blocks of 32 columns and 8 rows
/// Memory    one element to an access, side by side; all but the first of a neighbourhood come from the first-level cache
template <class Sum, class Border, class Out, class In>
struct any_window_kernel {
  static constexpr const char* name = "memtile::any_window";
  static constexpr int threads = 256, warps = threads / 32;

  MEMTILE_KERNEL void operator()(block b, any_window_job<Out> job, matrix_view<const In> in, Border border,
                                 Sum sum) const {
    const site s = site::here().within("any_window");
    const int64 down = int64(b.grid_column() / job.chunks) * warps + b.warp().rank();
    const int64 right = int64(b.grid_column() % job.chunks) * 32 + b.warp().lane();
    if (down >= job.rows || right >= job.columns) return;
    const int64 row0 = job.row0 + down - job.window.up, column0 = job.column0 + right - job.window.left;
    const bool is_inside =
        row0 >= 0 && row0 + job.window.rows <= in.rows && column0 >= 0 && column0 + job.window.columns <= in.cols;
    MEMTILE_KEEP_LOOP
    for (int64 i = 0; i < job.window.rows; ++i) {
      MEMTILE_KEEP_LOOP
      for (int64 j = 0; j < job.window.columns; ++j) {
        int64 row = row0 + i, column = column0 + j;
        In v{};
        if (is_inside || (detail::comes_from_inside(border.slices, row, in.rows, v) &&
                          detail::comes_from_inside(border.columns, column, in.cols, v)))
          v = in.load(row, column, s);
        sum.enter(detail::plain_type<In>(v), i, j, s);
      }
    }
    job.out.store(job.row0 + down, job.column0 + right, sum.template result<Out>(), s);
  }
};

namespace detail {

/// A chain of fused multiply-adds with weights in memory, in their order.
template <class V, class Weight>
struct sum_by_loaded_weights {
  matrix_view<const Weight> weights;
  V sum;
  MEMTILE_FUNCTION void enter(V v, int64 i, int64 j, site s) { sum = fma(V(weights.load(i, j, s)), v, sum); }
  template <class Out>
  MEMTILE_FUNCTION Out result() const {
    return stored_as<Out>(sum);
  }
};

/// sum / count: into integers rounded to nearest, of two the even one, in 32 bits without a division.
template <class Out, class Sum>
MEMTILE_FUNCTION Out mean_as(Sum sum, Sum count) {
  if constexpr (is_floating<Sum>) {
    return stored_as<Out>(sum / count);
  } else if constexpr (!is_integer<Out>) {
    using F = conditional_t<sizeof(Sum) == 4, float, double>;
    return stored_as<Out>(F(sum) / F(count));
  } else {
    // the quotient q with -count <= 2 * (sum - q * count) < count, from a guess that is wrong by one at most
    Sum q = 0;
    if constexpr (sizeof(Sum) == 4) q = nearest_integer<Sum>(float(sum) * (1 / float(count)));
    else q = sum / count;
    Sum rest = 2 * (sum - q * count);
    if (rest >= count) ++q, rest -= 2 * count;
    else if (rest < -count) --q, rest += 2 * count;
    if (rest == -count) q -= q & 1;
    return stored_as<Out>(q);
  }
}
template <class Sum>
struct mean_of_any {
  Sum count, sum;
  template <class V>
  MEMTILE_FUNCTION void enter(V v, int64, int64, site) {
    sum = add(sum, Sum(v));
  }
  template <class Out>
  MEMTILE_FUNCTION Out result() const {
    return mean_as<Out>(sum, count);
  }
};

// Whether sums of so many integers are numbers of 32 bits, with a bit to spare.
template <class V>
MEMTILE_FUNCTION constexpr bool sums_fit_32_bits(int64 count) {
  return sizeof(V) < 4 && count <= int64(1) << (30 - 8 * min_of(int(sizeof(V)), 2));
}

}  // namespace detail

/// The means of boxes of integers: a warp walks down 32 runs of columns and keeps the sum of each column over the rows of the
/// window. Sums of those from the first column on lie in shared memory: two of them make the sum of a window.
///
/// Grid      of one row, so many blocks as hold the warps of the job
/// Memory    every row read twice, as it enters and as it leaves the window, 16 bytes to an access; the columns of the lanes
///           without results once more; no bank conflicts
template <class Sum, class Border, class Out, class In>
struct running_box_kernel {
  static constexpr const char* name = "memtile::running_box";
  static constexpr int width = 16 / int(sizeof(In)), warps = 4, threads = 32 * warps;
  struct storage {
    // From the first column of the warp up to those of each lane, and to those of the next lane but for the last: so all that
    // a lane reads stands side by side. Rows of odd lengths, without bank conflicts.
    shared_tile<Sum, 32, 2 * width - 1> sums_up_to[warps];
  };

  MEMTILE_KERNEL void operator()(block b, storage& shared, any_window_job<Out> job, matrix_view<const In> in,
                                 Border border) const {
    const site s = site::here().within("running_box");
    const warp w = b.warp().complete();
    const int unit = b.grid_column() * warps + w.rank(), chunk = unit % job.chunks;
    const int64 first = int64(unit / job.chunks) * job.strip;
    if (first >= job.rows) return;
    const int64 row0 = job.row0 + first, end = row0 + min_of(int64(job.strip), job.rows - first);
    const int64 column0 =
        job.column0 / width * width + (int64(chunk) * job.lanes - job.lanes_before + w.lane()) * width;
    const int64 down = job.window.rows - 1 - job.window.up;
    const int right = int(job.window.columns - 1 - job.window.left), left = int(job.window.left);
    const bool has_results = w.lane() >= job.lanes_before && w.lane() < job.lanes_before + job.lanes;
    auto& sums_up_to = shared.sums_up_to[w.rank()];

    vec<Sum, width> sums{};  // of the columns
    MEMTILE_KEEP_LOOP
    for (int64 row = row0 - job.window.up; row < row0 + down; ++row)
      enter<1>(sums, run_of(in, border, row, column0, job.wide, s));
    detail::run_of_words entering = run_of(in, border, row0 + down, column0, job.wide, s);
    MEMTILE_KEEP_LOOP
    for (int64 row = row0; row < end; ++row) {
      const detail::run_of_words leaving = run_of(in, border, row - job.window.up, column0, job.wide, s);
      enter<1>(sums, entering);
      if (row + 1 < end) entering = run_of(in, border, row + 1 + down, column0, job.wide, s);

      vec<Sum, width> up_to = sums;
      MEMTILE_UNROLL
      for (int k = 1; k < width; ++k) up_to[k] = add(up_to[k - 1], up_to[k]);
      const Sum before = sum_of_earlier_lanes(w, up_to[width - 1], s);
      MEMTILE_UNROLL
      for (int k = 0; k < width; ++k) {
        up_to[k] = add(before, up_to[k]);
        sums_up_to.store(w.lane(), k, up_to[k], s);
      }
      if (w.lane() > 0) {
        MEMTILE_UNROLL
        for (int k = 0; k < width - 1; ++k) sums_up_to.store(w.lane() - 1, width + k, up_to[k], s);
      }
      w.sync(s);
      if (has_results) {
        const auto sum_of_window = [&](int k) {
          const Sum all = sums_up_to.load(w.lane() + right / width, right % width + k, s);
          const Sum not_in = sums_up_to.load(w.lane() - 1 - left / width, width - 1 - left % width + k, s);
          return subtract(all, not_in);
        };
        store(job, row, column0, means_of(job, sum_of_window), s);
      }
      w.sync(s);
      enter<-1>(sums, leaving);
    }
  }

 private:
  template <class SumOfWindow>
  MEMTILE_FUNCTION static vec<Out, width> means_of(const any_window_job<Out>& job, const SumOfWindow& sum) {
    vec<Out, width> means;
    if constexpr (sizeof(Sum) == 4 && detail::is_integer<Out>) {
      if (job.mean.count % 2 == 1) {
        MEMTILE_UNROLL
        for (int k = 0; k < width; ++k)
          means[k] = detail::stored_as<Out>(In(job.mean.template mean<In, false>(sum(k))));
      } else {
        MEMTILE_UNROLL
        for (int k = 0; k < width; ++k) means[k] = detail::stored_as<Out>(In(job.mean.template mean<In, true>(sum(k))));
      }
    } else {
      MEMTILE_UNROLL
      for (int k = 0; k < width; ++k)
        means[k] = detail::mean_as<Out>(sum(k), Sum(job.window.rows * job.window.columns));
    }
    return means;
  }
  template <int Sign>
  MEMTILE_FUNCTION static void enter(vec<Sum, width>& sums, const detail::run_of_words& run) {
    MEMTILE_UNROLL
    for (int k = 0; k < width; ++k) {
      const Sum v = value_in_words<In>(run, k);
      sums[k] = Sign > 0 ? add(sums[k], v) : subtract(sums[k], v);
    }
  }
  MEMTILE_FUNCTION static Sum sum_of_earlier_lanes(const warp& w, Sum own, site s) {
    Sum all = own;
    MEMTILE_UNROLL
    for (int distance = 1; distance < 32; distance *= 2) {
      const Sum other = w.shuffle_up(all, distance, 32, s.inner());
      if (w.lane() >= distance) all = add(other, all);
    }
    return subtract(all, own);
  }
  MEMTILE_FUNCTION static detail::run_of_words run_of(const matrix_view<const In>& in, const Border& border, int64 row,
                                                      int64 column, bool wide, site s) {
    In outside{};
    const bool has_row = detail::comes_from_inside(border.slices, row, in.rows, outside);
    if (has_row && column >= 0 && column + width <= in.cols) {
      if (wide) return detail::load_run<true>(in, row, column, s.inner());
      return in_words(array_source<In, false>{in.address(row, 0), in.cols, 0, 0}.load_carefully(column, s.inner()));
    }
    vec<In, width> run;
    MEMTILE_UNROLL
    for (int k = 0; k < width; ++k) {
      int64 from = column + k;
      run[k] = outside;
      if (has_row && detail::comes_from_inside(border.columns, from, in.cols, run[k]))
        run[k] = in.load(row, from, s.inner());
    }
    return in_words(run);
  }
  MEMTILE_FUNCTION static void store(const any_window_job<Out>& job, int64 row, int64 column,
                                     const vec<Out, width>& means, site s) {
    constexpr int piece = min_of(width, 16 / int(sizeof(Out)));
    const int64 last = job.column0 + job.columns;
    const bool is_whole = job.wide && column >= job.column0 && column + width <= last;
    MEMTILE_UNROLL
    for (int j = 0; j < width; j += piece) {
      vec<Out, piece> part;
      MEMTILE_UNROLL
      for (int k = 0; k < piece; ++k) part[k] = means[j + k];
      if (is_whole) {
        job.out.store(row, column + j, part, s.inner());
      } else {
        MEMTILE_UNROLL
        for (int k = 0; k < piece; ++k)
          if (column + j + k >= job.column0 && column + j + k < last)
            job.out.store(row, column + j + k, part[k], s.inner());
      }
    }
  }
};

MEMTILE_USER_CODE_END

}  // namespace memtile
