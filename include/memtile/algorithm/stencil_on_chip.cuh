// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All steps of a stencil of a matrix in one kernel, which keeps the matrix in the shared memory of the whole device.
//
// A block holds a tile, 32 runs wide; each of its warps some lines of that, one below the other. In a step a warp walks down
// its lines and writes the results over them: the window is in registers, neighbours to the sides come by shuffles. A tile
// has margins that other blocks hold as well, and that are computed twice: after so many steps as they are wide for, each
// block stores what stands in margins of others, all blocks wait for each other, and each one loads its margins anew.
//
// The trap: what others still read must not be written over. Of the lines of other warps, a warp reads those next to its own
// before a barrier, and nobody writes before that. What goes to other blocks goes through `scratch` and `u` in turns; behind
// the last time that was u, or if no time was, all wait once more before they store the result there.
#pragma once

#include <memtile/algorithm/stencil_fused_window.cuh>
#include <memtile/algorithm/stencil_results.cuh>
#include <memtile/block/grid_barrier.cuh>
#include <memtile/hw/async_copy.cuh>
#include <memtile/shared/tile.cuh>

namespace memtile {

MEMTILE_USER_CODE_BEGIN

/// `steps` steps from `u` to `u`.
template <class T>
struct on_chip_job {
  matrix_view<T> u, scratch;
  bool wide;         // both may be read and written run by run
  int tiles_across;  // tiles side by side
  int lines;         // of a warp
  int64 steps;
  vector_view<uint32> words;  // of the barrier
};

namespace detail {

// The tile of a block that has so many KiB, for a window of a given reach.
template <class T, class Reach, int KiB>
struct on_chip_shape {
  static constexpr int width = 16 % int(sizeof(T)) == 0 ? min_of(4, 16 / int(sizeof(T))) : 1;  // columns of a lane
  static constexpr int sides = max_of(Reach::left, Reach::right), radius = max_of(Reach::front, Reach::back);
  static constexpr int between = sides > 0 ? max_of(1, width / sides) : 4;  // steps from one exchange to the next
  static constexpr int margin_rows = between * radius, margin_columns = ceil_div(between * sides, width) * width;
  static constexpr int columns = 32 * width - 2 * margin_columns;  // without margins
  static constexpr int warps = 16, most_lines = KiB * 1024 / (32 * width * int(sizeof(T))) / warps;
  MEMTILE_FUNCTION static constexpr int rows(int lines) { return warps * lines - 2 * margin_rows; }  // likewise

  static constexpr int run_bytes = width * int(sizeof(T));
  static constexpr bool has_copies = run_bytes == 4 || run_bytes == 8 || run_bytes == 16;
};

}  // namespace detail

/// All steps of a stencil whose window reaches as far up as down and as far to the left as to the right.
///
/// Grid      one row of blocks, as many as tiles cover the matrix; they run at one time
/// Memory    u is read and written whole once. Of each tile a rim as wide as the margins is written and read once for every so many
///           steps as the margins are wide for; the second-level cache holds it. In a step each element is read from shared
///           memory and written there once, 16 bytes to an access
/// Result    the same bits as of single steps; scratch is written over
template <int KiB, class Reach, class Border, class Functor, class T>
struct on_chip_stencil_kernel {
  static_assert(Reach::front == Reach::back && Reach::left == Reach::right && Reach::rows == 1,
                "memtile: steps on the chip must have a window of a matrix that reaches equally far to both sides");
  using shape = detail::on_chip_shape<T, Reach, KiB>;
  static_assert(shape::columns > 0 && shape::rows(shape::most_lines) > 0 && shape::most_lines >= shape::radius,
                "memtile: the window of steps on the chip must fit into the shared memory of a block");
  static constexpr const char* name = "memtile::iterate";
  static constexpr int threads = 32 * shape::warps, min_blocks = 1;
  static constexpr bool cooperative = true;
  static constexpr int width = shape::width, radius = Reach::front, warps = shape::warps;
  struct storage {
    shared_tile<T, warps * shape::most_lines, 32 * width> cells;
  };

  MEMTILE_KERNEL void operator()(block b, storage& shared, on_chip_job<T> job, Border border, Functor functor) const {
    tile(b, shared, job, border, functor, site::here().within("iterate")).run();
  }

 private:
  using of_rows = detail::bare_t<decltype(Border::slices)>;
  using of_columns = detail::bare_t<decltype(Border::columns)>;
  using line = vec<T, width>;

  struct tile {
    block b;
    storage& shared;
    const on_chip_job<T>& job;
    const Border& border;
    const Functor& functor;
    warp w;
    site s;
    int64 first_row, end_row, first_column, end_column;  // of what is stored
    int first_line;                                      // of the warp, in the tile
    int64 row0, column;                                  // in the image: of that line; of the lane's run
    detail::segment<T, width, Reach, of_columns> ends;

