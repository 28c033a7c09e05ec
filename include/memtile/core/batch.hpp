// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several matrices of one shape, as one argument. A volume_view is such a batch too: its slices.
#pragma once

#include <memtile/core/as_view.hpp>

namespace memtile {

/// `count` matrices that lie `step` bytes apart, the first one being `first`. A step of 0 is one matrix `count` times.
template <class T, class Layout = row>
struct matrix_batch {
  matrix_view<T, Layout> first;
  int64 count = 0, step = 0;
};

/// Matrices of rows x cols that lie anywhere: `pointers`, an array in the machine's memory, has the address of each. They share
/// a pitch, in bytes.
///
/// Requires  what no call can check, since kernels alone read the addresses: none is null, each is a multiple of alignof(T), and
///           outputs overlap neither each other nor an input
template <class T, class Layout = row>
struct pointer_batch {
  vector_view<T* const> pointers;
  int64 rows = 0, cols = 0, pitch = 0;
};

/// The same with rows and columns of each matrix exchanged. Nothing moves.
template <class T, class Layout>
MEMTILE_FUNCTION constexpr auto transposed(const matrix_batch<T, Layout>& b) {
  const auto first = transposed(b.first);
  return matrix_batch<T, typename decltype(first)::layout>{first, b.count, b.step};
}
template <class T, class Layout>
MEMTILE_FUNCTION constexpr auto transposed(const pointer_batch<T, Layout>& b) {
  using other = detail::conditional_t<detail::is_same<Layout, row>, column, row>;
  return pointer_batch<T, other>{b.pointers, b.cols, b.rows, b.pitch};
}
/// The slices of a volume, each transposed.
template <class T>
MEMTILE_FUNCTION matrix_batch<T, column> transposed(const volume_view<T>& v) {
  return {transposed(v.slice(0)), v.depth, v.slice_pitch};
}

}  // namespace memtile
