// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// global -> shared: the threads of a block bring a tile of a matrix into shared memory.
//
// Two ways. `global_to_shared` passes through registers and is done when the caller has synchronised. `tile_stream`
// copies tile after tile asynchronously, without registers, so that a block computes on one tile while the next ones
// are on their way.
//
// The trap is the width of the access: 16 bytes need a base *and* a pitch that are multiples of 16, and an extent that
// is one too, or the last piece of a row would read what follows it.
#pragma once

#include <memtile/block/block.cuh>
#include <memtile/global/access.cuh>
#include <memtile/hw/async_copy.cuh>
#include <memtile/shared/tile.cuh>

namespace memtile {

namespace detail {
template <int Width, class T, int Rows, int Columns, class TileLayout>
MEMTILE_FUNCTION void copy_pieces(block b, const matrix_view<const T>& in, int64 row0, int64 column0,
                                  shared_tile<T, Rows, Columns, TileLayout>& tile, site s) {
  constexpr int per_row = Columns / Width;
  for (int piece = b.rank(); piece < Rows * per_row; piece += b.size()) {
    const int r = piece / per_row, c = piece % per_row * Width;
    vec<T, Width> v{};
    if (in.inside(row0 + r, column0 + c)) v = in.load(wide<Width>, row0 + r, column0 + c, s.inner());
    tile.store(r, c, v, s.inner());
  }
}
}  // namespace detail

/// Brings the Rows x Columns elements of `in` from (row0, column0) on into `tile`.
///
/// Callers   every thread of the block; any number of threads
/// Result    visible after the caller's block.sync()
/// Outside   elements beyond `in` become T{}
/// Memory    reads each element once, 16 bytes at a time where base, pitch, extent, column0 and the tile allow it, else
///           one element
/// Requires  row0, column0 >= 0
template <class T, class U, int Rows, int Columns, class TileLayout>
MEMTILE_FUNCTION void global_to_shared(block b, const matrix_view<U>& in, int64 row0, int64 column0,
                                       shared_tile<T, Rows, Columns, TileLayout>& tile, site s = site::here()) {
  s = s.within("global_to_shared");
  const matrix_view<const T> source = in;
  constexpr int Width = TileLayout::template keeps_together<T, Rows, Columns>();
  if constexpr (Width > 1) {
    if (allows_access_of<Width* int(sizeof(T))>(source) && column0 % Width == 0)
      return detail::copy_pieces<Width>(b, source, row0, column0, tile, s);
  }
  detail::copy_pieces<1>(b, source, row0, column0, tile, s);
}

/// One thread's share of a walk over a matrix in tiles of Rows x Columns, `Bytes` bytes to an access.
///
///   tile_stream<float, 128, 16, 256, 16> stream(block.rank(), a, row0, 0);
///   stream.copy(tile, rows_inside, columns_inside, s);  stream.next_columns();  hw::async_commit(s);
///
/// Callers   every one of the `Threads` threads of the block
/// Result    visible after hw::async_wait and a block.sync()
/// Outside   elements at or beyond rows_inside or columns_inside of the tile become 0, and are not read
/// Memory    each element once; neighbouring threads read neighbouring pieces of a row
/// Requires  allows_access_of<Bytes>(in); the first row and column of each tile are multiples of the access
template <class T, int Rows, int Columns, int Threads, int Bytes>
class tile_stream {
  static constexpr int piece = Bytes / int(sizeof(T)), per_row = Columns / piece, pieces = Rows * per_row;
  // Copies in straight code: narrow ones are many, and more straight code costs the compiler time and the instruction
  // cache room.
  static constexpr int rounds = ceil_div(pieces, Threads), together = rounds % 8 == 0 ? 8 : rounds;
  static_assert(Bytes % sizeof(T) == 0 && Columns % piece == 0,
                "memtile: a row of a streamed tile must be a whole number of accesses");

 public:
  MEMTILE_FUNCTION tile_stream(int rank, const matrix_view<const T>& in, int64 row0, int64 column0)
      : in_(in), row0_(row0), column0_(column0), rank_(rank),
        from_(reinterpret_cast<const char*>(in.address(row0 + row_of(0), column0 + column_of(0)))) {}

