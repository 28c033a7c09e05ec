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
// An operand keeps in shared memory the direction in which it is contiguous in global memory, so that 16-byte copies
// need no transposition: rows of k ("k major") or rows of m or n. Registers get the same values either way, and each
// result is one chain of fused multiply-adds in ascending k: its bits depend neither on the tile nor on the layouts.
#pragma once

#include <memtile/block/gemm_shape.hpp>
#include <memtile/block/global_to_shared.cuh>
#include <memtile/block/reg_to_global.cuh>
#include <memtile/block/shared_to_reg.cuh>
#include <memtile/reg/fragment.cuh>
#include <memtile/shared/ring.cuh>

namespace memtile {

namespace detail {

// One operand's tile, in either direction. `Lanes` lanes of a warp read rows `Run` apart of the k major form.
template <class T, int Extent, int Depth, int Run, int Lanes>
union operand_tile {
  shared_tile<T, Extent, Depth, xor_swizzle<widest<T>(Depth) * int(sizeof(T)), Run, Lanes>> k_major;
  shared_tile<T, Depth, Extent> other;
};

// How one operand is streamed and read, seen as a matrix of Extent x K whose rows are what the block multiplies.
template <class T, int Extent, int Depth, int Threads, int Bytes, bool KMajor>
class operand_stream {
  using stream = conditional_t<KMajor, tile_stream<T, Extent, Depth, Threads, Bytes>,
                               tile_stream<T, Depth, Extent, Threads, Bytes>>;

 public:
  // `rows` holds the operand with k along its rows if KMajor, else along its columns; both are row major.
  MEMTILE_FUNCTION operand_stream(int rank, const matrix_view<const T>& rows, int64 first)
      : stream_(rank, rows, KMajor ? first : 0, KMajor ? 0 : first),
        inside_(int(min_of<int64>(Extent, (KMajor ? rows.rows : rows.cols) - first))) {}

  // Starts the copy of the next K steps, k_inside of which exist.
  template <class Tile>
  MEMTILE_FUNCTION void fetch(Tile& to, int k_inside, site s) {
    if constexpr (KMajor) stream_.copy(to.k_major, inside_, k_inside, s), stream_.next_columns();
    else stream_.copy(to.other, k_inside, inside_, s), stream_.next_rows();
  }
  template <int Steps, class Span, class Tile>
  MEMTILE_FUNCTION static void load(const Tile& from, Span span, int k0, fragment<T, Steps, Span::count>& out, site s) {
    if constexpr (KMajor) shared_rows_to_reg(from.k_major, span, k0, out, s);
    else shared_columns_to_reg(from.other, span, k0, out, s);
  }

 private:
  stream stream_;
  int inside_;  // how many of the Extent rows exist
};

// What a store makes of a run of products: itself, or f(row, column, product) of each. No generic lambdas, which NVRTC
// takes for host functions.
struct whole_run {
  template <class Run>
  MEMTILE_FUNCTION Run operator()(int64, int64, Run products) const {
    return products;
  }
};
MEMTILE_USER_CODE_BEGIN
template <class F>
struct each_of_run {
  const F& f;
  template <class Run>
  MEMTILE_FUNCTION Run operator()(int64 r, int64 c, Run products) const {
    MEMTILE_UNROLL
    for (int n = 0; n < Run::size; ++n) products[n] = f(r, c + n, products[n]);
    return products;
  }
};
MEMTILE_USER_CODE_END

}  // namespace detail

/// A block-wide matmul for a kernel of one's own, `__global__` or memtile's.
///
///   using product = memtile::block_gemm<float, memtile::gemm_policy<memtile::block_tile<64, 64, 16>>>;
///   product multiply{block, shared};              // product::storage& shared
///   multiply.multiply_add(a, b, row0, column0);   // a: M x K, b: K x N; each row or column major
///   multiply.store(c, row0, column0);             // or for_each_inside(c, row0, column0, functor)
///
/// Callers   product::threads threads, all of them for multiply_add; each for itself afterwards
/// Memory    product::shared_bytes; free again when multiply_add returns
template <class T, class Policy = gemm_policy<>>
class block_gemm {
 public:
  using shape = gemm_shape<T, Policy>;
  static constexpr int block_m = shape::block_m, block_n = shape::block_n, block_k = shape::block_k;
  static constexpr int threads = shape::threads, min_blocks = shape::min_blocks;

