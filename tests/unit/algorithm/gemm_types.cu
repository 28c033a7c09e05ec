// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types of elements: small floats, bytes, complex, mixed ones, outputs of another type.
#include <support/gemm.hpp>

using namespace memtile;

namespace {

// a (m x k) * b (k x n) of integers, in the given types, at sizes around the tile; bit for bit.
template <class A, class B, class C, class Sum, class Machine>
void check_product(Machine& machine, int m, int n, int k, int pad) {
  const auto value_a = [](int r, int c) { return A(float(test::integer_a(r, c))); };
  const auto value_b = [](int r, int c) { return B(float(test::integer_b(r, c))); };
  auto a = machine.template buffer<A>(m, k, value_a, sim::placement{k + pad});
  auto at = machine.template buffer<A>(
      k, m, [&](int r, int c) { return value_a(c, r); }, sim::placement{m + pad});
  auto b = machine.template buffer<B>(k, n, value_b, sim::placement{n + pad});
  auto bt = machine.template buffer<B>(
      n, k, [&](int r, int c) { return value_b(c, r); }, sim::placement{k + pad});
  const auto check = [&](const auto& view_a, const auto& view_b) {
    auto c = machine.template buffer<C>(m, n);
    INFO(machine.name() << ": " << m << "x" << n << "x" << k << ", pad " << pad);
    const status s = gemm(machine, view_a, view_b, c.view());
    INFO(s.message());
    REQUIRE(s.ok());
    int wrong = 0;
    const auto result = c.host();
    for (int r = 0; r < m; ++r)
      for (int q = 0; q < n; ++q)
        wrong += !(C(result(r, q)) == C(test::chain<Sum>(test::integer_a, test::integer_b, r, q, k)));
    CHECK(wrong == 0);
    CHECK((c.untouched() && test::clean(machine)));
  };
  check(a.view(), b.view());  // gemm_layouts has the other two; each compiles three kernels
  check(transposed(at.view()), transposed(bt.view()));
}

template <class A, class B, class C, class Sum>
void check_types() {
  for (auto& machine : testing::machines()) {
    check_product<A, B, C, Sum>(machine, 64, 64, 64, 0);
    for (int more : {-1, 1}) check_product<A, B, C, Sum>(machine, 64 + more, 48 + more, 33 - more, 2 + more);
    check_product<A, B, C, Sum>(machine, 7, 80, 1, 0);
  }
}

}  // namespace

TEST_CASE("gemm of halves adds in float", "[gemm]") { check_types<float16, float16, float16, float>(); }
TEST_CASE("gemm of bfloat16 into float", "[gemm]") { check_types<bfloat16, bfloat16, float, float>(); }
TEST_CASE("gemm of bytes adds in 32 bits", "[gemm][GEMM-12]") { check_types<int8, int8, int32, int32>(); }
TEST_CASE("gemm of a half and a byte", "[gemm]") { check_types<float16, int8, float, float>(); }

TEST_CASE("products of bytes are added in 32 bits", "[gemm][GEMM-12]") {
  for (auto& machine : testing::machines()) {
    const auto product = [&](auto a_value, auto b_value, int k) {
      auto a = machine.template buffer<decltype(a_value)>(1, k, [&](int, int) { return a_value; });
      auto b = machine.template buffer<decltype(b_value)>(k, 1, [&](int, int) { return b_value; });
      auto c = machine.template buffer<int32>(1, 1);
      using one_warp = gemm_policy<block_tile<4, 8, 32>, thread_tile<1, 1>, stages<2>>;  // a large tile takes minutes
      REQUIRE(gemm<one_warp>(machine, a.view(), b.view(), c.view()));
      return c.host()(0, 0);
    };
    CHECK(product(int8(-128), int8(-128), 2) == 32768);
    CHECK(product(uint8(255), int8(127), 2) == 64770);
    CHECK(product(int8(127), int8(127), 131072) == 2114060288);
  }
}

