// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Both layouts of each input, and strides, at every tile that memtile ships for double; see support/gemm_at_tile.hpp.
#include <support/gemm_at_tile.hpp>

using namespace memtile;
using tiles = gemm_tiles<double>;

TEMPLATE_TEST_CASE("every layout is right at every tile of double", "[gemm][GEMM-11][GEMM-18]", tiles::largest,
                   tiles::smallest, tiles::one_warp) {
  for (auto& machine : testing::machines()) test::check_layouts_at_tile<double, TestType>(machine);
}
