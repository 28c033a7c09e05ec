// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows held on chip: softmax, layer normalisation and the largest element, of short and long rows, in place and into
// another type.
#include <support/reduce_lines.hpp>

#include <cmath>

using namespace memtile;
using test::lines;

namespace {

struct softmax {
  template <class Row>
  MEMTILE_FUNCTION void operator()(Row& row) const {
    const float largest = row.reduce(maximum{});
    row.map([=](float v) { return memtile::exp(v - largest); });
    const float sum = row.reduce(plus{});
    row.store([=](float e) { return e / sum; });
  }
};

// (v - mean) / sqrt(variance + epsilon)
struct normalise {
  template <class Row>
  MEMTILE_FUNCTION void operator()(Row& row) const {
    const auto of_row = row.reduce(moments{});
    const float mean = of_row.mean, scale = memtile::rsqrt(of_row.variance() + 1e-5f);
    row.store([=](float v) { return (v - mean) * scale; });
  }
};

// 1 where the row has its first largest element, else 0; and the row's number at its last element.
struct mark_first_largest {
  template <class Row>
  MEMTILE_FUNCTION void operator()(Row& row) const {
    const auto best = row.reduce(arg_maximum{});
    const int64 index = row.index(), last = row.size() - 1;
    row.store([=](float, int64 c) { return c == best.index ? 1.f : c == last ? float(index) + 2 : 0.f; });
  }
};

// Each element times the weight of its column: the functor is asked for columns that are there, and no other.
struct weigh {
  vector_view<const float> weights;
  template <class Row>
  MEMTILE_FUNCTION void operator()(Row& row) const {
    const auto of_columns = weights;
    row.map([=](float v, int64 c) { return v * of_columns.load(c); });
    row.store([=](float v, int64 c) { return v + of_columns.load(c); });
  }
};

template <class Machine, class Functor, class Expected>
void check_rows(Machine& machine, const lines& shape, const Functor& functor, double bound, Expected expected) {
  INFO(machine.name() << ": " << shape.rows << "x" << shape.cols << ", gap " << shape.gap << ", offset "
                      << shape.offset);
  auto in = test::integers(machine, shape);
  auto out =
      machine.template buffer<float>(shape.rows, shape.cols, sim::placement{shape.cols + shape.gap, shape.offset});
  REQUIRE(map_rows(machine, in.view(), out.view(), functor));
  unit::check_clean_without_conflicts(machine);
  const auto v = in.host(), got = out.host();
  int wrong = 0;
  for (int r = 0; r < shape.rows; ++r) {
    const auto row = [&](int c) { return double(v(r, c)); };
    for (int c = 0; c < shape.cols; ++c) wrong += !(std::abs(got(r, c) - expected(row, r, c)) <= bound);
  }
  CHECK(wrong == 0);
  CHECK((in.untouched() && out.untouched()));
}

const lines shapes[] = {{5, 1},    {5, 2},    {4, 31},         {9, 32, 1, 0}, {3, 127},        {3, 128},  {3, 1000},
                        {2, 1024}, {2, 1025}, {2, 1023, 1, 1}, {2, 2047},     {2, 2048, 4, 0}, {1, 5000}, {1, 16384}};

}  // namespace

TEST_CASE("softmax of every row sums to one", "[algorithm]") {
  for (auto& machine : testing::machines())
    for (const lines& shape : shapes) {
      // a sum of n exponentials, each with an error of 2 units, and one division
      check_rows(machine, shape, softmax{}, 1e-6, [&, memo_row = -1, sum = 0.0](const auto& row, int r, int c) mutable {
        if (memo_row != r) {
          sum = 0, memo_row = r;
          for (int k = 0; k < shape.cols; ++k) sum += std::exp(row(k) - 7);
        }
        return std::exp(row(c) - 7) / sum;
      });
    }
}

