// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows and columns of a matmul's output, reduced in the same pass.
#include <support/gemm.hpp>

using namespace memtile;

namespace {

using tile_32 = gemm_policy<block_tile<32, 32, 8>, thread_tile<4, 4>, stages<2>, split_k<1>>;
using sliced = gemm_policy<block_tile<32, 32, 8>, thread_tile<4, 4>, stages<2>, split_k<3>>;

struct plus_place {
  MEMTILE_FUNCTION float operator()(float v, int64 row, int64 column) const { return v + float(row - 2 * column); }
};
float expected(int r, int c, int k) {
  return test::chain<float>(test::integer_a, test::integer_b, r, c, k) + float(r - 2 * c);
}

// Output and reductions of m x n x k, into rows or columns of a buffer.
template <class Policy, class Operator, class T, class Machine>
void check_sides(Machine& machine, int m, int n, int k, Operator op) {
  INFO(machine.name() << ": " << m << "x" << n << "x" << k);
  auto a = machine.template buffer<float>(m, k, test::integer_a),
       b = machine.template buffer<float>(k, n, test::integer_b);
  const T nothing = Operator::template identity<T>();
  std::vector<T> of_rows(size_t(m), nothing), of_columns(size_t(n), nothing);
  for (int r = 0; r < m; ++r)
    for (int c = 0; c < n; ++c) {
      of_rows[size_t(r)] = op(of_rows[size_t(r)], T(expected(r, c, k)));
      of_columns[size_t(c)] = op(of_columns[size_t(c)], T(expected(r, c, k)));
    }
  const auto check = [&](auto& out, const auto& out_view) {
    auto rows = machine.template buffer<T>(m), columns = machine.template buffer<T>(n);
    const status by_rows = gemm<Policy>(machine, a.view(), b.view(), out_view,
                                        store_product{} | plus_place{} | reduce_rows_into(rows.view(), op));
    INFO(by_rows.message());
    REQUIRE(by_rows.ok());
    CHECK(test::clean(machine));
    REQUIRE(gemm<Policy>(machine, a.view(), b.view(), out_view,
                         store_product{} | plus_place{} | reduce_columns_into(columns.view(), op)));
    CHECK(test::clean(machine));
    int wrong = 0;
    const auto r = rows.host(), c = columns.host();
    for (int i = 0; i < m; ++i) wrong += !(r(i) == of_rows[size_t(i)]);
    for (int i = 0; i < n; ++i) wrong += !(c(i) == of_columns[size_t(i)]);
    CHECK(wrong == 0);
    CHECK((rows.untouched() && columns.untouched() && out.untouched()));
  };
  auto by_row = machine.template buffer<float>(m, n), by_column = machine.template buffer<float>(n, m);
  check(by_row, by_row.view());
  check(by_column, transposed(by_column.view()));
  CHECK(test::differences(by_row.host(), m, n, [&](int r, int c) { return expected(r, c, k); }) == 0);
  CHECK(test::differences(by_column.host(), n, m, [&](int c, int r) { return expected(r, c, k); }) == 0);
}

}  // namespace

TEST_CASE("rows and columns of a product are reduced at every edge of the tiles", "[gemm][sides]") {
  for (auto& machine : testing::machines()) {
    for (int m : {1, 31, 32, 33})
      for (int n : {1, 32, 65}) check_sides<tile_32, maximum, float>(machine, m, n, 9, maximum{});
    check_sides<automatic, plus, double>(machine, 70, 133, 20, plus{});
    check_sides<automatic, minimum, float>(machine, 64, 64, 32, minimum{});
  }
}

TEST_CASE("rows and columns of a product in slices are reduced once", "[gemm][sides][split]") {
  for (auto& machine : testing::machines()) check_sides<sliced, plus, double>(machine, 40, 70, 50, plus{});
}

TEST_CASE("a reduction sees what an epilogue made of the old output", "[gemm][sides]") {
  for (auto& machine : testing::machines()) {
    auto a = machine.buffer<float>(5, 3, test::integer_a), b = machine.buffer<float>(3, 40, test::integer_b);
    auto c = machine.buffer<float>(5, 40, [](int r, int q) { return float(r * q); });
    auto sums = machine.buffer<float>(5);
    REQUIRE(
        gemm<tile_32>(machine, a.view(), b.view(), c.view(), linear{2.f, 3.f} | reduce_rows_into(sums.view(), plus{})));
    for (int r = 0; r < 5; ++r) {
      float sum = 0;
      for (int q = 0; q < 40; ++q)
        sum += 2 * test::chain<float>(test::integer_a, test::integer_b, r, q, 3) + 3 * float(r * q);
      CHECK(sums.host()(r) == sum);
    }
    CHECK(test::clean(machine));
  }
}

TEST_CASE("reductions that do not fit are refused in words", "[gemm][sides]") {
  sim::machine machine;
  auto a = machine.buffer<float>(8, 8, test::integer_a), c = machine.buffer<float>(8, 8);
  auto rows = machine.buffer<float>(7);
  CHECK(
      gemm(machine, a.view(), a.view(), c.view(), store_product{} | reduce_rows_into(rows.view(), plus{})).message() ==
      "gemm: the output of reduce_rows_into has 7 elements but must have 8, one for each row");
  CHECK(gemm(machine, a.view(), a.view(), c.view(),
             store_product{} | reduce_columns_into(vector_view<float>(c.view().data, 8), plus{}))
            .message() == "gemm: the output of reduce_columns_into overlaps the output");
  CHECK_FALSE(gemm(machine, a.view(), a.view(), c.view(),
                   store_product{} | reduce_rows_into(vector_view<float>(a.view().data, 8), plus{})));
  auto none = machine.buffer<float>(8, 0);
  CHECK_FALSE(gemm(machine, a.view(), none.view(), none.view(),
                   store_product{} | reduce_rows_into(subview(rows.view(), 0, 7), plus{})));
  // what a chain reads must not be what its reduction writes
  auto eight = machine.buffer<float>(8, [](int) { return 100.f; });
  CHECK(gemm(machine, a.view(), a.view(), c.view(), bias_rows(eight.view()) | reduce_rows_into(eight.view(), plus{}))
            .message() ==
        "gemm: bias_rows overlaps what the rows or columns are reduced into: give it memory of its own");
  CHECK_FALSE(gemm(machine, a.view(), a.view(), c.view(),
                   add_matrix(matrix_view<float, strided>(eight.view().data, 8, 8, 4, 0)) |
                       reduce_rows_into(eight.view(), plus{})));
  CHECK_FALSE(gemm(machine, a.view(), a.view(), c.view(),
                   linear{value_at(eight.view().address(3)), 0.f} | reduce_columns_into(eight.view(), plus{})));
  workspace_query need;
  auto wide = machine.buffer<float>(8, 200);
  auto of_wide = machine.buffer<float>(8);
  CHECK(
      gemm(need, a.view(), wide.view(), wide.view(), store_product{} | reduce_rows_into(of_wide.view(), plus{})).ok() ==
      false);
  auto out = machine.buffer<float>(8, 200);
  REQUIRE(gemm(need, a.view(), wide.view(), out.view(), store_product{} | reduce_rows_into(of_wide.view(), plus{})));
  CHECK(need.bytes >= 8 * 4 * sizeof(float));
}
