// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows that one warp or a part of it reduces: a few lanes for each row, and four rows at a time for each lane, so that its
// loads are on their way together.
//
//   lane     0   1   2   3 | 4   5   6   7 | ...       four lanes a row: rows of up to four runs
//   round 0  row 0         | row 1         | ...       a warp has 512 neighbouring bytes of memory in each round
//   round 1  row 8         | row 9         | ...
#pragma once

#include <memtile/algorithm/reduce.cuh>

namespace memtile {

MEMTILE_USER_CODE_BEGIN
namespace detail {

// One step towards one row a lane: of two rows, each lane gives one to its neighbour and gets its own's other half.
template <class A, class Operator>
MEMTILE_FUNCTION A exchanged_half(const warp& w, const A& first, const A& second, int distance, const Operator& op,
                                  site s) {
  const bool upper = (w.lane() & distance) != 0;
  const A given = upper ? first : second, kept = upper ? second : first;
  const A got = w.shuffle_xor(given, distance, 32, s);
  return upper ? op(got, kept) : op(kept, got);
}

/// Reduces four values over groups of `lanes` lanes. Lane r of a group of four or more has the result of value r for r < 4,
/// of two lanes each has those of values r and r + 2 (in v[0] and v[1]), of one lane all.
template <class A, class Operator>
MEMTILE_FUNCTION void reduce_four(const warp& w, vec<A, 4>& v, int lanes, const Operator& op, site s) {
  if (lanes >= 2) {
    v[0] = exchanged_half(w, v[0], v[1], 1, op, s);
    v[1] = exchanged_half(w, v[2], v[3], 1, op, s);
  }
  if (lanes >= 4) v[0] = exchanged_half(w, v[0], v[1], 2, op, s);
  MEMTILE_UNROLL
  for (int distance = 4; distance < 32; distance *= 2) {
    if (distance >= lanes) break;
    v[0] = op(v[0], w.shuffle_down(v[0], distance, 32, s));
  }
}

}  // namespace detail

/// Grid: so many blocks of 8 warps that each warp has 4 * 32 / lanes rows.
template <class Rows, class Out, class Reduction>
struct reduce_short_rows_kernel {
  static constexpr const char* name = "memtile::reduce_rows";
  static constexpr int threads = 256, min_blocks = 1, rounds = 4;
  using A = typename Reduction::accumulator;
  using source = typename Rows::source;
  using V = typename source::value;
  static constexpr int width = source::width;
  int lanes;  // of a row: a power of two up to 32

  /// Rows that a block takes.
  MEMTILE_FUNCTION static constexpr int rows_a_block(int lanes_a_row) { return threads / lanes_a_row * rounds; }

  MEMTILE_KERNEL void operator()(block b, Rows rows, int count, int size, matrix_view<Out> out,
                                 Reduction reduction) const {
    const site s = site::here().within("reduce_rows");
    const warp w = b.warp();
    const int teams = 32 / lanes, team = w.lane() / lanes, rank = w.lane() % lanes;
    const int first_row = (b.grid_column() * (threads / 32) + w.rank()) * (rounds * teams) + team;

    source row[rounds];
    vec<A, rounds> part;
    MEMTILE_UNROLL
    for (int j = 0; j < rounds; ++j) {  // behind the last row, that one again: all lanes stay together
      row[j] = rows.row(min_of(first_row + j * teams, count - 1));
      part[j] = reduction.empty();
    }
    const int runs = size / width, whole = runs * width;
    const auto enter_run = [&](int at) {
      vec<V, width> run[rounds];
      MEMTILE_UNROLL
      for (int j = 0; j < rounds; ++j) run[j] = row[j].load_carefully(at, s.inner());
      MEMTILE_UNROLL
      for (int j = 0; j < rounds; ++j) reduction.enter(part[j], run[j], at);
    };
    const auto enter_element = [&](int at) {
      MEMTILE_UNROLL
      for (int j = 0; j < rounds; ++j) reduction.enter(part[j], vec<V, 1>{{row[j].load_some(at, 1, s.inner())[0]}}, at);
    };
    if constexpr (Reduction::commutative) {
      MEMTILE_KEEP_LOOP
      for (int i = rank; i < runs; i += lanes) enter_run(i * width);
      MEMTILE_KEEP_LOOP
      for (int at = whole + rank; at < size; at += lanes) enter_element(at);
    } else {  // each lane has neighbouring runs, and the last one what is left
      const int each = ceil_div(runs, lanes), end = min_of(runs, (rank + 1) * each);
      MEMTILE_KEEP_LOOP
      for (int i = rank * each; i < end; ++i) enter_run(i * width);
      MEMTILE_KEEP_LOOP
      for (int at = whole; at < size && rank == lanes - 1; ++at) enter_element(at);
    }
    w.meet(s.inner());
    detail::reduce_four(w, part, lanes, reduction, s.inner());
    const auto store = [&](int round, const A& total) {
      const int r = first_row + round * teams;
      if (r < count) store_result<Rows>(out, r, reduction.template result<Out>(total), s.inner());
    };
    if (lanes >= 4) {
      if (rank < 4) store(rank, part[0]);
    } else if (lanes == 2) {
      store(rank, part[0]);
      store(rank + 2, part[1]);
    } else {
      MEMTILE_UNROLL
      for (int j = 0; j < rounds; ++j) store(j, part[j]);
    }
  }
};
MEMTILE_USER_CODE_END

}  // namespace memtile
