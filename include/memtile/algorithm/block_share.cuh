// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What each thread of a team - a block, or some lanes of a warp - makes of its share of an array, before the team joins
// the shares.
//
//   element   0 .. w-1 | w .. 2w-1 | ...      runs of w neighbours
//   thread       0     |     1     | ...      one run each: a stripe; `Loads` stripes: a tile
//
// The loads of a tile are all on their way before the first element is combined. Each stripe of a tile has a part of its
// own, and every 16 tiles the parts are put aside: so no chain of roundings gets long.
#pragma once

#include <memtile/algorithm/reduction.cuh>
#include <memtile/block/warp_reduce.cuh>
#include <memtile/global/source.cuh>

namespace memtile {

MEMTILE_USER_CODE_BEGIN

/// Threads that reduce something together: all of a block, or a group of lanes, a power of two; complete warps of them.
struct team {
  memtile::warp warp;
  int rank, size;
};

namespace detail {

// The parts of a tile, one for each stripe; a reduction that takes whole tiles has only one, and takes 4 runs at a time:
// more would cost more registers than they save work.
inline constexpr int runs_at_a_time = 4;
template <class Reduction, int Loads>
struct tile_parts {
  static constexpr int count = takes_tiles<Reduction> ? 1 : Loads;
  vec<typename Reduction::accumulator, count> part;

