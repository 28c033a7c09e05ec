// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reduction down the columns of a row-major matrix, without atomic operations and without a pass to fill the output.
//
// A block has a strip of neighbouring columns and a chunk of rows. Its threads stand across and down:
//
//   across   lanes side by side, each with the columns of one 16-byte access
//   down     256 / across threads, each with rows of its own
//
// Threads below each other join what they have, first within the warps and then through shared memory; of several chunks
// the last block joins the parts, in the same way and always in the same order.
#pragma once

#include <memtile/algorithm/reduce.cuh>
#include <memtile/block/lane_values.cuh>

namespace memtile {

/// Depends on the shape alone, and so do the bits.
struct columns_plan {
  int across;          // threads side by side: a power of two up to 32
  int strips, chunks;  // of the columns and of the rows of each matrix of a batch
  int64 rows;          // of a chunk
};
/// `width` columns are what a thread loads at a time. About 1,000 blocks, where each thread still has 16 rows.
MEMTILE_FUNCTION constexpr columns_plan plan_columns(int64 batch, int64 rows, int64 columns, int width) {
  int across = 1;
  while (across < 32 && across * width < columns) across *= 2;
  const int64 down = 256 / across, strips = max_of(int64(1), ceil_div(columns, int64(across) * width));
  const int64 wanted = 1024 / max_of(int64(1), strips * batch), most = rows / (16 * down);
  const int64 chunks = max_of(int64(1), min_of(min_of(wanted, most), int64(1024)));
  const int64 each = max_of(int64(1), ceil_div(rows, chunks));
  return {across, int(strips), int(max_of(int64(1), ceil_div(rows, each))), each};
}

/// How many columns a thread takes, at every alignment: 16 bytes of them, if their accumulators fit in its registers.
template <class T, class A>
inline constexpr int columns_width = min_of(detail::run_width<T>, max_of(1, 64 / int(sizeof(A))));

namespace detail {

// Rows of a matrix, and rows of parts: `width` columns at a time.
template <class T, bool Wide, int Loads>
struct column_elements {
  static constexpr int loads = Loads;  // rows that a thread has on their way at a time
  matrix_view<const T> in;
  template <int Width>
  MEMTILE_FUNCTION vec<T, Width> load(int64 r, int64 c, site s) const {
    if constexpr (Wide) {
      if (c + Width <= in.cols) return in.load(wide<Width>, r, c, s);
    }
    vec<T, Width> run{};
    MEMTILE_UNROLL
    for (int i = 0; i < Width; ++i)
      if (c + i < in.cols) run[i] = in.load(r, c + i, s);
    return run;
  }
};

}  // namespace detail

/// Grid: strips * chunks blocks for each matrix of the batch. Aligned: base and pitches are multiples of 16 bytes.
template <class T, class Out, class Reduction, bool Aligned>
struct reduce_columns_kernel {
  static constexpr const char* name = "memtile::reduce_columns";
  static constexpr int threads = 256, warps = threads / 32, min_blocks = 1;
  using A = typename Reduction::accumulator;
  static constexpr int width = columns_width<T, A>;
  using parts_of_thread = vec<A, width>;
  static constexpr bool wide_parts = sizeof(parts_of_thread) <= 16 && sizeof(A) * width == sizeof(parts_of_thread);
  struct storage {
    lane_values<A, 32> of_warp[warps - 1][width];
  };

  MEMTILE_KERNEL void operator()(block b, storage& shared, volume_view<const T> in, columns_plan plan,
                                 parts_between_blocks<A> between, matrix_view<Out> out, Reduction reduction) const {
    const site s = site::here().within("reduce_columns");
    // blocks that start together read strips side by side
    const int chunk_of_batch = b.grid_column() / plan.strips, strip = b.grid_column() - chunk_of_batch * plan.strips;
    const int z = chunk_of_batch / plan.chunks, chunk = chunk_of_batch - z * plan.chunks;
    const int strip_of_batch = z * plan.strips + strip;
    const int64 first_column = int64(strip) * plan.across * width + b.rank() % plan.across * width;
    const int64 begin = chunk * plan.rows, end = min_of(in.rows, begin + plan.rows);

    const detail::column_elements<T, Aligned, 4> elements{in.slice(z)};
    parts_of_thread part = walk(b, plan.across, elements, begin, end, first_column, reduction, s);
    part = join_down(b, shared, plan.across, part, reduction, s);
    if (plan.chunks > 1) {
      const int columns = plan.across * width;
      const matrix_view<A> parts =
          row_major(between.parts + int64(strip_of_batch) * plan.chunks * columns, plan.chunks, columns);
      if (b.rank() < plan.across) {
        MEMTILE_UNROLL
        for (int i = 0; i < width; ++i) parts.store(chunk, b.rank() * width + i, part[i], s.inner());
      }
      if (!block_is_last(b, between.tickets + strip_of_batch, plan.chunks, stored_by::any_thread, s.inner())) return;
      const joined_parts<Reduction> join{reduction};
      part = walk(b, plan.across, detail::column_elements<A, wide_parts, 8>{parts}, 0, plan.chunks,
                  int64(b.rank() % plan.across) * width, join, s);
      part = join_down(b, shared, plan.across, part, reduction, s);
    }
    if (b.rank() >= plan.across) return;
    MEMTILE_UNROLL
    for (int i = 0; i < width; ++i)
      if (first_column + i < in.cols)
        out.store(z, first_column + i, reduction.template result<Out>(part[i]), s.inner());
  }

