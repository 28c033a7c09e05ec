// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several steps of a star of a volume in one kernel, which reads and writes each element once.
//
// A block walks along the slices with a tile of rows and columns, a warp with some rows of it. The slice that comes from
// memory is the newest of the first step, what that makes of the slice before is the newest of the second, and so on; the
// last one is stored. Each step holds its slices in registers. Of a star only the one in the middle needs neighbours to its
// sides: those in the row come by shuffles, the rows of other warps through shared memory, where they were left one turn
// before. So one barrier a slice serves all steps. At the rim of a tile and at the ends of a walk the steps need what other
// blocks compute as well: it is computed twice.
//
// The trap: at every step the elements outside of the volume are those that the border makes of that step's own elements. A
// reach of one sees only the first of them, which is made of the two at the edge where it is read; what stands further out
// is computed like anything else and seen by nobody. Of `wrap` the volume goes on at its other end.
#pragma once

#include <memtile/algorithm/stencil_fused_slices.cuh>
#include <memtile/algorithm/stencil_results.cuh>
#include <memtile/block/run_ring.cuh>
#include <memtile/core/convert.hpp>
#include <memtile/hw/opaque.cuh>

namespace memtile {

MEMTILE_USER_CODE_BEGIN

/// `depth` steps from `in` to `out`, and how blocks share them: the slices of all tiles, one tile after the other, are cut
/// into equal shares.
template <class T>
struct fused_volume_job {
  volume_view<const T> in;
  volume_view<T> out;
  int depth;               // at most the kernel's; of 0 steps the result is a copy
  int across, down;        // tiles side by side, and one below the other
  int64 slices, share;     // of all tiles; of one block
  bool wide_in, wide_out;  // may be read, and written, run by run
};

/// Depth steps of a stencil whose window is a star of radius 1. Of fewer steps the first ones let the slices pass.
///
/// Grid      of one row, so many blocks as there are shares
/// Memory    every element read and written once, those within Depth of the rim of a tile or the end of a walk read again;
///           16 bytes to an access where views allow it. The next slice is on its way meanwhile
/// Result    the same bits as of single steps, whatever the shape
template <int Depth, class Reach, class Border, class Functor, class T>
struct fused_volume_kernel {
  static_assert(Reach::is_star && Reach::front == 1 && Reach::up == 1 && Reach::left == 1,
                "memtile: steps of a volume that are fused must have a star of radius 1");
  using shape = detail::fused_volume_shape<T, Reach, Depth>;
  static_assert(shape::fits, "memtile: fused steps must fit into the registers of a thread: take fewer, or leave "
                             "fused_steps out");
  static constexpr const char* name = "memtile::iterate";
  static constexpr int warps = shape::warps, threads = 32 * warps, min_blocks = 1;
  static constexpr int width = shape::width, rows = shape::warp_rows, slots = 2, ahead = slots - 1;
  using of_slices = detail::bare_t<decltype(Border::slices)>;
  using of_rows = detail::bare_t<decltype(Border::rows)>;
  using of_columns = detail::bare_t<decltype(Border::columns)>;
  using ring = run_ring<T, width, rows, slots, detail::is_wrap<of_rows>, detail::is_wrap<of_columns>>;
  using line = vec<T, width>;
  using held = detail::held_slices<T, width, rows>;
  struct storage {
    typename ring::storage rings[warps];
    shared_tile<T, 2 * Depth * 2 * warps, 32 * width> edges;  // of this turn and the one before, and of each step
  };

  MEMTILE_KERNEL void operator()(block b, storage& shared, fused_volume_job<T> job, Border border,
                                 Functor functor) const {
    const site s = site::here().within("iterate");
    int64 from = b.grid_column() * job.share;
    const int64 end = min_of(from + job.share, job.slices);
    MEMTILE_KEEP_LOOP
    while (from < end) {
      const int64 tile = from / job.in.depth, first = from - tile * job.in.depth;
      const int count = int(min_of(end - from, job.in.depth - first));
      walk(b, shared, job, tile, first, count, border, functor, s).run();
      from += count;
    }
  }

