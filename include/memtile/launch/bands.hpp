// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An array of the host, larger than the machine's memory, in bands of rows that overlap:
//
//   memtile::run_in_bands(stream, in, out, memtile::bands{1024, 1},
//                         [](const auto& where, auto from, auto to, const auto& band) {
//                           return memtile::stencil<star<1>>(where, from, to, heat{0.125f}, reflect{}, band.part);
//                         });
//
//        rows of the whole           what one band sees
//        . . . . . . . .
//        a a a a a a a a             halo: real neighbours, not computed here
//        b b b b b b b b   part      computed
//        b b b b b b b b
//        c c c c c c c c             halo
//        . . . . . . . .
//
// At a true edge there is no halo: the edge of the view is the edge of the array, and the border of the stencil holds
// there.
#pragma once

#include <memtile/core/as_view.hpp>
#include <memtile/core/check.hpp>
#include <memtile/core/overlap.hpp>
#include <memtile/core/region.hpp>
#include <memtile/launch/pipeline.hpp>

#if !defined(__CUDACC_RTC__)

namespace memtile {

/// How an array is cut: so many rows are computed at a time, with so many rows of neighbours on either side; of a
/// volume so many slices. `wraps`: the rows before the first are the last ones, as for a stencil whose border is
/// wrap{}.
struct bands {
  int64 rows = 0, halo = 0;
  bool wraps = false;
  int slots = 4;  // bands under way at one time
};

/// One of them, as the work sees it.
struct band {
  int64 number;     // 0 is the first
  int64 first_row;  // which row, or slice, of the whole is the first of the views; below 0 where it wraps
  region part;      // what is computed, of the views
};

namespace detail {

// An array is a list of slabs: rows of a matrix, of one line each, or slices of a volume. Staged, all lines lie one
// after another.
template <class T>
struct slabs {
  static_assert(always_false<T>, "memtile: run_in_bands must have row-major matrices, or volumes");
};
template <class T>
struct slabs<matrix_view<T>> {
  static int64 count(const matrix_view<T>& v) { return v.rows; }
  static int64 lines(const matrix_view<T>&) { return 1; }
  static T* line(const matrix_view<T>& v, int64 slab, int64) { return v.address(slab, 0); }
  template <class Staged>
  static matrix_view<Staged> band(const matrix_view<Staged>& staged, int64 count, int64) {
    return subview(staged, 0, 0, count, staged.cols);
  }
  static region part(int64 first, int64 count, int64, int64 cols) { return {first, 0, count, cols}; }
};
template <class T>
struct slabs<volume_view<T>> {
  static int64 count(const volume_view<T>& v) { return v.depth; }
  static int64 lines(const volume_view<T>& v) { return v.rows; }
  static T* line(const volume_view<T>& v, int64 slab, int64 r) { return v.slice(slab).address(r, 0); }
  template <class Staged>
  static volume_view<Staged> band(const matrix_view<Staged>& staged, int64 count, int64 lines) {
    return {staged.data, count, lines, staged.cols, staged.pitch, staged.pitch * lines};
  }
  static region part(int64 first, int64 count, int64 lines, int64 cols) { return {first, 0, 0, count, lines, cols}; }
};

template <class T>
void copy_line(const T* from, T* to, int64 cols) {
  std::memcpy(static_cast<void*>(to), static_cast<const void*>(from), size_t(cols) * sizeof(T));
}

template <class In, class Out>
status check_bands(const In& in, const Out& out, const bands& cut) {
  if (status s = check_view("run_in_bands", "the input", in); !s) return s;
  if (status s = check_view("run_in_bands", "the output", out); !s) return s;
  if (status s = check_slices_apart("run_in_bands", "the output", out); !s) return s;
  if (shape_of(in) != shape_of(out))
    return status::refused("run_in_bands: the input is {} but the output {}", shape_of(in), shape_of(out));
  if (cut.rows < 1 || cut.halo < 0 || cut.halo > highest<int32>())
    return status::refused(
        "run_in_bands: bands of {} rows with a halo of {}: there must be 1 row or more, and a halo of 0 "
        "to {}",
        cut.rows, cut.halo, highest<int32>());
  if (slabs<In>::count(in) * slabs<In>::lines(in) * in.cols > 0 && overlap(extent_of(in), extent_of(out)))
    return status::refused("run_in_bands: the output overlaps the input: give it memory of its own");
  return {};
}

}  // namespace detail

/// out = work(in), a band of rows at a time, for arrays in memory of the host; copies go on beside the kernels, as in a
/// pipeline. With a stencil whose window reaches at most `halo` rows up and down, the bits are those of one call on the
/// whole.
///
/// in, out   row-major matrices of the host, or volumes, of one shape, any sizes and pitches, that do not overlap
/// given     bands{rows, halo}; rows that are wanted by two bands are brought up twice
/// work      status(const auto& where, matrix_view<const In>, matrix_view<Out>, const band&), or of volume_views:
///           enqueues on `where` what computes band.part of the second view, all of it. A border that leaves outputs as
///           they are (valid) leaves them undefined here; a functor that asks n.row() adds band.first_row
/// progress  optional, void(int64 bands): after each; where it returns a bool, false stops
/// Errors    refused with words and values, with nothing launched or changed, where shapes or sizes do not fit; else as
///           pipeline::run. The bands before an error are in out
/// Memory    slots times a band of in and of out, with their halos, on the host (pinned) and on the machine; freed on
///           return
/// Cost      synchronises. The calling thread copies each row once to and once from pinned memory
template <class Where, class In, class Out, class Work, class Progress = detail::no_progress>
status run_in_bands(Where&& where, const In& in, const Out& out, const bands& given, Work&& work,
                    Progress&& progress = Progress()) {
  const auto from = as_view(in);
  const auto to = as_view(out);
  using source_slabs = detail::slabs<detail::bare_t<decltype(from)>>;
  using target_slabs = detail::slabs<detail::bare_t<decltype(to)>>;
  using source = typename detail::bare_t<decltype(from)>::element;
  using target = typename detail::bare_t<decltype(to)>::element;
  static_assert(!detail::is_const<typename detail::bare_t<decltype(to)>::value_type>,
                "memtile: the output of run_in_bands must not be a view of const elements");
  if (status s = detail::check_bands(from, to, given); !s) return s;
  const int64 rows = source_slabs::count(from), lines = source_slabs::lines(from), cols = from.cols;
  if (rows == 0 || lines == 0 || cols == 0) return {};

  const bands cut{min_of(given.rows, rows), given.halo, given.wraps, given.slots};
  const int64 count = ceil_div(rows, cut.rows);
  const int64 most = cut.wraps ? cut.rows + 2 * cut.halo : min_of(rows, cut.rows + 2 * cut.halo);
  const auto band_at = [&](int64 number) {
    const int64 first = number * cut.rows, before = cut.wraps ? cut.halo : min_of(cut.halo, first);
    return band{number, first - before, source_slabs::part(before, min_of(cut.rows, rows - first), lines, cols)};
  };
  const auto rows_of = [&](const band& b) {  // with the halo
    const int64 end = b.part.first[0] + b.part.size[0];
    return end + (cut.wraps ? cut.halo : min_of(cut.halo, rows - (b.first_row + end)));
  };
  int64 brought = 0, worked = 0, taken = 0;
  pipeline pipe(where, frame<source>{most * lines, cols}, frame<target>{most * lines, cols},
                int(min_of(int64(cut.slots), count)));
  return pipe.run(
      [&](const matrix_view<source>& staged) {
        if (brought == count) return false;
        const band b = band_at(brought++);
        for (int64 i = 0; i < rows_of(b) * lines; ++i) {
          const int64 row_of_whole = ((b.first_row + i / lines) % rows + rows) % rows;
          detail::copy_line<source>(source_slabs::line(from, row_of_whole, i % lines), staged.address(i, 0), cols);
        }
        return true;
      },
      [&](const auto& place, const matrix_view<const source>& all_in, const matrix_view<target>& all_out) {
        const band b = band_at(worked++);
        return work(place, source_slabs::band(all_in, rows_of(b), lines),
                    target_slabs::band(all_out, rows_of(b), lines), b);
      },
      [&](const matrix_view<const target>& staged) {
        const band b = band_at(taken++);
        const int64 first = b.part.first[0] * lines;
        for (int64 i = first; i < first + b.part.size[0] * lines; ++i)
          detail::copy_line<target>(staged.address(i, 0), target_slabs::line(to, b.first_row + i / lines, i % lines),
                                    cols);
      },
      progress);
}

}  // namespace memtile
#endif
