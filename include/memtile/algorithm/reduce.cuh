// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reduction kernel for arrays and for long rows: each block makes a part of one chunk; of several chunks, the block
// that comes last joins the parts, always in the same tree.
#pragma once

#include <memtile/algorithm/block_share.cuh>
#include <memtile/block/block_reduce.cuh>
#include <memtile/block/last_block.cuh>

namespace memtile {

/// How `rows` rows of `size` elements are cut. Depends on the shape alone and not on the card: with it, so do the bits.
struct reduce_plan {
  bool large;         // which of the two tiles
  int64 size;         // elements of a row
  int64 chunk;        // those that one block takes
  int chunks;         // of a row, at least 1
  int64 parts_a_row;  // room for the parts of a row: each row's begin at a multiple of 16 bytes
};

/// Two tiles. The small one spreads few elements over many blocks; the large one has the more bytes on their way, and
/// fewer parts to join in the end. H200, CUDA 13.0, 2026-11, float, microseconds of small and large: 3.9 and 4.3 at 2^20,
/// 5.4 and 5.5 at 2^22, 18.9 and 18.8 at 2^24, 242.4 and 241.6 at 2^28; the whole list is in tests/benchmark/RESULTS.md.
struct small_reduce_tile {
  static constexpr int threads = 256, loads = 4, min_blocks = 1;
};
/// Accumulators of more than a word take more registers, and then blocks of fewer threads fill a multiprocessor better.
template <class A>
struct large_reduce_tile {
  static constexpr int threads = sizeof(A) <= 4 ? 512 : 256, loads = 8, min_blocks = sizeof(A) <= 4 ? 2 : 3;
};

/// Up to 4 small tiles (64 KiB) go to one block. Above, a block takes one, or two; or so many large ones that they make 256
/// KiB where that leaves work for all; and more where there would be more parts than one block can quickly join.
/// `width` elements are what a thread loads at a time.
MEMTILE_FUNCTION constexpr reduce_plan plan_reduce(int64 size, int64 rows, int width) {
  const int64 small_tile = int64(small_reduce_tile::threads) * small_reduce_tile::loads * width,
              large_tile = 16 * small_tile;
  if (size <= 4 * small_tile) return {false, size, max_of(size, int64(1)), 1, 0};
  const bool is_large = size * rows >= 64 * large_tile;
  int64 chunk = is_large ? large_tile : size * rows / small_tile > 256 ? 2 * small_tile : small_tile;
  while (chunk < size && ceil_div(size, chunk) * rows > 16384) chunk *= 2;
  const int64 chunks = ceil_div(size, chunk);
  return {is_large, size, chunk, int(chunks), ceil_div(chunks, int64(16)) * 16};
}

/// What the blocks of one call leave for the last of each row: parts[row * plan.parts_a_row + chunk], and a ticket for each row,
/// which is zero before and after.
template <class A>
struct parts_between_blocks {
  A* parts;  // at a multiple of 16 bytes
  uint32* tickets;
};

/// The rows of a volume: rows.row(r) is what a reduction reads of row r, counted through all slices. Aligned: the base of
/// each row is a multiple of 16 bytes.
template <class T, bool Aligned>
struct volume_rows {
  using source = array_source<T, Aligned>;
  static constexpr bool is_single = false;
  volume_view<const T> in;
  bool alone = false;  // nothing beside an element may be read with it: others write there meanwhile
  MEMTILE_FUNCTION source row(int r) const {
    if (in.depth == 1) return row_of(in.slice(0), r);
    const int z = r / int(in.rows);
    return row_of(in.slice(z), r - z * int(in.rows));
  }