TEST_CASE("products of 16-bit numbers are added in 64 bits", "[gemm][GEMM-12]") {
  for (auto& machine : testing::machines()) {
    auto a = machine.buffer<uint16>(1, 3, [](int, int) { return uint16(65535); }),
         b = machine.buffer<uint16>(3, 1, [](int, int) { return uint16(65535); });
    auto c = machine.buffer<int64>(1, 1);
    REQUIRE(gemm(machine, a.view(), b.view(), c.view()));
    CHECK(c.host()(0, 0) == 3 * int64(65535) * 65535);
    auto below = machine.buffer<int16>(1, 3, [](int, int) { return int16(-32768); }),
         above = machine.buffer<int16>(3, 1, [](int, int) { return int16(32767); });
    auto least = machine.buffer<int32>(1, 1);
    REQUIRE(gemm(machine, below.view(), above.view(), least.view()));
    CHECK(least.host()(0, 0) == -2147483647 - 1);
  }
}

TEST_CASE("results that do not fit the output become the end of its range", "[gemm][GEMM-13]") {
  for (auto& machine : testing::machines())
    for (int sign : {1, -1}) {
      auto a = machine.buffer<int8>(1, 1, [&](int, int) { return int8(100 * sign); });
      auto b = machine.buffer<int8>(1, 1, [](int, int) { return int8(2); });
      auto c = machine.buffer<int8>(1, 1);
      REQUIRE(gemm(machine, a.view(), b.view(), c.view()));
      CHECK(int(c.host()(0, 0)) == (sign > 0 ? 127 : -128));
      auto x = machine.buffer<float>(1, 1, [&](int, int) { return 2.5f * float(sign); });
      auto y = machine.buffer<float>(1, 1, [](int, int) { return 1.f; });
      auto z = machine.buffer<uint8>(1, 1);
      REQUIRE(gemm(machine, x.view(), y.view(), z.view()));
      CHECK(int(z.host()(0, 0)) == (sign > 0 ? 2 : 0));  // to nearest even; no negative ones
    }
}

TEST_CASE("gemm of floats that are added in double", "[gemm]") {
  using in_double = gemm_policy<accumulate_in<double>>;
  for (auto& machine : testing::machines()) {
    auto a = machine.buffer<float>(3, 101, test::random_value), b = machine.buffer<float>(101, 5, test::random_value);
    auto c = machine.buffer<double>(3, 5);
    REQUIRE(gemm<in_double>(machine, a.view(), b.view(), c.view()));
    CHECK(test::differences(c.host(), 3, 5, [](int r, int q) {
            return test::chain<double>(test::random_value, test::random_value, r, q, 101);
          }) == 0);
    CHECK(test::clean(machine));
  }
}

TEMPLATE_TEST_CASE("gemm of complex numbers, either way round", "[gemm]", float, double) {
  using number = complex<TestType>;
  const auto value_a = [](int r, int c) {
    return number(TestType(test::integer_a(r, c)), TestType(test::integer_b(r, c)));
  };
  const auto value_b = [](int r, int c) { return number(TestType(test::integer_b(r, c)), TestType(r % 3 - c % 2)); };
  constexpr int m = 33, n = 18, k = 21;
  for (auto& machine : testing::machines()) {
    auto a = machine.template buffer<number>(m, k, value_a), b = machine.template buffer<number>(k, n, value_b);
    auto c = machine.template buffer<number>(m, n), d = machine.template buffer<number>(n, m);
    REQUIRE(gemm(machine, a.view(), b.view(), c.view()));
    REQUIRE(gemm(machine, a.view(), b.view(), transposed(d.view())));
    const auto by_rows = c.host(), by_columns = d.host();
    int wrong = 0;
    for (int r = 0; r < m; ++r)
      for (int q = 0; q < n; ++q) {
        number sum(0);
        for (int i = 0; i < k; ++i) sum = fma(value_a(r, i), value_b(i, q), sum);
        wrong += by_rows(r, q) != sum || by_columns(q, r) != sum;
      }
    CHECK(wrong == 0);
    CHECK(test::clean(machine));
  }
}

