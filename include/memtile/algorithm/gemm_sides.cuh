// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions of a matmul's results along its rows or columns, in the same pass: the last part of an epilogue.
//
//   gemm(where, q, keys, scores, scale_by | reduce_rows_into(largest, maximum{}));   largest[row] = the maximum of scores[row, ...]
//
//   register  each thread folds its share of a row
//   shared    the threads of a block that share the row
//   global    the tiles that share it; the last block of them folds those in their order
//
// So the bits of a sum depend on the tile, and on nothing else.
#pragma once

#include <memtile/algorithm/epilogue_values.cuh>
#include <memtile/block/last_block.cuh>
#include <memtile/block/raster.hpp>
#include <memtile/core/convert.hpp>
#include <memtile/shared/tile.cuh>

namespace memtile {

namespace detail {

MEMTILE_USER_CODE_BEGIN

template <class T, class Operator, side Side>
struct side_reduction : elementwise_part {
  static_assert(!is_const<T>, "memtile: the output of reduce_rows_into and reduce_columns_into must not be const");
  using element = T;
  using op_type = Operator;
  using sum = accumulator_t<Operator, T>;  // in which type values are combined
  static constexpr side along = Side;
  static_assert(has_identity<Operator, sum> && is_commutative<Operator>,
                "memtile: reduce_rows_into and reduce_columns_into must have a commutative operator with an identity");
  vector_view<T> out;
  Operator op;
  MEMTILE_FUNCTION constexpr side_reduction(const vector_view<T>& v, const Operator& o) : out(v), op(o) {}
  template <class V, class Old>
  MEMTILE_FUNCTION V operator()(V value, int64, int64, Old) const {
    return value;
  }
#if !defined(__CUDACC_RTC__)
  status check(const checked_output& output) const {
    const char* const name =
        Side == side::rows ? "the output of reduce_rows_into" : "the output of reduce_columns_into";
    if (status s = check_view("gemm", name, out); !s) return s;
    const int64 rows = output.first.rows, columns = output.first.columns;
    if (rows == 0 || columns == 0)
      return status::refused("gemm: the output is {}x{}, so {} would have nothing to reduce", rows, columns, name);
    const int64 needed = Side == side::rows ? rows : columns;
    if (out.size != needed)
      return status::refused("gemm: {} has {} elements but must have {}, one for each {}", name, out.size, needed,
                             Side == side::rows ? "row" : "column");
    if (overlap(memory(), output.all)) return status::refused("gemm: {} overlaps the output", name);
    return {};
  }
  rectangle memory() const { return {int64(reinterpret_cast<size_t>(out.data)), 1, out.size * int64(sizeof(T)), 0}; }
#endif
};

// The reduction at the end of a chain, or none; that of the transposed output is along the other side.
template <class E>
struct reduction_in {
  static constexpr bool is_there = false;
  struct reduce {};
  MEMTILE_FUNCTION static reduce of(const E&) { return {}; }
};
template <class T, class Operator, side Side>
struct reduction_in<side_reduction<T, Operator, Side>> {
  static constexpr bool is_there = true;
  using reduce = side_reduction<T, Operator, Side>;
  MEMTILE_FUNCTION static reduce of(const reduce& e) { return e; }
};
template <class First, class Second>
struct reduction_in<chained<First, Second>> : reduction_in<Second> {
  static_assert(!reduction_in<First>::is_there,
                "memtile: reduce_rows_into and reduce_columns_into must be the last part of an epilogue");
  MEMTILE_FUNCTION static auto of(const chained<First, Second>& e) { return reduction_in<Second>::of(e.second); }
};
template <class Reduction>
struct along_other_side : same_type<Reduction> {};
template <class T, class Operator, side Side>
struct along_other_side<side_reduction<T, Operator, Side>> {
  static constexpr side other = Side == side::rows ? side::columns : side::rows;
  using type = side_reduction<T, Operator, other>;
};
template <class E>
struct reduction_in<flipped<E>> {
  static constexpr bool is_there = reduction_in<E>::is_there;
  using reduce = typename along_other_side<typename reduction_in<E>::reduce>::type;
  MEMTILE_FUNCTION static reduce of(const flipped<E>& e) {
    const auto r = reduction_in<E>::of(e.epilogue);
    if constexpr (is_there) return reduce(r.out, r.op);
    else return {};
  }
};

/// Where tiles leave what they made of their rows: a zero for each row of tiles, and parts for each column of tiles.
struct side_memory {
  uint32* tickets;
  void* parts;
};

// Folds a tile: `value(row, column, i, j)` is result (i, j) of the calling thread, for places inside c.
template <class Product, class Reduction>
struct tile_reduction {
  using sum = typename Reduction::sum;
  static constexpr bool rows = Reduction::along == side::rows;
  static constexpr int extent = rows ? Product::block_m : Product::block_n;
  static constexpr int mine = rows ? Product::shape::thread_m : Product::shape::thread_n,
                       others = rows ? Product::shape::thread_n : Product::shape::thread_m;
  static constexpr int sharers = rows ? Product::shape::threads_n : Product::shape::threads_m;
  using storage = shared_tile<sum, sharers, extent, padded<1>>;

