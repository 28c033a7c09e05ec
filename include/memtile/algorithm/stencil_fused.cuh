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
  int strip, strips;                       // rows of one warp; warps one below the other
  bool wide_in, wide_out;                  // may be read, and written, run by run
};

/// Depth steps of a stencil whose window reaches as far up as down and as far to the left as to the right. Of fewer steps the
/// first ones let the lines pass.
///
/// Grid      of one row, so many blocks as hold the warps of the job
/// Memory    every element read and written once, those within Depth times the reach of a segment's or a walk's end read
///           again; 16 bytes to an access where views allow it. Of each warp 7 lines are on their way
/// Result    the same bits as of single steps, whatever the shape
template <int Depth, class Reach, class Border, class Functor, class T>
struct fused_stencil_kernel {
  static_assert(Reach::front == Reach::back && Reach::left == Reach::right && Reach::rows == 1,
                "memtile: steps that are fused must have a window of a matrix that reaches equally far to both sides");
  using shape = detail::fused_shape<T, Reach, Depth>;
  static_assert(shape::columns > 0 && shape::words <= 120,
                "memtile: fused steps must fit into the registers of a thread: take fewer, or leave fused_steps out");
  static constexpr const char* name = "memtile::iterate";
  // 16 warps of 128 registers a thread on a multiprocessor, or 12 of 168, or 8: each of its four parts has its own registers.
  static constexpr int warps = 2, threads = 32 * warps, min_blocks = shape::words <= 64 ? 8 : 6;
  static constexpr int width = shape::width, radius = Reach::front, slots = 8, ahead = slots - 1;
  using ring = line_ring<T, width, detail::reach<0, 0, 0, 0, 0, 0>, 1, slots>;
  using line = vec<T, width>;
  using held = detail::pack<detail::held_lines<T, width, Reach>>;
  struct storage {
    typename ring::storage rings[warps];
  };

  MEMTILE_KERNEL void operator()(block b, storage& shared, fused_job<T> job, Border border, Functor functor) const {
    const site s = site::here().within("iterate");
    if (detail::is_settled(job.progress, s)) return;
    const warp w = b.warp().complete();
    const int unit = b.grid_column() * warps + w.rank(), strip = unit / job.chunks;
    if (strip >= job.strips) return;
    const int64 first_column = int64(unit % job.chunks) * shape::columns, first_row = int64(strip) * job.strip;
    const int64 column0 = hw::opaque(first_column - shape::margin), row0 = first_row - Depth * radius;
    const int rows = int(min_of(int64(job.strip), job.in.depth - first_row)), lines = rows + 2 * Depth * radius;
    const int64 last_column = min_of(first_column + shape::columns, job.in.cols);
    const int64 column = column0 + w.lane() * width;

    const segment ends(border.columns, w.lane(), column0, job.in.cols);
    const bool is_owner = column + width > first_column && column < last_column;
    ring from(0, w.lane(), shared.rings[w.rank()], job.in, 0, column0, job.wide_in, s);
    MEMTILE_KEEP_LOOP
    for (int i = 0; i < ahead; ++i) fetch(from, i, lines, row0, border, s);
    const auto store = [&](int i, const line& results) {
      const int64 row = row0 + i - Depth * radius;
      if (is_owner) detail::store_run(job.out, row, column, first_column, last_column, job.wide_out, results, s);
    };

    held windows[Depth]{};
    detail::change_type<T> most{};
    // Where all windows are whole and inside the image, no border has to be thought of.
    const bool is_simple = !ends.leaves_image() && job.depth == Depth && !job.measures;
    const int simple_from = int(max_of(int64(2 * Depth * radius), (Depth + 1) * radius - row0));
    const int simple_to = is_simple ? int(min_of(int64(lines), job.in.depth - row0 - ahead)) : 0;
    constexpr borders<detail::as_it_is, detail::as_it_is, detail::as_it_is> none{};
    for (int i = 0; i < lines;) {
      if (i >= simple_from && i + Reach::slices <= simple_to) {
        MEMTILE_UNROLL
        for (int turn = 0; turn < Reach::slices; ++turn, ++i) {  // so that lines of a window need not move on
          line values = next_line(from, w, i, lines, row0, none, s);
          MEMTILE_UNROLL
          for (int level = 0; level < Depth; ++level) {
            windows[level].first.enter(w, values, s);
            const int64 row = row0 + i - (level + 1) * radius;
            MEMTILE_UNROLL
            for (int j = 0; j < width; ++j) values[j] = result_of(windows[level], j, row, column + j, functor);
          }
          store(i, values);
        }
      } else {
        line values = next_line(from, w, i, lines, row0, border, s);
        MEMTILE_UNROLL
        for (int level = 0; level < Depth; ++level) {
          windows[level].first.enter(w, values, s);
          const bool is_whole = i >= 2 * (level + 1) * radius, passes = level < Depth - job.depth;
          values = windows[level].first.middle();
          if (is_whole && !passes)
            take_step(w, windows[level], values, row0 + i - (level + 1) * radius, job.in.depth, ends, border, functor,
                      s);
        }
        if (i >= 2 * Depth * radius) {
          store(i, values);
          if (job.measures) {
            MEMTILE_UNROLL
            for (int j = 0; j < width; ++j)
              if (column + j >= first_column && column + j < last_column)
                most = maximum{}(most, detail::change_of(values[j], windows[Depth - 1].first.at(0, 0, j)));
          }
        }
        ++i;
      }
    }
    if (job.measures) detail::record_change(job.progress, w, most, s);
  }

