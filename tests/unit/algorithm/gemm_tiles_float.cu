// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cases that a tile may get wrong, at every tile that memtile ships for float; see support/gemm_at_tile.hpp.
#include <support/gemm_at_tile.hpp>

using namespace memtile;
using tiles = gemm_tiles<float>;

TEMPLATE_TEST_CASE("the cases of gemm hold at every tile of float",
                   "[gemm][GEMM-01][GEMM-02][GEMM-03][GEMM-04][GEMM-05][GEMM-06][GEMM-07][GEMM-08][GEMM-09]"
                   "[GEMM-17][GEMM-19]",
                   tiles::largest, tiles::smallest, tiles::flat, tiles::one_warp, tiles::two_warps) {
  for (auto& machine : testing::machines()) test::check_cases_at_tile<float, TestType>(machine);
}
