// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// as_view: what an algorithm accepts as a matrix or a vector, turned into memtile's own view.
//
//   a memtile view                   itself
//   anything shaped like std::span   vector_view
//   anything shaped like std::mdspan matrix_view (rank 2), vector_view (1), volume_view (3)
//   views of CUDA's __half, ...      views of float16, ...: the same bits
//
// A container that owns its elements is refused: its memory is the host's, or the view would outlive it.
#pragma once

#include <memtile/core/small_float.hpp>
#include <memtile/core/view.hpp>

namespace memtile {

namespace detail {

// A span hands out the same pointer whether it is const or not. A container does not: it owns.
template <class S, class = void>
inline constexpr bool has_data_and_size = false;
template <class S>
inline constexpr bool
    has_data_and_size<S, void_t<decltype(*declval<const S&>().data()), decltype(int64(declval<const S&>().size()))>> =
        true;
template <class S>
MEMTILE_FUNCTION constexpr bool owns() {
  return !is_same<decltype(declval<S&>().data()), decltype(declval<const S&>().data())>;
}

template <class S, class = void>
inline constexpr bool is_mdspan_like = false;
template <class S>
inline constexpr bool is_mdspan_like<
    S, void_t<decltype(*declval<const S&>().data_handle()), decltype(int64(declval<const S&>().extent(0))),
              decltype(int64(declval<const S&>().stride(0))), decltype(S::rank())>> = true;

// Which layout an mdspan's type promises, asked of its own mapping over 2 x 3 elements: where do (0, 1) and (1, 0) lie?
template <class Extents>
struct two_by_three {
  using type = void;
};
template <template <class, size_t...> class Extents, class Index, size_t... E>
struct two_by_three<Extents<Index, E...>> {
  using type = Extents<Index, 2, 3>;
};
template <class S, class = void>
struct mdspan_layout {
  using type = strided;
};
template <class S>
struct mdspan_layout<S, enable_if_t<S::rank() == 2 && S::mapping_type::is_always_exhaustive()>> {
  using mapping = typename S::layout_type::template mapping<typename two_by_three<typename S::extents_type>::type>;
  using type = conditional_t<mapping{}(0, 1) == 1, row, conditional_t<mapping{}(1, 0) == 1, column, strided>>;
};

template <class T, class U>
MEMTILE_FUNCTION T* same_bits(U* p) {
  return reinterpret_cast<T*>(p);
}
// CUDA's small floats under memtile's names; every other element as it is.
template <class T>
struct element_of {
  using type = T;
};
template <class T>
struct element_of<const T> {
  using type = const typename element_of<T>::type;
};
template <>
struct element_of<::__half> {
  using type = float16;
};
template <>
struct element_of<::__nv_bfloat16> {
  using type = bfloat16;
};
template <>
struct element_of<::__nv_fp8_e4m3> {
  using type = float8_e4m3;
};
template <class T>
using element_of_t = typename element_of<T>::type;

}  // namespace detail

template <class T>
MEMTILE_FUNCTION vector_view<detail::element_of_t<T>> as_view(const vector_view<T>& v) {
  return {detail::same_bits<detail::element_of_t<T>>(v.data), v.size};
}
template <class T, class Layout>
MEMTILE_FUNCTION matrix_view<detail::element_of_t<T>, Layout> as_view(const matrix_view<T, Layout>& v) {
  return {detail::same_bits<detail::element_of_t<T>>(v.data), v.rows, v.cols, v.pitch};
}
template <class T>
MEMTILE_FUNCTION matrix_view<detail::element_of_t<T>, strided> as_view(const matrix_view<T, strided>& v) {
  return {detail::same_bits<detail::element_of_t<T>>(v.data), v.rows, v.cols, v.row_pitch, v.column_pitch};
}
template <class T>
MEMTILE_FUNCTION volume_view<detail::element_of_t<T>> as_view(const volume_view<T>& v) {
  return {detail::same_bits<detail::element_of_t<T>>(v.data), v.depth, v.rows, v.cols, v.row_pitch, v.slice_pitch};
}

#if !defined(__CUDACC_RTC__)
/// Host only: spans and mdspans of any library, told by their shape.
template <class S, class = detail::enable_if_t<detail::has_data_and_size<S> && !detail::is_mdspan_like<S>>>
auto as_view(const S& s) {
  static_assert(
      !detail::owns<S>(),
      "memtile: a container that owns its elements must be passed as a view of memory that the machine can reach: "
      "row_major(pointer, rows, cols) or vector_view(pointer, size)");
  using T = detail::remove_reference_t<decltype(*s.data())>;
  return as_view(vector_view<T>(s.data(), int64(s.size())));
}
template <class S, class = detail::enable_if_t<detail::is_mdspan_like<S>>, class = void>
auto as_view(const S& s) {
  static_assert(S::rank() >= 1 && S::rank() <= 3, "memtile: an mdspan must have 1, 2 or 3 dimensions");
  using T = detail::remove_reference_t<decltype(*s.data_handle())>;
  constexpr int64 bytes = sizeof(T);
  if constexpr (S::rank() == 1) {
    static_assert(S::mapping_type::is_always_exhaustive(), "memtile: an mdspan of 1 dimension must be contiguous");
    return as_view(vector_view<T>(s.data_handle(), int64(s.extent(0))));
  } else if constexpr (S::rank() == 2) {
    using layout = typename detail::mdspan_layout<S>::type;
    const int64 rows = int64(s.extent(0)), cols = int64(s.extent(1));
    const int64 row_bytes = int64(s.stride(0)) * bytes, column_bytes = int64(s.stride(1)) * bytes;
    if constexpr (detail::is_same<layout, row>)
      return as_view(matrix_view<T, row>(s.data_handle(), rows, cols, row_bytes));
    else if constexpr (detail::is_same<layout, column>)
      return as_view(matrix_view<T, column>(s.data_handle(), rows, cols, column_bytes));
    else return as_view(matrix_view<T, strided>(s.data_handle(), rows, cols, row_bytes, column_bytes));
  } else {
    static_assert(S::mapping_type::is_always_exhaustive(),
                  "memtile: an mdspan of 3 dimensions must be contiguous, last index fastest");
    return as_view(volume_view<T>(s.data_handle(), int64(s.extent(0)), int64(s.extent(1)), int64(s.extent(2)),
                                  int64(s.stride(1)) * bytes, int64(s.stride(0)) * bytes));
  }
}
#endif

namespace detail {
// A view as a matrix: a vector is a column.
template <class T, class Layout>
MEMTILE_FUNCTION matrix_view<T, Layout> as_matrix(const matrix_view<T, Layout>& v) {
  return v;
}
template <class T>
MEMTILE_FUNCTION matrix_view<T, column> as_matrix(const vector_view<T>& v) {
  return {v.data, v.size, 1, v.size * int64(sizeof(T))};
}
template <class T>
MEMTILE_FUNCTION matrix_view<T> as_matrix(const volume_view<T>& v) {
  static_assert(always_false<T>, "memtile: mapped, add_matrix and the c of linear must get a matrix or a vector");
  return v.slice(0);
}
// Slices of matrices: a matrix is one slice, a vector one row.
template <class T>
MEMTILE_FUNCTION volume_view<T> as_volume(const vector_view<T>& v) {
  return {v.data, 1, 1, v.size, 0, 0};
}
template <class T>
MEMTILE_FUNCTION volume_view<T> as_volume(const matrix_view<T>& v) {
  return {v.data, 1, v.rows, v.cols, v.pitch, 0};
}
template <class T>
MEMTILE_FUNCTION volume_view<T> as_volume(const volume_view<T>& v) {
  return v;
}
// The same bytes as elements of another type of the same size.
template <class To, class T>
MEMTILE_FUNCTION volume_view<To> elements_as(const volume_view<T>& v) {
  return {reinterpret_cast<To*>(v.data), v.depth, v.rows, v.cols, v.row_pitch, v.slice_pitch};
}
}  // namespace detail

}  // namespace memtile
