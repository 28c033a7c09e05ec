// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// block_gemm: one block multiplies a block_m x K strip of a by a K x block_n strip of b.
//
//   global  a strip, b strip                          read once per block, block_k steps at a time
//     |  tile_stream (asynchronous, `stages` deep)
//   shared  ring of {a: block_m x block_k, b: block_k x block_n}
//     |  shared_rows_to_reg, shared_columns_to_reg    16 bytes an access, no bank conflict
//   reg     run_k columns of a, run_k rows of b -> outer products into thread_m x thread_n accumulators
//     |  reg_to_global                                each value through the caller's functor
//   global  c tile
//
// Elements lie in shared memory as they do in global memory; a register holds them in the type of the accumulators. They get
// there the same whatever the layout, and each result is one chain of fused multiply-adds in ascending k: its bits depend
// neither on the tile nor on the layouts, but for the sign of a zero to which it underflowed.
#pragma once

#include <memtile/block/gemm_shape.hpp>
#include <memtile/block/operand.cuh>
#include <memtile/block/reg_to_global.cuh>
#include <memtile/core/convert.hpp>
#include <memtile/shared/ring.cuh>

namespace memtile {

namespace detail {

// What a store makes of a run of products: f(row, column, product) of each, as elements of the output. No generic lambdas,
// which NVRTC takes for host functions.
struct product_alone {
  template <class T>
  MEMTILE_FUNCTION T operator()(int64, int64, const T& product) const {
    return product;
  }
};
MEMTILE_USER_CODE_BEGIN
template <class Out, class F>
struct each_of_run {
  const F& f;
  template <class T, int Width>
  MEMTILE_FUNCTION vec<Out, Width> operator()(int64 r, int64 c, const vec<T, Width>& products) const {
    vec<Out, Width> stored;
    MEMTILE_UNROLL
    for (int n = 0; n < Width; ++n) stored[n] = stored_as<Out>(f(r, c + n, products[n]));
    return stored;
  }
};
MEMTILE_USER_CODE_END

}  // namespace detail

/// Steps begin, begin + 1, ... end - 1 of the inner dimension.
struct k_range {
  int64 begin, end;
};

/// A block-wide matmul for a kernel of one's own, `__global__` or memtile's.
///
///   using product = memtile::block_gemm<float, memtile::gemm_policy<memtile::block_tile<64, 64, 16>>>;
///   product multiply{block, shared};              // product::storage& shared
///   multiply.multiply_add(a, b, row0, column0);   // a: M x K, b: K x N; each row or column major
///   multiply.store(c, row0, column0);             // or for_each_inside(c, row0, column0, functor)
///
/// T         the type of the elements of a and b, or elements<A, B>; the accumulators' type follows, see gemm_types
/// Callers   product::threads threads, all of them for multiply_add; each for itself afterwards
/// Memory    product::shared_bytes; free again when multiply_add returns
template <class T, class Policy = gemm_policy<>>
class block_gemm {
 public:
  using shape = gemm_shape<T, Policy>;
  using accumulator = typename shape::accumulator;
  using semiring = typename Policy::semiring;
  static constexpr int block_m = shape::block_m, block_n = shape::block_n, block_k = shape::block_k;
  static constexpr int thread_m = shape::thread_m, thread_n = shape::thread_n;  // results of a thread
  static constexpr int threads = shape::threads, min_blocks = shape::min_blocks;

  // Whether operands that lie k major can be turned on their way into shared memory.
  static constexpr bool can_turn = shape::fills_registers && shape::has_patch &&
                                   turning_stream<typename shape::a, block_m, block_k, shape::threads>::serves &&
                                   turning_stream<typename shape::b, block_n, block_k, shape::threads>::serves;
  struct stage {
    detail::operand_tile<typename shape::a, block_m, block_k, shape::run_m, shape::meeting_m> a;  // block_m x block_k
    detail::operand_tile<typename shape::b, block_n, block_k, shape::run_n, shape::meeting_n> b;  // block_n x block_k
  };
  using storage = ring<stage, shape::stages>;
  static constexpr int shared_bytes = int(sizeof(storage));
  using accumulator_fragment = fragment<accumulator, shape::thread_m, shape::thread_n>;

