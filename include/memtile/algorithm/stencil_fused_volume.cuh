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

#include <memtile/algorithm/stencil_fused_window.cuh>
#include <memtile/algorithm/stencil_results.cuh>
#include <memtile/block/run_ring.cuh>
#include <memtile/core/convert.hpp>
#include <memtile/hw/opaque.cuh>

namespace memtile {

MEMTILE_USER_CODE_BEGIN

namespace detail {

// The border before the first or behind the last element of an axis.
template <bool IsBefore, class Border>
MEMTILE_FUNCTION const Border& side_of(const Border& border) {
  return border;
}
template <bool IsBefore, class Before, class After>
MEMTILE_FUNCTION const auto& side_of(const sides<Before, After>& border) {
  if constexpr (IsBefore) return border.before;
  else return border.after;
}
// The first element outside, beside the one at the edge: `inner` is that one's other neighbour, if it has one inside.
template <class T, class Side>
MEMTILE_FUNCTION T first_outside(const Side&, T edge, T inner, bool has_inner) {
  return is_same<Side, reflect101> && has_inner ? inner : edge;
}
template <class T, class V>
MEMTILE_FUNCTION T first_outside(const constant<V>& border, T, T, bool) {
  return stored_as<T>(border.value);
}
// Where element i of an axis is said to be: of those outside of the image, the one that they are the same as, or the last.
template <class Border>
MEMTILE_FUNCTION int64 named_place(const Border&, int64 i, int64 n) {
  return is_wrap<Border> ? modulo(i, n) : replicate::index(i, n);
}

// The tile of a block that makes Depth steps of a star of radius 1: 8 warps of up to 255 registers a thread, of which 128 may
// hold slices. Fewer rows for twice the warps are slower: more of them are at the rim.
template <class T, class Reach, int Depth>
struct fused_volume_shape {
  using line = fused_shape<T, Reach, Depth>;
  static constexpr int width = line::width, margin = line::margin, columns = line::columns;
  static constexpr int warps = 8, words_of_row = ceil_div(int(sizeof(T)), 4) * Depth * 2 * width;
  static constexpr int warp_rows = min_of(7, 128 / words_of_row), tile_rows = warps * warp_rows;
  static constexpr int rows = tile_rows - 2 * Depth;  // that are whole after all steps, as `columns` of 32 runs
  static constexpr bool fits = warp_rows >= 2 && rows > 0 && columns > 0;
  static constexpr double again = double(tile_rows) / rows * (32 * width) / columns;  // that much more is computed
};

// The slices of one step around a lane's part of Rows runs. Of the one in the middle also what lies around them.
template <class T, int Width, int Rows>
struct held_slices {
  T at_place[3][Rows + 2][Width + 2];

  MEMTILE_FUNCTION const T& own(int slice, int row, int column) const {
    return at_place[slice + 1][row + 1][column + 1];
  }
  MEMTILE_FUNCTION T& own(int slice, int row, int column) { return at_place[slice + 1][row + 1][column + 1]; }

  // A slice becomes the last one, and the first one is forgotten.
  MEMTILE_FUNCTION void enter(const vec<T, Width> (&newest)[Rows]) {
    MEMTILE_UNROLL
    for (int r = 0; r < Rows; ++r) {
      MEMTILE_UNROLL
      for (int j = 0; j < Width; ++j) {
        own(-1, r, j) = own(0, r, j);
        own(0, r, j) = own(1, r, j);
        own(1, r, j) = newest[r][j];
      }
    }
  }
  MEMTILE_FUNCTION void see_beside(const warp& w, site s) {
    MEMTILE_UNROLL
    for (int r = 0; r < Rows; ++r) {
      own(0, r, -1) = w.shuffle_up(own(0, r, Width - 1), 1, 32, s);
      own(0, r, Width) = w.shuffle_down(own(0, r, 0), 1, 32, s);
    }
  }
  MEMTILE_FUNCTION void see_row(int r, const vec<T, Width>& run) {
    MEMTILE_UNROLL
    for (int j = 0; j < Width; ++j) own(0, r, j) = run[j];
  }
  MEMTILE_FUNCTION vec<T, Width> middle(int r) const {
    vec<T, Width> run;
    MEMTILE_UNROLL
    for (int j = 0; j < Width; ++j) run[j] = own(0, r, j);
    return run;
  }