  MEMTILE_FUNCTION void clear(const Reduction& reduction) {
    MEMTILE_UNROLL
    for (int i = 0; i < count; ++i) part[i] = reduction.empty();
  }
  MEMTILE_FUNCTION auto joined(const Reduction& reduction) const { return pairwise(part, reduction); }
  // Runs `from`, from + 1, ... of a tile.
  template <class V, int Width>
  MEMTILE_FUNCTION void enter(const Reduction& reduction, const vec<V, Width> (&runs)[runs_at_a_time], int from,
                              int64 first, int stripe) {
    if constexpr (count == 1) {
      enter_tile(reduction, part[0], runs, first, stripe);
    } else {
      MEMTILE_UNROLL
      for (int i = 0; i < runs_at_a_time; ++i) reduction.enter(part[from + i], runs[i], first + i * stripe);
    }
  }
};

// Runs a stripe apart, with as many fetches on their way at a time as the source has registers for.
template <class Source, class V, int Width, int Runs>
MEMTILE_FUNCTION void fetch_runs(const Source& in, vec<V, Width> (&runs)[Runs], int64 first, int stripe,
                                 const lanes_in_step& lanes, site s) {
  constexpr int fetches = min_of(Runs, Source::most_fetches);
  MEMTILE_UNROLL
  for (int from = 0; from < Runs; from += fetches) {
    typename Source::fetched fetched[fetches];
    MEMTILE_UNROLL
    for (int i = 0; i < fetches; ++i) fetched[i] = in.fetch(first + (from + i) * stripe, lanes, s);
    MEMTILE_UNROLL
    for (int i = 0; i < fetches; ++i) runs[from + i] = in.run(fetched[i], first + (from + i) * stripe, lanes, s);
  }
}

// The first `count` elements of a run.
template <class Reduction, class A, class V, int Width>
MEMTILE_FUNCTION void enter_some(const Reduction& reduction, A& part, const vec<V, Width>& run, int64 first,
                                 int count) {
  MEMTILE_UNROLL
  for (int i = 0; i < Width; ++i)
    if (i < count) reduction.enter(part, vec<V, 1>{{run[i]}}, first + i);
}

}  // namespace detail

/// The share of the calling thread in the `count` elements from `begin` on. The shares of all threads of the team, joined
/// in any order, are the result.
///
/// Requires  a commutative reduction; the same call by all threads of the team
/// Memory    16 bytes a thread and access, neighbours side by side; single elements where the array ends within 16 bytes
template <int Loads, class Source, class Reduction>
MEMTILE_FUNCTION typename Reduction::accumulator share_of(const Source& in, int64 begin, int count, const team& t,
                                                          const Reduction& reduction, site s = site::here()) {
  using V = typename Source::value;
  constexpr int width = Source::width;
  constexpr int group = detail::runs_at_a_time;
  const int stripe = t.size * width, tile = Loads * stripe, whole = count - count % width;
  const lanes_in_step lanes{t.warp.mask(), t.rank == t.size - 1 || t.warp.lane() == 31};
  detail::tile_parts<Reduction, Loads> parts;
  parts.clear(reduction);
  auto aside = reduction.empty();
  int tiles = 0;
  MEMTILE_KEEP_LOOP
  for (int tile_begin = 0; tile_begin < whole; tile_begin += tile) {
    const int64 mine = begin + tile_begin + t.rank * width;
    if (tile_begin + tile <= whole && in.has_room(begin + tile_begin, tile)) {
      constexpr int together = max_of(group, min_of(Loads, Source::most_fetches));
      MEMTILE_UNROLL
      for (int from = 0; from < Loads; from += together) {
        vec<V, width> fetched[together];
        detail::fetch_runs(in, fetched, mine + from * stripe, stripe, lanes, s);
        MEMTILE_UNROLL
        for (int g = 0; g < together; g += group) {
          vec<V, width> runs[group];
          MEMTILE_UNROLL
          for (int i = 0; i < group; ++i) runs[i] = fetched[g + i];
          parts.enter(reduction, runs, from + g, mine + (from + g) * stripe, stripe);
        }
      }
    } else {  // the end, or no room: the runs that are there
      const int after = whole - tile_begin - t.rank * width;
      MEMTILE_UNROLL
      for (int from = 0; from < Loads; from += group) {
        vec<V, width> runs[group];
        MEMTILE_UNROLL
        for (int i = 0; i < group; ++i) {  // the tile's first one where there is none: without a branch no load waits
          const bool is_there = (from + i) * stripe < after;
          if (!Source::one_by_one || is_there)
            runs[i] = in.load_carefully(is_there ? mine + (from + i) * stripe : begin + tile_begin, s);
        }
        if (parts.count == 1 && (from + group - 1) * stripe < after) {
          parts.enter(reduction, runs, from, mine + from * stripe, stripe);
          continue;
        }
        MEMTILE_UNROLL
        for (int i = 0; i < group; ++i)
          if ((from + i) * stripe < after)
            reduction.enter(parts.part[(from + i) % parts.count], runs[i], mine + (from + i) * stripe);
      }
    }
    if (++tiles % 16 == 0) {
      aside = reduction(aside, parts.joined(reduction));
      parts.clear(reduction);
    }
  }
  // The elements behind the last whole run.
  MEMTILE_KEEP_LOOP
  for (int i = whole + t.rank; i < count; i += t.size)
    reduction.enter(aside, vec<V, 1>{{in.load_some(begin + i, 1, s)[0]}}, begin + i);
  return reduction(aside, parts.joined(reduction));
}

/// The share of a thread where the order counts: each warp takes a stretch of its own, and lane 0 holds what the warp
/// made of it. The shares joined in the order of the threads are the result.
template <class Source, class Reduction>
MEMTILE_FUNCTION typename Reduction::accumulator ordered_share_of(const block& b, const Source& in, int64 begin,
                                                                  int count, const Reduction& reduction,
                                                                  site s = site::here()) {
  constexpr int width = Source::width;
  const warp w = b.warp();
  const int warps = (b.size() + 31) / 32, stripe = w.size() * width;
  const int stretch = ceil_div(ceil_div(count, warps), 32 * width) * (32 * width);
  const int from = min_of(count, w.rank() * stretch), to = min_of(count, from + stretch);
  auto total = reduction.empty();
  MEMTILE_KEEP_LOOP
  for (int at = from; at < to; at += stripe) {
    const int first = at + w.lane() * width;
    auto part = reduction.empty();
    if (first + width <= to) {
      reduction.enter(part, in.load_carefully(begin + first, s), begin + first);
    } else {
      const int there = min_of(width, to - first);  // less than 1: none
      detail::enter_some(reduction, part, in.load_some(begin + first, there, s), begin + first, there);
    }
    total = reduction(total, warp_reduce_to_first(w, part, reduction, 32, s));
  }
  return w.lane() == 0 ? total : reduction.empty();
}

MEMTILE_USER_CODE_END

}  // namespace memtile
