// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What becomes of a product on its way to memory: alpha and beta, biases, relu, functors, and chains of them.
#include <support/gemm.hpp>

#include <limits>

using namespace memtile;

namespace {
using tile_32 = gemm_policy<block_tile<32, 32, 8>, thread_tile<4, 4>>;
const auto one = [](int, int) { return 1.f; };

struct add_coordinates {
  MEMTILE_FUNCTION float operator()(float product, int64 row, int64 column) const {
    return product + float(1000 * row + column);
  }
};
}  // namespace

TEST_CASE("with beta = 0 the old output is not read", "[gemm][GEMM-04]") {
  for (auto& machine : testing::machines())
    for (float old : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
      auto a = machine.buffer<float>(3, 3, one), c = machine.buffer<float>(3, 3, [=](int, int) { return old; });
      auto b = machine.buffer<float>(3, 3, one);
      REQUIRE(gemm(machine, a.view(), b.view(), c.view(), linear{1.f, 0.f}));
      CHECK(test::differences(c.host(), 3, 3, [](int, int) { return 3.f; }) == 0);
      if (const auto* report = machine.last_report())
        for (const auto& row : report->rows())
          CHECK_FALSE((row.where == sim::space::global && row.kind == sim::access_kind::load));
    }
}

TEST_CASE("incomplete tiles honour beta = 0 like complete ones", "[gemm][GEMM-05]") {
  constexpr int size = tile_32::block::m + 1;
  const float infinity = std::numeric_limits<float>::infinity();
  for (auto& machine : testing::machines()) {
    auto a = machine.buffer<float>(size, 4, one), b = machine.buffer<float>(4, size, one);
    auto c = machine.buffer<float>(size, size, [=](int, int) { return infinity; });
    REQUIRE(gemm<tile_32>(machine, a.view(), b.view(), c.view(), linear{1.f, 0.f}));
    CHECK(test::differences(c.host(), size, size, [](int, int) { return 4.f; }) == 0);
  }
}

TEST_CASE("an empty sum is zero, so the output becomes beta times itself", "[gemm][GEMM-06]") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (auto& machine : testing::machines()) {
    const matrix_view<const float> a(nullptr, 3, 0, 0), b(nullptr, 0, 2, 8);
    for (float beta : {2.f, 0.f, 1.f}) {
      auto c = machine.buffer<float>(3, 2, [=](int r, int q) { return beta == 0 ? nan : float(2 * r + q + 1); });
      REQUIRE(gemm(machine, a, b, c.view(), linear{5.f, beta}));
      CHECK(test::differences(c.host(), 3, 2, [=](int r, int q) { return beta * float(2 * r + q + 1); }) == 0);
    }
  }
}

TEST_CASE("with alpha = 0 the inputs are not read", "[gemm][GEMM-07]") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (auto& machine : testing::machines()) {
    auto a = machine.buffer<float>(2, 2, [=](int, int) { return nan; }),
         b = machine.buffer<float>(2, 2, [=](int, int) { return nan; });
    for (float beta : {0.f, 1.f, 3.f}) {
      auto c = machine.buffer<float>(2, 2, [](int r, int q) { return float(2 * r + q + 1); });
      REQUIRE(gemm(machine, a.view(), b.view(), c.view(), linear{0.f, beta}));
      CHECK(test::differences(c.host(), 2, 2, [=](int r, int q) { return beta * float(2 * r + q + 1); }) == 0);
    }
  }
}

TEST_CASE("alpha and beta are applied once", "[gemm][GEMM-17]") {
  for (auto& machine : testing::machines()) {
    auto a = machine.buffer<float>(1, 8, one), b = machine.buffer<float>(8, 1, one),
         c = machine.buffer<float>(1, 1, one);
    REQUIRE(gemm(machine, a.view(), b.view(), c.view(), linear{2.f, 3.f}));
    CHECK(c.host()(0, 0) == 19);
  }
}

TEMPLATE_TEST_CASE("linear, biases and relu compose in order", "[gemm]", float, double, int) {
  using T = TestType;
  constexpr int m = 45, n = 40, k = 24;
  for (auto& machine : testing::machines()) {
    auto a = machine.template buffer<T>(m, k, test::integer_a), b = machine.template buffer<T>(k, n, test::integer_b);
    const auto old = [](int r, int q) { return T((r * 5 + q) % 9 - 4); };
    auto c = machine.template buffer<T>(m, n, old);
    auto per_column = machine.template buffer<T>(n, [](int q) { return T(q % 11 - 5); });
    auto per_row = machine.template buffer<T>(m, [](int r) { return T(r % 6 - 3); });
    REQUIRE(gemm(machine, a.view(), b.view(), c.view(),
                 linear{T(2), T(-3)} | bias_columns(per_column.view()) | relu() | bias_rows(per_row.view())));
    CHECK(test::differences(c.host(), m, n, [&](int r, int q) {
            const T v = T(2 * test::chain<T>(test::integer_a, test::integer_b, r, q, k) - 3 * old(r, q) + q % 11 - 5);
            return T((v > 0 ? v : 0) + r % 6 - 3);
          }) == 0);
    CHECK((c.untouched() && per_column.untouched() && per_row.untouched()));
    CHECK(test::clean(machine));
  }
}

TEST_CASE("an epilogue sees the coordinates of the output, whichever way it lies", "[gemm]") {
  for (auto& machine : testing::machines()) {
    auto a = machine.buffer<float>(34, 5, test::integer_a), b = machine.buffer<float>(5, 70, test::integer_b);
    auto c = machine.buffer<float>(34, 70), c_transposed = machine.buffer<float>(70, 34);
    const auto expected = [](int r, int q) {
      return test::chain<float>(test::integer_a, test::integer_b, r, q, 5) + float(1000 * r + q);
    };
    REQUIRE(gemm(machine, a.view(), b.view(), c.view(), add_coordinates{}));
    CHECK(test::differences(c.host(), 34, 70, expected) == 0);
    REQUIRE(gemm(machine, a.view(), b.view(), transposed(c_transposed.view()), relu() | add_coordinates{}));
    const auto raised = [](int r, int q) {
      return std::max(0.f, test::chain<float>(test::integer_a, test::integer_b, r, q, 5)) + float(1000 * r + q);
    };
    CHECK(test::differences(c_transposed.host(), 70, 34, [&](int q, int r) { return raised(r, q); }) == 0);
  }
}