 private:
  MEMTILE_FUNCTION source row_of(const matrix_view<const T>& slice, int r) const {
    if constexpr (Aligned) return {slice.address(r, 0), in.cols, 0, 0};
    else if (alone) return {slice.address(r, 0), in.cols, -(1 << 30), 0};
    else return {slice.address(r, 0), in.cols, neighbours(r), neighbours(int(in.rows) - 1 - r)};
  }
  // Elements between a row and the end of its slice so many rows away, up to a run of them.
  MEMTILE_FUNCTION int neighbours(int rows) const {
    return int(min_of(rows * (in.row_pitch / int64(sizeof(T))), int64(source::width)));
  }
};
/// One row: a whole array.
template <class Source>
struct single_row {
  using source = Source;
  static constexpr bool is_single = true;
  Source in;
  MEMTILE_FUNCTION const Source& row(int) const { return in; }
};

/// One result for each row: result r lies at (r / out.cols, r % out.cols).
template <class Rows, class Out>
MEMTILE_FUNCTION void store_result(const matrix_view<Out>& out, int r, const Out& v, site s) {
  if constexpr (Rows::is_single) {
    out.store(0, 0, v, s);
  } else {
    const int z = out.rows == 1 ? 0 : r / int(out.cols);
    out.store(z, r - z * int(out.cols), v, s);
  }
}

namespace detail {
template <int Loads, class Source, class Reduction>
MEMTILE_FUNCTION auto share_of_block(const block& b, const Source& in, int64 begin, int count, const Reduction& way,
                                     site s) {
  if constexpr (Reduction::commutative)
    return share_of<Loads>(in, begin, count, team{b.warp(), b.rank(), b.size()}, way, s.inner());
  else return ordered_share_of(b, in, begin, count, way, s.inner());
}
}  // namespace detail

/// Grid: a block for each row.
template <class Rows, class Out, class Reduction, class Tile>
struct reduce_rows_kernel {
  static constexpr const char* name = "memtile::reduce";
  static constexpr int threads = Tile::threads, min_blocks = Tile::min_blocks;
  using fold = block_reduce<typename Reduction::accumulator, threads>;
  using storage = typename fold::storage;

  MEMTILE_KERNEL void operator()(block b, storage& shared, Rows rows, int size, matrix_view<Out> out,
                                 Reduction reduction) const {
    const site s = site::here().within("reduce");
    const auto share = detail::share_of_block<Tile::loads>(b, rows.row(b.grid_column()), 0, size, reduction, s);
    const auto total = fold{b, shared}.thread_0(share, reduction, s.inner());
    if (b.rank() == 0) store_result<Rows>(out, b.grid_column(), reduction.template result<Out>(total), s.inner());
  }
};

/// Grid: plan.chunks blocks for each row, more than one. Each makes a part of its chunk; the last one joins the parts.
template <class Rows, class Out, class Reduction, class Tile>
struct reduce_chunks_kernel {
  static constexpr const char* name = "memtile::reduce";
  // what takes many registers to load has no room beside a second large block
  static constexpr int threads = Tile::threads, min_blocks = Rows::source::most_fetches == 8 ? Tile::min_blocks : 1;
  using A = typename Reduction::accumulator;
  using fold = block_reduce<A, threads>;
  using storage = typename fold::storage;

  MEMTILE_KERNEL void operator()(block b, storage& shared, Rows rows, reduce_plan plan, parts_between_blocks<A> between,
                                 matrix_view<Out> out, Reduction reduction) const {
    const site s = site::here().within("reduce");
    fold whole{b, shared};
    const int row = Rows::is_single ? 0 : b.grid_column() / plan.chunks, chunk = b.grid_column() - row * plan.chunks;
    const int64 begin = chunk * plan.chunk;
    const int count = int(min_of(plan.chunk, plan.size - begin));
    A* const parts = between.parts + row * plan.parts_a_row;

    const A part = whole.thread_0(detail::share_of_block<Tile::loads>(b, rows.row(row), begin, count, reduction, s),
                                  reduction, s.inner());
    if (b.rank() == 0) hw::store_global(parts + chunk, part, s.inner().at(chunk));
    if (!block_is_last(b, between.tickets + row, plan.chunks, stored_by::thread_0, s.inner())) return;

    const joined_parts<Reduction> join{reduction};
    const array_source<A, true> all_parts{parts, plan.chunks, 0, 0};
    const A total = whole.thread_0(detail::share_of_block<4>(b, all_parts, 0, plan.chunks, join, s), join, s.inner());
    if (b.rank() == 0) store_result<Rows>(out, row, reduction.template result<Out>(total), s.inner());
  }
};

}  // namespace memtile
