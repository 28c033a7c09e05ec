// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A part of a view of one, two or three dimensions.
#pragma once

#include <memtile/core/std.hpp>

namespace memtile {

/// A part of a view. As that of a stencil's output: only there is computed, and neighbours outside of it are those of
/// the input.
///
///   region{first, size}    region{row, column, rows, columns}    region{slice, row, column, slices, rows, columns}
struct region {
  int dimensions;
  int64 first[3], size[3];  // slowest axis first
  MEMTILE_FUNCTION constexpr region(int64 at, int64 size_) : dimensions(1), first{at}, size{size_} {}
  MEMTILE_FUNCTION constexpr region(int64 row, int64 column, int64 rows, int64 columns)
      : dimensions(2), first{row, column}, size{rows, columns} {}
  MEMTILE_FUNCTION constexpr region(int64 slice, int64 row, int64 column, int64 slices, int64 rows, int64 columns)
      : dimensions(3), first{slice, row, column}, size{slices, rows, columns} {}
};

}  // namespace memtile
