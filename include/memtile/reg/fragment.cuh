// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values of one thread, in registers. The trap: a register has no address, so every index must be known at compile
// time. Walk a fragment in loops that unroll; an index computed at run time moves it to local memory, a hundred times
// slower.
#pragma once

#include <memtile/core/semiring.hpp>
#include <memtile/core/vec.hpp>
#include <memtile/hw/simulated.cuh>

namespace memtile {

/// Rows x Columns values.
template <class T, int Rows, int Columns>
struct fragment {
  using value_type = T;
  static constexpr int rows = Rows, columns = Columns;
  T values[Rows][Columns];

  MEMTILE_FUNCTION constexpr T& operator()(int i, int j) { return values[i][j]; }
  MEMTILE_FUNCTION constexpr const T& operator()(int i, int j) const { return values[i][j]; }

  MEMTILE_FUNCTION void fill(T v) {
    MEMTILE_UNROLL
    for (int i = 0; i < Rows; ++i) {
      MEMTILE_UNROLL
      for (int j = 0; j < Columns; ++j) values[i][j] = v;
    }
  }

  /// values(i, j) += a[i] * b[j] in the arithmetic of the semiring; the usual one rounds once. Rows alternate in direction, so
  /// that an operand is used twice in a row.
  template <class Semiring = plus_times>
  MEMTILE_FUNCTION void add_outer_product(const T (&a)[Rows], const T (&b)[Columns], const Semiring& semiring = {}) {
    hw::count_flops(2 * Rows * Columns);
    MEMTILE_UNROLL
    for (int i = 0; i < Rows; ++i) {
      MEMTILE_UNROLL
      for (int step = 0; step < Columns; ++step) {
        const int j = i % 2 == 0 ? step : Columns - 1 - step;
        values[i][j] = detail::multiply_add(semiring, a[i], b[j], values[i][j]);
      }
    }
  }
};

}  // namespace memtile