  struct stage {
    detail::operand_tile<T, block_m, block_k, shape::run_m, shape::meeting_m> a;  // block_m x block_k
    detail::operand_tile<T, block_n, block_k, shape::run_n, shape::meeting_n> b;  // block_n x block_k, transposed
  };

 private:
  template <bool KMajor, int Bytes>
  using a_stream = detail::operand_stream<T, block_m, block_k, threads, Bytes, KMajor>;
  template <bool KMajor, int Bytes>
  using b_stream = detail::operand_stream<T, block_n, block_k, threads, Bytes, KMajor>;

 public:
  using storage = ring<stage, shape::stages>;
  static constexpr int shared_bytes = int(sizeof(storage));
  using accumulator_fragment = fragment<T, shape::thread_m, shape::thread_n>;

  MEMTILE_FUNCTION block_gemm(block b, storage& shared) : block_(b), ring_(shared) {
    accumulators_.fill(T(0));
    place_thread(b.rank());
  }

  /// Adds a(row0 .. row0 + block_m - 1, all k) * b(all k, column0 .. column0 + block_n - 1) to the accumulators.
  ///
  /// Outside   rows, columns and steps of k that do not exist count as zero and are not read
  /// Requires  a.cols == b.rows, 0 <= row0 <= a.rows, 0 <= column0 <= b.cols
  /// Memory    16-byte accesses where a and b allow them, else one element at a time; decided here unless the caller
  ///           knows
  template <class A, class LayoutA, class B, class LayoutB>
  MEMTILE_FUNCTION void multiply_add(const matrix_view<A, LayoutA>& a, const matrix_view<B, LayoutB>& b, int64 row0,
                                     int64 column0, site s = site::here()) {
    constexpr int wide = 16 / int(sizeof(T));
    if (allows_access_of<16>(a) && allows_access_of<16>(b) && row0 % wide == 0 && column0 % wide == 0)
      multiply_add<16>(a, b, row0, column0, s);
    else multiply_add<int(sizeof(T))>(a, b, row0, column0, s);
  }
  /// The same where the caller knows that both operands allow accesses of `Bytes` bytes, from row0 and column0 on.
  template <int Bytes, class A, class LayoutA, class B, class LayoutB>
  MEMTILE_FUNCTION void multiply_add(const matrix_view<A, LayoutA>& a, const matrix_view<B, LayoutB>& b, int64 row0,
                                     int64 column0, site s = site::here()) {
    s = s.within("block_gemm");
    if (a.cols == 0) return;  // an empty sum; the pointers may be null
    constexpr bool a_k_major = detail::is_same<LayoutA, row>, b_k_major = detail::is_same<LayoutB, column>;
    a_stream<a_k_major, Bytes> a_source(block_.rank(), as_rows(a), row0);
    b_stream<b_k_major, Bytes> b_source(block_.rank(), as_rows(b), column0);

    const int steps = int(ceil_div(a.cols, block_k));  // of block_k each, the last one perhaps incomplete
    const int k_in_last = int(a.cols - int64(steps - 1) * block_k);
    const auto fetch = [&](int step, int slot) {
      if (step < steps) {
        const int k_inside = step + 1 == steps ? k_in_last : block_k;
        a_source.fetch(ring_[slot].a, k_inside, s);
        b_source.fetch(ring_[slot].b, k_inside, s);
      }
      hw::async_commit(s);  // also an empty group: the count of groups stays the count of steps
    };

    constexpr int ahead = shape::stages - 1;
    MEMTILE_UNROLL
    for (int step = 0; step < ahead; ++step) fetch(step, step);
    int slot = 0, free_slot = ahead;
    for (int step = 0; step < steps; ++step) {
      hw::async_wait<ahead - 1>(s);
      block_.sync(s);  // this step has arrived for all threads, and all have done with the slot that is filled next
      fetch(step + ahead, free_slot);
      multiply_stage<a_stream<a_k_major, Bytes>, b_stream<b_k_major, Bytes>>(ring_[slot], s);
      slot = storage::after(slot);
      free_slot = storage::after(free_slot);
    }
    block_.sync(s);
  }