 private:
  // A warp's part of the walk of a block. Slice number i is slice0 + i before the first step; what the steps make meanwhile
  // is slice0 + i - Depth.
  struct walk {
    const block& b;
    storage& shared;
    const fused_volume_job<T>& job;
    const Border& border;
    const Functor& functor;
    warp w;
    site s;
    int slice0, row, column;  // of the first slice; of this lane's part
    int slices;
    // Of that part by bits, for the reason that detail::segment gives: the rows that are stored, and from bit 8 on the columns;
    // the volume's first row, from bit 8 on its last one, from bit 16 on its first column, from bit 24 on its last one.
    uint32 stored = 0, rim = 0;
    int64 own;                 // bytes from the first element of the result to this part in its first slice
    bool stores_runs, is_odd;  // is_odd: the volume's edges may be anywhere in the part, or have coordinates that wrap
    ring from;
    held steps[Depth]{};

    MEMTILE_FUNCTION walk(const block& b_, storage& shared_, const fused_volume_job<T>& job_, int64 tile, int64 slice,
                          int count, const Border& border_, const Functor& functor_, site s_)
        : b(b_), shared(shared_), job(job_), border(border_), functor(functor_), w(b_.warp().complete()), s(s_),
          slice0(int(slice) - Depth), row(hw::opaque(first_row_of(int(tile / job_.across)) + w.rank() * rows)),
          column(hw::opaque(int(tile % job_.across) * shape::columns - shape::margin + w.lane() * width)),
          slices(count + 2 * Depth), from(w.lane(), shared_.rings[w.rank()], job_.in, row, column, job_.wide_in, s_) {
      const int64 end_row = job.in.rows, end_column = job.in.cols;
      const int stored_from = stored_row(int(tile / job.across)), stored_to = stored_row(int(tile / job.across) + 1);
      MEMTILE_UNROLL
      for (int r = 0; r < rows; ++r) {
        const int y = row + r;
        stored |= uint32(y >= stored_from && y < stored_to) << r;
        rim |= uint32(y == 0) << r | uint32(y == end_row - 1) << (8 + r);
      }
      uint32 columns = 0;
      MEMTILE_UNROLL
      for (int j = 0; j < width; ++j) {
        const int x = column + j, of_tile = w.lane() * width + j - shape::margin;
        columns |= uint32(of_tile >= 0 && of_tile < shape::columns && x < end_column) << j;
        rim |= uint32(x == 0) << (16 + j) | uint32(x == end_column - 1) << (24 + j);
      }
      stored |= columns << 8;
      own = row * job.out.row_pitch + column * int64(sizeof(T));
      stores_runs = job.wide_out && columns == (1 << width) - 1;
      const bool leaves_rows = row < 0 || row + rows > end_row,
                 leaves_columns = w.any(column < 0 || column + width > end_column, s);
      is_odd = (detail::is_wrap<of_rows> ? leaves_rows : end_row < shape::rows) ||
               (leaves_columns && (detail::is_wrap<of_columns> || end_column % width != 0));
    }
    // Tiles store equal parts of the rows. The last one lies so that as many of its last rows are outside of the volume as of
    // the first tile's first rows.
    MEMTILE_FUNCTION int stored_row(int tile_row) const { return int(job.in.rows * tile_row / job.down); }
    MEMTILE_FUNCTION int first_row_of(int tile_row) const {
      const int first = stored_row(tile_row) - Depth;
      if (detail::is_wrap<of_rows>) return first;
      return max_of(-Depth, min_of(first, int(job.in.rows) + Depth - shape::tile_rows));
    }

    MEMTILE_FUNCTION void run() {
      fetch<false>(0);
      // Here all steps have begun, and no slice is outside of the volume, nor one that sets out meanwhile.
      const int inner_from = max_of(2 * Depth, Depth + 1 - slice0);
      const int inner_to = job.depth < Depth ? 0 : int(min_of(int64(slices), job.in.depth - slice0 - ahead));
      for (int i = 0; i < slices;) {
        if (i < inner_from || i + Reach::slices > inner_to) {
          pass_edge(i);
          ++i;
        } else {
          if (is_odd) pass_inside<true>(i);
          else pass_inside<false>(i);
          i += Reach::slices;
        }
      }
    }