  template <class C, class Value>
  MEMTILE_FUNCTION static void run(block b, storage& shared, const Product& product, const Reduction& reduction,
                                   const C& c, const tile_place& tile, const side_memory& memory, const Value& value) {
    const int64 row0 = int64(tile.row) * Product::block_m, column0 = int64(tile.column) * Product::block_n;
    MEMTILE_UNROLL
    for (int p = 0; p < mine; ++p) {
      sum part = Reduction::op_type::template identity<sum>();
      MEMTILE_UNROLL
      for (int q = 0; q < others; ++q) {
        const int i = rows ? p : q, j = rows ? q : p;
        const int64 row = row0 + product.row(i), column = column0 + product.column(j);
        if (row < c.rows && column < c.cols) part = reduction.op(part, sum(value(row, column, i, j)));
      }
      shared.store(rows ? product.thread_column() : product.thread_row(), rows ? product.row(p) : product.column(p),
                   part);
    }
    b.sync();

    const int64 first = rows ? row0 : column0, size = reduction.out.size;
    const int tiles = int(rows ? ceil_div(c.cols, Product::block_n) : ceil_div(c.rows, Product::block_m));
    const vector_view<sum> parts(static_cast<sum*>(memory.parts), tiles * size);
    for (int p = b.rank(); p < extent && first + p < size; p += b.size()) {
      sum total = shared.load(0, p);
      MEMTILE_KEEP_LOOP
      for (int other = 1; other < sharers; ++other) total = reduction.op(total, shared.load(other, p));
      if (tiles == 1) reduction.out.store(first + p, stored_as<typename Reduction::element>(total));
      else parts.store((rows ? tile.column : tile.row) * size + first + p, total);
    }
    if (tiles == 1 || !block_is_last(b, memory.tickets + (rows ? tile.row : tile.column), tiles)) return;
    for (int p = b.rank(); p < extent && first + p < size; p += b.size()) {
      sum total = parts.load(first + p);
      MEMTILE_KEEP_LOOP
      for (int other = 1; other < tiles; ++other) total = reduction.op(total, parts.load(other * size + first + p));
      reduction.out.store(first + p, stored_as<typename Reduction::element>(total));
    }
  }
};

MEMTILE_USER_CODE_END

}  // namespace detail

/// out[row], or out[column], becomes the reduction of the values that are stored in that row or column of the output, by a
/// commutative operator of core/operators.hpp or like it; before they are rounded to the output's type. The last part of an
/// epilogue, of single products.
///
/// Memory    one element for each row of each tile, in a workspace, where the row has several tiles; see
///           launch/workspace.hpp
template <class Vector, class Operator>
MEMTILE_FUNCTION auto reduce_rows_into(const Vector& out, const Operator& op) {
  using T = typename decltype(as_view(out))::value_type;
  return detail::side_reduction<T, Operator, detail::side::rows>(as_view(out), op);
}
template <class Vector, class Operator>
MEMTILE_FUNCTION auto reduce_columns_into(const Vector& out, const Operator& op) {
  using T = typename decltype(as_view(out))::value_type;
  return detail::side_reduction<T, Operator, detail::side::columns>(as_view(out), op);
}

}  // namespace memtile
