// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the parts of an epilogue are composed, called and questioned. The parts themselves are in algorithm/epilogue.cuh.
//
// A part is called as part(value, row, column, old), where `old` stood in the output before, and returns a value of
// whatever type its arithmetic is in: that type may change along the chain. It derives from elementwise_part and hides
// the questions that it answers otherwise.
#pragma once

#include <memtile/core/check.hpp>
#include <memtile/core/operators.hpp>
#include <memtile/core/overlap.hpp>

namespace memtile::detail {

struct epilogue_part {};  // base of memtile's own parts
template <class E>
inline constexpr bool is_epilogue_part = __is_base_of(epilogue_part, E);

// In which type an incoming value of type V meets a W: in V, except where W alone is floating. Small floats count as
// float.
template <class V, class W>
using meeting_type = conditional_t<is_integer<V> && is_floating<plain_type<W>>, plain_type<W>, plain_type<V>>;

MEMTILE_USER_CODE_BEGIN
// memtile's parts also get what stood in the output, which is 0 unless the chain reads it; a functor need not take it.
template <class E, class V, class Old>
MEMTILE_FUNCTION auto apply_epilogue(const E& e, V value, int64 row, int64 column, Old old) {
  if constexpr (is_epilogue_part<E>) return e(value, row, column, old);
  else return e(value, row, column);
}
MEMTILE_USER_CODE_END

// Questions to a chain: does it read the output (asked by the kernel alone: beta may be in memory), does it need the
// product at all (asked by the host alone), do its vectors and matrices fit?
template <class E>
MEMTILE_FUNCTION bool reads_output(const E& e) {
  if constexpr (is_epilogue_part<E>) return e.reads_output();
  else return false;
}
template <class E>
MEMTILE_FUNCTION bool needs_product(const E& e) {
  if constexpr (is_epilogue_part<E>) return e.needs_product();
  else return true;
}

#if !defined(__CUDACC_RTC__)
// Where the elements of a matrix lie: byte distances from an address.
struct element_places {
  int64 first, rows, columns, row_bytes, column_bytes, element_bytes;

  bool operator==(const element_places& other) const {
    return first == other.first && rows == other.rows && columns == other.columns &&
           (rows <= 1 || row_bytes == other.row_bytes) && (columns <= 1 || column_bytes == other.column_bytes) &&
           element_bytes == other.element_bytes;
  }
  rectangle memory() const {
    if (rows <= 0 || columns <= 0) return {first, 0, 0, 0};
    if (column_bytes == element_bytes) return {first, rows, columns * element_bytes, row_bytes};
    if (row_bytes == element_bytes) return {first, columns, rows * element_bytes, column_bytes};
    return {first, 1, (rows - 1) * row_bytes + (columns - 1) * column_bytes + element_bytes, 0};
  }
};
template <class T, class Layout>
element_places places_of(const matrix_view<T, Layout>& v) {
  const int64 first = int64(reinterpret_cast<size_t>(v.data)), bytes = sizeof(T);
  if constexpr (is_same<Layout, strided>) return {first, v.rows, v.cols, v.row_pitch, v.column_pitch, bytes};
  else if constexpr (is_same<Layout, row>) return {first, v.rows, v.cols, v.pitch, bytes, bytes};
  else return {first, v.rows, v.cols, bytes, v.pitch, bytes};
}

// What the parts are checked against: the output, or the first one of a batch, and what all of the batch cover.
struct checked_output {
  element_places first;
  rectangle all;
  bool is_batch;
  rectangle reduced = {0, 0, 0, 0};  // what its rows or columns are reduced into
};
template <class E>
status check_epilogue(const E& e, const checked_output& output) {
  if constexpr (is_epilogue_part<E>) return e.check(output);
  else return {};
}
template <class E, class T, class Layout>
status check_epilogue(const E& e, const matrix_view<T, Layout>& first, const rectangle& all, bool is_batch) {
  return check_epilogue(e, checked_output{places_of(first), all, is_batch});
}
template <class E, class T, class Layout>
status check_epilogue(const E& e, const matrix_view<T, Layout>& output) {
  return check_epilogue(e, output, places_of(output).memory(), false);
}
#endif

struct elementwise_part : epilogue_part {
  MEMTILE_FUNCTION bool reads_output() const { return false; }
  MEMTILE_FUNCTION bool needs_product() const { return true; }
#if !defined(__CUDACC_RTC__)
  status check(const checked_output&) const { return {}; }
#endif
};

template <class First, class Second>
struct chained : epilogue_part {
  First first;
  Second second;
  MEMTILE_FUNCTION constexpr chained(const First& f, const Second& s) : first(f), second(s) {}
  MEMTILE_FUNCTION bool reads_output() const { return detail::reads_output(first) || detail::reads_output(second); }
  MEMTILE_FUNCTION bool needs_product() const { return detail::needs_product(first) && detail::needs_product(second); }
  template <class V, class Old>
  MEMTILE_FUNCTION auto operator()(V value, int64 row, int64 column, Old old) const {
    return apply_epilogue(second, apply_epilogue(first, value, row, column, old), row, column, old);
  }
#if !defined(__CUDACC_RTC__)
  status check(const checked_output& output) const {
    if (status s = check_epilogue(first, output); !s) return s;
    return check_epilogue(second, output);
  }
#endif
};

/// First, then second, at least one of which is memtile's.
template <class First, class Second, class = enable_if_t<is_epilogue_part<First> || is_epilogue_part<Second>>>
MEMTILE_FUNCTION constexpr chained<First, Second> operator|(const First& first, const Second& second) {
  return {first, second};
}

// The same chain for the transposed output.
template <class E>
struct flipped : epilogue_part {
  E epilogue;
  MEMTILE_FUNCTION constexpr explicit flipped(const E& e) : epilogue(e) {}
  MEMTILE_FUNCTION bool reads_output() const { return detail::reads_output(epilogue); }
  MEMTILE_FUNCTION bool needs_product() const { return detail::needs_product(epilogue); }
  template <class V, class Old>
  MEMTILE_FUNCTION auto operator()(V value, int64 row, int64 column, Old old) const {
    return apply_epilogue(epilogue, value, column, row, old);
  }
};

}  // namespace memtile::detail