TEST_CASE("rows are normalised by their own mean and variance", "[algorithm]") {
  for (auto& machine : testing::machines())
    for (const lines& shape : {lines{7, 40}, lines{3, 1000}, lines{2, 3000, 3, 1}})
      check_rows(machine, shape, normalise{}, 1e-5,
                 [&, memo_row = -1, mean = 0.0, variance = 0.0](const auto& row, int r, int c) mutable {
                   if (memo_row != r) {
                     mean = variance = 0, memo_row = r;
                     for (int k = 0; k < shape.cols; ++k) mean += row(k) / shape.cols;
                     for (int k = 0; k < shape.cols; ++k) variance += (row(k) - mean) * (row(k) - mean) / shape.cols;
                   }
                   return (row(c) - mean) / std::sqrt(variance + 1e-5);
                 });
}

TEST_CASE("a row knows its number, its columns and its first largest element", "[algorithm][RED-16]") {
  for (auto& machine : testing::machines())
    for (const lines& shape : {lines{6, 5}, lines{3, 1000}, lines{3, 4097}})
      check_rows(machine, shape, mark_first_largest{}, 0, [&](const auto& row, int r, int c) {
        int first = 0;
        for (int k = 1; k < shape.cols; ++k) first = row(k) > row(first) ? k : first;
        return c == first ? 1.0 : c == shape.cols - 1 ? r + 2.0 : 0.0;
      });
}

TEST_CASE("a functor is called for the columns of the row alone", "[algorithm]") {
  for (auto& machine : testing::machines())
    for (const lines& shape : {lines{3, 50}, lines{2, 1030, 1, 1}}) {
      auto weights = machine.template buffer<float>(shape.cols, [](int c) { return float(c % 4); });
      check_rows(machine, shape, weigh{weights.view()}, 0,
                 [](const auto& row, int, int c) { return row(c) * (c % 4) + c % 4; });
    }
}

TEST_CASE("misaligned halves are mapped in place", "[algorithm]") {
  for (auto& machine : testing::machines())
    for (int cols : {101, 2001}) {
      auto v = machine.template buffer<float16>(
          5, cols, [](int r, int c) { return float16(float((r * 3 + c) % 50)); }, sim::placement{cols, 1});
      auto ones = machine.template buffer<float>(cols, [](int) { return 2.f; });
      REQUIRE(map_rows(machine, v.view(), v.view(), weigh{ones.view()}));
      unit::check_clean(machine);
      CHECK(unit::differences(v.host(), 5, cols, [](int r, int c) { return float((r * 3 + c) % 50 * 2 + 2); }) == 0);
      CHECK(v.untouched());
    }
}

TEST_CASE("rows are mapped in place, and into another type", "[algorithm]") {
  for (auto& machine : testing::machines()) {
    auto in = machine.template buffer<float16>(3, 70, [](int r, int c) { return float16(float((r + c) % 5)); });
    auto out = machine.template buffer<float>(3, 70);
    REQUIRE(map_rows(machine, in.view(), out.view(), mark_first_largest{}));
    CHECK(out.host()(0, 4) == 1);
    REQUIRE(map_rows(machine, out.view(), out.view(), mark_first_largest{}));
    CHECK(out.host()(1, 69) == 1);  // where the number of the row stood
    CHECK((in.untouched() && out.untouched()));
  }
}

TEST_CASE("rows that do not fit on chip, or the output, are refused in words", "[algorithm]") {
  for (auto& machine : testing::machines()) {
    auto in = machine.template buffer<float>(1, 16385, [](int, int) { return 1.f; });
    auto out = machine.template buffer<float>(1, 16385);
    CHECK(map_rows(machine, in.view(), out.view(), softmax{}).message() ==
          "map_rows: rows of 16385 elements do not fit on chip: at most 16384");
    CHECK(map_rows(machine, in.view(), subview(out.view(), 0, 0, 1, 7), softmax{}).message() ==
          "map_rows: the input is 1x16385 but the output 1x7");
    CHECK(map_rows(machine, in.view(), subview(in.view(), 0, 1, 1, 16384), softmax{}).message() ==
          "map_rows: the input is 1x16385 but the output 1x16384");
    CHECK(map_rows(machine, subview(in.view(), 0, 0, 1, 100), subview(in.view(), 0, 1, 1, 100), softmax{}).message() ==
          "map_rows: the output overlaps the input in part: give it memory of its own, or the same");
  }
}
