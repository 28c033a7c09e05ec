// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lists of products of different shapes.
#include <support/gemm.hpp>

using namespace memtile;

namespace {

struct sizes {
  int m, n, k;
};

template <class Machine>
struct prepared {
  using buffer = decltype(std::declval<Machine&>().template buffer<float>(1, 1));
  std::vector<buffer> a, b, c;
  prepared(Machine& machine, const std::vector<sizes>& all, int pad) {
    for (const sizes& s : all) {
      a.push_back(machine.template buffer<float>(s.m, s.k, test::integer_a, sim::placement{s.k + pad}));
      b.push_back(machine.template buffer<float>(s.k, s.n, test::integer_b, sim::placement{s.n + pad}));
      c.push_back(machine.template buffer<float>(
          s.m, s.n, [](int, int) { return 1.f; }, sim::placement{s.n + pad}));
    }
  }
  using view = matrix_view<float>;
  std::vector<gemm_product<view, view, view>> list() {
    std::vector<gemm_product<view, view, view>> products;
    for (size_t i = 0; i < a.size(); ++i) products.push_back({a[i].view(), b[i].view(), c[i].view()});
    return products;
  }
  int wrong(const std::vector<sizes>& all, float beta) const {
    int n = 0;
    for (size_t i = 0; i < all.size(); ++i)
      n += test::differences(c[i].host(), all[i].m, all[i].n, [&](int r, int q) {
        return test::chain<float>(test::integer_a, test::integer_b, r, q, all[i].k) + beta;
      });
    return n;
  }
};

}  // namespace

TEST_CASE("a list of products of different shapes", "[gemm][list]") {
  const std::vector<sizes> some = {{1, 1, 1}, {64, 64, 32}, {65, 3, 40}, {0, 5, 3}, {7, 130, 0}, {30, 30, 9}};
  std::vector<sizes> many;  // more than one launch takes
  for (int i = 0; i < 35; ++i) many.push_back({i % 5 * 17, i % 7 * 11 + 1, i % 3 * 20});
  const std::vector<sizes> aligned = {{64, 64, 32}, {128, 68, 36}, {4, 4, 4}};
  for (auto& machine : testing::machines())
    for (const auto& all : {some, many, aligned}) {
      prepared<std::remove_reference_t<decltype(machine)>> p(machine, all, &all == &aligned ? 0 : 3);
      REQUIRE(gemm_list(machine, p.list(), linear{1.f, 1.f}));
      CHECK(p.wrong(all, 1) == 0);
      CHECK(test::clean(machine));
      REQUIRE(gemm_list(machine, p.list()));
      CHECK(p.wrong(all, 0) == 0);
      for (const auto& c : p.c) CHECK(c.untouched());
    }
}

TEST_CASE("a list of nothing, and a list into columns", "[gemm][list]") {
  for (auto& machine : testing::machines()) {
    using product = gemm_product<matrix_view<float>, matrix_view<float>, matrix_view<float, column>>;
    CHECK(gemm_list(machine, std::vector<product>()));
    auto a = machine.buffer<float>(5, 6, test::integer_a), b = machine.buffer<float>(6, 7, test::integer_b);
    auto c = machine.buffer<float>(7, 5);
    const product one[] = {{a.view(), b.view(), transposed(c.view())}};
    REQUIRE(gemm_list(machine, one));
    CHECK(test::differences(c.host(), 7, 5, [](int q, int r) {
            return test::chain<float>(test::integer_a, test::integer_b, r, q, 6);
          }) == 0);
  }
}

TEST_CASE("a list with one bad product changes nothing", "[gemm][list][GEMM-10]") {
  const std::vector<sizes> all = {{8, 8, 8}, {8, 8, 8}, {8, 8, 8}};
  for (auto& machine : testing::machines()) {
    prepared<std::remove_reference_t<decltype(machine)>> p(machine, all, 0);
    const auto refused = [&](auto list) {
      const status s = gemm_list(machine, list);
      int changed = 0;
      for (const auto& c : p.c) changed += test::differences(c.host(), 8, 8, [](int, int) { return 1.f; });
      CHECK(changed == 0);
      return std::string(s.message());
    };
    auto list = p.list();
    list[2].b.rows = 7;
    CHECK(refused(list) == "gemm_list: product 2: gemm: a is 8x8 but b is 7x8: inner sizes differ");
    list = p.list();
    list[0].c = list[2].c;
    CHECK(refused(list) ==
          "gemm_list: the output of product 0 overlaps a matrix of product 2: give it memory of its own");
    list = p.list();
    list[1].c = list[0].a;
    CHECK(refused(list).find("the output of product 1 overlaps a matrix of product 0") != std::string::npos);
    // blocks of all products run together: none may read what another one writes
    const status s = gemm_list(machine, p.list(), linear{1.f, 1.f, p.c[0].view()});
    CHECK(s.message() ==
          "gemm_list: product 0: gemm: c of linear serves the whole batch but overlaps its outputs: give "
          "it memory of its own");
    CHECK(test::differences(p.c[1].host(), 8, 8, [](int, int) { return 1.f; }) == 0);
    list = {p.list()[0]};
    CHECK(gemm_list(machine, list, linear{1.f, 1.f, p.c[0].view()}));  // by itself it may
    list = p.list();
    list[1].a = list[0].a;  // inputs may be shared
    CHECK(gemm_list(machine, list));
  }
}