  /// Stores f(row, column, product) for each element of this block's tile that lies inside `out`; the tile begins at
  /// (row0, column0).
  template <class F>
  MEMTILE_FUNCTION void for_each_inside(const matrix_view<T>& out, int64 row0, int64 column0, const F& f,
                                        site s = site::here()) const {
    store_with_widest(out, row0, column0, detail::each_of_run<F>{f}, s);
  }
  MEMTILE_FUNCTION void store(const matrix_view<T>& out, int64 row0, int64 column0, site s = site::here()) const {
    store_with_widest(out, row0, column0, detail::whole_run{}, s);
  }
  /// The widest store that suits the thread's share of a row, in elements.
  static constexpr int run = shape::run_n;
  /// Stores make(row, column, products), N neighbours of a row at a time, where the caller knows that `out` allows
  /// accesses of N elements: 1 or `run`.
  template <int Width, class Make>
  MEMTILE_FUNCTION void store_with(const matrix_view<T>& out, int64 row0, int64 column0, const Make& make,
                                   site s = site::here()) const {
    reg_to_global<Width>(accumulators_, rows_, columns_, out, row0, column0, make, s.within("block_gemm"));
  }

  MEMTILE_FUNCTION accumulator_fragment& accumulators() { return accumulators_; }

 private:
  using row_span = thread_span<shape::thread_m, shape::run_m, shape::run_m * shape::lanes_m>;
  using column_span = thread_span<shape::thread_n, shape::run_n, shape::run_n * shape::lanes_n>;

  template <class Make>
  MEMTILE_FUNCTION void store_with_widest(const matrix_view<T>& out, int64 row0, int64 column0, const Make& make,
                                          site s) const {
    if (allows_access_of<int(sizeof(T)) * run>(out) && column0 % run == 0) store_with<run>(out, row0, column0, make, s);
    else store_with<1>(out, row0, column0, make, s);
  }

  // Which rows and columns of the tile this thread makes. Bit 0 of the lane is a column, bit 1 a row: then neighbouring
  // lanes share their value of a, lanes two apart their value of b, and the hardware serves a half-warp at a time
  // instead of a quarter.
  MEMTILE_FUNCTION void place_thread(int rank) {
    int lane_m = rank / shape::threads_n, lane_n = rank % shape::threads_n, warp_m = 0, warp_n = 0;
    if constexpr (shape::patch_4x8 || shape::patch_8x4) {
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

  // A view whose rows are contiguous: the operand itself or, column major, its transpose.
  template <class U, class Layout>
  MEMTILE_FUNCTION static matrix_view<const T> as_rows(const matrix_view<U, Layout>& v) {
    if constexpr (detail::is_same<Layout, row>) return v;
    else return transposed(v);
  }

  template <class AStream, class BStream>
  MEMTILE_FUNCTION void multiply_stage(const stage& tiles, site s) {
    MEMTILE_KEEP_LOOP
    for (int k1 = 0; k1 < block_k; k1 += shape::straight_k) {
      MEMTILE_UNROLL
      for (int k0 = 0; k0 < shape::straight_k; k0 += shape::run_k) {
        fragment<T, shape::run_k, shape::thread_m> a;  // run_k columns of a's tile, this thread's rows
        fragment<T, shape::run_k, shape::thread_n> b;
        AStream::load(tiles.a, rows_, k1 + k0, a, s);
        BStream::load(tiles.b, columns_, k1 + k0, b, s);
        MEMTILE_UNROLL
        for (int k = 0; k < shape::run_k; ++k) accumulators_.add_outer_product(a.values[k], b.values[k]);
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
