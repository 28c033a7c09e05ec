// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Filters by name: which way weights lie, where their anchor is, what the middle of a neighbourhood is.
#include <support/stencil.hpp>

#include <vector>

using namespace memtile;
using test::walk;

namespace {

float single(int r, int c) { return r == 2 && c == 2 ? 1.f : 0.f; }
constexpr weights<float, 3, 3> digits{{1, 2, 3, 4, 5, 6, 7, 8, 9}};

template <class Machine, class Weights>
std::vector<float> correlated(Machine& machine, const std::vector<float>& x, const Weights& w) {
  auto in = machine.template buffer<float>(int(x.size()), [&](int i) { return x[std::size_t(i)]; });
  auto out = machine.template buffer<float>(int(x.size()));
  REQUIRE(correlate(machine, in.view(), out.view(), w, constant{0.f}));
  std::vector<float> result;
  for (int i = 0; i < int(x.size()); ++i) result.push_back(out.host()(i));
  return result;
}
using list = std::vector<float>;

// The values around a place, in ascending order.
template <class T>
std::vector<T> sorted_around(int r, int c, int radius, int rows, int cols) {
  std::vector<T> all;
  for (int y = -radius; y <= radius; ++y)
    for (int x = -radius; x <= radius; ++x)
      all.push_back(T(test::with_border(test::pixel, reflect{}, r + y, c + x, rows, cols)));
  std::sort(all.begin(), all.end());
  return all;
}

template <class T, int Radius>
void check_median(const test::image& shape) {
  for (auto& machine : testing::machines()) {
    auto in = machine.buffer<T>(shape.rows, shape.cols, test::pixel), out = machine.buffer<T>(shape.rows, shape.cols);
    REQUIRE(median_filter<box<Radius>>(machine, in.view(), out.view(), reflect{}));
    unit::check_clean(machine);
    CHECK(unit::differences(out.host(), shape.rows, shape.cols, [&](int r, int c) {
            const auto all = sorted_around<T>(r, c, Radius, shape.rows, shape.cols);
            return all[all.size() / 2];
          }) == 0);
  }
}

}  // namespace

TEST_CASE("correlation turns a single one into the weights upside down, convolution into the weights",
          "[stencil][STEN-05]") {
  for (auto& machine : testing::machines()) {
    auto in = machine.buffer<float>(5, 5, single), out = machine.buffer<float>(5, 5);
    const auto around = [](int r, int c) { return r >= 1 && r <= 3 && c >= 1 && c <= 3; };
    REQUIRE(correlate(machine, in.view(), out.view(), digits, constant{0.f}));
    CHECK(unit::differences(out.host(), 5, 5,
                            [&](int r, int c) { return around(r, c) ? float(9 - (r - 1) * 3 - (c - 1)) : 0.f; }) == 0);
    REQUIRE(convolve(machine, in.view(), out.view(), digits, constant{0.f}));
    CHECK(unit::differences(out.host(), 5, 5,
                            [&](int r, int c) { return around(r, c) ? float(1 + (r - 1) * 3 + (c - 1)) : 0.f; }) == 0);
  }
}

TEST_CASE("the anchor of an even number of weights is their half, or where a window says", "[stencil][STEN-12]") {
  for (auto& machine : testing::machines()) {
    CHECK(correlated(machine, {0, 0, 1, 0, 0}, weights<float, 2>{{1, 1}}) == list{0, 0, 1, 1, 0});
    CHECK(correlated(machine, {0, 0, 0, 1, 0, 0, 0}, weights<float, 4>{{1, 2, 3, 4}}) == list{0, 0, 4, 3, 2, 1, 0});
    auto in = machine.buffer<float>(5, [](int i) { return i == 2 ? 1.f : 0.f; }), out = machine.buffer<float>(5);
    REQUIRE(correlate<window<0, 1>>(machine, in.view(), out.view(), weights<float, 2>{{1, 1}}, constant{0.f}));
    CHECK(unit::differences(out.host(), 5, [](int i) { return i == 1 || i == 2 ? 1.f : 0.f; }) == 0);
  }
}

TEST_CASE("a window that is given may be a box", "[stencil][STEN-05]") {
  for (auto& machine : testing::machines()) {
    auto in = machine.buffer<float>(5, 5, single), out = machine.buffer<float>(5, 5);
    REQUIRE(convolve<box<1>>(machine, in.view(), out.view(), digits, constant{0.f}));
    CHECK((out.host()(1, 1) == 1 && out.host()(3, 3) == 9));
    REQUIRE(correlate<box<1>>(machine, in.view(), out.view(), digits, constant{0.f}));
    CHECK((out.host()(1, 1) == 9 && out.host()(3, 3) == 1));
  }
}

TEST_CASE("medians are those of the sorted neighbourhood", "[stencil]") {
  check_median<float, 1>({7, 140});
  check_median<float, 2>({6, 9});
  check_median<int16, 1>({3, 300});
}

TEST_CASE("medians of windows too large for registers are found bit by bit", "[stencil]") {
  check_median<int16, 3>({9, 35});
  check_median<float, 5>({4, 5});
}

