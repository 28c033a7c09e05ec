// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// permute_axes: the axes of a volume in another order. Seen along other axes, a volume is again one of rows and slices that lie
// further apart: then five of the six orders are transpositions of its slices, or copies of its lines.
#pragma once

#include <memtile/launch/transpose.cuh>

#if !defined(__CUDACC_RTC__)

namespace memtile {

namespace detail {

// Rows and slices exchanged. Nothing moves.
template <class T>
volume_view<T> across_slices(const volume_view<T>& v) {
  return {v.data, v.rows, v.depth, v.cols, v.slice_pitch, v.row_pitch};
}
// Slices below each other as one, where rows are a pitch apart throughout: tiles may hold rows of several.
template <class T>
bool is_one_slice(const volume_view<T>& v) {
  return v.rows == 1 || v.depth == 1 || v.slice_pitch == v.rows * v.row_pitch;
}
template <class T>
volume_view<T> as_one_slice(const volume_view<T>& v) {
  return {v.data, 1, v.depth * v.rows, v.cols, v.rows > 1 ? v.row_pitch : v.slice_pitch, 0};
}
// One line after the other as one, where nothing lies between.
template <class T>
bool is_one_line(const volume_view<T>& v) {
  return v.rows == 1 || v.row_pitch == v.cols * int64(sizeof(T));
}
template <class T>
volume_view<T> as_lines(const volume_view<T>& v) {
  return {v.data, 1, v.depth, v.rows * v.cols, v.slice_pitch, 0};
}

template <int Width, class Place, class Source, class T, class Functor>
status start_copy(const Place& place, const volume_view<const Source>& in, const volume_view<T>& out,
                  const Functor& functor) {
  using kernel = copy_lines_kernel<T, Source, Functor, Width>;
  const int64 warps = in.depth * in.rows * ceil_div(in.cols, int64(kernel::columns)),
              blocks = ceil_div(warps, int64(kernel::warps));
  if (blocks > highest<int32>())
    return status::refused("permute_axes: {} blocks are too many for one launch: at most {}", blocks, highest<int32>());
  return launch(place, grid(blocks), kernel{functor}, in, out);
}
template <class Place, class Source, class T, class Functor>
status copy_lines(const Place& place, const volume_view<const Source>& in, const volume_view<T>& out,
                  const Functor& functor) {
  constexpr int bytes = max_of(int(sizeof(T)), int(sizeof(Source)));
  constexpr bool has_runs = 16 % int(sizeof(T)) == 0 && 16 % int(sizeof(Source)) == 0;
  if constexpr (has_runs) {
    if (begins_rows_at(in, 16) && begins_rows_at(out, 16)) return start_copy<16 / bytes>(place, in, out, functor);
  }
  return start_copy<1>(place, in, out, functor);
}

}  // namespace detail

/// A volume with its axes in another order: axis i of out is axis Axis[i] of in, as numpy.transpose has it. permute_axes<1, 2,
/// 0>(where, planes, pixels) makes pixels (row, column, channel) of planes (channel, row, column); <2, 0, 1> goes back.
///
/// in, out   volumes, any sizes (0 and 1 too), any pitches
/// functor   out = functor(in), as of transpose
/// Errors    as of transpose; an output that overlaps the input
/// Memory    every element read and written once; what transpose says of its accesses holds where rows lie below each other in
///           both. An axis of few elements that becomes the fastest, or was it, leaves the most of each tile empty
/// Cost      one kernel; allocates nothing, never synchronises
template <int First, int Second, int Third, class Where, class In, class Out, class Functor = detail::as_it_is>
status permute_axes(Where&& where, const In& in, const Out& out, const Functor& functor = {}) {
  static_assert(First >= 0 && Second >= 0 && Third >= 0 && First + Second + Third == 3 &&
                    First * First + Second * Second + Third * Third == 5,
                "memtile: the axes of permute_axes must be 0, 1 and 2 in any order");
  const auto from_any = as_view(in);
  const auto to = as_view(out);
  using S = typename decltype(from_any)::element;
  using T = typename decltype(to)::element;
  static_assert(!detail::is_const<typename decltype(to)::value_type>,
                "memtile: the output of permute_axes must not be a view of const elements");
  static_assert(
      detail::is_same<S, T> || !detail::is_same<Functor, detail::as_it_is>,
      "memtile: the input and the output of permute_axes must have one element type, or a functor between them");
  const volume_view<const S> from = from_any;
  if (status s = detail::check_view("permute_axes", "the input", from); !s) return s;
  if (status s = detail::check_view("permute_axes", "the output", to); !s) return s;
  if (status s = detail::check_slices_apart("permute_axes", "the output", to); !s) return s;
  const int64 extent[3] = {from.depth, from.rows, from.cols};
  if (to.depth != extent[First] || to.rows != extent[Second] || to.cols != extent[Third])
    return status::refused(
        "permute_axes: the input is {}x{}x{}, so with axes {}, {}, {} the output must be {}x{}x{}, but it is {}x{}x{}",
        from.depth, from.rows, from.cols, First, Second, Third, extent[First], extent[Second], extent[Third], to.depth,
        to.rows, to.cols);
  if (from.depth == 0 || from.rows == 0 || from.cols == 0) return {};
  if (detail::overlap(detail::extent_of(from), detail::extent_of(to)))
    return status::refused("permute_axes: the output overlaps the input: give it memory of its own");

  const auto place = detail::place_of(where);
  if constexpr (Third == 2) {
    return detail::copy_lines(place, from, First == 0 ? to : detail::across_slices(to), functor);
  } else {
    const auto turn = [&](const volume_view<const S>& slices, const volume_view<T>& turned) {
      return detail::transpose_checked(place, slices, turned, functor, false);
    };
    if constexpr (First == 0) {
      return turn(from, to);            // (z, x, y)
    } else if constexpr (First == 1) {  // (y, x, z): for each y, z and x
      if (detail::is_one_line(from) && detail::is_one_slice(to))
        return turn(detail::as_lines(from), detail::as_one_slice(to));
      return turn(detail::across_slices(from), to);
    } else if constexpr (Second == 0) {  // (x, z, y): for each z, y and x
      if (detail::is_one_slice(from) && detail::is_one_line(to))
        return turn(detail::as_one_slice(from), detail::as_lines(to));
      return turn(from, detail::across_slices(to));
    } else {  // (x, y, z): for each y, z and x
      return turn(detail::across_slices(from), detail::across_slices(to));
    }
  }
}

}  // namespace memtile
#endif