namespace {
struct dequantised {
  vector_view<const float> scales;
  MEMTILE_FUNCTION float operator()(int8 v, int64 row, int64 column) const {
    return float(v) * scales.load(row + column / 8);
  }
};
float scale_at(int i) { return float(1 << i % 4); }
float scaled_a(int r, int c) { return float(test::integer_a(r, c)) * scale_at(r + c / 8); }
}  // namespace

TEST_CASE("gemm of bytes that a functor makes floats of adds in float, on either side", "[gemm]") {
  for (auto& machine : testing::machines())
    for (int rows : {64, 33})
      for (int k : {16, 37}) {
        INFO(machine.name() << ": " << rows << " rows, k " << k);
        const auto byte = [](int r, int c) { return int8(test::integer_a(r, c)); };
        auto bytes = machine.buffer<int8>(rows, k, byte);
        auto scales = machine.buffer<float>(rows + k, scale_at);
        auto b = machine.buffer<float>(k, 32, test::integer_b), c = machine.buffer<float>(rows, 32);
        auto square = machine.buffer<float>(rows, rows);
        const auto a = mapped(bytes.view(), dequantised{scales.view()});
        REQUIRE(gemm(machine, a, b.view(), c.view()));
        CHECK(test::differences(c.host(), rows, 32, [&](int r, int q) {
                return test::chain<float>(scaled_a, test::integer_b, r, q, k);
              }) == 0);
        REQUIRE(gemm(machine, a, transposed(a), square.view()));  // two operands of bytes, whose products are no bytes
        CHECK(test::differences(square.host(), rows, rows, [&](int r, int q) {
                return test::chain<float>(
                    scaled_a, [](int x, int y) { return scaled_a(y, x); }, r, q, k);
              }) == 0);
        CHECK((c.untouched() && square.untouched() && test::clean(machine)));
      }
}

TEST_CASE("a mapped matrix serves a whole batch, and a mapped vector is a column", "[gemm][batch]") {
  constexpr int count = 3, rows = 9, k = 11;
  for (auto& machine : testing::machines()) {
    auto bytes = machine.buffer<int8>(rows, k, [](int r, int c) { return int8(test::integer_a(r, c)); });
    auto scales = machine.buffer<float>(rows + k, scale_at);
    auto b = machine.buffer<float>(count * k, 5, test::integer_b), c = machine.buffer<float>(count * rows, 5);
    const auto a = mapped(bytes.view(), dequantised{scales.view()});
    const auto slices = [](auto& of, int each) {
      return matrix_batch<float>{subview(of.view(), 0, 0, each, 5), count, each * of.view().pitch};
    };
    REQUIRE(gemm(machine, a, slices(b, k), slices(c, rows)));
    CHECK(test::differences(c.host(), count * rows, 5, [&](int r, int q) {
            const auto of_slice = [&](int i, int x) { return test::integer_b(r / rows * k + i, x); };
            return test::chain<float>(scaled_a, of_slice, r % rows, q, k);
          }) == 0);
    auto x = machine.buffer<int8>(k, [](int i) { return int8(i - 4); });
    auto y = machine.buffer<float>(rows, [](int) { return 100.f; });
    REQUIRE(gemm(machine, a, mapped(x.view(), dequantised{scales.view()}), y.view(), linear{1.f, 1.f, y.view()}));
    CHECK(test::differences(y.host(), 1, rows, [&](int, int r) {
            const auto scaled_x = [](int i, int) { return float(i - 4) * scale_at(i); };
            return test::chain<float>(scaled_a, scaled_x, r, 0, k) + 100;
          }) == 0);
    CHECK(test::clean(machine));
  }
}
