// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transposition through a tile in shared memory, so that both sides are read and written along their rows.
#pragma once

#include <memtile/block/block.cuh>
#include <memtile/block/raster.hpp>
#include <memtile/core/convert.hpp>
#include <memtile/global/run_of_words.cuh>
#include <memtile/reg/transpose_runs.cuh>
#include <memtile/shared/tile.cuh>

namespace memtile {

namespace detail {

// Which tile of which slice a block has, of slices that hold tile_rows x tile_columns tiles each. Neighbouring blocks take
// tiles of 8 rows, so that what they write lies side by side as well as what they read.
struct tile_of_slice {
  int64 slice;
  tile_place tile;
};
MEMTILE_FUNCTION tile_of_slice tile_of_block(int rank, int tile_rows, int tile_columns) {
  const int tiles = tile_rows * tile_columns;
  return {rank / tiles, banded(rank % tiles, tile_rows, tile_columns, 8)};
}

// What is done to elements on their way: nothing, or a functor's value, converted.
struct as_it_is {};
template <class T, class Source>
MEMTILE_FUNCTION T on_its_way(const as_it_is&, const Source& v) {
  return v;
}
template <class T, class Source, class Functor>
MEMTILE_FUNCTION T on_its_way(const Functor& functor, const Source& v) {
  return stored_as<T>(functor(plain_type<Source>(v)));
}

}  // namespace detail

/// Elements of 1 to 16 bytes, 16 bytes at a time on both sides. Each thread transposes squares of 16 bytes by 16 bytes in
/// registers on the way into the tile.
///
/// Grid      a block for each tile of `side` x `side` elements, slice after slice
/// Memory    every element read once and written once; a thread has 64 to 256 bytes on their way; no bank conflicts
/// Requires  bases and pitches that are multiples of 16 bytes
template <class Element>
struct transpose_by_runs_kernel {
  static constexpr const char* name = "memtile::transpose";
  static constexpr int bytes = int(sizeof(Element)), width = 16 / bytes;
  static constexpr int side = bytes <= 2 ? 128 : bytes <= 8 ? 64 : 32, side_runs = side / width;
  static constexpr int threads = bytes == 1 ? 64 : 256;
  struct storage {
    shared_tile<uint32, side, side_runs * 4, xor_swizzle<16, width>> turned;
  };

  MEMTILE_KERNEL void operator()(block b, storage& shared, volume_view<const Element> in,
                                 volume_view<Element> out) const {
    const site s = site::here().within("transpose");
    const auto place = detail::tile_of_block(b.grid_column(), int(ceil_div(in.rows, int64(side))),
                                             int(ceil_div(in.cols, int64(side))));
    const int64 row0 = int64(place.tile.row) * side, column0 = int64(place.tile.column) * side;
    const matrix_view<const Element> from = in.slice(place.slice);
    const matrix_view<Element> to = out.slice(place.slice);

    // Straight code for whole tiles: all loads are on their way before one is waited for.
    const bool is_whole = row0 + side <= in.rows && column0 + side <= in.cols;
    detail::run_of_words runs[squares][width];
    if (is_whole) load<true>(b, from, row0, column0, runs, s);
    else load<false>(b, from, row0, column0, runs, s);
    MEMTILE_UNROLL
    for (int i = 0; i < squares; ++i) {
      const int square = b.rank() + i * threads, r = square / side_runs, c = square % side_runs * width;
      detail::transpose_runs<bytes>(runs[i]);
      MEMTILE_UNROLL
      for (int k = 0; k < width; ++k) shared.turned.store(c + k, r * 4, runs[i][k], s.inner());
    }
    b.sync(s);
    if (is_whole) store<true>(b, shared, to, column0, row0, s);
    else store<false>(b, shared, to, column0, row0, s);
  }

 private:
  static constexpr int squares = side_runs * side_runs / threads;