  MEMTILE_FUNCTION block_gemm(block b, storage& shared) : block_(b), ring_(shared) {
    clear();
    place_thread(b.rank());
  }

  /// Adds a(row0 .. row0 + block_m - 1, all k) * b(all k, column0 .. column0 + block_n - 1) to the accumulators. a and b are
  /// views of any layout, or mapped ones.
  ///
  /// Outside   rows, columns and steps of k that do not exist count as zero and are not read
  /// Requires  a.cols == b.rows, 0 <= row0 <= a.rows, 0 <= column0 <= b.cols
  /// Memory    16-byte accesses where a and b allow them, else the widest that each allows; decided here unless the caller
  ///           knows
  template <class A, class B>
  MEMTILE_FUNCTION void multiply_add(const A& a, const B& b, int64 row0, int64 column0, site s = site::here()) {
    if constexpr (shape::allows_wide) {
      if (detail::allows_wide_stream<false>(detail::view_of(a), row0) &&
          detail::allows_wide_stream<true>(detail::view_of(b), column0))
        return multiply_add<16>(a, b, row0, column0, s);
    }
    multiply_add<0>(a, b, row0, column0, s);
  }
  /// The same where the caller knows: `Bytes` is 16 if both operands allow such accesses from row0 and column0 on, and 0 for
  /// any operands.
  template <int Bytes, class A, class B>
  MEMTILE_FUNCTION void multiply_add(const A& a, const B& b, int64 row0, int64 column0, site s = site::here()) {
    multiply_add<Bytes>(a, b, row0, column0, k_range{0, detail::view_of(a).cols}, s);
  }
  /// The same for a part of the steps, from a multiple of block_k on.
  template <int Bytes, class A, class B>
  MEMTILE_FUNCTION void multiply_add(const A& a, const B& b, int64 row0, int64 column0, const k_range& part,
                                     site s = site::here()) {
    s = s.within("block_gemm");
    if (part.begin >= part.end) return;  // an empty sum; the pointers may be null
    // Turned: both where they come by elements anyway, and b in any case (H200, float, 4096^3, cuBLAS's time over memtile's: b
    // turned 0.91 instead of 0.86, 4097x4095x4099 0.95 instead of 0.90; where a is k major too, 0.83 instead of 0.84, but a turned
    // would make 0.94 of 0.95).
    constexpr bool turns_a = can_turn && Bytes == int(sizeof(typename shape::a)), turns_b = can_turn;
    detail::operand_stream<A, block_m, block_k, threads, Bytes, false, turns_a> a_source(block_.rank(), a, row0,
                                                                                         part.begin);
    detail::operand_stream<B, block_n, block_k, threads, Bytes, true, turns_b> b_source(block_.rank(), b, column0,
                                                                                        part.begin);

    const int64 inner = part.end - part.begin;
    const int steps = int(ceil_div(inner, block_k));  // of block_k each, the last one perhaps incomplete
    const int k_in_last = int(inner - int64(steps - 1) * block_k);
    const auto k_inside = [&](int step) { return step + 1 == steps ? k_in_last : block_k; };
    const auto fetch = [&](int step, int slot) {
      if (step < steps) {
        a_source.fetch(ring_[slot].a, k_inside(step), s);
        b_source.fetch(ring_[slot].b, k_inside(step), s);
      }
      hw::async_commit(s);  // also an empty group: the count of groups stays the count of steps
    };

    constexpr int ahead = shape::stages - 1;
    if constexpr (Bytes !=
                  0) {  // straight code holds fewer addresses; where it is long, it costs the compiler too much
      MEMTILE_UNROLL
      for (int step = 0; step < ahead; ++step) fetch(step, step);
    } else {
      MEMTILE_KEEP_LOOP
      for (int step = 0; step < ahead; ++step) fetch(step, step);
    }
    int slot = 0, free_slot = ahead;
    for (int step = 0; step < steps; ++step) {
      hw::async_wait<ahead - 1>(s);
      block_.sync(s);  // this step has arrived for all threads, and all have done with the slot that is filled next
      fetch(step + ahead, free_slot);
      multiply_stage(a_source, b_source, ring_[slot], part.begin + int64(step) * block_k, k_inside(step), s);
      slot = storage::after(slot);
      free_slot = storage::after(free_slot);
    }
    block_.sync(s);
  }
  /// Tiles in which operands of one's own lie best: read without bank conflicts, k steps of a 16 bytes at a time. A row of
  /// `Depth` elements is a multiple or a divisor of 128 bytes.
  template <int Depth>
  using a_tile = shared_tile<typename shape::a, block_m, Depth,
                             xor_swizzle<shape::run_k* int(sizeof(typename shape::a)), shape::run_m, shape::meeting_m>>;
  template <int Depth>
  using b_tile = shared_tile<typename shape::b, Depth, block_n>;

