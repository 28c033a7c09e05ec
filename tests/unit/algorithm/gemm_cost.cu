// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What each shipped tile costs in memory accesses, in the simulator: the formula that stands where the tiles do, in all
// four
// layouts, without bank conflicts, and with every sector full.
#include <support/gemm.hpp>

using namespace memtile;

namespace {

// The kernel that gemm starts for operands that allow 16-byte accesses; gemm would compile the others as well.
template <class T, class Tile, class A, class B>
void check_cost(sim::machine& machine, const A& a, const B& b, const matrix_view<T>& c) {
  using product = block_gemm<T, gemm_policy<>::with<Tile>>;
  using products = detail::one_product<A, B, matrix_view<T>>;
  const gemm_kernel<product, 16, false, products, store_product> kernel{};
  const grid tiles(c.rows / product::block_m * (c.cols / product::block_n));
  REQUIRE(launch(machine, tiles, kernel, products{{a, b, c}}, gemm_split<T>{1, a.cols, nullptr, nullptr, {}},
                 store_product{}));
  const sim::report& report = *machine.last_report();
  CHECK_THAT(report, sim::IsClean());
  CHECK_THAT(report, sim::HasNoBankConflicts());
  CHECK_THAT(report, sim::IsCoalesced());
  const auto cost = gemm_reading_cost::of<Tile>(c.rows, c.cols, a.cols, int(sizeof(T)));
  const auto global = report.total(sim::space::global, sim::access_kind::async_copy);
  CHECK(global.sectors == cost.sectors);
  CHECK(32 * global.sectors == global.bytes_asked);
  CHECK(report.total(sim::space::shared, sim::access_kind::load).wavefronts == cost.wavefronts);
  CHECK(report.total(sim::space::shared, sim::access_kind::async_copy).wavefronts == cost.sectors / 4);
  CHECK(report.total(sim::space::global, sim::access_kind::store).sectors == c.rows * c.cols * int(sizeof(T)) / 32);
  CHECK(report.total(sim::space::global, sim::access_kind::load).requests == 0);
  CHECK(report.flops() == 2 * c.rows * c.cols * a.cols);
}

template <class T, class Tile>
void check_tile() {
  constexpr int m = 2 * Tile::block::m, n = 3 * Tile::block::n, k = 2 * Tile::block::k;
  sim::machine machine;
  auto a = machine.buffer<T>(m, k, test::integer_a), b = machine.buffer<T>(k, n, test::integer_b);
  auto at = machine.buffer<T>(k, m, [](int q, int r) { return test::integer_a(r, q); });
  auto bt = machine.buffer<T>(n, k, [](int q, int r) { return test::integer_b(r, q); });
  const auto check = [&](const auto& view_a, const auto& view_b) {
    auto c = machine.buffer<T>(m, n);
    check_cost<T, Tile>(machine, view_a, view_b, c.view());
    CHECK(test::differences(c.host(), m, n, [&](int r, int q) {
            return test::chain<T>(test::integer_a, test::integer_b, r, q, k);
          }) == 0);
  };
  check(a.view(), b.view());
  check(transposed(at.view()), b.view());
  check(a.view(), transposed(bt.view()));
  check(transposed(at.view()), transposed(bt.view()));
}

}  // namespace

TEST_CASE("the tiles of float cost what their documentation says", "[gemm][cost]") {
  check_tile<float, gemm_tiles<float>::largest>();
  check_tile<float, gemm_tiles<float>::smallest>();
  check_tile<float, gemm_tiles<float>::one_warp>();
  check_tile<float, gemm_tiles<float>::two_warps>();
  check_tile<float, gemm_tiles<float>::flat>();
}
TEST_CASE("the tiles of double cost what their documentation says", "[gemm][cost]") {
  check_tile<double, gemm_tiles<double>::largest>();
  check_tile<double, gemm_tiles<double>::smallest>();
  check_tile<double, gemm_tiles<double>::one_warp>();
}
TEST_CASE("the cost of a multiply-add", "[gemm][cost]") {
  const auto largest = gemm_reading_cost::of<gemm_tiles<float>::largest>(4096, 4096, 4096, 4);
  CHECK(largest.sectors == 100663296);  // 2^36 multiply-adds: 1/683 of a sector each
  CHECK(largest.wavefronts == 201326592);
}
