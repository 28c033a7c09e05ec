// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random matmuls of floats at every tile that memtile ships for them; see support/gemm_fuzz.hpp.
#include <support/gemm_fuzz.hpp>

using namespace memtile;
using test::fuzz::epilogue;
using test::fuzz::kind;

namespace {
using tiles = gemm_tiles<float>;
}

TEST_CASE("random matmuls of float at the largest tile", "[gemm][fuzz]") {
  test::fuzz::run<kind<float, float, float, row, column, row, tiles::largest, epilogue::on_output>>();
}
TEST_CASE("random matmuls of float at the smallest tile", "[gemm][fuzz]") {
  test::fuzz::run<kind<float, float, float, column, row, column, tiles::smallest, epilogue::on_own_c, false, true>>();
}
TEST_CASE("random matmuls of float at the tile of one warp", "[gemm][fuzz]") {
  test::fuzz::run<kind<float, float, float, row, row, row, tiles::one_warp, epilogue::on_output>>();
}
TEST_CASE("random matmuls of float at a tile of memtile's choice", "[gemm][fuzz]") {
  test::fuzz::run<kind<float, float, float, column, column, row, automatic, epilogue::none>, tiles::smallest>();
}
