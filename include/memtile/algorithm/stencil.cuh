// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stencils: every output is a functor of the neighbours of one place.
//
// Two kernels. stencil_kernel walks along the slowest axis and keeps the window in registers, so that every element is
// read from global memory once (and at the edges of a walk once more): what limits it is the memory, as long as a functor
// takes fewer than about 50 instructions for each 4 bytes. wide_stencil_kernel serves windows that do not fit into
// registers: each neighbour is a load, mostly from the first-level cache, which limits it.
//
// All inputs are volumes: the rows of a matrix are slices of one row each, a vector is one row.
#pragma once

#include <memtile/algorithm/stencil_results.cuh>
#include <memtile/algorithm/stencil_window.cuh>
#include <memtile/core/convert.hpp>
#include <memtile/hw/opaque.cuh>

namespace memtile {

MEMTILE_USER_CODE_BEGIN

/// What a stencil computes: a part of `out`, and how warps share it. Out: the type of an element, or a kind of outputs of
/// algorithm/stencil_results.cuh.
template <class Out>
struct stencil_job {
  typename detail::stencil_results<Out, 1>::views out;
  int64 slice0, row0, column0, slices, rows, columns;  // the part
  int64 first_column;                                  // column0, rounded down to a run
  int64 steps;                                         // of the walk: slices, or of a vector chunks
  int chunks;                                          // warps side by side, from first_column on
  int strip, strips;                                   // steps of one warp; warps one behind the other
  uint32 wide;  // bit f: field f may be read run by run; the bits after them: outputs may be written so
};

/// A warp computes 32 runs of columns of one line, slice after slice; a vector has one slice, and its warps walk along
/// it instead. Where windows have several rows, the warps of a block take rows one below the other, and share the lines.
///
/// Grid      of one row, so many blocks as hold the warps of the job
/// Memory    every element read once, at the ends of a walk, of a warp's columns and of a block's rows once more; 16 bytes to
///           an access where views allow it. Of each warp 3 slices or more are on their way, while it computes another.
template <int Dimensions, class Reach, class Border, class Functor, class Out, class... In>
struct stencil_kernel {
  using shape = detail::shape_for<Functor, Reach, typename detail::stencil_results<Out, 1>::largest, In...>;
  using results = detail::stencil_results<Out, shape::width>;
  static constexpr const char* name = "memtile::stencil";
  static constexpr int warps = shape::warps, threads = 32 * warps;
  // Registers enough for any functor of bytes, which computes 16 results at a time; for others at most 128 a thread.
  static constexpr int min_blocks = shape::width > 8 ? 1 : 2;
  static constexpr int width = shape::width, chunk_columns = 32 * width;
  static constexpr bool walks_columns = Dimensions == 1, shares_lines = shape::shares_lines;
  static_assert(!shape::by_halves || detail::is_same<Out, typename results::largest>,
                "memtile: a functor that takes halves must have one output, and no reduction");
  struct storage : results::storage {
    typename shape::storage rings[warps / shape::sharing];
  };

  MEMTILE_KERNEL void operator()(block b, storage& shared, stencil_job<Out> job,
                                 detail::pack<volume_view<const In>...> in, Border border, Functor functor) const {
    const site s = site::here().within("stencil");
    results of_lane{};
    walk(b, shared, job, in, border, functor, of_lane, s);
    of_lane.finish(b, shared, job.out, s);
  }

 private:
  using held = detail::held_neighbours<Reach, typename shape::windows>;

