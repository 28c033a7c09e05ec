// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The matmul kernel: each block makes one tile of c = epilogue(a * b).
#pragma once

#include <memtile/algorithm/epilogue.cuh>
#include <memtile/block/block_gemm.cuh>
#include <memtile/block/raster.hpp>

namespace memtile {

/// How the operands lie, and how many bytes one access may move: all of a, b and c must allow it.
template <class LayoutA, class LayoutB, int Bytes>
struct gemm_operands {
  using layout_a = LayoutA;
  using layout_b = LayoutB;
  static constexpr int bytes = Bytes;
};

/// One block per tile, in a grid of one row. a: M x K, b: K x N, c: M x N, row major.
template <class T, class Policy, class Operands, class Epilogue>
struct gemm_kernel {
  using product = block_gemm<T, Policy>;
  static constexpr const char* name = "memtile::gemm";
  static constexpr int threads = product::threads, min_blocks = product::min_blocks;
  static constexpr int block_m = product::block_m, block_n = product::block_n;
  using storage = typename product::storage;

  // Rows of tiles that are taken together. Of 132 tiles in flight, 8 bands deep, each strip of a and b is read by 8 to
  // 17 blocks at a time.
  static constexpr int band = 8;

  MEMTILE_KERNEL void operator()(block block, storage& shared, matrix_view<const T, typename Operands::layout_a> a,
                                 matrix_view<const T, typename Operands::layout_b> b, matrix_view<T> c,
                                 Epilogue epilogue) const {
    const tile_place tile =
        banded(block.grid_column(), int(ceil_div(c.rows, block_m)), int(ceil_div(c.cols, block_n)), band);
    const int64 row0 = int64(tile.row) * block_m, column0 = int64(tile.column) * block_n;

    product multiply{block, shared};
    multiply.template multiply_add<Operands::bytes>(a, b, row0, column0);

    constexpr int width = Operands::bytes / int(sizeof(T)) < product::run ? 1 : product::run;
    const bool reads_c = detail::reads_output(epilogue);
    multiply.template store_with<width>(c, row0, column0, [&](int64 row, int64 column, vec<T, width> v) {
      vec<T, width> old{};
      if (reads_c) old = c.load(wide<width>, row, column);
      MEMTILE_UNROLL
      for (int n = 0; n < width; ++n) v[n] = detail::apply_epilogue(epilogue, v[n], row, column + n, old[n]);
      return v;
    });
  }
};

}  // namespace memtile