  template <class Tile>
  MEMTILE_FUNCTION void copy(Tile& tile, int rows_inside, int columns_inside, site s) const {
    static_assert(Tile::rows == Rows && Tile::columns == Columns, "memtile: a stream must fill tiles of its own shape");
    MEMTILE_KEEP_LOOP
    for (int i0 = 0; i0 < rounds; i0 += together) {
      MEMTILE_UNROLL
      for (int i = i0; i < i0 + together; ++i) {
        if (rounds * Threads > pieces && rank_ + i * Threads >= pieces) break;  // only the last round can be incomplete
        const int r = row_of(i), c = column_of(i);
        const bool inside = r < rows_inside && c < columns_inside;
        if (inside && !hw::inside("matrix_view", {row0_ + r, column0_ + c}, {in_.rows, in_.cols}, 1, piece, s))
          continue;
        const char* from = from_ + (r - row_of(0)) * in_.pitch + (c - column_of(0)) * int(sizeof(T));
        hw::async_copy<Bytes>(tile.address(r, c), from, inside, s.inner().at(r, c),
                              s.inner().at(row0_ + r, column0_ + c));
      }
    }
  }
  MEMTILE_FUNCTION void next_columns() { column0_ += Columns, from_ += Columns * int(sizeof(T)); }
  MEMTILE_FUNCTION void next_rows() { row0_ += Rows, from_ += Rows * in_.pitch; }

 private:
  // The place in the tile of this thread's i-th piece. Where a whole number of rows fits the threads, the column stays
  // the same.
  MEMTILE_FUNCTION int row_of(int i) const {
    if constexpr (Threads % per_row == 0) return rank_ / per_row + i * (Threads / per_row);
    else return (rank_ + i * Threads) / per_row;
  }
  MEMTILE_FUNCTION int column_of(int i) const {
    if constexpr (Threads % per_row == 0) return rank_ % per_row * piece;
    else return (rank_ + i * Threads) % per_row * piece;
  }

  matrix_view<const T> in_;
  int64 row0_, column0_;  // of the tile that comes next
  int rank_;
  const char* from_;  // this thread's first piece of it
};

/// The same for a matrix whose tiles become their transpose on the way: its rows are the columns of shared tiles of Depth rows
/// and Extent columns. Element by element, whatever the alignment.
///
/// Memory    a warp reads full sectors of 4 rows, and writes without bank conflicts where the tile's rows are swizzled
template <class T, int Extent, int Depth, int Threads>
class turning_stream {
  // Neighbouring threads take one step of k of 4 rows, the next four the next step, and so on over Depth steps.
  static constexpr int patch = 4, rows_together = Threads / Depth, rounds = Extent * Depth / Threads,
                       together = rounds % 8 == 0 ? 8 : rounds;

 public:
  // Whether tiles and threads have numbers that it can serve.
  static constexpr bool serves = (sizeof(T) == 4 || sizeof(T) == 8) && alignof(T) == sizeof(T) &&
                                 Threads % (patch * Depth) == 0 && Extent % max_of(1, rows_together) == 0 &&
                                 Depth * sizeof(T) % 32 == 0 && Extent * sizeof(T) % 128 == 0;

  MEMTILE_FUNCTION turning_stream(int rank, const matrix_view<const T>& in, int64 row0, int64 column0)
      : in_(in), row0_(row0), column0_(column0), row_(rank / (patch * Depth) * patch + rank % patch),
        column_(rank / patch % Depth),
        from_(reinterpret_cast<const char*>(in.address(row0 + row_, column0 + column_))) {}

  template <class Tile>
  MEMTILE_FUNCTION void copy(Tile& tile, int rows_inside, int columns_inside, site s) const {
    static_assert(serves && Tile::rows == Depth && Tile::columns == Extent,
                  "memtile: a stream must fill tiles of its own shape");
    const int rows_there = column_ < columns_inside ? rows_inside : 0;
    const char* from = from_;
    MEMTILE_KEEP_LOOP
    for (int i0 = 0; i0 < rounds; i0 += together) {
      MEMTILE_UNROLL
      for (int i = i0; i < i0 + together; ++i, from += rows_together * in_.pitch) {
        const int r = row_ + i * rows_together;
        const bool inside = r < rows_there;
        if (inside && !hw::inside("matrix_view", {row0_ + r, column0_ + column_}, {in_.rows, in_.cols}, 1, 1, s))
          continue;
        hw::async_copy<int(sizeof(T))>(tile.address(column_, r), from, inside, s.inner().at(column_, r),
                                       s.inner().at(row0_ + r, column0_ + column_));
      }
    }
  }
  MEMTILE_FUNCTION void next_columns() { column0_ += Depth, from_ += Depth * int(sizeof(T)); }

