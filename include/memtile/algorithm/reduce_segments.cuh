// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reduction of segments of any length: segment s has the elements offsets(s) to offsets(s + 1) - 1.
//
// The work is cut by elements and not by segments, so one long segment among many short ones costs what its elements cost.
// A tile of elements goes to a block, and neighbouring ones to each thread:
//
//   elements   | a a a a b b b b | b b c d d d d d | d d d d d d d d | e ...     a segment for each letter
//   threads    |        0        |        1        |        2        |
//
// A thread stores what begins and ends within its elements (c). What began before it - `head` - is joined with what the
// threads before have left of it, their `tail`: a scan over the block. What began before the tile is left in memory, and
// a second kernel joins it with the tails of the tiles before.
#pragma once

#include <memtile/algorithm/reduction.cuh>
#include <memtile/block/lane_values.cuh>
#include <memtile/block/warp_reduce.cuh>
#include <memtile/global/source.cuh>

namespace memtile {

MEMTILE_USER_CODE_BEGIN

/// What a tile leaves for the second kernel. A head whose segment is -1 is none.
template <class A>
struct segment_parts {
  A* heads;
  A* tails;
  int64* head_segments;
};

namespace detail {

/// The segment that holds element i, between `low` and `high`: the last one that begins at or before i, which is not
/// empty. Requires offsets(low) <= i < offsets(high + 1).
template <class Index>
MEMTILE_FUNCTION int64 segment_of(const vector_view<const Index>& offsets, int64 i, int64 low, int64 high, site s) {
  while (low < high) {
    const int64 middle = low + (high - low + 1) / 2;
    if (int64(offsets.load(middle, s)) <= i) low = middle;
    else high = middle - 1;
  }
  return low;
}

// A tail, and whether a segment ended before it.
template <class A>
struct flagged {
  A value;
  int ends;
};
// Joins the tails of neighbours: whoever has seen the end of a segment begins anew.
template <class Reduction>
struct join_tails {
  Reduction reduction;
  template <class A>
  MEMTILE_FUNCTION flagged<A> operator()(const flagged<A>& left, const flagged<A>& right) const {
    return {right.ends != 0 ? right.value : reduction(left.value, right.value), left.ends | right.ends};
  }
};

}  // namespace detail

/// Grid: a block for each `tile` elements of `in`. Index: int32 or int64.
template <class T, bool Aligned, class Index, class Out, class Reduction>
struct reduce_segments_kernel {
  static constexpr const char* name = "memtile::reduce_segments";
  static constexpr int threads = 256, min_blocks = 1, runs = 4;
  using A = typename Reduction::accumulator;
  using source = array_source<T, Aligned>;
  static constexpr int width = source::width, items = runs * width, tile = threads * items;
  using open_tail = detail::flagged<A>;
  struct storage {
    lane_values<open_tail, threads / 32> of_warp;
    int64 first_segment, last_segment;
  };

  MEMTILE_KERNEL void operator()(block b, storage& shared, source in, vector_view<const Index> offsets,
                                 segment_parts<A> parts, vector_view<Out> out, Reduction reduction) const {
    const site s = site::here().within("reduce_segments");
    const int64 first = int64(offsets.load(0, s.inner())), last = int64(offsets.load(out.size, s.inner()));
    const int64 tile_begin = max_of(first, int64(b.grid_column()) * tile),
                tile_end = min_of(last, (int64(b.grid_column()) + 1) * tile);
    if (tile_begin >= tile_end) {
      if (b.rank() == 0) hw::store_global(parts.head_segments + b.grid_column(), int64(-1), s.inner());
      return;
    }
    if (b.rank() < 2) {
      const int64 i = b.rank() == 0 ? tile_begin : tile_end - 1;
      const int64 segment = detail::segment_of(offsets, i, 0, out.size - 1, s.inner());
      hw::store_shared(b.rank() == 0 ? &shared.first_segment : &shared.last_segment, segment, s.inner());
    }
    b.sync(s.inner());
    const int64 low = hw::load_shared(&shared.first_segment, s.inner()),
                high = hw::load_shared(&shared.last_segment, s.inner());

    const int64 mine = int64(b.grid_column()) * tile + b.rank() * items;
    const int64 begin = max_of(tile_begin, mine), end = min_of(tile_end, mine + items);
    A head = reduction.empty(), tail = reduction.empty();
    int64 head_segment = -1;
    if (begin < end) {
      int64 segment = detail::segment_of(offsets, begin, low, high, s.inner());
      int64 segment_begin = int64(offsets.load(segment, s.inner())),
            segment_end = int64(offsets.load(segment + 1, s.inner()));
      for (int r = 0; r < runs; ++r) {
        const int64 at = mine + r * width;
        if (at >= end) break;
        const int there = int(min_of(int64(width), end - at));
        const vec<T, width> run =
            there == width ? in.load_carefully(at, s.inner()) : in.load_some(at, there, s.inner());
        MEMTILE_UNROLL
        for (int k = 0; k < width; ++k) {
          const int64 i = at + k;
          if (i < begin || i >= end) continue;
          reduction.enter(tail, vec<T, 1>{{run[k]}}, i - segment_begin);
          if (i + 1 < segment_end) continue;
          if (head_segment < 0) head = tail, head_segment = segment;
          else out.store(segment, reduction.template result<Out>(tail), s.inner());
          tail = reduction.empty();
          if (i + 1 >= end) continue;
          segment = detail::segment_of(offsets, i + 1, segment, high, s.inner());
          segment_begin = segment_end;
          segment_end = int64(offsets.load(segment + 1, s.inner()));
        }
      }
    }
    b.warp().meet(s.inner());

    const open_tail own{tail, int(head_segment >= 0)};
    open_tail before{reduction.empty(), 0};
    const open_tail all = scan(b, shared, own, before, reduction, s);
    const bool is_first_end = head_segment >= 0 && before.ends == 0;  // of one thread, if a segment ends in the tile
    const bool began_before = is_first_end && int64(offsets.load(head_segment, s.inner())) < tile_begin;
    const A value = reduction(before.value, head);
    if (head_segment >= 0 && !began_before) out.store(head_segment, reduction.template result<Out>(value), s.inner());
    if (began_before) hw::store_global(parts.heads + b.grid_column(), value, s.inner());
    if (is_first_end || (b.rank() == threads - 1 && all.ends == 0))
      hw::store_global(parts.head_segments + b.grid_column(), began_before ? head_segment : int64(-1), s.inner());
    if (b.rank() == threads - 1) hw::store_global(parts.tails + b.grid_column(), all.value, s.inner());
  }

