// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which products one launch makes, and which tile of which product is a block's: one product, a batch of equal shapes, or a
// list of any.
#pragma once

#include <memtile/block/raster.hpp>
#include <memtile/core/mapped.hpp>
#include <memtile/global/access.cuh>

namespace memtile {

/// a: rows x inner, b: inner x columns, c: rows x columns.
template <class A, class B, class C>
struct gemm_product {
  A a;
  B b;
  C c;
};

/// A block's work: a tile of a product.
template <class A, class B, class C>
struct gemm_work {
  gemm_product<A, B, C> product;
  tile_place tile;
};

namespace detail {

// Rows of tiles that are taken together. Of 132 tiles in flight, 8 bands deep, each strip of a and b is read by 8 to 17
// blocks at a time.
inline constexpr int gemm_band = 8;

// Tile number `index` of a product, in tiles of block_m x block_n.
template <class C>
MEMTILE_FUNCTION tile_place tile_of(const C& c, int index, int block_m, int block_n) {
  return banded(index, int(ceil_div(c.rows, block_m)), int(ceil_div(c.cols, block_n)), gemm_band);
}

/// One product.
template <class A, class B, class C>
struct one_product {
  gemm_product<A, B, C> product;
  MEMTILE_FUNCTION gemm_work<A, B, C> work(int index, int block_m, int block_n) const {
    return {product, tile_of(product.c, index, block_m, block_n)};
  }
};

// Where a matrix, mapped or not, begins.
template <class T, class Layout>
MEMTILE_FUNCTION T*& data_of(matrix_view<T, Layout>& v) {
  return v.data;
}
template <class View, class Functor>
MEMTILE_FUNCTION auto& data_of(mapped_view<View, Functor>& v) {
  return v.view.data;
}

/// Matrices of one shape: `step` bytes apart, or where the pointers in device memory point. A step of 0: one for all.
template <class View>
struct matrix_series {
  View first;
  int64 step;
  vector_view<typename View::value_type* const> pointers;  // none: steps
  MEMTILE_FUNCTION View at(int i) const {
    using T = typename View::value_type;
    using bytes = conditional_t<is_const<T>, const char, char>;
    View v = first;
    T*& data = data_of(v);
    if (pointers.data != nullptr) data = pointers.load(i);
    else data = reinterpret_cast<T*>(reinterpret_cast<bytes*>(data) + i * step);
    return v;
  }
};
/// A batch: tiles_each tiles of each product, one product after the other.
template <class A, class B, class C>
struct product_series {
  matrix_series<A> a;
  matrix_series<B> b;
  matrix_series<C> c;
  int tiles_each;
  MEMTILE_FUNCTION gemm_work<A, B, C> work(int index, int block_m, int block_n) const {
    const int i = index / tiles_each;
    return {{a.at(i), b.at(i), c.at(i)}, tile_of(c.first, index - i * tiles_each, block_m, block_n)};
  }
};

/// Products of any shapes, as many as fit into the arguments of a kernel. Those without a tile are left out beforehand.
template <class A, class B, class C>
struct product_list {
  static constexpr int most = 16;
  gemm_product<A, B, C> products[most];
  int first_tile[most];  // of each in the order of all tiles; of those that are not there: beyond all
  MEMTILE_FUNCTION gemm_work<A, B, C> work(int index, int block_m, int block_n) const {
    int i = 0;
    while (i + 1 < most && index >= first_tile[i + 1]) ++i;
    return {products[i], tile_of(products[i].c, index - first_tile[i], block_m, block_n)};
  }
};

}  // namespace detail
}  // namespace memtile