TEST_CASE("rank filters of a constant image return it", "[stencil][STEN-16]") {
  for (auto& machine : testing::machines())
    for (int value : {0, 1, 127, 255}) {
      auto in = machine.buffer<uint8>(40, 100, [&](int, int) { return uint8(value); });
      auto out = machine.buffer<uint8>(40, 100);
      const auto same = [&](int, int) { return uint8(value); };
      REQUIRE(median_filter<box<3>>(machine, in.view(), out.view(), replicate{}));
      unit::check_clean(machine);
      CHECK(unit::differences(out.host(), 40, 100, same) == 0);
      REQUIRE(maximum_filter<box<3>>(machine, in.view(), out.view(), replicate{}));
      CHECK(unit::differences(out.host(), 40, 100, same) == 0);
    }
}

TEST_CASE("a product of weights down and across is applied in one pass", "[stencil]") {
  const weights<float, 5> down{{1, 2, 3, 4, 5}};
  const weights<float, 4> across{{2, 0, 1, 3}};
  for (auto& machine : testing::machines())
    for (const auto& shape : {test::image{1, 1}, test::image{9, 135, 1}, test::image{40, 256, 4}}) {
      const sim::placement place{shape.cols + shape.gap};
      auto in = machine.buffer<float>(shape.rows, shape.cols, test::pixel, place);
      auto out = machine.buffer<float>(shape.rows, shape.cols, place);
      REQUIRE(separable(machine, in.view(), out.view(), down, across, reflect101{}));
      unit::check_clean_without_conflicts(machine);
      CHECK((in.untouched() && out.untouched()));
      CHECK(unit::differences(out.host(), shape.rows, shape.cols, [&](int r, int c) {
              float sum = 0;
              for (int y = 0; y < 5; ++y)
                for (int x = 0; x < 4; ++x)
                  sum +=
                      down.values[y] * across.values[x] *
                      float(test::with_border(test::pixel, reflect101{}, r + y - 2, c + x - 2, shape.rows, shape.cols));
              return sum;
            }) == 0);
    }
}

TEST_CASE("a separable window of 41 rows gives what its two passes would", "[stencil]") {
  for (auto& machine : testing::machines()) {
    weights<float, 41> ones{};
    for (float& w : ones.values) w = 1;
    auto in = machine.buffer<float>(50, 20, [](int, int) { return 1.f; }), out = machine.buffer<float>(50, 20);
    REQUIRE(separable(machine, in.view(), out.view(), ones, weights<float, 3>{{1, 2, 1}}, replicate{}));
    unit::check_clean(machine);
    CHECK(unit::differences(out.host(), 50, 20, [](int, int) { return 164.f; }) == 0);
  }
}

TEST_CASE("the mean of many bytes is exact, whatever the window", "[stencil][STEN-10]") {
  for (auto& machine : testing::machines()) {
    auto in = machine.buffer<uint8>(20, 150, [](int r, int c) { return uint8(test::pixel(r, c) * 7); });
    auto out = machine.buffer<float>(20, 150);
    const auto check = [&](int radius) {
      unit::check_clean_without_conflicts(machine);
      CHECK(unit::differences(out.host(), 20, 150, [&](int r, int c) {
              int sum = 0;
              for (int y = -radius; y <= radius; ++y)
                for (int x = -radius; x <= radius; ++x)
                  sum += uint8(test::pixel(walk(wrap{}, r + y, 20), walk(wrap{}, c + x, 150)) * 7);
              return float(sum) / float((2 * radius + 1) * (2 * radius + 1));
            }) == 0);
    };
    REQUIRE(box_filter<box<1>>(machine, in.view(), out.view(), wrap{}));
    check(1);
    REQUIRE(box_filter<box<7>>(machine, in.view(), out.view(), wrap{}));
    check(7);
    // and into bytes: rounded to nearest, every constant stays what it is
    auto bytes = machine.buffer<uint8>(20, 150), means = machine.buffer<uint8>(20, 150);
    for (int value : {0, 1, 84, 127, 254, 255}) {
      bytes.write([&](int, int) { return uint8(value); });
      REQUIRE(box_filter<box<7>>(machine, bytes.view(), means.view(), reflect{}));
      CHECK(unit::differences(means.host(), 20, 150, [&](int, int) { return uint8(value); }) == 0);
    }
    REQUIRE(box_filter<box<1>>(machine, in.view(), means.view(), wrap{}));
    const auto exact = [&](int r, int c) {
      int sum = 0;
      for (int i = 0; i < 9; ++i)
        sum += int(in.host()(walk(wrap{}, r + i / 3 - 1, 20), walk(wrap{}, c + i % 3 - 1, 150)));
      return uint8((2 * sum + 9) / 18);
    };
    const auto got = means.host();
    for (int i = 0; i < 100; ++i) CHECK(got(i % 20, i * 31 % 150) == exact(i % 20, i * 31 % 150));
  }
}

TEST_CASE("filters refuse in their own name", "[stencil]") {
  for (auto& machine : testing::machines()) {
    auto v = machine.buffer<float>(5, 5, single);
    CHECK(correlate(machine, v.view(), v.view(), digits, constant{0.f}).message() ==
          "correlate: the output overlaps the input: give it memory of its own");
  }
}
