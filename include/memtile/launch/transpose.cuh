// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// transpose: checks a call, and starts the kernel that the alignment allows.
#pragma once

#include <memtile/algorithm/transpose.cuh>
#include <memtile/core/as_view.hpp>
#include <memtile/core/check.hpp>
#include <memtile/core/operators.hpp>
#include <memtile/core/overlap.hpp>
#include <memtile/launch/launch.cuh>

#if !defined(__CUDACC_RTC__)

namespace memtile {

namespace detail {

template <class View>
inline constexpr bool is_columns = false;
template <class T>
inline constexpr bool is_columns<matrix_view<T, column>> = true;
template <class View>
inline constexpr bool is_rows = false;
template <class T>
inline constexpr bool is_rows<matrix_view<T>> = true;
template <class T>
inline constexpr bool is_rows<volume_view<T>> = true;

// Anything that has no rows has been refused in words by then.
template <class View>
auto batch_of([[maybe_unused]] const View& v) {
  if constexpr (is_rows<View>) return as_volume(v);
  else return volume_view<typename View::value_type>();
}

template <class Place, class Kernel, class Source, class T>
status start_transpose(const Place& place, const Kernel& kernel, const volume_view<const Source>& in,
                       const volume_view<T>& out) {
  const int64 tiles = ceil_div(in.rows, int64(Kernel::side)) * ceil_div(in.cols, int64(Kernel::side));
  if (tiles * in.depth > highest<int32>())
    return status::refused("transpose: {} tiles are too many for one launch: at most {}", tiles * in.depth,
                           highest<int32>());
  return launch(place, grid(tiles * in.depth), kernel, in, out);
}

// A call that has been checked and has elements.
template <class Place, class Source, class T, class Functor>
status transpose_checked(const Place& place, const volume_view<const Source>& in, const volume_view<T>& out,
                         [[maybe_unused]] const Functor& functor, [[maybe_unused]] bool in_place) {
  using element = typename element_of_bytes<int(sizeof(T))>::type;
  if constexpr (!is_same<Functor, as_it_is>) {
    return start_transpose(place, transpose_kernel<T, Source, Functor>{false, functor}, in, out);
  } else if constexpr (is_same<element, void>) {
    return start_transpose(place, transpose_kernel<T>{in_place, {}}, in, out);
  } else {
    const auto from = elements_as<const element>(in);
    const auto to = elements_as<element>(out);
    if (!in_place && begins_rows_at(in, 16) && begins_rows_at(out, 16))
      return start_transpose(place, transpose_by_runs_kernel<element>{}, from, to);
    if constexpr (lies_as<T, element>) return start_transpose(place, transpose_kernel<element>{in_place, {}}, from, to);
    else return start_transpose(place, transpose_kernel<T>{in_place, {}}, in, out);
  }
}

template <class Place, class Source, class T, class Functor>
status transpose_of_volumes(const Place& place, const volume_view<const Source>& in, const volume_view<T>& out,
                            const Functor& functor) {
  if (status s = check_view("transpose", "the input", in); !s) return s;
  if (status s = check_view("transpose", "the output", out); !s) return s;
  if (status s = check_slices_apart("transpose", "the output", out); !s) return s;
  if (out.depth != in.depth || out.rows != in.cols || out.cols != in.rows)
    return status::refused("transpose: the input is {} x {}x{}, so the output must be {} x {}x{}, but it is {} x {}x{}",
                           in.depth, in.rows, in.cols, in.depth, in.cols, in.rows, out.depth, out.rows, out.cols);
  if (in.depth == 0 || in.rows == 0 || in.cols == 0) return {};
  const bool in_place = is_same<Functor, as_it_is> && static_cast<const void*>(in.data) == out.data &&
                        in.rows == in.cols && (in.rows == 1 || in.row_pitch == out.row_pitch) &&
                        (in.depth == 1 || in.slice_pitch == out.slice_pitch);
  const bool overlaps = in.depth == 1 ? overlap(rectangle_of(in.slice(0)), rectangle_of(out.slice(0)))
                                      : overlap(extent_of(in), extent_of(out));
  if (overlaps && !in_place)
    return status::refused("transpose: the output overlaps the input: give it memory of its own{}",
                           is_same<Functor, as_it_is> ? ", or the very memory of a square" : "");
  return transpose_checked(place, in, out, functor, in_place);
}

}  // namespace detail

/// out(c, r) = in(r, c); of volumes every slice, out(z, c, r) = in(z, r, c).
///
/// in, out   both row major, both column major, or both volumes; any sizes (0 and 1 too), any pitch, any trivial elements of
///           less than 256 bytes. out may be in itself where its matrices are square.
/// Result    the bytes of the elements, whatever they mean
/// Errors    refused with words and values, with nothing launched or changed: sizes that do not match, views that do not
///           lie as they must, an output that overlaps the input in part
/// Memory    every element read and written once: 16 bytes to an access where elements have 1, 2, 4, 8 or 16 bytes and rows
///           begin at multiples of 16 bytes in both, out is not in, and there is no functor; else one element
/// functor   out(c, r) = functor(in(r, c)), converted as elements of a stencil are: a cast, a scale. Elements may be of two
///           types then; small floats come as float
/// Cost      enqueues one kernel; allocates nothing, never synchronises, may be captured in a graph
template <class Where, class In, class Out, class Functor = detail::as_it_is>
status transpose(Where&& where, const In& in, const Out& out, const Functor& functor = {}) {
  const auto from = as_view(in);
  const auto to = as_view(out);
  using source = detail::bare_t<decltype(from)>;
  using target = detail::bare_t<decltype(to)>;
  using T = typename target::element;
  static_assert(!detail::is_const<typename target::value_type>,
                "memtile: the output of transpose must not be a view of const elements");
  static_assert(detail::is_same<typename source::element, T> || !detail::is_same<Functor, detail::as_it_is>,
                "memtile: the input and the output of transpose must have one element type, or a functor between them");
  static_assert(
      (detail::is_rows<source> || detail::is_columns<source>)&&(detail::is_rows<target> || detail::is_columns<target>),
      "memtile: transpose must be given row-major or column-major matrices, or volumes: of a strided matrix say "
      "which of its strides is one element");
  static_assert(
      detail::is_columns<source> == detail::is_columns<target>,
      "memtile: the input and the output of transpose must both be row major, or both column major: a row-major "
      "matrix seen as a column-major one is its transpose already");
  if constexpr (detail::is_columns<target> && detail::is_columns<source>) {
    return transpose(where, transposed(from), transposed(to), functor);
  } else {
    return detail::transpose_of_volumes<decltype(detail::place_of(where)), typename source::element, T>(
        detail::place_of(where), detail::batch_of(from), detail::batch_of(to), functor);
  }
}

}  // namespace memtile
#endif