  template <bool Whole>
  MEMTILE_FUNCTION static void load(block b, const matrix_view<const Element>& in, int64 row0, int64 column0,
                                    detail::run_of_words (&runs)[squares][width], site s) {
    MEMTILE_UNROLL
    for (int i = 0; i < squares; ++i) {
      const int square = b.rank() + i * threads, r = square / side_runs * width, c = square % side_runs * width;
      MEMTILE_UNROLL
      for (int k = 0; k < width; ++k) runs[i][k] = detail::load_run<Whole>(in, row0 + r + k, column0 + c, s.inner());
    }
  }
  template <bool Whole>
  MEMTILE_FUNCTION static void store(block b, const storage& shared, const matrix_view<Element>& out, int64 row0,
                                     int64 column0, site s) {
    MEMTILE_UNROLL
    for (int i = 0; i < side * side_runs / threads; ++i) {
      const int run = b.rank() + i * threads, r = run / side_runs, c = run % side_runs;
      const detail::run_of_words words = shared.turned.load(wide<4>, r, c * 4, s.inner());
      detail::store_run<Whole>(out, row0 + r, column0 + c * width, words, s.inner());
    }
  }
};

MEMTILE_USER_CODE_BEGIN

/// Elements of any type, one at a time, with a functor on their way; without one also in place, where a block exchanges two
/// tiles.
///
/// Grid      a block for each tile of `side` x `side` elements, slice after slice
/// Memory    every element read once and written once, side by side; no bank conflicts for elements of 1, 2, 4, 8 and 16
///           bytes
template <class T, class Source = T, class Functor = detail::as_it_is>
struct transpose_kernel {
  static constexpr const char* name = "memtile::transpose";
  static constexpr int side = sizeof(T) <= 16 ? 32 : sizeof(T) <= 64 ? 16 : 8, threads = 256;
  using tile = shared_tile<T, side, side, padded<max_of(1, 4 / int(sizeof(T)))>>;
  struct storage {
    tile first, second;
  };
  bool in_place;
  Functor functor;

  MEMTILE_KERNEL void operator()(block b, storage& shared, volume_view<const Source> in, volume_view<T> out) const {
    const site s = site::here().within("transpose");
    const auto place = detail::tile_of_block(b.grid_column(), int(ceil_div(in.rows, int64(side))),
                                             int(ceil_div(in.cols, int64(side))));
    const int64 row0 = int64(place.tile.row) * side, column0 = int64(place.tile.column) * side;
    const matrix_view<const Source> from = in.slice(place.slice);
    const matrix_view<T> to = out.slice(place.slice);
    const bool exchanges = in_place && row0 != column0;
    if (exchanges && row0 > column0) return;  // its partner does the work of both
    load(b, from, row0, column0, shared.first, s);
    if (exchanges) load(b, from, column0, row0, shared.second, s);
    b.sync(s);
    store(b, shared.first, to, column0, row0, s);
    if (exchanges) store(b, shared.second, to, row0, column0, s);
  }

 private:
  MEMTILE_FUNCTION void load(block b, const matrix_view<const Source>& in, int64 row0, int64 column0, tile& t,
                             site s) const {
    MEMTILE_UNROLL
    for (int i = 0; i < ceil_div(side * side, threads); ++i) {
      const int at = b.rank() + i * threads, r = at / side, c = at % side;
      if (at < side * side && in.inside(row0 + r, column0 + c))
        t.store(r, c, detail::on_its_way<T>(functor, in.load(row0 + r, column0 + c, s.inner())), s.inner());
    }
  }
  MEMTILE_FUNCTION static void store(block b, const tile& t, const matrix_view<T>& out, int64 row0, int64 column0,
                                     site s) {
    MEMTILE_UNROLL
    for (int i = 0; i < ceil_div(side * side, threads); ++i) {
      const int at = b.rank() + i * threads, r = at / side, c = at % side;
      if (at < side * side && out.inside(row0 + r, column0 + c))
        out.store(row0 + r, column0 + c, t.load(c, r, s.inner()), s.inner());
    }
  }
};

/// Lines that stay lines, Width elements at a time: out(z, r, c) = in(z, r, c), whatever the pitches.
///
/// Grid      of one row: a warp for each 32 * Width columns of a line
/// Memory    every element read once and written once, side by side
/// Requires  of a Width above 1 bases and pitches that are multiples of so many elements
template <class T, class Source, class Functor, int Width>
struct copy_lines_kernel {
  static constexpr const char* name = "memtile::copy_lines";
  static constexpr int threads = 256, warps = threads / 32, columns = 32 * Width;
  Functor functor;

  MEMTILE_KERNEL void operator()(block b, volume_view<const Source> in, volume_view<T> out) const {
    const site s = site::here().within("copy_lines");
    const int64 chunks = ceil_div(in.cols, int64(columns)), unit = int64(b.grid_column()) * warps + b.warp().rank(),
                line = unit / chunks;
    if (line >= in.depth * in.rows) return;
    const int64 z = line / in.rows, r = line % in.rows, c = unit % chunks * columns + b.warp().lane() * Width;
    if (c + Width <= in.cols) {
      const auto run = in.slice(z).load(wide<Width>, r, c, s);
      vec<T, Width> results;
      MEMTILE_UNROLL
      for (int k = 0; k < Width; ++k) results[k] = detail::on_its_way<T>(functor, run[k]);
      out.slice(z).store(r, c, results, s);
    } else {
      MEMTILE_KEEP_LOOP
      for (int64 k = c; k < in.cols; ++k) out.store(z, r, k, detail::on_its_way<T>(functor, in.load(z, r, k, s)), s);
    }
  }
};

MEMTILE_USER_CODE_END

}  // namespace memtile