 private:
  // Of rows begin to end - 1, those of the calling thread. Where the order counts, each has neighbouring rows; else rows
  // side by side are read side by side.
  template <class Elements, class Way>
  MEMTILE_FUNCTION static parts_of_thread walk(const block& b, int across, const Elements& in, int64 begin, int64 end,
                                               int64 column, const Way& way, site s) {
    constexpr int loads = Elements::loads;
    const int64 down = threads / across, y = b.rank() / across;
    const int64 each = Way::commutative ? 1 : ceil_div(end - begin, down), step = Way::commutative ? down : 1;
    const int64 from = begin + y * each, to = Way::commutative ? end : min_of(end, from + each);
    parts_of_thread part, aside;
    clear(part, way), clear(aside, way);
    int rounds = 0;
    MEMTILE_KEEP_LOOP
    for (int64 r = from; r < to; r += loads * step) {
      decltype(in.template load<width>(r, column, s)) run[loads];
      MEMTILE_UNROLL
      for (int i = 0; i < loads; ++i)  // behind the end, the first again
        run[i] = in.template load<width>(r + i * step < to ? r + i * step : r, column, s.inner());
      MEMTILE_UNROLL
      for (int i = 0; i < loads; ++i) {
        if (r + i * step >= to) continue;
        MEMTILE_UNROLL
        for (int k = 0; k < width; ++k)
          way.enter(part[k], vec<bare_element<decltype(run[i][k])>, 1>{{run[i][k]}}, r + i * step);
      }
      if (++rounds % 8 == 0) {  // so that no chain of roundings gets long
        MEMTILE_UNROLL
        for (int k = 0; k < width; ++k) aside[k] = way(aside[k], part[k]);
        clear(part, way);
      }
    }
    MEMTILE_UNROLL
    for (int k = 0; k < width; ++k) part[k] = way(aside[k], part[k]);
    return part;
  }
  template <class Reference>
  using bare_element = detail::bare_t<Reference>;

  template <class Way>
  MEMTILE_FUNCTION static void clear(parts_of_thread& part, const Way& way) {
    MEMTILE_UNROLL
    for (int k = 0; k < width; ++k) part[k] = way.empty();
  }

  // Joins the threads below each other, into the first `across` of the block.
  MEMTILE_FUNCTION static parts_of_thread join_down(const block& b, storage& shared, int across, parts_of_thread part,
                                                    const Reduction& reduction, site s) {
    const warp w = b.warp();
    MEMTILE_KEEP_LOOP
    for (int distance = across; distance < 32; distance *= 2) {
      MEMTILE_UNROLL
      for (int k = 0; k < width; ++k) {
        const A below = w.shuffle_down(part[k], distance, 32, s.inner());
        part[k] = reduction(part[k], below);
      }
    }
    b.sync(s.inner());  // of an earlier call, all has been read
    if (w.rank() > 0 && w.lane() < across) {
      MEMTILE_UNROLL
      for (int k = 0; k < width; ++k) shared.of_warp[w.rank() - 1][k].store(w.lane(), part[k], s.inner());
    }
    b.sync(s.inner());
    if (b.rank() >= across) return part;
    for (int below = 0; below < warps - 1; ++below) {
      MEMTILE_UNROLL
      for (int k = 0; k < width; ++k) part[k] = reduction(part[k], shared.of_warp[below][k].load(w.lane(), s.inner()));
    }
    return part;
  }
};

}  // namespace memtile