  /// Adds a * b of tiles that lie in shared memory already: a is block_m x any depth, b that depth x block_n. For a loop over
  /// k of one's own, and for a product whose operand was made in the block. Best as a_tile and b_tile, but any layout will do.
  ///
  /// Callers   all threads, after the barrier that follows the fill of the tiles; another one before they change
  template <class A, class LayoutA, class B, class LayoutB, int Depth>
  MEMTILE_FUNCTION void multiply_add(const shared_tile<A, block_m, Depth, LayoutA>& a,
                                     const shared_tile<B, Depth, block_n, LayoutB>& b, site s = site::here()) {
    s = s.within("block_gemm");
    constexpr int together = min_of(shape::run_k, LayoutA::template keeps_together<A, block_m, Depth>());
    constexpr int steps = Depth % together == 0 ? together : 1;
    MEMTILE_KEEP_LOOP
    for (int k0 = 0; k0 < Depth; k0 += steps) {
      fragment<accumulator, steps, shape::thread_m> a_columns;
      fragment<accumulator, steps, shape::thread_n> b_rows;
      MEMTILE_UNROLL
      for (int i = 0; i < shape::thread_m; ++i) {
        const auto v = a.load(wide<steps>, rows_[i], k0, s.inner());
        MEMTILE_UNROLL
        for (int k = 0; k < steps; ++k) a_columns(k, i) = accumulator(v[k]);
      }
      shared_columns_to_reg(b, columns_, k0, b_rows, s);
      MEMTILE_UNROLL
      for (int k = 0; k < steps; ++k)
        accumulators_.add_outer_product(a_columns.values[k], b_rows.values[k], semiring{});
    }
  }

  /// The accumulators begin again at zero, the semiring's.
  MEMTILE_FUNCTION void clear() { accumulators_.fill(semiring::template zero<accumulator>()); }

  MEMTILE_USER_CODE_BEGIN
  /// Calls f(row, column, accumulated) for each result of the calling thread, also those beyond the matrices; row and column
  /// count from the corner of the block's tile. f may change what was accumulated.
  template <class F>
  MEMTILE_FUNCTION void for_each(const F& f) {
    MEMTILE_UNROLL
    for (int i = 0; i < shape::thread_m; ++i) {
      MEMTILE_UNROLL
      for (int j = 0; j < shape::thread_n; ++j) f(rows_[i], columns_[j], accumulators_(i, j));
    }
  }
  /// Of each of the calling thread's rows: v(0) op v(1) op ... over all block_n columns of the tile, in every thread that
  /// has a part of the row. Number i belongs to row i of accumulators(), in this and in any product of the same policy.
  ///
  /// Callers   all threads of the warp
  /// Requires  op associative and commutative; block_tile's N 1, 2, 4 or 8 times thread_tile's N
  /// Cost      thread_n - 1 operations a row, and a shuffle for each doubling of the threads that share it; no memory
  template <class Operator>
  MEMTILE_FUNCTION vec<accumulator, shape::thread_m> reduce_rows(const Operator& op, site s = site::here()) const {
    static_assert(shape::row_is_in_warp, "memtile: block_tile's N must be 1, 2, 4 or 8 times thread_tile's N for "
                                         "reduce_rows: the threads of a row are lanes of one warp");
    vec<accumulator, shape::thread_m> reduced;
    MEMTILE_UNROLL
    for (int i = 0; i < shape::thread_m; ++i) {
      vec<accumulator, shape::thread_n> row;
      MEMTILE_UNROLL
      for (int j = 0; j < shape::thread_n; ++j) row[j] = accumulators_(i, j);
      reduced[i] = pairwise(row, op);
      MEMTILE_UNROLL
      for (int lanes = 1; lanes < shape::threads_n; lanes *= 2) {
        // the patches of place_thread have a row's lanes in bit 0 and from bit 2 on
        const int bit = shape::has_patch && lanes > 1 ? 2 * lanes : lanes;
        const auto w = shape::threads % 32 == 0 ? block_.warp().complete() : block_.warp();
        const auto other = w.shuffle_xor(reduced[i], bit, 32, s.within("block_gemm"));
        reduced[i] = op(reduced[i], other);
      }
    }
    return reduced;
  }
  MEMTILE_USER_CODE_END

