// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every size: around the edges of the tiles, every inner size across the pipeline, nothing at all.
#include <support/gemm.hpp>

using namespace memtile;

namespace {
// Small enough that all edges are cheap in the simulator: 2 x 2 blocks at tile + 1.
using tile_32 = gemm_policy<block_tile<32, 32, 8>, thread_tile<4, 4>, stages<3>>;
// Not a multiple of a warp, and neither are its warps patches.
using tile_odd = gemm_policy<block_tile<12, 20, 4>, thread_tile<4, 4>, stages<2>>;
}  // namespace

TEST_CASE("gemm of 35x79x19 equals the known sums", "[gemm][GEMM-01]") {
  for (auto& machine : testing::machines()) {
    auto a = machine.buffer<float>(35, 19, test::integer_a);
    auto b = machine.buffer<float>(19, 79, test::integer_b);
    auto c = machine.buffer<float>(35, 79);
    REQUIRE(gemm(machine, a.view(), b.view(), c.view()));
    const auto result = c.host();
    CHECK(result(0, 0) == 5);
    CHECK(result(16, 32) == 8);
    CHECK(result(34, 78) == 14);
    double sum = 0, squares = 0;
    for (int r = 0; r < 35; ++r)
      for (int q = 0; q < 79; ++q) sum += result(r, q), squares += double(result(r, q)) * result(r, q);
    CHECK(sum == 0);
    CHECK(squares == 243810);
    CHECK(test::clean(machine));
  }
}

TEST_CASE("gemm is exact at every edge of the tile", "[gemm][GEMM-01][GEMM-05]") {
  for (auto& machine : testing::machines())
    for (int m : {1, 31, 32, 33})
      for (int n : {1, 31, 32, 33})
        for (int k : {1, 7, 8, 9}) test::check_integers<float, tile_32>(machine, m, n, k);
}

TEST_CASE("gemm is exact at the edges of the shipped tiles", "[gemm][GEMM-01]") {
  using smallest = gemm_tiles<float>::smallest;
  using large = gemm_policy<block_tile<128, 128, 16>, thread_tile<8, 8>, stages<4>>;
  using largest = gemm_tiles<float>::largest;
  for (auto& machine : testing::machines()) {
    for (int m : {127, 128, 129}) test::check_integers<float, largest>(machine, m, 384 - m, m - 95);
    test::check_integers<float, largest>(machine, 132, 260, 68);
    for (int m : {63, 64, 65}) test::check_integers<float, smallest>(machine, m, 129 - m, m - 31);
    for (int m : {127, 128, 129}) test::check_integers<float, large>(machine, m, 256 - m, m - 95);
    test::check_integers<float, smallest>(machine, 68, 132, 36);  // wide accesses, incomplete tiles
    test::check_integers<float, large>(machine, 132, 140, 68);
  }
}

TEST_CASE("gemm has tiles whose warps are no patches", "[gemm][GEMM-01]") {
  for (auto& machine : testing::machines())
    for (int m : {1, 11, 12, 13, 25})
      for (int n : {19, 20, 21, 41}) test::check_integers<float, tile_odd>(machine, m, n, m + 3);
}

TEMPLATE_TEST_CASE("gemm is exact with k tiles shorter than a line of shared memory", "[gemm]",
                   (gemm_policy<block_tile<64, 128, 4>, thread_tile<8, 8>>),
                   (gemm_policy<block_tile<96, 64, 8>, thread_tile<6, 8>>),
                   (gemm_policy<block_tile<24, 64, 16>, thread_tile<3, 4>>),
                   (gemm_policy<block_tile<64, 32, 4>, thread_tile<8, 4>>)) {
  for (auto& machine : testing::machines())
    for (int more : {0, 1, 4}) {
      test::check_integers<float, TestType>(machine, TestType::block::m + more, TestType::block::n + more, 12 + more);
      test::check_integers<double, TestType>(machine, TestType::block::m + more, TestType::block::n + more, 12 + more);
    }
}

TEMPLATE_TEST_CASE("gemm is exact for every element type", "[gemm]", float, double, int) {
  for (auto& machine : testing::machines()) {
    test::check_integers<TestType>(machine, 70, 37, 41);
    test::check_integers<TestType>(machine, 64, 128, 96);
    test::check_integers<TestType>(machine, 1, 1, 1);
  }
}

