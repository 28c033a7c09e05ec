// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// register -> global: a thread stores its fragment where it belongs in a matrix, each value changed on the way by a
// functor.
#pragma once

#include <memtile/block/shared_to_reg.cuh>
#include <memtile/global/access.cuh>
#include <memtile/hw/warp.cuh>

namespace memtile {

MEMTILE_USER_CODE_BEGIN

/// Stores make(row, column, values) at (row0 + rows[i], column0 + columns[j]) of `out`: `make` gets N neighbours of a
/// row as a vec and returns what is stored there.
///
/// Callers   each thread for itself
/// Outside   positions beyond `out` are left out, and `make` is not called for them
/// Memory    one access of N elements for each N neighbours: N is a divisor of the span's run, and N = 1 suits every
///           view
/// Requires  allows_access_of<N * sizeof(element)>(out), row0, column0 >= 0; column0 a multiple of N
template <int Width, class Out, class Rows, class Columns, class Fragment, class Make>
MEMTILE_FUNCTION void reg_to_global(const Fragment& values, Rows rows, Columns columns, const Out& out, int64 row0,
                                    int64 column0, const Make& make, site s) {
  static_assert(Columns::run % Width == 0,
                "memtile: the width of the stores must divide the run of neighbouring columns");
  MEMTILE_UNROLL
  for (int i = 0; i < Rows::count; ++i) {
    const int64 r = row0 + rows[i];
    MEMTILE_UNROLL
    for (int j = 0; j < Columns::count; j += Width) {
      const int64 c = column0 + columns[j];
      vec<typename Fragment::value_type, Width> neighbours;
      MEMTILE_UNROLL
      for (int n = 0; n < Width; ++n) neighbours[n] = values(i, j + n);
      if (r < out.rows && c < out.cols) out.store(r, c, make(r, c, neighbours), s.inner());
    }
    hw::lanes_meet(s);
  }
}

MEMTILE_USER_CODE_END

}  // namespace memtile