  /// Puts the block's results into a shared tile, from where another product can take them.
  ///
  /// Result    visible after the caller's block.sync()
  template <class Element, class Layout>
  MEMTILE_FUNCTION void store(shared_tile<Element, block_m, block_n, Layout>& tile, site s = site::here()) const {
    constexpr int width = min_of(run<Element>, Layout::template keeps_together<Element, block_m, block_n>());
    MEMTILE_UNROLL
    for (int i = 0; i < shape::thread_m; ++i) {
      MEMTILE_UNROLL
      for (int j = 0; j < shape::thread_n; j += width) {
        vec<Element, width> v;
        MEMTILE_UNROLL
        for (int n = 0; n < width; ++n) v[n] = detail::stored_as<Element>(accumulators_(i, j + n));
        tile.store(rows_[i], columns_[j], v, s.within("block_gemm"));
      }
    }
  }

  /// Stores f(row, column, product) for each element of this block's tile that lies inside `out`; the tile begins at
  /// (row0, column0).
  template <class Out, class F>
  MEMTILE_FUNCTION void for_each_inside(const matrix_view<Out>& out, int64 row0, int64 column0, const F& f,
                                        site s = site::here()) const {
    store_with_widest(out, row0, column0, f, s);
  }
  template <class Out>
  MEMTILE_FUNCTION void store(const matrix_view<Out>& out, int64 row0, int64 column0, site s = site::here()) const {
    store_with_widest(out, row0, column0, detail::product_alone{}, s);
  }
  /// The widest store that suits the thread's share of a row, in elements of the output.
  template <class Out>
  static constexpr int run = widest<Out>(shape::run_n);
  /// Stores make(row, column, products), a vec of N products that are neighbours in a row and a vec of what is stored, where
  /// the caller knows that `out` allows accesses of N elements: 1 or `run`. In the `rows` alone that are given: rows(), or of
  /// each of them the same or one beyond `out`.
  template <int Width, class Rows, class Out, class Make>
  MEMTILE_FUNCTION void store_with(const Rows& rows, const Out& out, int64 row0, int64 column0, const Make& make,
                                   site s = site::here()) const {
    reg_to_global<Width>(accumulators_, rows, columns_, out, row0, column0, make, s.within("block_gemm"));
  }

  /// Finds out once more which results are the calling thread's, in a block of one dimension, so that nothing of it need have
  /// been held in a register since.
  MEMTILE_FUNCTION void place_again() { place_thread(hw::thread_rank_again()); }

  /// The results of the calling thread; (i, j) is that of row(i) and column(j) of the block's tile.
  MEMTILE_FUNCTION accumulator_fragment& accumulators() { return accumulators_; }
  MEMTILE_FUNCTION int row(int i) const { return rows_[i]; }
  MEMTILE_FUNCTION const auto& rows() const { return rows_; }
  MEMTILE_FUNCTION int column(int j) const { return columns_[j]; }
  /// Which of the shape::threads_m x threads_n threads it is: those with one thread_row() share rows.
  MEMTILE_FUNCTION int thread_row() const {
    return place_along<shape::lanes_m, shape::thread_m, shape::run_m>(rows_.first);
  }
  MEMTILE_FUNCTION int thread_column() const {
    return place_along<shape::lanes_n, shape::thread_n, shape::run_n>(columns_.first);
  }

