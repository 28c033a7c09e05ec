// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random matmuls of other types than float and double, and of strided matrices; see support/gemm_fuzz.hpp.
#include <support/gemm_fuzz.hpp>

using namespace memtile;
using test::fuzz::epilogue;
using test::fuzz::kind;

namespace {
using tile_24 = gemm_policy<block_tile<24, 64, 16>, thread_tile<3, 4>, stages<4>>;
using tile_32 = gemm_policy<block_tile<32, 32, 8>, thread_tile<4, 4>, stages<3>>;
}  // namespace

TEST_CASE("random matmuls of halves", "[gemm][fuzz]") {
  test::fuzz::run<kind<float16, float16, float16, row, row, row, tile_24, epilogue::on_output>>();
}
TEST_CASE("random matmuls of bytes into bytes", "[gemm][fuzz]") {
  test::fuzz::run<kind<int8, int8, int8, column, row, row, gemm_tiles<int32>::smallest, epilogue::on_output>>();
}
TEST_CASE("random matmuls of a half and a byte", "[gemm][fuzz]") {
  test::fuzz::run<
      kind<float16, int8, float, row, column, row, gemm_tiles<float>::smallest, epilogue::on_own_c, false, true>>();
}
TEST_CASE("random matmuls of a strided matrix and one by rows", "[gemm][fuzz]") {
  test::fuzz::run<kind<float, float, float, strided, row, row, tile_32, epilogue::on_output>>();
}
TEST_CASE("random matmuls of whole numbers into a strided matrix", "[gemm][fuzz]") {
  test::fuzz::run<kind<int32, int32, int32, row, row, strided, tile_32, epilogue::on_own_c>>();
}
