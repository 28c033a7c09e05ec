// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An array of the host, larger than the machine's memory, in bands of rows that overlap:
//
//   memtile::run_in_bands(stream, in, out, memtile::bands{1024, 1}, [](const auto& where, auto from, auto to, const auto& band) {
//     return memtile::stencil<memtile::star<1>>(where, from, to, heat{0.125f}, memtile::reflect{}, band.part);
//   });
//
//        rows of the whole           what one band sees
//        . . . . . . . .
//        a a a a a a a a             halo: real neighbours, not computed here
//        b b b b b b b b   part      computed
//        b b b b b b b b
//        c c c c c c c c             halo
//        . . . . . . . .
//
// At a true edge there is no halo: the edge of the view is the edge of the array, and the border of the stencil holds there.
#pragma once

#include <memtile/core/as_view.hpp>
#include <memtile/core/check.hpp>
#include <memtile/core/overlap.hpp>
#include <memtile/core/region.hpp>
#include <memtile/launch/pipeline.hpp>

#if !defined(__CUDACC_RTC__)

namespace memtile {

/// How an array is cut: so many rows are computed at a time, with so many rows of neighbours on either side. `wraps`: the rows
/// before the first are the last ones, as for a stencil whose border is wrap{}.
struct bands {
  int64 rows = 0, halo = 0;
  bool wraps = false;
  int slots = 4;  // bands under way at one time
};

/// One of them, as the work sees it.
struct band {
  int64 number;     // 0 is the first
  int64 first_row;  // which row of the whole is row 0 of the views; below 0 where it wraps
  region part;      // what is computed, of the views
};

namespace detail {

// Band `number` of an array of rows x cols.
inline band band_of(const bands& cut, int64 number, int64 rows, int64 cols) {
  const int64 first = number * cut.rows, size = min_of(cut.rows, rows - first);
  const int64 before = cut.wraps ? cut.halo : min_of(cut.halo, first);
  return {number, first - before, region{before, 0, size, cols}};
}
inline int64 rows_seen(const bands& cut, const band& b, int64 rows) {
  const int64 end = b.part.first[0] + b.part.size[0];
  return end + (cut.wraps ? cut.halo : min_of(cut.halo, rows - (b.first_row + end)));
}

template <class T>
void copy_row(const T* from, T* to, int64 cols) {
  std::memcpy(static_cast<void*>(to), static_cast<const void*>(from), size_t(cols) * sizeof(T));
}

}  // namespace detail

/// out = work(in), a band of rows at a time, for arrays in memory of the host; copies go on beside the kernels, as in a pipeline.
/// With a stencil whose window reaches at most `halo` rows up and down, the bits are those of one call on the whole.
///
/// in, out   row-major matrices of the host, of one shape, any sizes and pitches, that do not overlap
/// given     bands{rows, halo}; rows that are wanted by two bands are brought up twice
/// work      status(const auto& where, matrix_view<const In>, matrix_view<Out>, const band&): enqueues on `where` what computes
///           band.part of the second view, all of it. A border that leaves outputs as they are (valid) leaves them undefined
///           here; a functor that asks n.row() adds band.first_row
/// progress  optional, void(int64 bands): after each; where it returns a bool, false stops
/// Errors    refused with words and values, with nothing launched or changed, where shapes or sizes do not fit; else as
///           pipeline::run. The bands before an error are in out
/// Memory    slots times a band of in and of out, with their halos, on the host (pinned) and on the machine; freed on return
/// Cost      synchronises. The calling thread copies each row once to and once from pinned memory
template <class Where, class In, class Out, class Work, class Progress = detail::no_progress>
status run_in_bands(Where&& where, const In& in, const Out& out, const bands& given, Work&& work,
                    Progress&& progress = Progress()) {
  const auto from = as_view(in);
  const auto to = as_view(out);
  using source = typename detail::bare_t<decltype(from)>::element;
  using target = typename detail::bare_t<decltype(to)>::element;
  static_assert(detail::is_same<typename detail::bare_t<decltype(from)>::layout, row> &&
                    detail::is_same<typename detail::bare_t<decltype(to)>::layout, row>,
                "memtile: run_in_bands must have row-major matrices");
  static_assert(!detail::is_const<typename detail::bare_t<decltype(to)>::value_type>,
                "memtile: the output of run_in_bands must not be a view of const elements");
  if (status s = detail::check_view("run_in_bands", "the input", from); !s) return s;
  if (status s = detail::check_view("run_in_bands", "the output", to); !s) return s;
  if (from.rows != to.rows || from.cols != to.cols)
    return status::refused("run_in_bands: the input is {}x{} but the output {}x{}", from.rows, from.cols, to.rows,
                           to.cols);
  if (given.rows < 1 || given.halo < 0 || given.halo > detail::highest<int32>())
    return status::refused(
        "run_in_bands: bands of {} rows with a halo of {}: there must be 1 row or more, and a halo of "
        "0 to {}",
        given.rows, given.halo, detail::highest<int32>());
  if (detail::overlap(detail::rectangle_of(from), detail::rectangle_of(to)))
    return status::refused("run_in_bands: the output overlaps the input: give it memory of its own");
  if (from.rows == 0 || from.cols == 0) return {};

  const int64 rows = from.rows, cols = from.cols;
  const bands cut{min_of(given.rows, rows), given.halo, given.wraps, given.slots};
  const int64 count = ceil_div(rows, cut.rows);
  const int64 most = cut.wraps ? cut.rows + 2 * cut.halo : min_of(rows, cut.rows + 2 * cut.halo);
  const auto band_at = [&](int64 number) { return detail::band_of(cut, number, rows, cols); };
  int64 brought = 0, worked = 0, taken = 0;
  pipeline pipe(where, frame<source>{most, cols}, frame<target>{most, cols}, int(min_of(int64(cut.slots), count)));
  return pipe.run(
      [&](const matrix_view<source>& staged) {
        if (brought == count) return false;
        const band b = band_at(brought++);
        for (int64 r = 0; r < detail::rows_seen(cut, b, rows); ++r)
          detail::copy_row<source>(from.address(((b.first_row + r) % rows + rows) % rows, 0), staged.address(r, 0),
                                   cols);
        return true;
      },
      [&](const auto& place, const matrix_view<const source>& all_in, const matrix_view<target>& all_out) {
        const band b = band_at(worked++);
        const int64 seen = detail::rows_seen(cut, b, rows);
        return work(place, subview(all_in, 0, 0, seen, cols), subview(all_out, 0, 0, seen, cols), b);
      },
      [&](const matrix_view<const target>& staged) {
        const band b = band_at(taken++);
        const int64 before = b.part.first[0];
        for (int64 r = before; r < before + b.part.size[0]; ++r)
          detail::copy_row<target>(staged.address(r, 0), to.address(b.first_row + r, 0), cols);
      },
      progress);
}

}  // namespace memtile
#endif