TEST_CASE("gemm adds every step of k, whatever the pipeline's state at the end", "[gemm][GEMM-02]") {
  constexpr int most = 2 * tile_32::stages * tile_32::block::k + 1;
  const auto one = [](int, int) { return 1.f; };
  for (auto& machine : testing::machines())
    for (int size : {1, tile_32::block::m + 1})
      for (int k = 1; k <= most + 1; ++k) {
        const int inner = k <= most ? k : 1152;
        auto a = machine.buffer<float>(size, inner, one), b = machine.buffer<float>(inner, size, one),
             c = machine.buffer<float>(size, size);
        REQUIRE(gemm<tile_32>(machine, a.view(), b.view(), c.view()));
        CHECK(test::differences(c.host(), size, size, [&](int, int) { return float(inner); }) == 0);
        CHECK(test::clean(machine));
      }
}

TEST_CASE("gemm with an identity gives the other operand back", "[gemm][GEMM-03]") {
  const auto identity = [](int r, int c) { return float(r == c); };
  for (auto& machine : testing::machines()) {
    auto eye = machine.buffer<float>(256, 256, identity);
    const auto count = [](int k, int j) { return float(128 * k + j); };
    auto b = machine.buffer<float>(256, 128, count), c = machine.buffer<float>(256, 128);
    REQUIRE(gemm(machine, eye.view(), b.view(), c.view()));
    CHECK(test::differences(c.host(), 256, 128, count) == 0);
    auto a = machine.buffer<float>(128, 256, count), d = machine.buffer<float>(128, 256);
    REQUIRE(gemm(machine, a.view(), eye.view(), d.view()));
    CHECK(test::differences(d.host(), 128, 256, count) == 0);
  }
}

TEST_CASE("gemm without rows or columns is success and touches nothing", "[gemm]") {
  for (auto& machine : testing::machines()) {
    auto a = machine.buffer<float>(5, 3, test::integer_a), b = machine.buffer<float>(3, 7, test::integer_b),
         c = machine.buffer<float>(5, 7);
    CHECK(gemm(machine, subview(a.view(), 0, 0, 0, 3), b.view(), subview(c.view(), 0, 0, 0, 7)));
    CHECK(gemm(machine, a.view(), subview(b.view(), 0, 0, 3, 0), subview(c.view(), 0, 0, 5, 0)));
    const auto result = c.host();
    CHECK(test::differences(result, 5, 7, [&](int r, int q) { return result(r, q); }) ==
          35);  // still NaN, which equals nothing
  }
}

TEST_CASE("the choice of the tile fills the card", "[gemm]") {
  // 132 multiprocessors: at 1024^3 the largest tile would leave 100 of them idle, the small one gives each two
  CHECK_FALSE(prefers_larger_tile(256, 256, 128, 256, 64, 64, 132));
  CHECK_FALSE(prefers_larger_tile(1024, 1024, 128, 256, 64, 64, 132));
  CHECK(prefers_larger_tile(2048, 2048, 128, 256, 64, 64, 132));
  CHECK(prefers_larger_tile(8192, 8192, 128, 256, 64, 64, 132));
  // many products of 16 x 256 do not make tall matrices
  CHECK_FALSE(prefers_larger_tile(16, 256, 128, 256, 64, 64, 132, 0.9, 4096));
  // small tiles would leave multiprocessors idle up to 512^3; few rows read b at memory's rate
  CHECK(prefers_flat_tile(256, 256, 256, 64, 64, 16, 64, 132));
  CHECK(prefers_flat_tile(512, 512, 512, 64, 64, 16, 64, 132));
  CHECK_FALSE(prefers_flat_tile(1024, 1024, 1024, 64, 64, 16, 64, 132));
  CHECK_FALSE(prefers_flat_tile(256, 256, 65536, 64, 64, 16, 64, 132));
  CHECK(prefers_flat_tile(32, 8192, 8192, 64, 64, 16, 64, 132));
  CHECK_FALSE(prefers_flat_tile(33, 8192, 8192, 64, 64, 16, 64, 132));
}
