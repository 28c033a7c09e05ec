// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Epilogues of whole matmuls in which operands, accumulators, values and outputs are of different types.
#include <support/gemm.hpp>

#include <cmath>

using namespace memtile;

namespace {
using tile = gemm_policy<block_tile<32, 32, 8>, thread_tile<4, 4>, split_k<1>>;
constexpr int m = 37, n = 45, k = 19;
}  // namespace

TEST_CASE("bytes are multiplied, scaled by floats and stored as bytes", "[gemm][GEMM-13]") {
  const auto in_a = [](int r, int c) { return (r * 7 + c * 3) % 200 - 100; };
  const auto in_b = [](int r, int c) { return (r * 5 + c * 11) % 250 - 125; };
  for (auto& machine : testing::machines()) {
    auto a = machine.buffer<int8>(m, k, in_a), b = machine.buffer<int8>(k, n, in_b), out = machine.buffer<int8>(m, n);
    auto offset = machine.buffer<int32>(m, [](int r) { return 100 * r; });
    auto scale = machine.buffer<float>(n, [](int c) { return float(c % 3 + 1) / 512; });  // ties, and no other rounding
    REQUIRE(gemm<tile>(machine, a.view(), b.view(), out.view(),
                       bias_rows(offset.view()) | scale_columns(scale.view()) | clamp(-120, 1000)));
    CHECK(test::differences(out.host(), m, n, [&](int r, int c) {
            const double v = (test::chain<int>(in_a, in_b, r, c, k) + 100 * r) * (double(c % 3 + 1) / 512);
            return int8(std::nearbyint(std::min(std::max(v, -120.), 127.)));
          }) == 0);
    CHECK((out.untouched() && test::clean(machine)));
  }
}

TEST_CASE("halves with a bias of halves, and twice the old halves", "[gemm]") {
  const auto half = [](int v) { return float16(float(v) / 4); };
  for (auto& machine : testing::machines()) {
    auto a = machine.buffer<float16>(m, k, [](int r, int c) { return float16(float(test::integer_a(r, c))); });
    auto b = machine.buffer<float16>(k, n, [](int r, int c) { return float16(float(test::integer_b(r, c))); });
    auto bias = machine.buffer<float16>(n, [&](int c) { return half(c); });
    auto out = machine.buffer<float16>(n, m, [&](int c, int r) { return half(r - c); });
    REQUIRE(gemm<tile>(machine, a.view(), b.view(), transposed(out.view()),
                       linear{0.5f, 2} | bias_columns(bias.view()) | relu()));
    CHECK(test::differences(out.host(), n, m, [&](int c, int r) {
            const float v = test::chain<float>(test::integer_a, test::integer_b, r, c, k) / 2 + 2 * (float(r - c) / 4) +
                            float(c) / 4;
            return float16(std::max(v, 0.f));
          }) == 0);
    CHECK((out.untouched() && test::clean(machine)));
  }
}

TEST_CASE("complex alpha and beta, and a c of its own", "[gemm]") {
  using number = complex<float>;
  const auto in_a = [](int r, int c) { return number(float(test::integer_a(r, c)), float(test::integer_a(c, r))); };
  const auto in_b = [](int r, int c) { return number(float(test::integer_b(r, c)), 1.f); };
  const auto in_c = [](int r, int c) { return number(float(r), float(c)); };
  for (auto& machine : testing::machines()) {
    auto a = machine.buffer<number>(m, k, in_a), b = machine.buffer<number>(k, n, in_b),
         c = machine.buffer<number>(m, n, in_c), out = machine.buffer<number>(m, n);
    const number alpha{2.f, -1.f}, beta{0.f, 3.f};
    REQUIRE(gemm<tile>(machine, a.view(), b.view(), out.view(), linear{alpha, beta, c.view()}));
    CHECK(test::differences(out.host(), m, n, [&](int r, int q) {
            return alpha * test::chain<number>(in_a, in_b, r, q, k) + beta * in_c(r, q);
          }) == 0);
    CHECK((out.untouched() && test::clean(machine)));
  }
}