 private:
  using segment = detail::segment<T, width, Reach, detail::bare_t<decltype(Border::columns)>>;

  // Line number i of the walk sets out, if there is one.
  template <class B>
  MEMTILE_FUNCTION static void fetch(ring& from, int i, int lines, int64 row0, const B& border, site s) {
    if (i < lines) from.fill(i & (slots - 1), row0 + i, border);
    hw::async_commit(s);
  }
  template <class B>
  MEMTILE_FUNCTION static line next_line(ring& from, const warp& w, int i, int lines, int64 row0, const B& border,
                                         site s) {
    hw::async_wait<ahead - 1>(s);
    w.sync(s);  // and all lanes have read the slot that is filled now
    fetch(from, i + ahead, lines, row0, border, s);
    const auto run = from.read_own(i & (slots - 1), 0);
    line values;
    MEMTILE_UNROLL
    for (int j = 0; j < width; ++j) values[j] = run[j];
    return values;
  }

  MEMTILE_FUNCTION static T result_of(const held& window, int j, int64 row, int64 column, const Functor& functor) {
    const detail::held_neighbours<Reach, held> around{window, j, row, 0, column};
    return detail::stored_as<T>(functor(neighbours<2, detail::held_neighbours<Reach, held>>(around)));
  }

  // One step of one line, near an edge of the image. `values` are the elements before it.
  MEMTILE_FUNCTION static void take_step(const warp& w, held& window, line& values, int64 row, int64 rows,
                                         const segment& ends, const Border& border, const Functor& functor, site s) {
    using of_rows = detail::bare_t<decltype(border.slices)>;
    int64 own = row;
    if constexpr (detail::is_wrap<of_rows>) {
      own = detail::modulo(row, rows);
    } else {
      if (row < 0 || row >= rows) {  // a constant, or a line that impose() replaces in the next window
        MEMTILE_UNROLL
        for (int j = 0; j < width; ++j) values[j] = detail::constant_of<T>(border.slices, row < 0);
        return;
      }
      if (detail::is_valid_before<of_rows> && row < radius) return;
      if (detail::is_valid_after<of_rows> && row + radius >= rows) return;
      if (row < radius || row + radius >= rows) window.first.impose(border.slices, row, rows);
    }
    MEMTILE_UNROLL
    for (int j = 0; j < width; ++j) {
      const T result = result_of(window, j, own, ends.column(j), functor);
      if (!ends.is_rim(j)) values[j] = result;
    }
    ends.impose(w, values, s);
  }
};

MEMTILE_USER_CODE_END

}  // namespace memtile
