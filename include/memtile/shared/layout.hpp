// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where element (r, c) of a tile lies in shared memory. A layout is arithmetic and moves no data.
//
// Shared memory has 32 banks of 4 bytes; lanes of a warp that ask one bank for different words wait for each other. A
// row lies across the banks and is free of conflicts; a column of a dense tile of 32 floats lies in one bank. Cures:
//
//   padded<1>        each row begins one bank later. Costs memory; rows no longer keep an alignment of 16 bytes
//                    unless the padding is a multiple of 16 bytes.
//   xor_swizzle<16>  pieces of 16 bytes change places within their line of 128 bytes, by XOR with the row. Costs no
//                    memory and keeps every 16-byte access whole. The piece must be as wide as the access: 16 bytes
//                    for 4-byte columns is wrong.
//
// offset_beside is offset for a thread that walks over rows with one key: one number of run time, the rest constants.
#pragma once

#include <memtile/core/vec.hpp>

namespace memtile {

/// Rows of Columns + Pad elements.
template <int Pad>
struct padded {
  template <class T, int Rows, int Columns>
  MEMTILE_FUNCTION static constexpr int elements() {
    return Rows * (Columns + Pad);
  }
  template <class T, int Rows, int Columns>
  MEMTILE_FUNCTION static constexpr int offset(int r, int c) {
    return r * (Columns + Pad) + c;
  }
  /// The offset of (r + d, c), given that of (r, 0).
  template <class T, int Rows, int Columns>
  MEMTILE_FUNCTION static constexpr int offset_beside(int row_offset, int d, int c) {
    return row_offset + offset<T, Rows, Columns>(d, c);
  }
  /// How many neighbours along a row, beginning at a multiple of that number, lie together and aligned in every row: 16
  /// bytes at most.
  template <class T, int Rows, int Columns>
  MEMTILE_FUNCTION static constexpr int keeps_together() {
    return min_of(widest<T>(Columns + Pad), widest<T>(Columns));
  }
};
using dense = padded<0>;

/// Pieces of `Bytes` bytes, XORed with a key that goes by the row: as many as Lanes lanes, in rows RowStep apart, meet no
/// conflict. A thread whose rows are a multiple of RowStep * Lanes apart, and up to RowStep beside each other, has one key
/// for all of them, so its addresses differ by constants.
template <int Bytes = 16, int RowStep = 1, int Lanes = 128 / Bytes>
struct xor_swizzle {
  template <class T, int Rows, int Columns>
  MEMTILE_FUNCTION static constexpr int elements() {
    return ceil_div(Rows * Columns * int(sizeof(T)), line_bytes) * line_bytes / int(sizeof(T));
  }
  template <class T, int Rows, int Columns>
  MEMTILE_FUNCTION static constexpr int offset(int r, int c) {
    using n = numbers<T, Columns>;
    return (r * Columns + c) ^ (r / n::step & (n::keys - 1)) * n::piece;
  }
  /// The offset of (r + d, c), given that of (r, 0): r must be a multiple of RowStep, and r + d must have the same key.
  /// What the key does not touch is added and so becomes the constant of an address.
  template <class T, int Rows, int Columns>
  MEMTILE_FUNCTION static constexpr int offset_beside(int row_offset, int d, int c) {
    using n = numbers<T, Columns>;
    constexpr int touched = (n::keys - 1) * n::piece;
    const int distance = d * Columns + c;
    return (row_offset ^ (distance & touched)) + (distance & ~touched);
  }
  /// The offset of (r, c + d), where c and d must have no bit in common, and rows be whole lines of 128 bytes. Of a row that the
  /// compiler knows, those of all d differ by constants, but for bits of d that the key touches.
  template <class T, int Rows, int Columns>
  MEMTILE_FUNCTION static constexpr int offset_along(int r, int c, int d) {
    using n = numbers<T, Columns>;
    constexpr int touched = (n::keys - 1) * n::piece;
    return (c ^ ((r / n::step & (n::keys - 1)) * n::piece ^ (d & touched))) + (d & ~touched) + r * Columns;
  }
  template <class T, int Rows, int Columns>
  MEMTILE_FUNCTION static constexpr int keeps_together() {
    return Bytes / int(sizeof(T));
  }

 private:
  static_assert((Lanes & (Lanes - 1)) == 0, "memtile: the lanes of a swizzle must be a power of two");
  static constexpr int line_bytes = 128;  // one word of every bank

  template <class T, int Columns>
  struct numbers {
    static constexpr int row_bytes = Columns * int(sizeof(T)), piece = Bytes / int(sizeof(T));
    static_assert(Bytes % sizeof(T) == 0 && row_bytes % Bytes == 0,
                  "memtile: a row of a swizzled tile must be a whole number of pieces");
    static_assert(row_bytes % line_bytes == 0 || line_bytes % row_bytes == 0,
                  "memtile: a row of a swizzled tile must be a multiple or a divisor of 128 bytes");
    // Rows that share a line share a key: where a line holds more than RowStep rows, there are fewer keys, so that they
    // repeat after RowStep * Lanes rows all the same.
    static constexpr int rows_per_line = line_bytes / min_of(line_bytes, row_bytes),
                         step = max_of(RowStep, rows_per_line);
    static constexpr int keys = max_of(1, min_of(Lanes, line_bytes / Bytes) * RowStep / step);
    static_assert(step % rows_per_line == 0 && (keys & (keys - 1)) == 0,
                  "memtile: the row step of a swizzle must be a whole number of lines of 128 bytes");
  };
};

}  // namespace memtile
