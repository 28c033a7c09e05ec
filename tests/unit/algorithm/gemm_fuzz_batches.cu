// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random batches, and random matmuls of doubles; see support/gemm_fuzz.hpp.
#include <support/gemm_fuzz.hpp>

using namespace memtile;
using test::fuzz::epilogue;
using test::fuzz::kind;

namespace {
using tile_32 = gemm_policy<block_tile<32, 32, 8>, thread_tile<4, 4>, stages<3>>;
// Not a multiple of a warp, and neither are its warps patches.
using tile_odd = gemm_policy<block_tile<12, 20, 4>, thread_tile<4, 4>, stages<2>>;
}  // namespace

TEST_CASE("random batches of float at tiles of memtile's choice", "[gemm][batch][fuzz]") {
  test::fuzz::run<kind<float, float, float, row, row, row, automatic, epilogue::on_output, true>,
                  gemm_tiles<float>::one_warp>();
}
TEST_CASE("random batches of double", "[gemm][batch][fuzz]") {
  test::fuzz::run<kind<double, double, double, column, row, column, tile_32, epilogue::on_output, true>>();
}
TEST_CASE("random matmuls of double at a tile whose warps are no patches", "[gemm][fuzz]") {
  test::fuzz::run<kind<double, double, double, row, column, column, tile_odd, epilogue::on_own_c, false, true>>();
}
TEST_CASE("random matmuls of double at the largest tile", "[gemm][fuzz]") {
  test::fuzz::run<kind<double, double, double, row, row, row, gemm_tiles<double>::largest, epilogue::none>>();
}
