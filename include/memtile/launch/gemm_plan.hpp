// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which kernel a matmul runs: the tiles among which memtile chooses, and the choice as a pure function of numbers.
#pragma once

#include <memtile/block/gemm_shape.hpp>

#if !defined(__CUDACC_RTC__)
#include <string>

namespace memtile {

/// The tiles among which `automatic` chooses, by the bytes of an accumulator. The large one reads least of a and b for each
/// result; the small one gives every multiprocessor work where the matrices
/// are small, and serves the rest. The flat one serves outputs of few rows, and small ones, of which it makes many tiles with
/// many threads each. In batches of small matrices one or two warps make a tile.
///
/// What reading a and b costs for each multiply-add, in every layout, where 16-byte accesses are allowed and tiles are whole:
///
///   sectors of global memory      (1 / block_m + 1 / block_n) * bytes / 32       float: largest 1/683, smallest 1/256
///   wavefronts of shared memory   (1 / thread_m + 1 / thread_n) * bytes / 256    float: largest 1/341, smallest 1/171
///
/// without a bank conflict or an unused byte of a sector; gemm_reading_cost gives the sums. A warp of 4 x 8 threads takes 16
/// bytes a lane in two wavefronts, since its lanes share what they read; 32 multiply-adds are one of the warp.
///
/// H200, CUDA 13.0, 2026-11, float, cuBLAS's time over theirs: largest 0.95 at 4096^3, smallest 1.09 at 1024^3; the
/// whole list is in tests/benchmark/RESULTS.md.
namespace detail {
template <int Bytes>
struct tiles_for {  // large types: few accumulators fit
  using largest = gemm_policy<block_tile<32, 32, 8>, thread_tile<2, 4>, stages<2>>;
  using smallest = largest;
  using flat = smallest;
  using one_warp = gemm_policy<block_tile<8, 16, 8>, thread_tile<2, 2>, stages<2>>;
  using two_warps = one_warp;
};
template <>
struct tiles_for<4> {
  using largest = gemm_policy<block_tile<128, 256, 32>, thread_tile<16, 8>, stages<2>>;
  using smallest = gemm_policy<block_tile<64, 64, 32>, thread_tile<8, 4>, stages<3>, resident_blocks<4>>;
  using flat = gemm_policy<block_tile<16, 64, 64>, thread_tile<4, 2>, stages<3>>;
  using one_warp = gemm_policy<block_tile<16, 16, 16>, thread_tile<4, 2>, stages<2>>;
  using two_warps = gemm_policy<block_tile<32, 32, 32>, thread_tile<4, 4>, stages<2>>;
};
template <>
struct tiles_for<8> {
  using largest = gemm_policy<block_tile<64, 128, 16>, thread_tile<8, 8>, stages<3>>;
  using smallest = gemm_policy<block_tile<32, 64, 16>, thread_tile<4, 4>, stages<3>>;
  using flat = smallest;
  using one_warp = gemm_policy<block_tile<16, 16, 16>, thread_tile<4, 2>, stages<2>>;
  using two_warps = one_warp;
};
// The same for elements that pass through a functor, or that take several instructions to widen and to narrow: that needs
// registers, so no number of blocks bounds them.
template <class Tile>
using with_free_registers = gemm_policy<typename Tile::block, typename Tile::thread, memtile::stages<Tile::stages>>;
template <>
struct tiles_for<2> : tiles_for<4> {
  using smallest = with_free_registers<tiles_for<4>::smallest>;
};
template <>
struct tiles_for<1> : tiles_for<2> {};
}  // namespace detail
template <class Accumulator>
using gemm_tiles = detail::tiles_for<int(sizeof(Accumulator))>;

/// What the memories move for a and b in a product of m x n x k: whole tiles, 16-byte accesses. Wavefronts are those of loads;
/// the copies into shared memory are sectors / 4 more.
struct gemm_reading_cost {
  int64 sectors, wavefronts;
  template <class Tile>
  static constexpr gemm_reading_cost of(int64 m, int64 n, int64 k, int element_bytes) {
    const int64 bytes = m * n * k * element_bytes;
    return {bytes / Tile::block::m / 32 + bytes / Tile::block::n / 32,
            bytes / Tile::thread::m / 256 + bytes / Tile::thread::n / 256};
  }
};

/// Which of two tiles finishes an m x n output sooner: the larger, if the busiest multiprocessor has no more elements
/// to make with it. A small tile works at `small_efficiency` of the large one's speed
/// (H200, 2026-11, float, 4096^3: 0.90 to 0.96 of it).
constexpr bool prefers_larger_tile(int64 m, int64 n, int64 large_m, int64 large_n, int64 small_m, int64 small_n,
                                   int multiprocessors, double small_efficiency = 0.9, int64 products = 1) {
  const auto busiest = [=](int64 tile_m, int64 tile_n) {
    return ceil_div(products * ceil_div(m, tile_m) * ceil_div(n, tile_n), multiprocessors) * tile_m * tile_n;
  };
  const int64 large = busiest(large_m, large_n), smallest = busiest(small_m, small_n);
  return double(large) * small_efficiency <= double(smallest);
}

/// Whether matrices of m x n are so small that a tile would mostly make what does not exist, and a smaller one not.
constexpr bool prefers_smaller_tile(int64 m, int64 n, int64 tile_m, int64 tile_n, int64 smaller_m, int64 smaller_n) {
  return ceil_div(m, tile_m) * tile_m * ceil_div(n, tile_n) * tile_n >=
         2 * ceil_div(m, smaller_m) * smaller_m * ceil_div(n, smaller_n) * smaller_n;
}

/// Whether the flat tile suits one product: where memory's rate limits it, since b is read for few rows of a; or where small
/// tiles leave multiprocessors idle and flat ones do not, in short sums, since they make each result more dearly
/// (H200, 2026-11, float: 0.8 of the small tile's speed at 1024^3, but 4.1 against 8.9 us at 256^3 and 9.9 against 16.5 at 512^3).
constexpr bool prefers_flat_tile(int64 m, int64 n, int64 k, int64 small_m, int64 small_n, int64 flat_m, int64 flat_n,
                                 int multiprocessors) {
  if (m <= 2 * flat_m) return true;
  return k <= 2048 && !prefers_larger_tile(m, n, small_m, small_n, flat_m, flat_n, multiprocessors, 0.8);
}

/// Into how many slices along k the tiles of a matmul are cut, where there are no more tiles than multiprocessors: as
/// many as give each multiprocessor two blocks, of 16 steps of the tile's K at least, so that adding them up is a small part of the
/// work.
constexpr int choose_slices(int64 tiles, int64 inner, int block_k, int multiprocessors) {
  if (tiles == 0 || tiles > multiprocessors) return 1;
  return int(max_of<int64>(1, min_of<int64>(min_of<int64>(64, 2 * multiprocessors / tiles), inner / (16 * block_k))));
}

/// What a call would run.
struct gemm_plan {
  int block_m, block_n, block_k, thread_m, thread_n, stages, threads;
  bool wide;       // 16-byte accesses
  bool is_chosen;  // by memtile and not by the policy
  int slices;      // along k
  int64 products, tiles_each;
  constexpr int64 tiles() const { return products * tiles_each; }
  constexpr int64 blocks() const { return tiles() * slices; }
};

namespace detail {
template <class Product>
gemm_plan plan_with(int64 rows, int64 columns, int64 products, bool wide, bool is_chosen) {
  using shape = typename Product::shape;
  return {shape::block_m,  shape::block_n,
          shape::block_k,  shape::thread_m,
          shape::thread_n, shape::stages,
          shape::threads,  wide,
          is_chosen,       1,
          products,        ceil_div(rows, shape::block_m) * ceil_div(columns, shape::block_n)};
}
}  // namespace detail

/// The plan in words.
inline std::string explained(const gemm_plan& p) {
  const auto number = [](int64 n) { return std::to_string(n); };
  std::string words = "gemm: " + number(p.blocks()) + " blocks of " + number(p.threads) +
                      " threads, one for each tile of " + number(p.block_m) + "x" + number(p.block_n) + " (" +
                      number(p.thread_m) + "x" + number(p.thread_n) + " a thread), " + number(p.block_k) +
                      " steps of k at a time, " + number(p.stages) + " stages";
  words += p.wide ? "; accesses of 16 bytes, since all of a, b and the output allow them"
                  : "; narrower accesses, since not all of a, b and the output allow 16 bytes";
  words += !p.is_chosen ? "; the tile is the policy's" : "; the tile is the one that suits these sizes";
  if (p.products != 1) words += "; " + number(p.products) + " products of " + number(p.tiles_each) + " tiles each";
  if (p.slices != 1)
    words += "; " + number(p.slices) + " slices along k, since " + number(p.tiles()) +
             " tiles alone give the multiprocessors too little to do; they are added up in one order";
  return words;
}

}  // namespace memtile
#endif