 private:
  using row_span = thread_span<shape::thread_m, shape::run_m, shape::run_m * shape::lanes_m>;
  using column_span = thread_span<shape::thread_n, shape::run_n, shape::run_n * shape::lanes_n>;

  template <class Out, class F>
  MEMTILE_FUNCTION void store_with_widest(const matrix_view<Out>& out, int64 row0, int64 column0, const F& f,
                                          site s) const {
    const detail::each_of_run<Out, F> make{f};
    if (allows_access_of<int(sizeof(Out)) * run<Out>>(out) && column0 % run<Out> == 0)
      store_with<run<Out>>(rows_, out, row0, column0, make, s);
    else store_with<1>(rows_, out, row0, column0, make, s);
  }

  template <int Lanes, int Each, int Run>
  MEMTILE_FUNCTION static int place_along(int first) {
    return first / (Lanes * Each) * Lanes + first % (Lanes * Each) / Run;
  }

  // Which rows and columns of the tile this thread makes. Bit 0 of the lane is a column, bit 1 a row: then neighbouring
  // lanes share their value of a, lanes two apart their value of b, and the hardware serves a half-warp at a time
  // instead of a quarter.
  MEMTILE_FUNCTION void place_thread(int rank) {
    int lane_m = rank / shape::threads_n, lane_n = rank % shape::threads_n, warp_m = 0, warp_n = 0;
    if constexpr (shape::has_patch) {
      const int lane = rank % 32, warp = rank / 32;
      constexpr int warps_n = shape::threads_n / shape::lanes_n;
      warp_m = warp / warps_n, warp_n = warp % warps_n;
      constexpr bool wide_patch = shape::patch_4x8;
      lane_n = (lane & 1) | (wide_patch ? lane >> 1 & 6 : lane >> 1 & 2);
      lane_m = (lane >> 1 & 1) | (wide_patch ? lane >> 3 & 2 : lane >> 2 & 6);
    }
    rows_.first = warp_m * shape::lanes_m * shape::thread_m + lane_m * shape::run_m;
    columns_.first = warp_n * shape::lanes_n * shape::thread_n + lane_n * shape::run_n;
  }

  // Steps that do not exist are zeros in shared memory, whose products add nothing in the usual arithmetic; in any other one
  // they are left out.
  template <class AStream, class BStream>
  MEMTILE_FUNCTION void multiply_stage(const AStream& a_source, const BStream& b_source, const stage& tiles, int64 step,
                                       int k_inside, site s) {
    constexpr bool zeros_add_nothing = shape::zeros_add_nothing && !AStream::is_mapped && !BStream::is_mapped;
    MEMTILE_KEEP_LOOP
    for (int k1 = 0; k1 < block_k; k1 += shape::straight_k) {
      MEMTILE_UNROLL
      for (int k0 = 0; k0 < shape::straight_k; k0 += shape::run_k) {
        if (!zeros_add_nothing && k1 + k0 >= k_inside) break;
        fragment<accumulator, shape::run_k, shape::thread_m> a;  // run_k columns of a's tile, this thread's rows
        fragment<accumulator, shape::run_k, shape::thread_n> b;
        a_source.load(tiles.a, rows_, step, k1 + k0, a, s);
        b_source.load(tiles.b, columns_, step, k1 + k0, b, s);
        MEMTILE_UNROLL
        for (int k = 0; k < shape::run_k; ++k)
          if (zeros_add_nothing || k1 + k0 + k < k_inside)
            accumulators_.add_outer_product(a.values[k], b.values[k], semiring{});
      }
    }
  }

  block block_;
  storage& ring_;
  row_span rows_;
  column_span columns_;
  accumulator_fragment accumulators_;
};

}  // namespace memtile
