// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What becomes of a product on its way to memory: alpha and beta, values for rows, columns and elements, functors, and
// chains of them. That the type may change on the way is tested in epilogue_types.cu.
#include <support/gemm.hpp>

#include <limits>

using namespace memtile;

namespace {
using tile_32 = gemm_policy<block_tile<32, 32, 8>, thread_tile<4, 4>>;
const auto one = [](int, int) { return 1.f; };

template <class T>
struct add_coordinates {
  MEMTILE_FUNCTION T operator()(T product, int64 row, int64 column) const { return product + T(10 * row + column); }
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

TEMPLATE_TEST_CASE("c of linear may lie anywhere, in any layout", "[gemm]", float, double, int) {
  using T = TestType;
  constexpr int m = 37, n = 70, k = 9;
  const auto c_value = [](int r, int q) { return T((r * 3 + q) % 13 - 6); };
  const auto expected = [&](int r, int q) {
    return T(2 * test::chain<T>(test::integer_a, test::integer_b, r, q, k) - 3 * c_value(r, q));
  };
  for (auto& machine : testing::machines()) {
    auto a = machine.template buffer<T>(m, k, test::integer_a), b = machine.template buffer<T>(k, n, test::integer_b);
    auto as_rows = machine.template buffer<T>(m, n, c_value, sim::placement{n + 3, 1});
    auto as_columns = machine.template buffer<T>(n, m, [&](int q, int r) { return c_value(r, q); });
    auto apart = machine.template buffer<T>(m, 2 * n, [&](int r, int q) { return c_value(r, q / 2); });
    const matrix_view<T, strided> every_second(apart.view().data, m, n, apart.view().pitch, 2 * sizeof(T));
    const auto check = [&](const auto& c) {
      auto out = machine.template buffer<T>(m, n), flipped = machine.template buffer<T>(n, m);
      REQUIRE(gemm(machine, a.view(), b.view(), out.view(), linear{T(2), T(-3), c}));
      CHECK(test::differences(out.host(), m, n, expected) == 0);
      CHECK((out.untouched() && test::clean(machine)));
      REQUIRE(gemm(machine, a.view(), b.view(), transposed(flipped.view()), linear{T(2), T(-3), c}));
      CHECK(test::differences(flipped.host(), n, m, [&](int q, int r) { return expected(r, q); }) == 0);
    };
    check(as_rows.view());
    check(transposed(as_columns.view()));
    check(every_second);
    REQUIRE(gemm(machine, a.view(), b.view(), as_rows.view(), linear{T(2), T(-3), as_rows.view()}));  // the output
    CHECK(test::differences(as_rows.host(), m, n, expected) == 0);
    CHECK(as_rows.untouched());
  }
}

TEST_CASE("with beta = 0 a c of its own is neither read nor looked at", "[gemm][GEMM-04]") {
  for (auto& machine : testing::machines()) {
    auto a = machine.buffer<float>(3, 3, one), b = machine.buffer<float>(3, 3, one), c = machine.buffer<float>(3, 3);
    REQUIRE(gemm(machine, a.view(), b.view(), c.view(), linear{2.f, 0.f, matrix_view<float>(nullptr, 7, 7, 28)}));
    CHECK(test::differences(c.host(), 3, 3, [](int, int) { return 6.f; }) == 0);
  }
}

TEST_CASE("alpha and beta may be found in memory, with the same rules for 0", "[gemm][GEMM-04][GEMM-07]") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (auto& machine : testing::machines())
    for (float alpha : {0.f, 2.f})
      for (float beta : {0.f, -1.f}) {
        auto a = machine.buffer<float>(35, 7, [=](int, int) { return alpha == 0 ? nan : 1.f; });
        auto b = machine.buffer<float>(7, 20, one);
        auto scalars = machine.buffer<float>(2, [=](int i) { return i == 0 ? alpha : beta; });
        const auto old = [=](int r, int q) { return beta == 0 ? nan : float(20 * r + q); };
        const auto expected = [=](int r, int q) { return alpha * 7 + beta * float(20 * r + q); };
        auto out = machine.buffer<float>(35, 20, old), c = machine.buffer<float>(35, 20, old);
        const auto in_memory_alpha = value_at(scalars.view().data),
                   in_memory_beta = value_at(subview(scalars.view(), 1, 1));
        REQUIRE(gemm(machine, a.view(), b.view(), out.view(), linear{in_memory_alpha, in_memory_beta}));
        CHECK(test::differences(out.host(), 35, 20, expected) == 0);
        CHECK(test::clean(machine));
        REQUIRE(gemm(machine, a.view(), b.view(), out.view(), linear{in_memory_alpha, beta, c.view()}));
        CHECK(test::differences(out.host(), 35, 20, expected) == 0);
        REQUIRE(gemm(machine, a.view(), b.view(), out.view(), relu() | linear{alpha, in_memory_beta, c.view()}));
        CHECK(test::differences(out.host(), 35, 20, expected) == 0);
      }
}

TEST_CASE("a part behind which nothing of the product is left spares reading the inputs", "[gemm][GEMM-07]") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (auto& machine : testing::machines()) {
    auto a = machine.buffer<float>(2, 2, [=](int, int) { return nan; }), c = machine.buffer<float>(2, 2, one);
    REQUIRE(gemm(machine, a.view(), a.view(), c.view(), relu() | linear{0.f, 3.f} | add_matrix(c.view())));
    CHECK(test::differences(c.host(), 2, 2, [](int, int) { return 4.f; }) == 0);
  }
}

