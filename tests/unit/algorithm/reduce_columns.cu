// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions down columns: narrow and wide matrices, few and many rows, pitched and misaligned, in order where asked for,
// and views of every layout.
#include <support/reduce_lines.hpp>

using namespace memtile;
using test::lines;

TEST_CASE("columns of every number and length add up, whatever the pitch and the alignment", "[algorithm]") {
  for (auto& machine : testing::machines()) {
    for (int cols : {1, 2, 3, 4, 5, 8, 31, 32, 33, 127, 128, 129, 200})
      for (const lines& shape : {lines{0, cols}, lines{1, cols}, lines{7, cols}, lines{33, cols, 3, 0},
                                 lines{100, cols, 4, 4}, lines{64, cols, 0, 1}})
        test::check_sums_of_columns(machine, shape);
    for (const lines& shape : {lines{5000, 3}, lines{9000, 8}, lines{4100, 130}, lines{3000, 33, 1, 0}})
      test::check_sums_of_columns(machine, shape);
  }
}

TEST_CASE("columns have the same bits at every alignment and pitch", "[algorithm][RED-19]") {
  const auto odd = [](int r, int c) { return float((r * 7919 + c * 104729) % 1000003) / 999.f; };
  for (auto& machine : testing::machines())
    for (int cols : {8, 130}) {
      auto plain = machine.template buffer<float>(3000, cols, odd);
      auto sums = machine.template buffer<float>(cols);
      REQUIRE(reduce_columns(machine, plain.view(), sums.view(), plus{}));
      const auto expected = sums.host();
      for (const sim::placement& where : {sim::placement{cols, 1}, sim::placement{cols + 3, 0}}) {
        auto moved = machine.template buffer<float>(3000, cols, odd, where);
        REQUIRE(reduce_columns(machine, moved.view(), sums.view(), plus{}));
        CHECK(unit::differences(sums.host(), cols, [&](int c) { return expected(c); }) == 0);
      }
    }
}

TEST_CASE("more rows than the grid has blocks are no reason to refuse columns", "[algorithm][RED-18]") {
  workspace_query need;
  auto* const far_away = reinterpret_cast<signed char*>(size_t(1) << 44);
  const matrix_view<const signed char> tall(far_away, 3000000000, 1, 1);
  long long sum = 0;
  CHECK(reduce_columns(need, tall, vector_view<long long>(&sum, 1), plus{}).message() == "");
  CHECK(need.bytes > 0);
  const status refused = reduce_rows(need, tall, vector_view<long long>(&sum, 3000000000), plus{});
  CHECK(refused.message() == "reduce_rows: 1 x 3000000000 rows are too many: at most 2147483647 in all");
}

TEST_CASE("columns are folded in order where the operator is not commutative", "[algorithm]") {
  for (auto& machine : testing::machines())
    for (const lines& shape :
         {lines{1, 5}, lines{9, 1}, lines{300, 3}, lines{257, 40}, lines{6000, 2}, lines{1500, 130, 4, 0}})
      test::check_order_of_columns(machine, shape);
}

TEST_CASE("each column has its own first extreme and its own statistics", "[algorithm][RED-16]") {
  for (auto& machine : testing::machines())
    for (const lines& shape : {lines{50, 7}, lines{700, 36}, lines{5000, 4}}) {
      auto in = test::integers(machine, shape);
      auto places = machine.template buffer<int64>(shape.cols);
      auto numbers = machine.template buffer<statistics_of<float>>(shape.cols);
      REQUIRE(reduce_columns(machine, in.view(), places.view(), arg_minimum{}));
      unit::check_clean_without_conflicts(machine);
      REQUIRE(reduce_columns(machine, in.view(), numbers.view(), moments{}));
      unit::check_clean_without_conflicts(machine);
      const auto v = in.host();
      const auto place = places.host();
      const auto got = numbers.host();
      int wrong = 0;
      for (int c = 0; c < shape.cols; ++c) {
        int first = 0;
        double sum = 0, squares = 0;
        for (int r = 0; r < shape.rows; ++r) first = v(r, c) < v(first, c) ? r : first, sum += v(r, c);
        for (int r = 0; r < shape.rows; ++r) squares += (v(r, c) - sum / shape.rows) * (v(r, c) - sum / shape.rows);
        wrong += place(c) != first || got(c).count != shape.rows || got(c).minimum != v(first, c);
        wrong += std::abs(got(c).mean - sum / shape.rows) > 1e-5;
        wrong += std::abs(got(c).squares - squares) > 1e-5 * squares;
      }
      INFO(machine.name() << ": " << shape.rows << "x" << shape.cols);
      CHECK(wrong == 0);
    }
}

