// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several steps of a stencil of a matrix in one kernel, which reads and writes each element once.
//
// A warp walks down a segment of the columns. Each line that comes from memory enters the window of the first step, what
// that makes enters the window of the second, and so on; the last one is stored. All windows are registers, neighbours come
// by shuffles, and no warp waits for another. At the ends of a segment and of a walk the steps need what neighbouring warps
// compute as well: it is computed twice.
//
// The trap: at every step the elements outside of the image are those that the border makes of that step's own elements.
// They can all be found within the warp (see stencil_fused_window.cuh), except those of `wrap`: for that the image goes on
// at its other end, and what lies there is computed like any other element.
#pragma once

#include <memtile/algorithm/iterate_progress.cuh>
#include <memtile/algorithm/stencil_fused_window.cuh>
#include <memtile/algorithm/stencil_results.cuh>
#include <memtile/core/convert.hpp>
#include <memtile/hw/opaque.cuh>

namespace memtile {

MEMTILE_USER_CODE_BEGIN

/// `depth` steps from `in` to `out`, and how warps share them.
template <class T>
struct fused_job {
  volume_view<const T> in;  // of slices of one row, as stencil_kernel's
  matrix_view<T> out;
  vector_view<iterate_progress> progress;  // empty, or one: nothing is done once that has settled
  bool measures;                           // the largest change of the last step goes to the progress
  int depth;                               // at most the kernel's; of 0 steps the result is a copy
  int chunks;                              // segments side by side
  int side_strip, side_strips;             // of the first and the last one: rows of one warp; warps one below the other
  int strip;                               // rows of one warp in the others
  int warps;                               // in all
  bool wide_in, wide_out;                  // may be read, and written, run by run
  uint32 wide_constants;                   // bit f: so may constant field f
};

/// Depth steps of a stencil whose window reaches as far up as down and as far to the left as to the right. Of fewer steps the
/// first ones let the lines pass.
///
/// Grid      of one row, so many blocks as hold the warps of the job
/// Memory    every element read and written once, those within Depth times the reach of a segment's or a walk's end read
///           again; 16 bytes to an access where views allow it. Of each warp 7 lines are on their way
/// Result    the same bits as of single steps, whatever the shape
template <int Depth, class Reach, class Border, class Functor, class T, class... Constant>
struct fused_stencil_kernel {
  static_assert(Reach::front == Reach::back && Reach::left == Reach::right && Reach::rows == 1,
                "memtile: steps that are fused must have a window of a matrix that reaches equally far to both sides");
  using shape = detail::fused_shape<T, Reach, Depth>;
  static_assert(shape::columns > 0 && shape::words <= 120,
                "memtile: fused steps must fit into the registers of a thread: take fewer, or leave fused_steps out");
  static_assert(sizeof...(Constant) == 0 || shape::lines_of_constant <= shape::slots_of_constant,
                "memtile: fused steps must see at most 32 lines of a field: take fewer, or leave fused_steps out");
  static constexpr const char* name = "memtile::iterate";
  // 16 warps of 128 registers a thread on a multiprocessor, or 12 of 168: each of its four parts has its own registers.
  static constexpr int most_words_of_128 = Reach::is_star && Reach::front == 1 ? 80 : 64;
  static constexpr int warps = 2, threads = 32 * warps, words = shape::words + 8 * int(sizeof...(Constant));
  static constexpr int min_blocks = words <= most_words_of_128 ? 8 : 6;
  static constexpr int width = shape::width, radius = Reach::front, slots = shape::slots, ahead = shape::ahead;
  using ring = line_ring<T, width, detail::reach<0, 0, 0, 0, 0, 0>, 1, slots>;
  using line = vec<T, width>;
  using held = detail::pack<detail::held_lines<T, width, Reach>, detail::seen_constant<Constant, width, Reach>...>;
  using fields = detail::pack<volume_view<const Constant>...>;
  struct of_warp : detail::pack<typename shape::template ring<Constant>::storage...> {
    typename ring::storage u;
  };
  struct storage {
    of_warp rings[warps];
  };

  MEMTILE_KERNEL void operator()(block b, storage& shared, fused_job<T> job, fields constants, Border border,
                                 Functor functor) const {
    const site s = site::here().within("iterate");
    if (detail::is_settled(job.progress, s)) return;
    const warp w = b.warp().complete();
    const int unit = b.grid_column() * warps + w.rank();
    if (unit >= job.warps) return;
    // The segments at the sides take longer: they come first.
    const int sides = min_of(2, job.chunks), inner = max_of(1, job.chunks - 2), rest = unit - sides * job.side_strips;
    const bool is_side = rest < 0;
    const int chunk = is_side ? unit % sides * (job.chunks - 1) : 1 + rest % inner;
    const int strip = is_side ? job.side_strip : job.strip;
    const int64 first_row = int64(is_side ? unit / sides : rest / inner) * strip;
    walk(w, shared.rings[w.rank()], job, constants, first_row, strip, int64(chunk) * shape::columns, border, functor, s)
        .run();
  }

 private:
  using of_columns = detail::bare_t<decltype(Border::columns)>;
  using segment = detail::segment<T, width, Reach, of_columns>;