    MEMTILE_FUNCTION tile(const block& b_, storage& shared_, const on_chip_job<T>& job_, const Border& border_,
                          const Functor& functor_, site s_)
        : b(b_), shared(shared_), job(job_), border(border_), functor(functor_), w(b.warp().complete()), s(s_),
          first_row(int64(b.grid_column() / job.tiles_across) * shape::rows(job.lines)),
          end_row(min_of(first_row + shape::rows(job.lines), job.u.rows)),
          first_column(int64(b.grid_column() % job.tiles_across) * shape::columns),
          end_column(min_of(first_column + shape::columns, job.u.cols)), first_line(w.rank() * job.lines),
          row0(first_row - shape::margin_rows + first_line),
          column(first_column - shape::margin_columns + w.lane() * width),
          ends(border.columns, w.lane(), first_column - shape::margin_columns, job.u.cols) {}

    MEMTILE_FUNCTION void run() const {
      const grid_barrier all(b, job.words);
      const bool is_at_rows = row0 < radius || row0 + job.lines + radius > job.u.rows;
      bool is_through_u = true;
      for (int64 left = job.steps; left > 0;) {
        load(either(is_through_u), left == job.steps);
        MEMTILE_KEEP_LOOP
        for (int i = int(min_of(left, int64(shape::between))); i > 0; --i, --left) {
          if (is_at_rows) take_step<true>(ends);
          else if (ends.leaves_image()) take_step<false>(ends);
          else take_step<false>(detail::inner_segment{column});
        }
        if (left == 0 && is_through_u) all.sync(s.inner());
        is_through_u = left == 0 || !is_through_u;
        store(either(is_through_u), left == 0);
        if (left > 0) all.sync(s.inner());
      }
      all.finish(s.inner());
    }

    // Not `? :`, which would choose between addresses, for which a kernel's parameters must go to memory.
    MEMTILE_FUNCTION matrix_view<T> either(bool is_u) const {
      matrix_view<T> view = job.scratch;
      if (is_u) view = job.u;
      return view;
    }
    // The lane's run of a line of the tile.
    MEMTILE_FUNCTION line run_of(int tile_line) const {
      return shared.cells.load(wide<width>, tile_line, w.lane() * width, s.inner());
    }
    MEMTILE_FUNCTION void set_run(int tile_line, const line& values) const {
      shared.cells.store(tile_line, w.lane() * width, values, s.inner());
    }

    using window = detail::pack<detail::held_lines<T, width, Reach>>;
    // AtRows: some lines of the warp are near the first or the last one of the image, or outside.
    template <bool AtRows, class Ends>
    MEMTILE_FUNCTION void take_step(const Ends& of_segment) const {
      window around{};
      // What stands above and below; beyond the tile any line, since its results are dropped.
      line below[max_of(1, radius)];
      MEMTILE_UNROLL
      for (int k = 0; k < radius; ++k) {
        around.first.enter(w, run_of(max_of(first_line - radius + k, 0)), s);
        below[k] = run_of(min_of(first_line + job.lines + k, warps * job.lines - 1));
      }
      b.sync(s.inner());
      MEMTILE_UNROLL
      for (int k = 0; k < radius; ++k) around.first.enter(w, run_of(first_line + k), s);
      int i = 0;
      for (; i + Reach::slices + radius <= job.lines; i += Reach::slices) {
        MEMTILE_UNROLL  // so many lines to a turn that those of the window need not move on
        for (int turn = 0; turn < Reach::slices; ++turn)
          pass<AtRows>(around, i + turn, run_of(first_line + i + turn + radius), of_segment);
      }
      MEMTILE_KEEP_LOOP
      for (; i < job.lines; ++i) {
        line entering = run_of(first_line + min_of(i + radius, job.lines - 1));
        MEMTILE_UNROLL
        for (int k = 0; k < radius; ++k)
          if (i + radius == job.lines + k) entering = below[k];
        pass<AtRows>(around, i, entering, of_segment);
      }
      b.sync(s.inner());
    }
    template <bool AtRows, class Ends>
    MEMTILE_FUNCTION void pass(window& around, int i, const line& entering, const Ends& of_segment) const {
      around.first.enter(w, entering, s);
      line values;
      if constexpr (AtRows)
        values =
            detail::results_at_edge<T, Reach>(w, around, row0 + i, job.u.rows, border.slices, of_segment, functor, s);
      else values = detail::results_of_line<T, Reach>(w, around, row0 + i, of_segment, functor, s);
      set_run(first_line + i, values);
    }