TEMPLATE_TEST_CASE("scales, a residual, bounds and a functor compose, whichever way the output lies", "[gemm]", float,
                   double, int) {
  using T = TestType;
  constexpr int m = 34, n = 70;
  for (auto& machine : testing::machines())
    for (int k : {0, 5}) {
      auto a = machine.template buffer<T>(m, k, test::integer_a), b = machine.template buffer<T>(k, n, test::integer_b);
      auto per_row = machine.template buffer<T>(m, [](int r) { return T(r % 5 - 2); });
      auto per_column = machine.template buffer<T>(n, [](int q) { return T(q % 3 + 1); });
      const auto old = [](int r, int q) { return T((r + q) % 7); };
      auto out = machine.template buffer<T>(m, n, old);
      auto flipped = machine.template buffer<T>(n, m, [&](int q, int r) { return old(r, q); });
      const auto check = [&](const auto& c) {
        REQUIRE(gemm(machine, a.view(), b.view(), c,
                     scale_rows(per_row.view()) | add_coordinates<T>() | scale_columns(per_column.view()) |
                         add_matrix(c) | clamp(T(-40), T(1500)) | bias_rows(per_row.view())));
        CHECK(test::clean(machine));
      };
      const auto expected = [&](int r, int q) {
        const T product = test::chain<T>(test::integer_a, test::integer_b, r, q, k);
        const T v = T((product * (r % 5 - 2) + 10 * r + q) * (q % 3 + 1) + old(r, q));
        return T(std::min(std::max(v, T(-40)), T(1500)) + r % 5 - 2);
      };
      check(out.view());
      CHECK(test::differences(out.host(), m, n, expected) == 0);
      check(transposed(flipped.view()));
      CHECK(test::differences(flipped.host(), n, m, [&](int q, int r) { return expected(r, q); }) == 0);
      CHECK((out.untouched() && flipped.untouched()));
    }
}

TEST_CASE("a strided residual may repeat one row", "[gemm]") {
  for (auto& machine : testing::machines()) {
    auto a = machine.buffer<float>(5, 2, one), b = machine.buffer<float>(2, 6, one), c = machine.buffer<float>(5, 6);
    auto line = machine.buffer<float>(6, [](int q) { return float(q); });
    REQUIRE(gemm(machine, a.view(), b.view(), c.view(),
                 add_matrix(matrix_view<float, strided>(line.view().data, 5, 6, 0, sizeof(float)))));
    CHECK(test::differences(c.host(), 5, 6, [](int, int q) { return float(2 + q); }) == 0);
  }
}

TEST_CASE("parts compose without a using directive", "[gemm]") {
  testing::machine& machine = testing::machines().front();
  auto one_value = machine.buffer<float>(1, [](int) { return 3.f; });
  auto c = machine.buffer<float>(1, 1);
  const auto as_matrix = row_major(one_value.view().data, 1, 1);
  const auto epilogue = memtile::bias_rows(one_value.view()) | memtile::scale_columns(one_value.view());
  REQUIRE(memtile::gemm(machine, as_matrix, as_matrix, c.view(), epilogue));
  CHECK(c.host()(0, 0) == 36);
}

TEST_CASE("an epilogue sees the coordinates of the output, whichever way it lies", "[gemm]") {
  for (auto& machine : testing::machines()) {
    auto a = machine.buffer<float>(34, 5, test::integer_a), b = machine.buffer<float>(5, 70, test::integer_b);
    auto c = machine.buffer<float>(34, 70), c_transposed = machine.buffer<float>(70, 34);
    const auto expected = [](int r, int q) {
      return test::chain<float>(test::integer_a, test::integer_b, r, q, 5) + float(10 * r + q);
    };
    REQUIRE(gemm(machine, a.view(), b.view(), c.view(), add_coordinates<float>{}));
    CHECK(test::differences(c.host(), 34, 70, expected) == 0);
    REQUIRE(gemm(machine, a.view(), b.view(), transposed(c_transposed.view()), relu() | add_coordinates<float>{}));
    const auto raised = [](int r, int q) {
      return std::max(0.f, test::chain<float>(test::integer_a, test::integer_b, r, q, 5)) + float(10 * r + q);
    };
    CHECK(test::differences(c_transposed.host(), 70, 34, [&](int q, int r) { return raised(r, q); }) == 0);
  }
}