  // A warp's way down its segment. Line number i has row row0 + i before the first step; what the steps make of it has row
  // row0 + i - Depth * radius.
  struct walk {
    const fused_job<T>& job;
    const Border& border;
    const Functor& functor;
    warp w;
    site s;
    int64 first_column, last_column, column0, column;  // of what is stored; of the segment, and this lane's run of it
    int64 row0;
    int lines;
    segment ends;
    ring from;
    detail::pack<typename shape::template ring<Constant>...> constants;
    held windows[Depth]{};
    detail::change_type<T> most{};

    MEMTILE_FUNCTION walk(const warp& w_, of_warp& shared, const fused_job<T>& job_, const fields& in, int64 first_row,
                          int strip, int64 first_column_, const Border& border_, const Functor& functor_, site s_)
        : job(job_), border(border_), functor(functor_), w(w_), s(s_), first_column(first_column_),
          last_column(min_of(first_column + shape::columns, job.in.cols)),
          column0(hw::opaque(first_column - shape::margin)), column(column0 + w.lane() * width),
          row0(first_row - Depth * radius),
          lines(int(min_of(int64(strip), job.in.depth - first_row)) + 2 * Depth * radius),
          ends(border.columns, w.lane(), column0, job.in.cols),
          from(0, w.lane(), shared.u, job.in, 0, column0, job.wide_in, s),
          constants(detail::rings_of<shape>(0, w.lane(), shared, in, 0, column0, job.wide_constants, s)) {}

    MEMTILE_FUNCTION void run() {
      MEMTILE_KEEP_LOOP
      for (int i = 0; i < ahead; ++i) fetch(i, border);
      // Here all windows are whole, and no line is outside of the image, nor one that sets out meanwhile.
      const int inner_from = int(max_of(int64(2 * Depth * radius), (Depth + 1) * radius - row0));
      const int inner_to =
          job.depth < Depth || job.measures ? 0 : int(min_of(int64(lines), job.in.depth - row0 - ahead));
      for (int i = 0; i < lines;) {
        if (i < inner_from || i + Reach::slices > inner_to) {
          pass_edge(i);
          ++i;
        } else {
          if (ends.leaves_image()) pass_inside(i, ends);
          else pass_inside(i, detail::inner_segment{column});
          i += Reach::slices;
        }
      }
      if (job.measures) detail::record_change(job.progress, w, most, s);
    }

    // All steps of so many lines that those of a window need not move on.
    template <class Ends>
    MEMTILE_FUNCTION void pass_inside(int first, const Ends& of_segment) {
      const borders<detail::all_inside, detail::all_inside, of_columns> inside{{}, {}, border.columns};
      MEMTILE_UNROLL
      for (int turn = 0; turn < Reach::slices; ++turn) {
        const int i = first + turn;
        line values = next_line(i, inside);
        MEMTILE_UNROLL
        for (int level = 0; level < Depth; ++level) {
          windows[level].first.enter(w, values, s);
          see_constants(i, level);
          values = detail::results_of_line<T, Reach>(w, windows[level], row_after(i, level), of_segment, functor, s);
        }
        store(i, values);
      }
    }
    // All steps of a line, where some may not be due, and some lines lie outside of the image.
    MEMTILE_FUNCTION void pass_edge(int i) {
      line values = next_line(i, border);
      MEMTILE_UNROLL
      for (int level = 0; level < Depth; ++level) {
        windows[level].first.enter(w, values, s);
        if (i >= 2 * (level + 1) * radius && level >= Depth - job.depth) {
          see_constants(i, level);
          values = detail::results_at_edge<T, Reach>(w, windows[level], row_after(i, level), job.in.depth,
                                                     border.slices, ends, functor, s);
        } else {
          values = windows[level].first.middle();
        }
      }
      if (i < 2 * Depth * radius) return;
      store(i, values);
      if (!job.measures) return;
      MEMTILE_UNROLL
      for (int j = 0; j < width; ++j)
        if (column + j >= first_column && column + j < last_column)
          most = maximum{}(most, detail::change_of(values[j], windows[Depth - 1].first.at(0, 0, j)));
    }

    // What step number `level` may see of the fields that do not change, while line i comes in.
    MEMTILE_FUNCTION void see_constants(int i, int level) {
      detail::see_constants(windows[level].rest, constants, i - (level + 1) * radius);
    }

    MEMTILE_FUNCTION int64 row_after(int i, int level) const { return row0 + i - (level + 1) * radius; }

    // Line i sets out, if there is one.
    template <class B>
    MEMTILE_FUNCTION void fetch(int i, const B& around) {
      if (i < lines) {
        from.fill(i & (slots - 1), row0 + i, around);
        detail::fill_all(constants, i & (shape::slots_of_constant - 1), row0 + i, around);
      }
      hw::async_commit(s);
    }
    template <class B>
    MEMTILE_FUNCTION line next_line(int i, const B& around) {
      hw::async_wait<ahead - 1>(s);
      w.sync(s);  // and all lanes have read the slot that is filled now
      fetch(i + ahead, around);
      const auto run = from.read_own(i & (slots - 1), 0);
      line values;
      MEMTILE_UNROLL
      for (int j = 0; j < width; ++j) values[j] = run[j];
      return values;
    }
    MEMTILE_FUNCTION void store(int i, const line& results) const {
      if (column + width > first_column && column < last_column)
        detail::store_run(job.out, row_after(i, Depth - 1), column, first_column, last_column, job.wide_out, results,
                          s);
    }
  };
};

MEMTILE_USER_CODE_END

}  // namespace memtile