    // All steps of so many slices that those of a step need not move on.
    template <bool IsOdd>
    MEMTILE_FUNCTION void pass_inside(int first) {
      MEMTILE_UNROLL
      for (int turn = 0; turn < Reach::slices; ++turn) {
        const int i = first + turn;
        line values[rows];
        next_slice<true>(i, values);
        MEMTILE_UNROLL
        for (int level = 0; level < Depth; ++level) {
          enter(i, level, values);
          take_step<IsOdd>(i, level, slice_after(i, level), values);
        }
        store(i, values);
        b.sync(s);
      }
    }
    // All steps of a slice, where some may not be due, and some slices lie outside of the volume.
    MEMTILE_FUNCTION void pass_edge(int i) {
      line values[rows];
      next_slice<false>(i, values);
      MEMTILE_UNROLL
      for (int level = 0; level < Depth; ++level) {
        enter(i, level, values);
        const int slice = slice_after(i, level), end = int(job.in.depth);
        const bool is_first = slice == 0, is_last = slice == end - 1;
        const bool is_left =
            (detail::is_valid_before<of_slices> && is_first) || (detail::is_valid_after<of_slices> && is_last);
        const bool is_there = detail::is_wrap<of_slices> || (slice >= 0 && slice < end);
        if (i < 2 * (level + 1) || level < Depth - job.depth || is_left || !is_there) {
          MEMTILE_UNROLL
          for (int r = 0; r < rows; ++r) values[r] = steps[level].middle(r);
        } else {
          if constexpr (!detail::is_wrap<of_slices>) {
            if (is_first) steps[level].impose_slice(detail::side_of<true>(border.slices), -1, end > 1);
            if (is_last) steps[level].impose_slice(detail::side_of<false>(border.slices), 1, end > 1);
          }
          take_step<true>(i, level, detail::named_place(border.slices, slice, end), values);
        }
      }
      if (i >= 2 * Depth) store(i, values);
      b.sync(s);
    }

    // A slice comes into the window of a step, and its outer rows to where other warps see them in the next turn.
    MEMTILE_FUNCTION void enter(int i, int level, const line (&values)[rows]) {
      steps[level].enter(values);
      shared.edges.store(edge_row(i, level, 2 * w.rank()), w.lane() * width, values[0], s.inner());
      shared.edges.store(edge_row(i, level, 2 * w.rank() + 1), w.lane() * width, values[rows - 1], s.inner());
    }
    // Step number `level` of the slice before, while slice i comes in. `slice` is its own.
    template <bool IsOdd>
    MEMTILE_FUNCTION void take_step(int i, int level, int64 slice, line (&values)[rows]) {
      held& around = steps[level];
      // What the first and the last warp see beyond the tile is nothing.
      const int above = max_of(2 * w.rank() - 1, 0), below = min_of(2 * w.rank() + 2, 2 * warps - 1);
      around.see_row(-1, shared.edges.load(wide<width>, edge_row(i - 1, level, above), w.lane() * width, s.inner()));
      around.see_row(rows, shared.edges.load(wide<width>, edge_row(i - 1, level, below), w.lane() * width, s.inner()));
      around.see_beside(w, s);
      impose<IsOdd>(around);
      MEMTILE_UNROLL
      for (int r = 0; r < rows; ++r) {
        const detail::pack<detail::row_of_slices<held>> windows{{around, r}, {}};
        using seen = detail::held_neighbours<Reach, detail::pack<detail::row_of_slices<held>>>;
        MEMTILE_UNROLL
        for (int j = 0; j < width; ++j) {
          const seen place{windows, j, slice, named<IsOdd>(border.rows, row + r, job.in.rows),
                           named<IsOdd>(border.columns, column + j, job.in.cols)};
          const T result = detail::stored_as<T>(functor(neighbours<3, seen>(place)));
          values[r][j] = is_left<IsOdd>(r, j) ? around.own(0, r, j) : result;
        }
      }
    }
    template <bool IsOdd, class B>
    MEMTILE_FUNCTION static int named(const B& of_axis, int place, int64 end) {
      return !IsOdd && detail::is_wrap<B> ? place : detail::named_place(of_axis, place, end);
    }

