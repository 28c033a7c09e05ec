// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What gemm may be given for a matrix - a view, a mapped one, a batch - brought into one form, and checked.
#pragma once

#include <memtile/algorithm/gemm_products.cuh>
#include <memtile/core/batch.hpp>
#include <memtile/core/check.hpp>
#include <memtile/core/overlap.hpp>

#if !defined(__CUDACC_RTC__)
#include <algorithm>
#include <iterator>
#include <utility>

namespace memtile::detail {

/// A matrix, or a batch of `count` of them.
template <class View, bool IsBatch>
struct gemm_operand {
  using view = View;
  static constexpr bool is_batch = IsBatch;
  matrix_series<View> series;
  int64 count;
};

// The same matrices, each seen another way.
template <class View, bool IsBatch, class See>
auto each_seen(const gemm_operand<View, IsBatch>& operand, const See& see) {
  const auto seen = see(operand.series.first);
  return gemm_operand<bare_t<decltype(seen)>, IsBatch>{{seen, operand.series.step, operand.series.pointers},
                                                       operand.count};
}

template <class View>
gemm_operand<View, false> alone(const View& v) {
  return {{v, 0, {}}, 1};
}
template <class View, class Functor>
auto operand_of(const mapped_view<View, Functor>& v) {
  return alone(v);
}
template <class T, class Layout>
auto operand_of(const matrix_batch<T, Layout>& b) {
  return gemm_operand<matrix_view<element_of_t<T>, Layout>, true>{{as_view(b.first), b.step, {}}, b.count};
}
template <class T, class Layout>
auto operand_of(const pointer_batch<T, Layout>& b) {
  using element = element_of_t<T>;
  using view = matrix_view<element, Layout>;
  const vector_view<element* const> pointers(same_bits<element* const>(b.pointers.data), b.pointers.size);
  return gemm_operand<view, true>{{view(nullptr, b.rows, b.cols, b.pitch), 0, pointers}, b.pointers.size};
}
template <class T, class Layout>
auto operand_of_view(const matrix_view<T, Layout>& v) {
  return alone(v);
}
template <class T>
auto operand_of_view(const volume_view<T>& v) {
  return operand_of(matrix_batch<T>{v.slice(0), v.depth, v.slice_pitch});
}
template <class T>
auto operand_of_view(const vector_view<T>& v) {
  return alone(as_matrix(v));
}
template <class Other>
auto operand_of(const Other& other) {
  return operand_of_view(as_view(other));
}

// With the unit stride in the type where there is one: go(operand) gets the one of three types that it is.
template <class T, class Layout>
matrix_view<T, strided> as_strided(const matrix_view<T, Layout>& v) {
  constexpr int64 bytes = sizeof(T);
  if constexpr (is_same<Layout, row>) return {v.data, v.rows, v.cols, v.pitch, bytes};
  else if constexpr (is_same<Layout, column>) return {v.data, v.rows, v.cols, bytes, v.pitch};
  else return v;
}
template <class View, class Functor>
auto as_strided(const mapped_view<View, Functor>& v) {
  const auto view = as_strided(v.view);
  return mapped_view<bare_t<decltype(view)>, Functor>{view, v.functor};
}
template <class T>
bool has_unit_stride(const matrix_view<T, strided>& v) {
  return v.column_pitch == int64(sizeof(T)) || v.cols <= 1 || v.row_pitch == int64(sizeof(T)) || v.rows <= 1;
}
template <class T, class Layout>
bool has_unit_stride(const matrix_view<T, Layout>&) {
  return true;
}
template <class View, class Go>
auto with_layout(const View& v, const Go& go) {
  return go(v);
}
template <class T, class Go>
auto with_layout(const matrix_view<T, strided>& v, const Go& go) {
  if (v.column_pitch == int64(sizeof(T)) || v.cols <= 1) return go(matrix_view<T>(v.data, v.rows, v.cols, v.row_pitch));
  return go(matrix_view<T, column>(v.data, v.rows, v.cols, v.column_pitch));
}
template <class T, class Functor, class Go>
auto with_layout(const mapped_view<matrix_view<T, strided>, Functor>& v, const Go& go) {
  return with_layout(v.view, [&](const auto& view) {
    return go(mapped_view<bare_t<decltype(view)>, Functor>{view, v.functor});
  });
}

// As if there were no steps of k.
template <class T, class Layout>
matrix_view<T, Layout>& view_in(matrix_view<T, Layout>& v) {
  return v;
}
template <class View, class Functor>
View& view_in(mapped_view<View, Functor>& v) {
  return v.view;
}
template <class A, class B>
void without_steps(A& a, B& b) {
  view_in(a.series.first).cols = 0;
  view_in(b.series.first).rows = 0;
}

// --- checks ---

template <class View, bool IsBatch>
status check_operand(const char* name, const gemm_operand<View, IsBatch>& operand) {
  auto view = view_of(operand.series.first);
  using T = typename decltype(view)::element;
  if constexpr (!IsBatch) return check_view("gemm", name, view);
  const int64 count = operand.count, step = operand.series.step;
  if (count < 0) return status::refused("gemm: {} has {} matrices: sizes must not be negative", name, count);
  const auto& pointers = operand.series.pointers;
  if (pointers.data == nullptr && pointers.size > 0)
    return status::refused("gemm: {} has {} matrices but its array of pointers is null", name, count);
  if (pointers.data != nullptr || count == 0)  // where they lie is not known here: taken for aligned
    view.data = reinterpret_cast<decltype(view.data)>(size_t(alignof(T)));
  if (status s = check_view("gemm", name, view); !s) return s;
  if (step % int64(alignof(T)) != 0 || (step < 0 && count > 1))
    return status::refused("gemm: the matrices of {} are {} bytes apart: that must be a multiple of its element's {} "
                           "bytes, and not negative",
                           name, step, alignof(T));
  return {};
}

// The bytes between the first and behind the last element of a matrix.
template <class T>
int64 bytes_spanned(const matrix_view<T, strided>& v) {
  return extent_of(v).bytes;
}
// Where an operand lies: exact for one matrix with a unit stride, else all from its first to its last byte. What pointers
// in device memory point to is not known.
template <class View, bool IsBatch>
rectangle bytes_of(const gemm_operand<View, IsBatch>& operand) {
  const auto& view = view_of(operand.series.first);
  if (!IsBatch) return extent_of(view);
  if (operand.series.pointers.data != nullptr || operand.count == 0 || view.rows == 0 || view.cols == 0) return {};
  const int64 all = (operand.count - 1) * operand.series.step + bytes_spanned(as_strided(view));
  return {int64(reinterpret_cast<size_t>(view.data)), 1, all, all};
}

// An output must have an element of its own for each result.
template <class T>
bool lies_apart(const matrix_view<T, strided>& v) {
  constexpr int64 bytes = sizeof(T);
  const int64 across = v.cols <= 1 ? 0 : v.column_pitch, down = v.rows <= 1 ? 0 : v.row_pitch;
  if ((v.cols > 1 && across < bytes) || (v.rows > 1 && down < bytes)) return false;
  return across <= down || v.cols <= 1 ? v.rows <= 1 || down >= (v.cols - 1) * across + bytes
                                       : v.cols <= 1 || across >= (v.rows - 1) * down + bytes;
}
template <class View, bool IsBatch>
status check_output(const gemm_operand<View, IsBatch>& c) {
  const auto view = as_strided(c.series.first);
  if (view.rows == 0 || view.cols == 0) return {};
  if (!lies_apart(view))
    return status::refused("gemm: the output is {}x{} with {} bytes from row to row and {} from column to column: its "
                           "elements must not share memory",
                           view.rows, view.cols, view.row_pitch, view.column_pitch);
  if constexpr (!IsBatch) return {};
  // A batch may lie in the gaps between lines, or between elements: each step must pass what the shorter ones span.
  std::pair<int64, int64> steps[] = {
      {view.column_pitch, view.cols}, {view.row_pitch, view.rows}, {c.series.step, c.count}};
  std::sort(std::begin(steps), std::end(steps));
  int64 span = sizeof(*view.data);
  bool are_apart = true;
  for (const auto& [step, count] : steps)
    if (count > 1) are_apart = are_apart && step >= span, span += (count - 1) * step;
  if (c.count > 1 && c.series.pointers.data == nullptr && !are_apart)
    return status::refused(
        "gemm: the matrices of the output are {} bytes apart but {} long: they must not share memory", c.series.step,
        bytes_spanned(view));
  return {};
}

}  // namespace memtile::detail
#endif
