// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// reduce_rows, reduce_columns, reduce_axis and map_rows: many results in one launch.
#pragma once

#include <memtile/algorithm/map_rows.cuh>
#include <memtile/algorithm/reduce_columns.cuh>
#include <memtile/algorithm/reduce_short_rows.cuh>
#include <memtile/launch/reduce.cuh>

#if !defined(__CUDACC_RTC__)

namespace memtile {

namespace detail {

// Every input is a volume: so many matrices, the rows of which lie side by side.
template <class T>
volume_view<T> volume_of(const matrix_view<T>& v) {
  return {v.data, 1, v.rows, v.cols, v.pitch, 0};
}
template <class T>
volume_view<T> volume_of(const volume_view<T>& v) {
  return v;
}
// And every output a matrix with a row of results for each of them.
template <class R>
matrix_view<R> results_of(const vector_view<R>& v) {
  return {v.data, 1, v.size, v.size * int64(sizeof(R))};
}
template <class R>
matrix_view<R> results_of(const matrix_view<R>& v) {
  return v;
}

template <int Bytes, class T>
bool is_aligned(const volume_view<T>& v) {
  return is_aligned(v.data, Bytes) && (v.rows <= 1 || v.row_pitch % Bytes == 0) &&
         (v.depth <= 1 || v.slice_pitch % Bytes == 0);
}

template <class T, class R>
status check_lines(const char* algorithm, const volume_view<T>& in, const matrix_view<R>& out, int64 results,
                   const char* what) {
  static_assert(!is_const<R>, "memtile: the output of a reduction must not be a view of const elements");
  if (status s = check_view(algorithm, "the input", in); !s) return s;
  if (status s = check_view(algorithm, "the output", out); !s) return s;
  if (out.rows != in.depth || out.cols != results)
    return status::refused("{}: the input has {} x {} {}, but the output {} x {} elements", algorithm, in.depth,
                           results, what, out.rows, out.cols);
  if (overlap(extent_of(in), rectangle_of(out))) return status::refused("{}: the output overlaps the input", algorithm);
  return {};
}

// How the caller named what is reduced: along rows may be down columns of the view that the kernel sees.
struct called_as {
  const char *algorithm, *lines;
};
inline constexpr called_as as_rows{"reduce_rows", "rows"}, as_columns{"reduce_columns", "columns"};

template <class Place, class Rows, class R, class Reduction>
status start_rows(const Place& place, const Rows& rows, int64 count, int64 size, const matrix_view<R>& out,
                  const Reduction& reduction) {
  using kernel = reduce_short_rows_kernel<Rows, R, Reduction>;
  const int64 runs = ceil_div(size, int64(kernel::width));
  // a warp has four rows on their way; where there are few rows, a block for each has more
  if (runs > 512 || (runs > 32 && count < 8192)) return start_reduce(place, rows, count, size, out, reduction);
  int lanes = 1;
  while (lanes < 32 && lanes < runs) lanes *= 2;
  return with_workspace(place, "reduce_rows", {}, [&](uint32*, void*) {
    return launch(place, grid(ceil_div(count, int64(kernel::rows_a_block(lanes)))), kernel{lanes}, rows, int(count),
                  int(size), out, reduction);
  });
}

template <class Place, class T, class R, class Wanted>
status rows_with(const Place& place, const volume_view<T>& in, const matrix_view<R>& out, const Wanted& wanted,
                 const called_as& call) {
  if (status s = check_lines(call.algorithm, in, out, in.rows, call.lines); !s) return s;
  const int64 count = in.depth * in.rows;
  if (in.rows > most_columns || in.depth > most_columns || count > most_columns)
    return status::refused("{}: {} x {} {} are too many: at most {} in all", call.algorithm, in.depth, in.rows,
                           call.lines, most_columns);
  if (count == 0) return {};
  using element = remove_const_t<T>;
  const auto reduction = wanted.template over<element>();
  constexpr int bytes = run_width<element> * int(sizeof(T));
  if (is_aligned<bytes>(in))
    return start_rows(place, volume_rows<element, true>{in, false}, count, in.cols, out, reduction);
  return start_rows(place, volume_rows<element, run_width<element> == 1>{in, false}, count, in.cols, out, reduction);
}

template <bool Aligned, class Place, class T, class R, class Reduction>
status start_columns(const Place& place, const volume_view<const T>& in, const matrix_view<R>& out,
                     const Reduction& reduction) {
  using A = typename Reduction::accumulator;
  using kernel = reduce_columns_kernel<T, R, Reduction, Aligned>;
  const columns_plan plan = plan_columns(in.depth, in.rows, in.cols, kernel::width);
  const int64 strips = in.depth * plan.strips;
  workspace_need need;
  if (plan.chunks > 1)
    need = {strips, size_t(strips) * size_t(plan.chunks) * size_t(plan.across * kernel::width) * sizeof(A)};
  return with_workspace(place, "reduce_columns", need, [&](uint32* tickets, void* parts) {
    return launch(place, grid(strips * plan.chunks), kernel{}, in, plan,
                  parts_between_blocks<A>{static_cast<A*>(parts), tickets}, out, reduction);
  });
}
template <class Place, class T, class R, class Wanted>
status columns_with(const Place& place, const volume_view<T>& in, const matrix_view<R>& out, const Wanted& wanted,
                    const called_as& call) {
  if (status s = check_lines(call.algorithm, in, out, in.cols, call.lines); !s) return s;
  if (in.depth * in.cols == 0) return {};
  using element = remove_const_t<T>;
  const auto reduction = wanted.template over<element>();
  if (is_aligned<16>(in)) return start_columns<true, Place, element>(place, in, out, reduction);
  return start_columns<false, Place, element>(place, in, out, reduction);
}

// Along rows, or down columns, of whatever view: a column-major matrix is the transposed problem, and one without a unit
// stride is a batch of single columns.
template <class Place, class T, class R, class Wanted>
status along_rows(const Place& place, const matrix_view<T>& in, const R& out, const Wanted& wanted,
                  const called_as& call = as_rows) {
  return rows_with(place, volume_of(in), results_of(out), wanted, call);
}
template <class Place, class T, class R, class Wanted>
status along_rows(const Place& place, const volume_view<T>& in, const R& out, const Wanted& wanted,
                  const called_as& call = as_rows) {
  return rows_with(place, in, results_of(out), wanted, call);
}
template <class Place, class T, class R, class Wanted>
status along_rows(const Place& place, const matrix_view<T, column>& in, const R& out, const Wanted& wanted,
                  const called_as& call = as_rows) {
  return columns_with(place, volume_of(transposed(in)), results_of(out), wanted, call);
}
template <class Place, class T, class R, class Wanted>
status along_rows(const Place& place, const matrix_view<T, strided>& in, const vector_view<R>& out,
                  const Wanted& wanted, const called_as& call = as_rows) {
  if (in.row_pitch < 0 || in.column_pitch < 0)
    return status::refused(
        "{}: the input has {} and {} bytes from row to row and from column to column: they must not be "
        "negative",
        call.algorithm, in.row_pitch, in.column_pitch);
  const volume_view<T> columns(in.data, in.rows, in.cols, 1, in.column_pitch, in.row_pitch);
  return columns_with(place, columns, matrix_view<R>(out.data, out.size, 1, int64(sizeof(R))), wanted, call);
}
template <class Place, class T, class R, class Wanted>
status down_columns(const Place& place, const matrix_view<T>& in, const R& out, const Wanted& wanted,
                    const called_as& call = as_columns) {
  return columns_with(place, volume_of(in), results_of(out), wanted, call);
}
template <class Place, class T, class R, class Wanted>
status down_columns(const Place& place, const volume_view<T>& in, const R& out, const Wanted& wanted,
                    const called_as& call = as_columns) {
  return columns_with(place, in, results_of(out), wanted, call);
}
template <class Place, class T, class Layout, class R, class Wanted>
status down_columns(const Place& place, const matrix_view<T, Layout>& in, const R& out, const Wanted& wanted,
                    const called_as& call = as_columns) {
  return along_rows(place, transposed(in), out, wanted, call);
}

template <int Axis, class Place, class T, class R, class Wanted>
status along_axis(const Place& place, const volume_view<T>& in, const matrix_view<R>& out, const Wanted& wanted) {
  static_assert(Axis >= 0 && Axis <= 2, "memtile: the axis of a volume must be 0 (depth), 1 (rows) or 2 (columns)");
  if constexpr (Axis == 2) return rows_with(place, in, out, wanted, called_as{"reduce_axis", "rows"});
  else if constexpr (Axis == 1) return columns_with(place, in, out, wanted, called_as{"reduce_axis", "columns"});
  else
    return columns_with(place, volume_view<T>(in.data, in.rows, in.depth, in.cols, in.slice_pitch, in.row_pitch), out,
                        wanted, called_as{"reduce_axis", "columns"});
}

}  // namespace detail

/// out(r) = init op transform(in(r, 0)) op transform(in(r, 1)) op ..., for every row; of a volume, out(z, r).
///
/// in         a matrix of any layout and pitch, or a volume; columns 0 to any number, none gives init
/// out        a vector with an element for each row; of a volume a matrix, a row for each slice
/// Result     fixed_tree, as of reduce: it depends on the rows' number and length alone
/// Memory     every element read once, 16 bytes at a time whatever the type and the alignment
/// Cost       one kernel: several rows a warp, a warp a row, a block a row, or several blocks a row, which alone needs a
///            workspace. The rest is as of reduce.
template <class Policy = automatic, class Where, class In, class Out, class Operator, class T,
          class Transform = identity, class Keep = detail::every_element>
status reduce_rows(Where&& where, const In& in, const Out& out, Operator op, T init, Transform transform = {},
                   Keep keep = {}) {
  return detail::along_rows(detail::place_of(where), as_view(in), as_view(out),
                            detail::folding<Policy>(op, init, transform, keep, identity{}));
}
/// One of the reductions of algorithm/reductions.hpp, or an operator that has an identity, for every row.
template <class Policy = automatic, class Where, class In, class Out, class Wanted>
status reduce_rows(Where&& where, const In& in, const Out& out, const Wanted& wanted) {
  return detail::along_rows(detail::place_of(where), as_view(in), as_view(out), detail::wanted_of<Policy>(wanted));
}

/// out(c) = init op transform(in(0, c)) op transform(in(1, c)) op ..., for every column; of a volume, out(z, c) of every
/// slice. No atomic operations, and the output is not filled first. The rest is as of reduce_rows.
///
/// Memory     16 bytes of neighbouring columns at a time where the base and all pitches are multiples of 16 bytes, else one
///            element
template <class Policy = automatic, class Where, class In, class Out, class Operator, class T,
          class Transform = identity, class Keep = detail::every_element>
status reduce_columns(Where&& where, const In& in, const Out& out, Operator op, T init, Transform transform = {},
                      Keep keep = {}) {
  return detail::down_columns(detail::place_of(where), as_view(in), as_view(out),
                              detail::folding<Policy>(op, init, transform, keep, identity{}));
}
template <class Policy = automatic, class Where, class In, class Out, class Wanted>
status reduce_columns(Where&& where, const In& in, const Out& out, const Wanted& wanted) {
  return detail::down_columns(detail::place_of(where), as_view(in), as_view(out), detail::wanted_of<Policy>(wanted));
}

/// Along one axis of a volume: 0, the slices, with out(r, c); 1, the rows, with out(z, c); 2, the columns, with out(z, r).
template <int Axis, class Policy = automatic, class Where, class In, class Out, class Operator, class T,
          class Transform = identity, class Keep = detail::every_element>
status reduce_axis(Where&& where, const In& in, const Out& out, Operator op, T init, Transform transform = {},
                   Keep keep = {}) {
  return detail::along_axis<Axis>(detail::place_of(where), as_view(in), as_view(out),
                                  detail::folding<Policy>(op, init, transform, keep, identity{}));
}
template <int Axis, class Policy = automatic, class Where, class In, class Out, class Wanted>
status reduce_axis(Where&& where, const In& in, const Out& out, const Wanted& wanted) {
  return detail::along_axis<Axis>(detail::place_of(where), as_view(in), as_view(out),
                                  detail::wanted_of<Policy>(wanted));
}

/// functor(row) for every row, held on chip: row.reduce(op), row.map(f), row.store(f); see algorithm/map_rows.cuh.
///
/// in, out    matrices of one shape, rows of any length up to 16,384 elements (8,192 of 8 bytes, 4,096 of 16 or of an odd
///            size); out may be in
/// Errors     longer rows, and shapes that differ, are refused
/// Memory     every element read once and written once, 16 bytes at a time where base and pitch of both allow it
/// Cost       one kernel; no workspace. A warp holds up to 1,024 floats, a block the rest.
template <class Where, class In, class Out, class Functor>
status map_rows(Where&& where, const In& in, const Out& out, const Functor& functor) {
  const auto place = detail::place_of(where);
  const auto from = as_view(in);
  const auto to = as_view(out);
  using T = typename decltype(from)::element;
  using R = typename decltype(to)::value_type;
  static_assert(!detail::is_const<R>, "memtile: the output of map_rows must not be a view of const elements");
  static_assert(detail::is_same<typename decltype(from)::layout, row> &&
                    detail::is_same<typename decltype(to)::layout, row>,
                "memtile: map_rows must have row-major matrices");
  if (status s = detail::check_view("map_rows", "the input", from); !s) return s;
  if (status s = detail::check_view("map_rows", "the output", to); !s) return s;
  if (from.rows != to.rows || from.cols != to.cols)
    return status::refused("map_rows: the input is {}x{} but the output {}x{}", from.rows, from.cols, to.rows, to.cols);
  const bool in_place = static_cast<const void*>(from.data) == static_cast<const void*>(to.data) &&
                        from.pitch == to.pitch && sizeof(T) == sizeof(R);
  if (!in_place && detail::overlap(detail::rectangle_of(from), detail::rectangle_of(to)))
    return status::refused("map_rows: the output overlaps the input in part: give it memory of its own, or the same");
  constexpr int width = detail::run_width<T>;
  constexpr int64 of_warp = 32 * int64(width) * detail::runs_held<T, detail::warp_of_row>;
  constexpr int64 of_thread = int64(width) * detail::runs_held<T, detail::block_of_row>;
  if (from.cols > 1024 * of_thread)
    return status::refused("map_rows: rows of {} elements do not fit on chip: at most {}", from.cols, 1024 * of_thread);
  if (from.rows == 0 || from.cols == 0) return {};

  const volume_view<const T> rows = detail::volume_of(matrix_view<const T>(from));
  const auto start = [&](auto aligned) {
    constexpr bool is_aligned = decltype(aligned)::value;
    const volume_rows<T, is_aligned> lines{rows, in_place};
    if (from.cols <= of_warp) {
      using kernel = map_rows_kernel<T, R, Functor, detail::warp_of_row, is_aligned>;
      return launch(place, grid(ceil_div(from.rows, int64(4))), kernel{128}, lines, to, functor);
    }
    int threads = 64;
    while (threads * of_thread < from.cols) threads *= 2;
    using kernel = map_rows_kernel<T, R, Functor, detail::block_of_row, is_aligned>;
    return launch(place, grid(from.rows), kernel{threads}, lines, to, functor);
  };
  const bool aligned = detail::is_aligned<width* int(sizeof(T))>(rows) &&
                       detail::is_aligned<width* int(sizeof(R))>(detail::volume_of(to));
  if (aligned) return start(detail::boolean<true>{});
  return start(detail::boolean<width == 1>{});
}

}  // namespace memtile
#endif