    // Whether this row, or column, of the part is the first or the last one of the volume. Unless the part is odd it can be
    // but one: then the others cost nothing.
    template <bool IsOdd>
    MEMTILE_FUNCTION bool is_first_row(int r) const {
      return (IsOdd || r == shape::first_row) && (rim >> r & 1) != 0;
    }
    template <bool IsOdd>
    MEMTILE_FUNCTION bool is_last_row(int r) const {
      return (IsOdd || r == shape::last_row) && (rim >> (8 + r) & 1) != 0;
    }
    MEMTILE_FUNCTION bool is_first_column(int j) const { return j == 0 && (rim >> 16 & 1) != 0; }
    template <bool IsOdd>
    MEMTILE_FUNCTION bool is_last_column(int j) const {
      return (IsOdd || j == width - 1) && (rim >> (24 + j) & 1) != 0;
    }
    // What the border makes of the elements beside the middle slice; and whether it leaves an element as it is.
    template <bool IsOdd>
    MEMTILE_FUNCTION void impose(held& around) const {
      const bool has_rows = job.in.rows > 1, has_columns = job.in.cols > 1;
      MEMTILE_UNROLL
      for (int r = 0; r < rows && !detail::is_wrap<of_rows>; ++r) {
        if (is_first_row<IsOdd>(r)) around.impose_row(detail::side_of<true>(border.rows), r, -1, has_rows);
        if (is_last_row<IsOdd>(r)) around.impose_row(detail::side_of<false>(border.rows), r, 1, has_rows);
      }
      MEMTILE_UNROLL
      for (int i = 0; i < rows * width && !detail::is_wrap<of_columns>; ++i) {
        const int r = i / width, j = i % width;
        if (is_first_column(j)) around.impose_column(detail::side_of<true>(border.columns), r, j, -1, has_columns);
        if (is_last_column<IsOdd>(j))
          around.impose_column(detail::side_of<false>(border.columns), r, j, 1, has_columns);
      }
    }
    template <bool IsOdd>
    MEMTILE_FUNCTION bool is_left(int r, int j) const {
      return (detail::is_valid_before<of_rows> && is_first_row<IsOdd>(r)) ||
             (detail::is_valid_after<of_rows> && is_last_row<IsOdd>(r)) ||
             (detail::is_valid_before<of_columns> && is_first_column(j)) ||
             (detail::is_valid_after<of_columns> && is_last_column<IsOdd>(j));
    }

    MEMTILE_FUNCTION int slice_after(int i, int level) const { return slice0 + i - (level + 1); }
    MEMTILE_FUNCTION static int edge_row(int i, int level, int edge) {
      return ((i & 1) * Depth + level) * 2 * warps + edge;
    }

    // Slice i sets out, if there is one. Inside: it is one of the volume.
    template <bool Inside>
    MEMTILE_FUNCTION void fetch(int i) {
      const int slice = slice0 + i, end = int(job.in.depth);
      if (i < slices) {
        if constexpr (Inside) from.fill(i & (slots - 1), slice, true);
        else if constexpr (detail::is_wrap<of_slices>) from.fill(i & (slots - 1), detail::modulo(slice, end), true);
        else from.fill(i & (slots - 1), slice, slice >= 0 && slice < end);
      }
      hw::async_commit(s);
    }
    template <bool Inside>
    MEMTILE_FUNCTION void next_slice(int i, line (&values)[rows]) {
      hw::async_wait<ahead - 1>(s);
      w.meet(s.inner());  // some bring and store elements one by one
      MEMTILE_UNROLL
      for (int r = 0; r < rows; ++r) values[r] = from.read(i & (slots - 1), r);
      fetch<Inside>(i + ahead);
    }
    MEMTILE_FUNCTION void store(int i, line (&results)[rows]) const {
      const int slice = slice_after(i, Depth - 1);
      if (stores_runs) {
        const int64 first = own + slice * job.out.slice_pitch;
        MEMTILE_UNROLL
        for (int r = 0; r < rows; ++r)
          if ((stored >> r & 1) != 0) store_run(slice, r, first + r * job.out.row_pitch, results[r]);
      } else if (stored >> 8 != 0) {
        // One by one from the first register, for the reason that store_run gives.
        MEMTILE_KEEP_LOOP
        for (int k = 0; k < rows * width; ++k) {
          if ((stored >> k / width & stored >> (8 + k % width) & 1) != 0)
            job.out.store(slice, row + k / width, column + k % width, results[0][0], s.inner());
          MEMTILE_UNROLL
          for (int e = 0; e + 1 < rows * width; ++e)
            results[e / width][e % width] = results[(e + 1) / width][(e + 1) % width];
        }
      }
    }
    MEMTILE_FUNCTION void store_run(int slice, int r, int64 offset, const line& run) const {
      const volume_view<T>& out = job.out;
      if (hw::inside("volume_view", {slice, row + r, column}, {out.depth, out.rows, out.cols}, 2, width, s))
        hw::store_global(reinterpret_cast<line*>(reinterpret_cast<char*>(out.data) + offset), run,
                         s.inner().at(slice, row + r, column));
    }
  };
};

MEMTILE_USER_CODE_END

}  // namespace memtile