  MEMTILE_FUNCTION static void walk(const block& b, storage& shared, const stencil_job<Out>& job,
                                    const detail::pack<volume_view<const In>...>& in, const Border& border,
                                    const Functor& functor, results& of_lane, site s) {
    const warp w = b.warp().complete();
    int chunk, row0, strip;
    if constexpr (shares_lines) {
      const int groups = int(ceil_div(job.rows, int64(warps))), group = b.grid_column() / job.chunks;
      chunk = b.grid_column() % job.chunks, strip = group / groups, row0 = group % groups * warps;
    } else {
      const int unit = b.grid_column() * warps + w.rank(), line = unit / job.chunks;
      chunk = unit % job.chunks, strip = line / int(job.rows), row0 = line % int(job.rows);
      if (strip >= job.strips) return;
    }
    const int rank = shares_lines ? w.rank() : 0;  // among the warps that share lines
    const bool is_there = row0 + rank < job.rows;
    const int64 first_step = int64(strip) * job.strip;
    const int steps = int(min_of(int64(job.strip), job.steps - first_step));
    const int64 column0 = hw::opaque(job.first_column + (walks_columns ? first_step : int64(chunk)) * chunk_columns);
    const int64 slice0 = job.slice0 + (walks_columns ? 0 : first_step), row = job.row0 + row0 + rank;

    constexpr int ahead = shape::ahead, before = Reach::front + Reach::back;
    auto rings = detail::rings_of<shape>(rank, w.lane(), shared.rings[shares_lines ? 0 : w.rank()], in, row - rank,
                                         column0, job.wide, s);
    const auto fill = [&](int i, int slot) {
      if (i < steps + before) {
        if constexpr (walks_columns) detail::move_all(rings, column0 + int64(i) * chunk_columns);
        detail::fill_all(rings, slot, walks_columns ? slice0 : slice0 - Reach::front + i, border);
      }
      hw::async_commit(s);
    };
    MEMTILE_KEEP_LOOP
    for (int i = 0; i < ahead; ++i) fill(i, i);

    typename shape::windows windows{};  // what moves on before the first slices have come is nothing
    int slot = 0;
    for (int i = 0; i < steps + before; ++i, slot = slot + 1 < shape::slots ? slot + 1 : 0) {
      hw::async_wait<ahead - 1>(s);
      // What the others copied is there, and they have read the slot that is filled now.
      if constexpr (shares_lines) b.sync(s);
      else w.sync(s);
      fill(i + ahead, slot + ahead < shape::slots ? slot + ahead : slot + ahead - shape::slots);
      detail::enter_all(windows, rings, slot, functor);
      if (i < before || !is_there) continue;
      detail::see_all(windows, rings, slot);

      const int64 slice = walks_columns ? slice0 : slice0 + i - before;
      const int64 column = column0 + (walks_columns ? int64(i) * chunk_columns : 0) + w.lane() * width;
      const int64 first = job.column0, last = job.column0 + job.columns - 1;
      const auto result = [&](int j) {
        // beyond the ends nothing is stored, but the functor may trust its coordinates
        const held around{windows, j, slice, row, min_of(max_of(column + j, first), last)};
        return functor(neighbours<Dimensions, held>(around));
      };
      if constexpr (shape::by_halves) {
        vec<halves<Out>, width / 2> pairs;
        MEMTILE_UNROLL
        for (int j = 0; j < width / 2; ++j) pairs[j] = detail::stored_as_halves<Out>(result(j));
        detail::store_words(job.out.slice(slice), row, column, first, last + 1, (job.wide >> shape::fields & 1) != 0,
                            side_by_side<width>(pairs), s);
      } else {
        MEMTILE_UNROLL
        for (int j = 0; j < width; ++j) of_lane.take(j, result(j), column + j >= first && column + j <= last);
        of_lane.store(job.out, job.wide >> shape::fields, {slice, row, column, first, last + 1}, s);
      }
    }
  }
};

/// A lane computes one element, and loads its neighbours itself. For windows of any size.
///
/// Grid      of one row: blocks of 32 columns and 8 lines
/// Memory    one element to an access, side by side; a neighbour costs one, of the first-level cache for the most part
template <int Dimensions, class Reach, class Border, class Functor, class Out, class... In>
struct wide_stencil_kernel {
  static constexpr const char* name = "memtile::stencil";
  static constexpr int threads = 256, warps = threads / 32;
  using results = detail::stencil_results<Out, 1>;
  struct storage : results::storage {};

  struct loaded_neighbours {
    const detail::pack<volume_view<const In>...>& in;
    const Border& border;
    int64 slice, row, column;
    bool is_inside;  // the whole window

    template <int Field>
    MEMTILE_FUNCTION auto at(int dz, int dy, int dx, site s) const {
      const auto& field = detail::element<Field>(in);
      using T = typename detail::bare_t<decltype(field)>::element;
      int64 z = slice + dz, y = row + dy, x = column + dx;
      T outside{};
      if (!detail::in_window<Reach>(dz, dy, dx, s)) return outside;
      if (!is_inside && !(detail::comes_from_inside(border.slices, z, field.depth, outside) &&
                          detail::comes_from_inside(border.rows, y, field.rows, outside) &&
                          detail::comes_from_inside(border.columns, x, field.cols, outside)))
        return outside;
      return field.load(z, y, x, s);
    }
  };

  MEMTILE_KERNEL void operator()(block b, storage& shared, stencil_job<Out> job,
                                 detail::pack<volume_view<const In>...> in, Border border, Functor functor) const {
    const site s = site::here().within("stencil");
    results of_lane{};
    const int64 line = int64(b.grid_column() / job.chunks) * warps + b.warp().rank();
    const int64 right = int64(b.grid_column() % job.chunks) * 32 + b.warp().lane();
    if (line < job.slices * job.rows && right < job.columns) {
      const int64 slice = job.slice0 + line / job.rows, row = job.row0 + line % job.rows, column = job.column0 + right;
      const auto& whole = in.first;
      const bool is_inside = slice >= Reach::front && slice + Reach::back < whole.depth && row >= Reach::up &&
                             row + Reach::down < whole.rows && column >= Reach::left &&
                             column + Reach::right < whole.cols;
      const loaded_neighbours around{in, border, slice, row, column, is_inside};
      of_lane.take(0, functor(neighbours<Dimensions, loaded_neighbours>(around)), true);
      of_lane.store(job.out, 0, {slice, row, column, column, column + 1}, s);
    }
    of_lane.finish(b, shared, job.out, s);
  }
};

MEMTILE_USER_CODE_END

}  // namespace memtile
