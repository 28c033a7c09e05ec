// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bits of gemm on random data, its accuracy, and what it costs in memory accesses.
#include <support/gemm.hpp>

#include <set>

#include <cmath>
#include <cstring>

using namespace memtile;

namespace {

const auto value_a = [](int r, int c) { return test::random_value(r, c); };
const auto value_b = [](int r, int c) { return test::random_value(r + 5000, c); };

// The result of a product on a machine, row after row.
template <class T, class Policy = automatic, class Machine>
std::vector<T> product(Machine& machine, int m, int n, int k) {
  auto a = machine.template buffer<T>(m, k, value_a), b = machine.template buffer<T>(k, n, value_b),
       c = machine.template buffer<T>(m, n);
  REQUIRE(gemm<Policy>(machine, a.view(), b.view(), c.view()));
  std::vector<T> all;
  const auto result = c.host();
  for (int r = 0; r < m; ++r)
    for (int q = 0; q < n; ++q) all.push_back(result(r, q));
  return all;
}

}  // namespace

TEMPLATE_TEST_CASE("on random data every machine and every tile gives the bits of one chain in ascending k", "[gemm]",
                   float, double) {
  using T = TestType;
  for (int k : {1, 37, 300}) {
    constexpr int m = 65, n = 68;
    std::vector<T> expected;
    for (int r = 0; r < m; ++r)
      for (int q = 0; q < n; ++q) expected.push_back(test::chain<T>(value_a, value_b, r, q, k));
    for (auto& machine : testing::machines()) {
      INFO(machine.name() << " k=" << k);
      CHECK(product<T>(machine, m, n, k) == expected);
      CHECK(product<T, gemm_policy<block_tile<128, 128, 16>, thread_tile<8, 4>>>(machine, m, n, k) == expected);
      CHECK(product<T, typename gemm_tiles<T>::largest>(machine, m, n, k) == expected);
    }
  }
}

TEST_CASE("gemm stays within the bound of a sum of k rounded products", "[gemm]") {
  constexpr int m = 33, n = 40;
  for (auto& machine : testing::machines())
    for (int k : {64, 1000}) {
      const auto result = product<float>(machine, m, n, k);
      double worst = 0;
      for (int r = 0; r < m; ++r)
        for (int q = 0; q < n; ++q) {
          double exact = 0, magnitude = 0;
          for (int i = 0; i < k; ++i)
            exact += double(value_a(r, i)) * value_b(i, q),
                magnitude += std::abs(double(value_a(r, i)) * value_b(i, q));
          worst = std::max(worst, std::abs(result[size_t(r * n + q)] - exact) / (k * 0x1p-24 * magnitude));
        }
      INFO(machine.name() << " k=" << k);
      CHECK(worst <= 1);  // |error| <= k * eps * sum |a b|, componentwise
      CHECK(worst > 0);   // and the data do need rounding
    }
}

TEST_CASE("gemm takes the widest accesses that each operand allows", "[gemm][PRIM-01][PRIM-02]") {
  sim::machine machine;
  using policy = gemm_policy<block_tile<64, 64, 32>, thread_tile<8, 4>>;
  // a's rows begin at multiples of 8 bytes, b's of 4, both rows at sectors; the output's pitch rules out 16 bytes for it
  auto a = machine.buffer<float>(64, 64, test::integer_a, sim::placement{72});
  auto b = machine.buffer<float>(64, 64, test::integer_b, sim::placement{72});
  auto c = machine.buffer<float>(64, 64, sim::placement{65});
  const auto check = [&](const auto& view_a, const auto& view_b, int bytes_a, int bytes_b) {
    REQUIRE(gemm<policy>(machine, view_a, view_b, subview(c.view(), 0, 0, view_a.rows, view_b.cols)));
    std::set<int> seen;
    for (const auto& row : machine.last_report()->rows())
      if (row.where == sim::space::global && row.kind == sim::access_kind::async_copy) seen.insert(row.bytes);
    CHECK(seen == std::set<int>{bytes_a, bytes_b});
    CHECK_THAT(*machine.last_report(), sim::HasNoBankConflicts());
    CHECK_THAT(*machine.last_report(), sim::IsClean());
  };
  check(a.view(), b.view(), 16, 16);
  check(subview(a.view(), 0, 0, 64, 62), subview(b.view(), 0, 0, 62, 64), 8,
        16);  // an inner size of 62: rows of a end at 8 bytes
  check(subview(a.view(), 0, 2, 64, 62), subview(b.view(), 0, 0, 62, 63), 8, 4);
  check(subview(a.view(), 0, 1, 64, 63), subview(b.view(), 0, 2, 63, 62), 4, 8);
}