TEST_CASE("column-major and strided matrices are reduced along both directions", "[algorithm]") {
  for (auto& machine : testing::machines()) {
    const lines shape{37, 21, 3, 0};
    auto in = test::integers(machine, shape);
    const auto v = in.view();
    auto rows = machine.template buffer<float>(shape.rows), cols = machine.template buffer<float>(shape.cols);
    const auto sum_of_row = [&](int r) {
      float sum = 0;
      for (int c = 0; c < shape.cols; ++c) sum += float(test::integer_at(r, c));
      return sum;
    };
    const auto sum_of_column = [&](int c) {
      float sum = 0;
      for (int r = 0; r < shape.rows; ++r) sum += float(test::integer_at(r, c));
      return sum;
    };
    REQUIRE(reduce_rows(machine, transposed(v), cols.view(), plus{}, 0));
    REQUIRE(reduce_columns(machine, transposed(v), rows.view(), plus{}, 0));
    CHECK(unit::differences(rows.host(), shape.rows, sum_of_row) == 0);
    CHECK(unit::differences(cols.host(), shape.cols, sum_of_column) == 0);

    const matrix_view<float, strided> every_second(v.data, shape.rows, 10, v.pitch, 8);
    auto some = machine.template buffer<float>(10);
    REQUIRE(reduce_rows(machine, every_second, rows.view(), maximum{}, -100));
    REQUIRE(reduce_columns(machine, every_second, some.view(), plus{}, 0));
    CHECK(unit::differences(rows.host(), shape.rows, [](int r) {
            int largest = -100;
            for (int c = 0; c < 20; c += 2) largest = (std::max)(largest, test::integer_at(r, c));
            return float(largest);
          }) == 0);
    CHECK(unit::differences(some.host(), 10, [&](int c) { return sum_of_column(2 * c); }) == 0);
  }
}

TEST_CASE("a volume is reduced along each of its axes", "[algorithm]") {
  const int depth = 5, rows = 6, cols = 19;
  const auto at = [=](int z, int r, int c) { return float((z * 31 + r * 17 + c * 3) % 13); };
  for (auto& machine : testing::machines()) {
    auto in = machine.template buffer<float>(
        depth * rows, cols, [=](int i, int c) { return at(i / rows, i % rows, c); }, sim::placement{cols + 2, 1});
    const int64 pitch = in.view().pitch;
    const volume_view<const float> v(in.view().data, depth, rows, cols, pitch, rows * pitch);
    auto along_depth = machine.template buffer<float>(rows, cols),
         along_rows = machine.template buffer<float>(depth, cols),
         along_cols = machine.template buffer<float>(depth, rows);
    REQUIRE(reduce_axis<0>(machine, v, along_depth.view(), plus{}, 0));
    REQUIRE(reduce_axis<1>(machine, v, along_rows.view(), plus{}, 0));
    REQUIRE(reduce_axis<2>(machine, v, along_cols.view(), plus{}, 0));
    const auto sum = [](int count, auto f) {
      float total = 0;
      for (int i = 0; i < count; ++i) total += f(i);
      return total;
    };
    CHECK(unit::differences(along_depth.host(), rows, cols,
                            [&](int r, int c) { return sum(depth, [&](int z) { return at(z, r, c); }); }) == 0);
    CHECK(unit::differences(along_rows.host(), depth, cols,
                            [&](int z, int c) { return sum(rows, [&](int r) { return at(z, r, c); }); }) == 0);
    CHECK(unit::differences(along_cols.host(), depth, rows,
                            [&](int z, int r) { return sum(cols, [&](int c) { return at(z, r, c); }); }) == 0);
    unit::check_clean(machine);
  }
}