  // Gives what lies outside of the volume its values. `first`, `last`: where in this part the first and the last element of
  // the axis would stand.
  template <class Border>
  MEMTILE_FUNCTION void impose_slices(const Border& border, bool is_first, bool is_last) {
    MEMTILE_UNROLL
    for (int r = 0; r < Rows; ++r) {
      MEMTILE_UNROLL
      for (int j = 0; j < Width; ++j) {
        if (is_first) own(-1, r, j) = first_outside<T>(side_of<true>(border), own(0, r, j), own(1, r, j), !is_last);
        if (is_last) own(1, r, j) = first_outside<T>(side_of<false>(border), own(0, r, j), own(-1, r, j), !is_first);
      }
    }
  }
  template <class Border>
  MEMTILE_FUNCTION void impose_rows(const Border& border, int first, int last) {
    MEMTILE_UNROLL
    for (int r = 0; r < Rows; ++r) {
      MEMTILE_UNROLL
      for (int j = 0; j < Width; ++j) {
        if (r == first)
          own(0, r - 1, j) = first_outside<T>(side_of<true>(border), own(0, r, j), own(0, r + 1, j), first < last);
        if (r == last)
          own(0, r + 1, j) = first_outside<T>(side_of<false>(border), own(0, r, j), own(0, r - 1, j), first < last);
      }
    }
  }
  template <class Border>
  MEMTILE_FUNCTION void impose_columns(const Border& border, int first, int last) {
    MEMTILE_UNROLL
    for (int r = 0; r < Rows; ++r) {
      const bool has_inner = first < last;
      T left = own(0, r, -1);  // the first element of a volume is the first one of a run
      if (first == 0) left = first_outside<T>(side_of<true>(border), own(0, r, 0), own(0, r, 1), has_inner);
      own(0, r, -1) = left;
      MEMTILE_UNROLL
      for (int j = 0; j < Width; ++j)
        if (j == last)
          own(0, r, j + 1) = first_outside<T>(side_of<false>(border), own(0, r, j), own(0, r, j - 1), has_inner);
    }
  }
};
// One of the rows, as a functor's neighbours see the windows of all fields.
template <class Slices>
struct row_of_slices {
  const Slices& slices;
  int row;
  MEMTILE_FUNCTION auto at(int dz, int dy, int column) const { return slices.own(dz, row + dy, column); }
};

}  // namespace detail

/// `depth` steps from `in` to `out`, and how blocks share them: the slices of all tiles, one tile after the other, are cut
/// into equal shares.
template <class T>
struct fused_volume_job {
  volume_view<const T> in;
  volume_view<T> out;
  int depth;               // at most the kernel's; of 0 steps the result is a copy
  int across;              // tiles side by side
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
    int64 first_column;           // of what the tile stores
    int64 slice0, row0, column0;  // of what it reads
    int64 row, column;            // of this lane's part
    int slices;
    uint32 stored_rows = 0;  // by bits
    bool stores_some, stores_runs;
    int first_row_here, last_row_here, first_column_here, last_column_here;  // of the volume, counted from this lane's
    bool leaves_rows, leaves_columns;
    ring from;
    held steps[Depth]{};

    MEMTILE_FUNCTION walk(const block& b_, storage& shared_, const fused_volume_job<T>& job_, int64 tile, int64 slice,
                          int count, const Border& border_, const Functor& functor_, site s_)
        : b(b_), shared(shared_), job(job_), border(border_), functor(functor_), w(b_.warp().complete()), s(s_),
          first_column(tile % job_.across * shape::columns), slice0(slice - Depth),
          row0(tile / job_.across * shape::rows - Depth), column0(hw::opaque(first_column - shape::margin)),
          row(row0 + w.rank() * rows), column(column0 + w.lane() * width), slices(count + 2 * Depth),
          first_row_here(place_here(-row)), last_row_here(place_here(job_.in.rows - 1 - row)),
          first_column_here(place_here(-column)), last_column_here(place_here(job_.in.cols - 1 - column)),
          leaves_rows(row <= 0 || row + rows >= job_.in.rows),
          leaves_columns(column0 <= 0 || column0 + 32 * width >= job_.in.cols),
          from(w.lane(), shared_.rings[w.rank()], job_.in, row, column, job_.wide_in, s_) {
      const int64 end_column = min_of(first_column + shape::columns, job.out.cols);
      stores_some = column + width > first_column && column < end_column;
      stores_runs = job.wide_out && column >= first_column && column + width <= end_column;
      MEMTILE_UNROLL
      for (int r = 0; r < rows; ++r) {
        const int of_tile = w.rank() * rows + r - Depth;
        stored_rows |= uint32(of_tile >= 0 && of_tile < shape::rows && row + r < job.out.rows) << r;
      }
    }

    // Where elements of an axis stand, as far as that matters: those of a lane begin at 0.
    MEMTILE_FUNCTION static int place_here(int64 place) { return int(min_of(max_of(place, int64(-2)), int64(64))); }

    MEMTILE_FUNCTION void run() {
      fetch<false>(0);
      // Here all steps have begun, and no slice is outside of the volume, nor one that sets out meanwhile.
      const int inner_from = int(max_of(int64(2 * Depth), Depth + 1 - slice0));
      const int inner_to = job.depth < Depth ? 0 : int(min_of(int64(slices), job.in.depth - slice0 - ahead));
      for (int i = 0; i < slices;) {
        if (i < inner_from || i + Reach::slices > inner_to) {
          pass_edge(i);
          ++i;
        } else {
          if (leaves_rows || leaves_columns) pass_inside<true>(i);
          else pass_inside<false>(i);
          i += Reach::slices;
        }
      }
    }