 private:
  matrix_view<const T> in_;
  int64 row0_, column0_;  // of the tile that comes next
  int row_, column_;      // of this thread's first element in it
  const char* from_;
};

/// The same for any matrix: with the widest accesses that its address, pitch and extent allow from (row0, column0) on, found
/// out here; one element at a time where neighbours do not lie side by side.
///
/// Memory    asynchronous where an access is of 4 bytes or more, else through registers; the caller does the same for both
template <class T, int Rows, int Columns, int Threads>
class careful_stream {
 public:
  MEMTILE_FUNCTION careful_stream(int rank, const matrix_view<const T>& in, int64 row0, int64 column0)
      : careful_stream(rank, matrix_view<const T, strided>(in.data, in.rows, in.cols, in.pitch, sizeof(T)), row0,
                       column0) {
    const int64 bits = int64(reinterpret_cast<size_t>(in.data)) | in.pitch | (in.cols | column0) * int64(sizeof(T));
    while (width_ < widest<T>(Columns) && bits % (2 * width_ * int(sizeof(T))) == 0) width_ *= 2;
  }
  MEMTILE_FUNCTION careful_stream(int rank, const matrix_view<const T, strided>& in, int64 row0, int64 column0)
      : in_(in), row0_(row0), column0_(column0), rank_(rank) {}

  template <class Tile>
  MEMTILE_FUNCTION void copy(Tile& tile, int rows_inside, int columns_inside, site s) const {
    copy_from_widest<widest<T>(Columns)>(tile, rows_inside, columns_inside, s);
  }
  MEMTILE_FUNCTION void next_columns() { column0_ += Columns; }
  MEMTILE_FUNCTION void next_rows() { row0_ += Rows; }

 private:
  template <int Width, class Tile>
  MEMTILE_FUNCTION void copy_from_widest(Tile& tile, int rows_inside, int columns_inside, site s) const {
    if constexpr (Width > 1) {
      if (width_ < Width) return copy_from_widest<Width / 2>(tile, rows_inside, columns_inside, s);
    }
    copy_by<Width>(tile, rows_inside, columns_inside, s);
  }
  template <int Width, class Tile>
  MEMTILE_FUNCTION void copy_by(Tile& tile, int rows_inside, int columns_inside, site s) const {
    using access = detail::conditional_t<Width == 1, T, vec<T, Width>>;
    constexpr bool async = sizeof(access) == alignof(access) && sizeof(access) >= 4 && sizeof(access) <= 16;
    constexpr int per_row = Columns / Width, pieces = Rows * per_row, together = 4;
    const auto* const from = reinterpret_cast<const char*>(in_.address(row0_, column0_));
    MEMTILE_KEEP_LOOP
    for (int first = rank_; first < pieces; first += together * Threads) {
      access passing[together];
      MEMTILE_UNROLL
      for (int i = 0; i < together; ++i) {
        const int piece = first + i * Threads, r = piece / per_row, c = piece % per_row * Width;
        if (piece >= pieces) break;
        const bool inside = r < rows_inside && c < columns_inside;
        const auto* const at = reinterpret_cast<const access*>(from + r * in_.row_pitch + c * in_.column_pitch);
        const site there = s.inner().at(row0_ + r, column0_ + c);
        if (inside && !hw::inside("matrix_view", {row0_ + r, column0_ + c}, {in_.rows, in_.cols}, 1, Width, s))
          continue;
        if constexpr (async)
          hw::async_copy<int(sizeof(access))>(tile.address(r, c), at, inside, s.inner().at(r, c), there);
        else passing[i] = inside ? hw::load_global(at, there) : access{};
      }
      if constexpr (!async) {
        MEMTILE_UNROLL
        for (int i = 0; i < together; ++i) {
          const int piece = first + i * Threads, r = piece / per_row, c = piece % per_row * Width;
          if (piece < pieces) tile.store(r, c, passing[i], s.inner());
        }
      }
    }
  }

  matrix_view<const T, strided> in_;
  int64 row0_, column0_;  // of the tile that comes next
  int rank_, width_ = 1;  // elements of an access
};

}  // namespace memtile
