// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The matmul kernel: each block makes one tile of c = epilogue(a * b), or its share of one along k.
#pragma once

#include <memtile/algorithm/epilogue.cuh>
#include <memtile/algorithm/gemm_products.cuh>
#include <memtile/algorithm/gemm_sides.cuh>
#include <memtile/block/block_gemm.cuh>
#include <memtile/block/last_block.cuh>

namespace memtile {

/// How the inner dimension of each tile is shared by `slices` blocks side by side, and where they leave their sums: tickets
/// has a zero for each tile, parts room for the accumulators of every block.
template <class Accumulator>
struct gemm_split {
  int slices;
  int64 steps_each;  // of k, a multiple of the tile's K; of one slice: all
  uint32* tickets;
  Accumulator* parts;
  detail::side_memory sides;  // of an epilogue that reduces rows or columns
};

/// Bytes: 16 if a, b and c allow such accesses, 0 for any. MaySplit: serves more than one slice.
template <class Product, int Bytes, bool MaySplit, class Products, class Epilogue>
struct gemm_kernel {
  using accumulator = typename Product::accumulator;
  static constexpr const char* name = "memtile::gemm";
  static constexpr int threads = Product::threads, min_blocks = Product::min_blocks;
  static constexpr int block_m = Product::block_m, block_n = Product::block_n;

  using reduction = detail::reduction_in<Epilogue>;
  template <class Reduction>
  struct with_reduction {
    union type {
      typename Product::storage product;
      typename detail::tile_reduction<Product, Reduction>::storage sides;
    };
  };
  template <class E, bool Reduces>
  struct storage_of : detail::same_type<typename Product::storage> {};
  template <class E>
  struct storage_of<E, true>
      : with_reduction<detail::bare_t<decltype(detail::reduction_in<E>::of(detail::declval<const E&>()))>> {};
  using storage = typename storage_of<Epilogue, reduction::is_there>::type;

  MEMTILE_KERNEL void operator()(block block, storage& shared, Products products, gemm_split<accumulator> split,
                                 Epilogue epilogue) const {
    const int slices = MaySplit ? split.slices : 1;
    const int index = block.grid_column() / slices, slice = block.grid_column() - index * slices;
    const auto work = products.work(index, block_m, block_n);
    const auto& c = work.product.c;
    const int64 row0 = int64(work.tile.row) * block_m, column0 = int64(work.tile.column) * block_n;

    Product multiply{block, product_storage(shared)};
    k_range part{0, detail::view_of(work.product.a).cols};
    if (MaySplit) part = {slice * split.steps_each, min_of(part.end, (slice + 1) * split.steps_each)};
    multiply.template multiply_add<Bytes>(work.product.a, work.product.b, row0, column0, part);
    if (slices > 1 && !joined(block, multiply, split, index, slice)) return;

    using T = typename detail::bare_t<decltype(c)>::element;
    constexpr int width = Bytes == 16 ? Product::template run<T> : 1;
    const bool reads_c = detail::reads_output(epilogue);
    if constexpr (reduction::is_there) {
      const auto reduce = reduction::of(epilogue);
      const auto value = [&](int64 row, int64 column, int i, int j) {
        const auto old = reads_c ? detail::plain_type<T>(c.load(row, column)) : detail::plain_type<T>{};
        return detail::apply_epilogue(epilogue, multiply.accumulators()(i, j), row, column, old);
      };
      detail::tile_reduction<Product, detail::bare_t<decltype(reduce)>>::run(block, shared.sides, multiply, reduce, c,
                                                                             work.tile, split.sides, value);
    }
    multiply.template store_with<width>(c, row0, column0, [&](int64 row, int64 column, vec<accumulator, width> v) {
      vec<T, width> old{};
      if (reads_c) old = c.load(wide<width>, row, column);
      vec<T, width> stored;
      MEMTILE_UNROLL
      for (int n = 0; n < width; ++n)
        stored[n] = detail::stored_as<T>(
            detail::apply_epilogue(epilogue, v[n], row, column + n, detail::plain_type<T>(old[n])));
      return stored;
    });
  }

 private:
  MEMTILE_FUNCTION static typename Product::storage& product_storage(storage& shared) {
    if constexpr (reduction::is_there) return shared.product;
    else return shared;
  }

  // Leaves this block's sums for the last block of the tile. True in that one, with the sums of all in its accumulators,
  // added in the order of the slices.
  MEMTILE_FUNCTION static bool joined(block block, Product& multiply, const gemm_split<accumulator>& split, int tile,
                                      int slice) {
    auto& sums = multiply.accumulators();
    constexpr int columns = Product::accumulator_fragment::columns,
                  each = Product::accumulator_fragment::rows * columns;
    const int64 size = int64(each) * threads;
    const vector_view<accumulator> parts(split.parts + int64(tile) * split.slices * size, split.slices * size);
    MEMTILE_UNROLL
    for (int i = 0; i < each; ++i)
      parts.store(slice * size + i * threads + block.rank(), sums(i / columns, i % columns));
    if (!block_is_last(block, split.tickets + tile, split.slices)) return false;
    MEMTILE_KEEP_LOOP
    for (int other = 0; other < split.slices; ++other) {
      MEMTILE_UNROLL
      for (int i = 0; i < each; ++i) {
        auto& sum = sums(i / columns, i % columns);
        const accumulator part = parts.load(other * size + i * threads + block.rank());
        sum = other == 0 ? part : typename Product::semiring{}.plus(sum, part);
      }
    }
    return true;
  }
};

}  // namespace memtile