 private:
  // What all threads before have left open goes to `before`; returns that with the thread's own.
  MEMTILE_FUNCTION static open_tail scan(const block& b, storage& shared, const open_tail& own, open_tail& before,
                                         const Reduction& reduction, site s) {
    const detail::join_tails<Reduction> join{reduction};
    const warp w = b.warp();
    open_tail through = own;
    MEMTILE_UNROLL
    for (int distance = 1; distance < 32; distance *= 2) {
      const open_tail left = w.shuffle_up(through, distance, 32, s.inner());
      if (w.lane() >= distance) through = join(left, through);
    }
    if (w.lane() == 31) shared.of_warp.store(w.rank(), through, s.inner());
    b.sync(s.inner());
    for (int i = 0; i < w.rank(); ++i) before = join(before, shared.of_warp.load(i, s.inner()));
    const open_tail left = w.shuffle_up(through, 1, 32, s.inner());
    const open_tail all = join(before, through);
    if (w.lane() > 0) before = join(before, left);
    return all;
  }
};

/// Joins what tiles have left of segments that began before them, and gives empty segments their result.
///
/// Grid: so many warps that there is one for each tile; segments are taken by turns.
template <class Index, class Out, class Reduction>
struct finish_segments_kernel {
  static constexpr const char* name = "memtile::reduce_segments, finish";
  static constexpr int threads = 256;
  using A = typename Reduction::accumulator;

  MEMTILE_KERNEL void operator()(block b, int tiles, int tile, vector_view<const Index> offsets, segment_parts<A> parts,
                                 vector_view<Out> out, Reduction reduction) const {
    const site s = site::here().within("reduce_segments");
    const int64 all_threads = int64(b.grid_columns()) * threads;
    for (int64 i = int64(b.grid_column()) * threads + b.rank(); i < out.size; i += all_threads)
      if (offsets.load(i, s.inner()) == offsets.load(i + 1, s.inner()))
        out.store(i, reduction.template result<Out>(reduction.empty()), s.inner());

    const warp w = b.warp();
    const int mine = b.grid_column() * (threads / 32) + w.rank();
    if (mine >= tiles) return;
    const int64 segment = hw::load_global(parts.head_segments + mine, s.inner());
    if (segment < 0) return;
    const int first = int(int64(offsets.load(segment, s.inner())) / tile), count = mine - first;
    A tails = reduction.empty(), aside = reduction.empty();
    int rounds = 0;
    MEMTILE_KEEP_LOOP
    for (int i = 0; i < count; i += 4 * 32) {  // 32 tails side by side, four times
      A tail[4];
      MEMTILE_UNROLL
      for (int k = 0; k < 4; ++k) {
        const int at = i + 32 * k + w.lane();
        tail[k] = reduction.empty();
        if (at < count) tail[k] = hw::load_global(parts.tails + first + at, s.inner());
      }
      MEMTILE_UNROLL
      for (int k = 0; k < 4; ++k) tails = reduction(tails, warp_reduce_to_first(w, tail[k], reduction, 32, s.inner()));
      if (++rounds % 8 == 0) {  // so that no chain of roundings gets long
        aside = reduction(aside, tails);
        tails = reduction.empty();
      }
    }
    tails = reduction(aside, tails);
    if (w.lane() == 0) {
      const A head = hw::load_global(parts.heads + mine, s.inner());
      out.store(segment, reduction.template result<Out>(reduction(tails, head)), s.inner());
    }
  }
};

MEMTILE_USER_CODE_END

}  // namespace memtile