    // The whole tile, or its margins. What lies outside of the image has been made by the last step, unless it wraps.
    MEMTILE_FUNCTION void load(const matrix_view<T>& from, bool all) const {
      for (int i = 0; i < job.lines; ++i) {
        const int64 row = row0 + i;
        const bool is_margin = row < first_row || (row >= end_row && row < end_row + shape::margin_rows);
        const bool has_margins = row >= first_row && row < end_row;
        if (all || (is_of_image(row) && (is_margin || has_margins)))
          load_line(from, row, first_line + i, all || is_margin, all);
      }
      hw::async_commit(s);
      hw::async_wait<0>(s);
      w.sync(s.inner());  // the elements of a run may have been brought by several lanes
      if (ends.leaves_image()) {
        for (int i = 0; i < job.lines; ++i) {
          if (!is_of_image(row0 + i)) continue;
          line values = run_of(first_line + i);
          ends.impose(w, values, values, s);
          set_run(first_line + i, values);
        }
      }
      b.sync(s.inner());
    }
    MEMTILE_FUNCTION bool is_of_image(int64 row) const {
      return detail::is_wrap<of_rows> || (row >= 0 && row < job.u.rows);
    }
    // A line, or its margins alone: run by run where views allow it, else element by element, side by side.
    MEMTILE_FUNCTION void load_line(const matrix_view<T>& from, int64 row, int tile_line, bool whole_line,
                                    bool with_outside) const {
      constexpr int margin = shape::margin_columns;
      const int64 column0 = column - w.lane() * width;
      const int own_end = int(end_column - column0);
      const int behind = own_end / width * width;  // the run in which the other margin begins
      const int end = with_outside ? 32 * width : min_of(own_end + margin, 32 * width);
      const bool is_wanted =
          w.lane() * width < end && (whole_line || column < first_column || column + width > end_column);
      if (is_wanted && is_whole(from, row, column)) copy_run(from, row, column, tile_line);

      if (is_whole(from, row, column0) && is_whole(from, row, column0 + 31 * width)) return;
      load_elements(from, row, tile_line, 0, whole_line ? end : margin, with_outside);
      if (!whole_line) load_elements(from, row, tile_line, behind, end, with_outside);
    }
    // Those from one place of the line to another, without those of runs that are copied whole.
    MEMTILE_FUNCTION void load_elements(const matrix_view<T>& from, int64 row, int tile_line, int first, int end,
                                        bool with_outside) const {
      const int64 column0 = column - w.lane() * width;
      MEMTILE_KEEP_LOOP
      for (int i = first + w.lane(); i < end; i += 32) {
        int64 y = row, x = column0 + i;
        if (is_whole(from, row, column0 + i / width * width)) continue;
        if (!with_outside && !detail::is_wrap<of_columns> && (x < 0 || x >= from.cols)) continue;
        T v{};
        const bool is_inside = detail::comes_from_inside(border.slices, y, from.rows, v) &&
                               detail::comes_from_inside(border.columns, x, from.cols, v);
        T* const to = shared.cells.address(tile_line, i);
        const site place = s.inner().at(tile_line, i);
        if (!is_inside) hw::store_shared(to, v, place);
        else if constexpr (alignof(T) == sizeof(T) && (sizeof(T) == 4 || sizeof(T) == 8))
          hw::async_copy<int(sizeof(T))>(to, from.address(y, x), true, place, s.inner().at(y, x));
        else hw::store_shared(to, from.load(y, x, s.inner()), place);
      }
      hw::lanes_meet(s);
    }
    // The row of the image that a row is: another one where it wraps.
    MEMTILE_FUNCTION static int64 row_of_image(const matrix_view<T>& v, int64 row) {
      return detail::is_wrap<of_rows> ? detail::modulo(row, v.rows) : row;
    }
    MEMTILE_FUNCTION bool is_whole(const matrix_view<T>& from, int64 row, int64 c) const {
      const int64 r = row_of_image(from, row);
      return shape::has_copies && job.wide && r >= 0 && r < from.rows && c >= 0 && c + width <= from.cols;
    }
    MEMTILE_FUNCTION void copy_run(const matrix_view<T>& from, int64 row, int64 c, int tile_line) const {
      if constexpr (shape::has_copies) {
        const int i = w.lane() * width;
        const int64 r = row_of_image(from, row);
        hw::async_copy<shape::run_bytes>(shared.cells.address(tile_line, i), from.address(r, c), true,
                                         s.inner().at(tile_line, i), s.inner().at(r, c));
      }
    }
    // The tile without its margins, or what of it stands in margins of others.
    MEMTILE_FUNCTION void store(const matrix_view<T>& to, bool all) const {
      if (column + width <= first_column || column >= end_column) return;
      const bool is_near_side =
          column < first_column + shape::margin_columns || column + width > end_column - shape::margin_columns;
      for (int i = 0; i < job.lines; ++i) {
        const int64 row = row0 + i;
        if (row < first_row || row >= end_row) continue;
        if (all || is_near_side || row < first_row + shape::margin_rows || row >= end_row - shape::margin_rows)
          detail::store_run(to, row, column, first_column, end_column, job.wide, run_of(first_line + i), s);
      }
    }
  };
};

MEMTILE_USER_CODE_END

}  // namespace memtile