    // All steps of so many slices that those of a step need not move on.
    template <bool Leaves>
    MEMTILE_FUNCTION void pass_inside(int first) {
      MEMTILE_UNROLL
      for (int turn = 0; turn < Reach::slices; ++turn) {
        const int i = first + turn;
        line values[rows];
        next_slice<true>(i, values);
        MEMTILE_UNROLL
        for (int level = 0; level < Depth; ++level) {
          enter(i, level, values);
          take_step<Leaves>(i, level, slice_after(i, level), values);
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
        const int64 slice = slice_after(i, level), end = job.in.depth;
        const bool is_first = slice == 0, is_last = slice == end - 1;
        const bool is_rim =
            (detail::is_valid_before<of_slices> && is_first) || (detail::is_valid_after<of_slices> && is_last);
        const bool is_there = detail::is_wrap<of_slices> || (slice >= 0 && slice < end);
        if (i < 2 * (level + 1) || level < Depth - job.depth || is_rim || !is_there) {
          MEMTILE_UNROLL
          for (int r = 0; r < rows; ++r) values[r] = steps[level].middle(r);
        } else {
          if constexpr (!detail::is_wrap<of_slices>) steps[level].impose_slices(border.slices, is_first, is_last);
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
    // Step number `level` of the slice before, while slice i comes in. `slice` is its own. Leaves: there may be elements
    // outside of the volume.
    template <bool Leaves>
    MEMTILE_FUNCTION void take_step(int i, int level, int64 slice, line (&values)[rows]) {
      held& around = steps[level];
      // What the first and the last warp see beyond the tile is nothing.
      const int above = max_of(2 * w.rank() - 1, 0), below = min_of(2 * w.rank() + 2, 2 * warps - 1);
      around.see_row(-1, shared.edges.load(wide<width>, edge_row(i - 1, level, above), w.lane() * width, s.inner()));
      around.see_row(rows, shared.edges.load(wide<width>, edge_row(i - 1, level, below), w.lane() * width, s.inner()));
      around.see_beside(w, s);
      if constexpr (Leaves && !detail::is_wrap<of_rows>) {
        if (leaves_rows) around.impose_rows(border.rows, first_row_here, last_row_here);
      }
      if constexpr (Leaves && !detail::is_wrap<of_columns>)
        around.impose_columns(border.columns, first_column_here, last_column_here);
      MEMTILE_UNROLL
      for (int r = 0; r < rows; ++r) {
        const detail::pack<detail::row_of_slices<held>> windows{{around, r}, {}};
        using seen = detail::held_neighbours<Reach, detail::pack<detail::row_of_slices<held>>>;
        MEMTILE_UNROLL
        for (int j = 0; j < width; ++j) {
          const seen place{windows, j, slice, Leaves ? detail::named_place(border.rows, row + r, job.in.rows) : row + r,
                           Leaves ? detail::named_place(border.columns, column + j, job.in.cols) : column + j};
          const T result = detail::stored_as<T>(functor(neighbours<3, seen>(place)));
          values[r][j] = Leaves && is_rim(r, j) ? around.own(0, r, j) : result;
        }
      }
    }
    MEMTILE_FUNCTION bool is_rim(int r, int j) const {
      return (detail::is_valid_before<of_rows> && r == first_row_here) ||
             (detail::is_valid_after<of_rows> && r == last_row_here) ||
             (detail::is_valid_before<of_columns> && j == first_column_here) ||
             (detail::is_valid_after<of_columns> && j == last_column_here);
    }

    MEMTILE_FUNCTION int64 slice_after(int i, int level) const { return slice0 + i - (level + 1); }
    MEMTILE_FUNCTION static int edge_row(int i, int level, int edge) {
      return ((i & 1) * Depth + level) * 2 * warps + edge;
    }

    // Slice i sets out, if there is one. Inside: it is one of the volume.
    template <bool Inside>
    MEMTILE_FUNCTION void fetch(int i) {
      const int64 slice = slice0 + i, end = job.in.depth;
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
      const matrix_view<T> to = job.out.slice(slice_after(i, Depth - 1));
      if (stores_runs) {
        MEMTILE_UNROLL
        for (int r = 0; r < rows; ++r)
          if ((stored_rows >> r & 1) != 0) to.store(row + r, column, results[r], s.inner());
      } else if (stores_some) {
        // Row by row from the first registers, for the reason that store_run gives.
        const int64 end_column = min_of(first_column + shape::columns, job.out.cols);
        MEMTILE_KEEP_LOOP
        for (int r = 0; r < rows; ++r) {
          if ((stored_rows >> r & 1) != 0)
            detail::store_run(to, row + r, column, first_column, end_column, job.wide_out, results[0], s);
          MEMTILE_UNROLL
          for (int k = 0; k + 1 < rows; ++k) results[k] = results[k + 1];
        }
      }
    }
  };
};

MEMTILE_USER_CODE_END

}  // namespace memtile
