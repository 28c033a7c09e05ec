// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the parts of an epilogue read from memory beside the product: a value for each row or column, a value for each
// element, or one value for all; and whether it fits the output.
#pragma once

#include <memtile/algorithm/epilogue_chain.cuh>
#include <memtile/core/as_view.hpp>
#include <memtile/global/access.cuh>

namespace memtile::detail {

#if !defined(__CUDACC_RTC__)
// The last block of a row or column stores what it is reduced into while other threads may still read for their chains.
inline status check_apart_from_reduced(const std::string& name, const rectangle& bytes, const checked_output& output) {
  if (!overlap(bytes, output.reduced)) return {};
  return status::refused("gemm: {} overlaps what the rows or columns are reduced into: give it memory of its own",
                         name);
}
// A vector has no pitch: with that of the output, it may lie between its rows.
template <class T>
status check_apart(const std::string& name, const vector_view<T>& v, const checked_output& output) {
  const int64 first = int64(reinterpret_cast<size_t>(v.data)), bytes = v.size * int64(sizeof(T));
  if (!overlap({first, 1, bytes, output.all.pitch}, output.all))
    return check_apart_from_reduced(name, {first, 1, bytes, 0}, output);
  return status::refused("gemm: {} overlaps the output: give it memory of its own", name);
}
#endif

enum class side { rows, columns };
template <class T, side Side>
struct values_of_side {
  using element = T;
  vector_view<const T> values;
  MEMTILE_FUNCTION T load(int64 row, int64 column) const { return values.load(Side == side::rows ? row : column); }
#if !defined(__CUDACC_RTC__)
  status check(const char* part, const checked_output& output) const {
    const char* sides = Side == side::rows ? "rows" : "columns";
    const int64 expected = Side == side::rows ? output.first.rows : output.first.columns;
    const std::string name = filled_in("{}_{}", part, sides);
    if (status s = check_view("gemm", name.c_str(), values); !s) return s;
    if (values.size != expected)
      return status::refused("gemm: {} has {} values but the output has {} {}", name, values.size, expected, sides);
    return check_apart(name, values, output);
  }
#endif
};

template <class T, class Layout>
struct values_of_matrix {
  using element = T;
  matrix_view<const T, Layout> values;
  MEMTILE_FUNCTION T load(int64 row, int64 column) const { return values.load(row, column); }
#if !defined(__CUDACC_RTC__)
  status check(const char* name, const checked_output& output) const {
    if (status s = check_view("gemm", name, values); !s) return s;
    if (values.rows != output.first.rows || values.cols != output.first.columns)
      return status::refused("gemm: {} is {}x{} but the output is {}x{}", name, values.rows, values.cols,
                             output.first.rows, output.first.columns);
    const element_places own = places_of(values);
    if (status s = check_apart_from_reduced(name, own.memory(), output); !s) return s;
    if (!overlap(own.memory(), output.all)) return {};
    if (output.is_batch)
      return status::refused("gemm: {} serves the whole batch but overlaps its outputs: give it memory of its own",
                             name);
    if (own == output.first) return {};
    return status::refused("gemm: {} overlaps the output: it must be the same view, or have memory of its own", name);
  }
#endif
};

template <class T>
struct value_in_memory {
  vector_view<const T> value;
#if !defined(__CUDACC_RTC__)
  status check(const char* name, const checked_output& output) const {
    if (status s = check_view("gemm", name, value); !s) return s;
    if (value.size != 1) return status::refused("gemm: {} has {} values: it must have 1", name, value.size);
    return check_apart(name, value, output);
  }
#endif
};

}  // namespace memtile::detail
