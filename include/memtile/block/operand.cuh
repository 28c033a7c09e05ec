// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One operand of a block-wide matmul: how its strip comes from global memory into shared tiles, and from there into
// registers. Seen from here an operand is a matrix of Extent x K, whose rows are what the block multiplies: a, or b
// transposed.
//
// It keeps in shared memory the direction in which it is contiguous in global memory, so that wide copies need no
// transposition: rows of k ("k major") or rows of m or n. One load from rows of k brings several steps of one row, it is thought
// into registers of different banks, so that no choice of registers for the accumulators suits all steps. Such an operand
// can be turned on its way, element by element.
#pragma once

#include <memtile/block/global_to_shared.cuh>
#include <memtile/block/shared_to_reg.cuh>
#include <memtile/core/mapped.hpp>
#include <memtile/reg/fragment.cuh>

namespace memtile::detail {

// One stage, in either direction, or turned. `Lanes` lanes of a warp read rows `Run` apart of the k major form. What is no
// power of two in size lies dense.
template <class T, int Extent, int Depth, int Run, int Lanes>
union operand_tile {
  using swizzled =
      conditional_t<16 % sizeof(T) == 0, xor_swizzle<widest<T>(Depth) * int(sizeof(T)), Run, Lanes>, dense>;
  shared_tile<T, Extent, Depth, swizzled> k_major;
  shared_tile<T, Depth, Extent> other;
  shared_tile<T, Depth, Extent, conditional_t<Extent * sizeof(T) % 128 == 0, xor_swizzle<4 * int(sizeof(T)), 1>, dense>>
      turned;
};

// Its view, with k along the rows (k major) or along the columns, and the functor its elements pass through.
template <class T, class Layout>
MEMTILE_FUNCTION const matrix_view<T, Layout>& view_of(const matrix_view<T, Layout>& v) {
  return v;
}
template <class View, class Functor>
MEMTILE_FUNCTION const View& view_of(const mapped_view<View, Functor>& v) {
  return v.view;
}
// What of it lies in memory, and so in shared tiles.
template <class View>
using element_in_memory = typename bare_t<decltype(view_of(declval<const View&>()))>::element;
template <class View>
inline constexpr bool is_mapped = false;
template <class View, class Functor>
inline constexpr bool is_mapped<mapped_view<View, Functor>> = true;

// The values of a mapped operand: each passes through its functor with the operand's own coordinates. Rows beyond the
// matrix, which nobody stores, count as its last one; steps of k beyond it are not asked for.
template <class View, class Span, bool Transposed>
struct mapping {
  const View& operand;
  Span span;
  int64 first_row, last_row, k0;
  template <class T, class U>
  MEMTILE_FUNCTION T operator()(same_type<T>, const U& v, int k, int i) const {
    const int64 row = min_of(first_row + span[i], last_row);
    if constexpr (Transposed) return T(operand.apply(typename View::plain(v), k0 + k, row));
    else return T(operand.apply(typename View::plain(v), row, k0 + k));
  }
};

// Whether 16-byte accesses suit an operand whose strip begins at row `first`.
template <bool Transposed, class T>
MEMTILE_FUNCTION bool allows_wide_stream(const matrix_view<T, strided>&, int64) {
  return false;
}
template <bool Transposed, class T, class Layout>
MEMTILE_FUNCTION bool allows_wide_stream(const matrix_view<T, Layout>& v, int64 first) {
  constexpr bool k_major = is_same<Layout, row> != Transposed;
  return allows_access_of<16>(v) && (k_major || first % max_of(1, 16 / int(sizeof(T))) == 0);
}

// A strip of `Extent` rows of an operand from `first` on, and its steps from `first_k` on. Transposed: the operand is K x N and its columns are the rows.
// Bytes: what one access moves; 0: found out here, by what address, pitch and extent allow. Turns: what is k major is turned.
template <class View, int Extent, int Depth, int Threads, int Bytes, bool Transposed, bool Turns>
class operand_stream {
  using view = bare_t<decltype(view_of(declval<const View&>()))>;
  using T = typename view::element;
  static constexpr bool is_strided = is_same<typename view::layout, strided>;
  // As it comes from global memory, and as it lies in shared memory.
  static constexpr bool comes_k_major = is_strided || is_same<typename view::layout, row> != Transposed,
                        is_turned = Turns && comes_k_major && !is_strided, k_major = comes_k_major && !is_turned;
  static constexpr int tile_rows = k_major ? Extent : Depth, tile_columns = k_major ? Depth : Extent;
  using straight = conditional_t<Bytes == 0, careful_stream<T, tile_rows, tile_columns, Threads>,
                                 tile_stream<T, tile_rows, tile_columns, Threads, Bytes == 0 ? 16 : Bytes>>;
  using stream = conditional_t<is_turned, turning_stream<T, Extent, Depth, Threads>, straight>;

 public:
  static constexpr bool is_mapped = detail::is_mapped<View>;

  MEMTILE_FUNCTION operand_stream(int rank, const View& operand, int64 first, int64 first_k)
      : operand_(operand), first_(first),
        stream_(rank, as_rows(view_of(operand)), comes_k_major ? first : first_k, comes_k_major ? first_k : first),
        inside_(int(min_of<int64>(Extent, extent() - first))) {}

  // Starts the copy of the next K steps, k_inside of which exist.
  template <class Tile>
  MEMTILE_FUNCTION void fetch(Tile& to, int k_inside, site s) {
    if constexpr (is_turned) stream_.copy(to.turned, inside_, k_inside, s), stream_.next_columns();
    else if constexpr (k_major) stream_.copy(to.k_major, inside_, k_inside, s), stream_.next_columns();
    else stream_.copy(to.other, k_inside, inside_, s), stream_.next_rows();
  }
  // Steps k0, k0 + 1, ... of a tile whose first step is number `step` of the whole operand.
  template <class Value, int Steps, class Span, class Tile>
  MEMTILE_FUNCTION void load(const Tile& from, Span span, int64 step, int k0, fragment<Value, Steps, Span::count>& out,
                             site s) const {
    if constexpr (is_mapped) {
      load_through(from, span, k0, out, s,
                   mapping<View, Span, Transposed>{operand_, span, first_, extent() - 1, step + k0});
    } else {
      load_through(from, span, k0, out, s, as_it_is{});
    }
  }

 private:
  template <class Value, int Steps, class Span, class Tile, class Convert>
  MEMTILE_FUNCTION static void load_through(const Tile& from, Span span, int k0,
                                            fragment<Value, Steps, Span::count>& out, site s, const Convert& convert) {
    if constexpr (is_turned) shared_lines_to_reg(from.turned, span, k0, out, s, convert);
    else if constexpr (k_major) shared_rows_to_reg(from.k_major, span, k0, out, s, convert);
    else shared_columns_to_reg(from.other, span, k0, out, s, convert);
  }
  MEMTILE_FUNCTION int64 extent() const { return Transposed ? view_of(operand_).cols : view_of(operand_).rows; }
  // A view whose rows are the rows of the tile.
  MEMTILE_FUNCTION static auto as_rows(const view& v) {
    if constexpr (is_strided) {
      if constexpr (Transposed) return matrix_view<const T, strided>(transposed(v));
      else return matrix_view<const T, strided>(v);
    } else {
      if constexpr (is_same<typename view::layout, row>) return matrix_view<const T>(v);
      else return matrix_view<const T>(transposed(v));
    }
  }

  const View& operand_;
  int64 first_;
  stream stream_;
  int inside_;  // how many of the Extent rows exist
};

}  // namespace memtile::detail
