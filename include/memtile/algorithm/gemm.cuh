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

/// How the inner dimension of each tile is shared by `slices` blocks side by side. They are a cluster, and hand their sums on
/// through shared memory; or tickets has a zero for each tile, and parts room for the accumulators of every block.
template <class Accumulator>
struct gemm_split {
  int slices;
  int64 steps_each;  // of k, a multiple of the tile's K; of one slice: all
  uint32* tickets;
  Accumulator* parts;
  detail::side_memory sides;  // of an epilogue that reduces rows or columns
};

namespace detail {
// The number of blocks in a cluster, where a kernel has a use for it.
template <bool Has>
struct runs_in_cluster {
  int cluster = 1;
};
template <>
struct runs_in_cluster<false> {};

struct nothing {};
template <class Product, class Reduction, bool IsThere = Reduction::is_there>
struct side_storage : same_type<nothing> {};
template <class Product, class Reduction>
struct side_storage<Product, Reduction, true>
    : same_type<typename tile_reduction<Product, typename Reduction::reduce>::storage> {};
}  // namespace detail

/// Bytes: 16 if a, b and c allow such accesses; 0 for any; or the size of an element of a and of b, which then come one by one.
/// MaySplit: serves more than one slice.
template <class Product, int Bytes, bool MaySplit, class Products, class Epilogue>
struct gemm_kernel : detail::runs_in_cluster<MaySplit> {
  using accumulator = typename Product::accumulator;
  static constexpr const char* name = "memtile::gemm";
  static constexpr int threads = Product::threads;
  // Copies of any width need more registers: a quarter, or half where only two blocks fit.
  static constexpr int fewer_blocks = Product::min_blocks - max_of(1, Product::min_blocks / 4);
  static constexpr int min_blocks = Bytes == 0 ? max_of(1, fewer_blocks) : Product::min_blocks;
  static constexpr int block_m = Product::block_m, block_n = Product::block_n;
  // What a thread hands on: its accumulators in runs of 16 bytes.
  static constexpr int columns = Product::accumulator_fragment::columns, width = widest<accumulator>(columns),
                       runs = Product::accumulator_fragment::rows * columns / width;
  using run = vec<accumulator, width>;
  // What it hands on at a time in a cluster: no more than the tiles of a and b leave room for, so that slices need no more
  // shared memory.
  static constexpr int runs_at_once =
      max_of(1, min_of(runs, int(sizeof(typename Product::storage)) / (threads * int(sizeof(run)))));

  using reduction = detail::reduction_in<Epilogue>;
  // For each of a kernel's needs, one after the other: the product's tiles, sums for the cluster, sums of rows or columns.
  union storage {
    typename Product::storage product;
    detail::conditional_t<MaySplit, shared_tile<run, runs_at_once, threads>, detail::nothing> sums;
    typename detail::side_storage<Product, reduction>::type sides;
  };

  MEMTILE_KERNEL void operator()(block block, storage& shared, Products products, gemm_split<accumulator> split,
                                 Epilogue epilogue) const {
    const int slices = MaySplit ? split.slices : 1;
    const int index = block.grid_column() / slices, slice = block.grid_column() - index * slices;

    Product multiply{block, shared.product};
    add_products(multiply, products.work(index, block_m, block_n), split, slice);
    if constexpr (MaySplit) {
      if (slices > 1 && !(block.cluster().size() > 1 ? joined_in_cluster(block, multiply, shared.sums)
                                                     : joined(block, multiply, split, index, slice)))
        return;
    }

    // Accumulators that fill the registers leave none to hold the place over the loop.
    if constexpr (Product::shape::fills_registers) multiply.place_again();
    const auto work =
        products.work(Product::shape::fills_registers ? hw::block_column_again() / slices : index, block_m, block_n);
    const auto& c = work.product.c;
    const int64 row0 = int64(work.tile.row) * block_m, column0 = int64(work.tile.column) * block_n;

    using T = typename detail::bare_t<decltype(c)>::element;
    constexpr int stored_width = Bytes == 16 ? Product::template run<T> : 1;
    const bool reads_c = detail::reads_output(epilogue);
    if constexpr (reduction::is_there) {
      const auto reduce = reduction::of(epilogue);
      const auto value = [&](int64 row, int64 column, int i, int j) {
        const auto old = reads_c ? detail::plain_type<T>(c.load(row, column)) : detail::plain_type<T>{};
        return detail::apply_epilogue(epilogue, multiply.accumulators()(i, j), row, column, old);
      };
      detail::tile_reduction<Product, typename reduction::reduce>::run(block, shared.sides, multiply, reduce, c,
                                                                       work.tile, split.sides, value);
    }
    const auto stored = [&](int64 row, int64 column, vec<accumulator, stored_width> v) {
      vec<T, stored_width> old{};
      if (reads_c) old = c.load(wide<stored_width>, row, column);
      vec<T, stored_width> values;
      MEMTILE_UNROLL
      for (int n = 0; n < stored_width; ++n)
        values[n] = detail::stored_as<T>(
            detail::apply_epilogue(epilogue, v[n], row, column + n, detail::plain_type<T>(old[n])));
      return values;
    };
    multiply.template store_with<stored_width>(rows_of_block(block, multiply.rows(), slices), c, row0, column0, stored);
  }

 private:
  static constexpr bool shares_rows = !reduction::is_there;

  template <class Work>
  MEMTILE_FUNCTION static void add_products(Product& multiply, const Work& work, const gemm_split<accumulator>& split,
                                            int slice) {
    const auto& a = work.product.a;
    const auto& b = work.product.b;
    k_range part{0, detail::view_of(a).cols};
    if (MaySplit) part = {slice * split.steps_each, min_of(part.end, (slice + 1) * split.steps_each)};
    multiply.template multiply_add<Bytes>(a, b, int64(work.tile.row) * block_m, int64(work.tile.column) * block_n,
                                          part);
  }

  // The sums of all blocks of the cluster, added in the order of the slices, in the accumulators of those that own them: each
  // block of some rows of every thread, so that all of them add and store at once; or the first of all, where rows or columns
  // are reduced. True in a block that owns some.
  template <class Sums>
  MEMTILE_FUNCTION static bool joined_in_cluster(block block, Product& multiply, Sums& own) {
    const cluster together = block.cluster();
    MEMTILE_UNROLL
    for (int from = 0; from < runs; from += runs_at_once) {
      MEMTILE_UNROLL
      for (int i = 0; i < runs_at_once; ++i)
        if (from + i < runs) own.store(i, block.rank(), run_of(multiply, from + i));
      together.sync();
      const auto is_own = [&](int i) {
        return from + i < runs && owner_of_row((from + i) * width / columns, together) == together.rank();
      };
      MEMTILE_KEEP_LOOP
      for (int slice = 0; slice < together.size(); ++slice) {
        run parts[runs_at_once]{};  // all on their way at once
        MEMTILE_UNROLL
        for (int i = 0; i < runs_at_once; ++i)
          if (is_own(i)) parts[i] = together.load(*own.address(i, block.rank()), slice);
        MEMTILE_UNROLL
        for (int i = 0; i < runs_at_once; ++i)
          if (is_own(i)) slice == 0 ? set_run(multiply, from + i, parts[i]) : add_run(multiply, from + i, parts[i]);
      }
      together.sync();
    }
    return together.rank() < (shares_rows ? Product::thread_m : 1);
  }

  MEMTILE_FUNCTION static int owner_of_row(int i, const cluster& together) {
    return shares_rows ? i % together.size() : 0;
  }

  // The rows of a thread that its block stores.
  template <class Rows>
  struct owned_rows {
    static constexpr int count = Rows::count;
    Rows all;
    int rank, sharing;
    static constexpr int64 beyond_any_output = int64(1) << 62;
    MEMTILE_FUNCTION int64 operator[](int i) const { return i % sharing == rank ? all[i] : beyond_any_output; }
  };
  template <class Rows>
  MEMTILE_FUNCTION static auto rows_of_block(block block, const Rows& rows, int slices) {
    if constexpr (MaySplit && shares_rows)
      return slices > 1 ? owned_rows<Rows>{rows, block.cluster().rank(), block.cluster().size()}
                        : owned_rows<Rows>{rows, 0, 1};
    else return rows;
  }

  // The same through memory, in the last block of a tile.
  MEMTILE_FUNCTION static bool joined(block block, Product& multiply, const gemm_split<accumulator>& split, int tile,
                                      int slice) {
    const int64 size = int64(runs) * threads;
    const vector_view<run> parts(reinterpret_cast<run*>(split.parts) + int64(tile) * split.slices * size,
                                 split.slices * size);
    MEMTILE_UNROLL
    for (int i = 0; i < runs; ++i) parts.store(slice * size + i * threads + block.rank(), run_of(multiply, i));
    if (!block_is_last(block, split.tickets + tile, split.slices)) return false;
    MEMTILE_KEEP_LOOP
    for (int other = 0; other < split.slices; ++other) {
      MEMTILE_UNROLL
      for (int i = 0; i < runs; ++i) {
        const run part = parts.load(other * size + i * threads + block.rank());
        if (other == 0) set_run(multiply, i, part);
        else add_run(multiply, i, part);
      }
    }
    return true;
  }

  MEMTILE_FUNCTION static run run_of(Product& multiply, int i) {
    run v;
    MEMTILE_UNROLL
    for (int n = 0; n < width; ++n) v[n] = multiply.accumulators()(i * width / columns, i * width % columns + n);
    return v;
  }
  MEMTILE_FUNCTION static void set_run(Product& multiply, int i, const run& v) {
    MEMTILE_UNROLL
    for (int n = 0; n < width; ++n) multiply.accumulators()(i * width / columns, i * width % columns + n) = v[n];
  }
  MEMTILE_FUNCTION static void add_run(Product& multiply, int i, const run& v) {
    MEMTILE_UNROLL
    for (int n = 0; n < width; ++n) {
      auto& sum = multiply.accumulators()(i * width / columns, i * width % columns + n);
      sum = typename Product::semiring{}.plus(sum, v[n]);
    }
  }
};

}  // namespace memtile
