// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cases that other libraries got wrong: views of larger images, corners, halos larger than blocks, last columns, outputs
// in place, radii larger than the image.
#include <support/stencil.hpp>

using namespace memtile;
using test::weighted;

namespace {

constexpr weighted<1> ones{{1, 1, 1, 1, 1, 1, 1, 1, 1}}, along_row{{0, 0, 0, 1, 1, 1, 0, 0, 0}};

// The sum of all neighbours of a window that does not stay in registers.
template <int Up, int Across>
struct sum_of_far {
  template <class Neighbours>
  MEMTILE_FUNCTION auto operator()(const Neighbours& n) const {
    auto sum = 0 * n(0, 0);
    MEMTILE_KEEP_LOOP
    for (int y = -Up; y <= Up; ++y) {
      MEMTILE_KEEP_LOOP
      for (int x = -Across; x <= Across; ++x) sum += n(y, x);
    }
    return sum;
  }
  template <class At, class Border>
  double expected(const At& at, const Border& border, int64 r, int64 c, int64 rows, int64 cols) const {
    double sum = 0;
    for (int y = -Up; y <= Up; ++y)
      for (int x = -Across; x <= Across; ++x) sum += test::with_border(at, border, r + y, c + x, rows, cols);
    return sum;
  }
};

// A sum along both axes, with weights that differ.
struct long_cross {
  template <class Neighbours>
  MEMTILE_FUNCTION float operator()(const Neighbours& n) const {
    float sum = n(0, 0);
    MEMTILE_UNROLL
    for (int d = 1; d <= 4; ++d)
      sum += float(d) * n(-d, 0) + float(d + 4) * n(d, 0) + float(d + 8) * n(0, -d) + float(d + 12) * n(0, d);
    return sum;
  }
  template <class At, class Border>
  double expected(const At& at, const Border& border, int64 r, int64 c, int64 rows, int64 cols) const {
    const auto n = [&](int y, int x) { return test::with_border(at, border, r + y, c + x, rows, cols); };
    double sum = n(0, 0);
    for (int d = 1; d <= 4; ++d) sum += d * n(-d, 0) + (d + 4) * n(d, 0) + (d + 8) * n(0, -d) + (d + 12) * n(0, d);
    return sum;
  }
};

}  // namespace

TEST_CASE("a star of radius 4 has its neighbours at every size and placement", "[stencil]") {
  for (auto& machine : testing::machines())
    for (const test::image& shape : {test::image{1, 1}, test::image{3, 5}, test::image{20, 128},
                                     test::image{41, 300, 4}, test::image{9, 133, 1, 1}}) {
      test::check_stencil<star<4>>(machine, shape, long_cross{}, reflect101{});
      test::check_stencil<star<4>>(machine, shape, long_cross{}, constant{5.f});
    }
}

TEST_CASE("a view of a larger image is the image", "[stencil][STEN-01]") {
  for (auto& machine : testing::machines()) {
    auto whole = machine.buffer<float>(3, 4, [](int, int) { return 1.f; });
    auto out = machine.buffer<float>(3, 3);
    REQUIRE(stencil<box<1>>(machine, subview(whole.view(), 0, 1, 3, 3), out.view(), along_row, constant{0.f}));
    CHECK(unit::differences(out.host(), 3, 3, [](int, int c) { return c == 1 ? 3.f : 2.f; }) == 0);
  }
}

TEST_CASE("a view of a larger image keeps that image's pitch", "[stencil][STEN-02]") {
  const float right[3][3] = {{58, 90, 62}, {111, 171, 117}, {90, 138, 94}};
  for (auto& machine : testing::machines()) {
    auto whole = machine.buffer<float>(4, 8, [](int r, int c) { return float(8 * r + c); });
    auto out = machine.buffer<float>(3, 3);
    REQUIRE(stencil<box<1>>(machine, subview(whole.view(), 1, 2, 3, 3), out.view(), ones, constant{0.f}));
    CHECK(unit::differences(out.host(), 3, 3, [&](int r, int c) { return right[r][c]; }) == 0);
  }
}

TEST_CASE("diagonal neighbours are there in every place", "[stencil][STEN-06]") {
  for (auto& machine : testing::machines()) {
    auto in = machine.buffer<float>(40, 40, [](int r, int c) { return float(40 * r + c); });
    auto out = machine.buffer<float>(40, 40);
    const weighted<1> corners{{1, 0, 1, 0, 0, 0, 1, 0, 1}};
    REQUIRE(stencil<box<1>>(machine, in.view(), out.view(), corners, constant{0.f}));
    const auto got = out.host();
    CHECK(
        (got(0, 0) == 41 && got(15, 15) == 2460 && got(16, 16) == 2624 && got(31, 32) == 5088 && got(39, 39) == 1558));
    double total = 0;
    for (int r = 0; r < 40; ++r)
      for (int c = 0; c < 40; ++c) total += got(r, c);
    CHECK(total == 4864158);
  }
}

TEST_CASE("windows of 7 x 7 and 17 x 17 equal the direct sum", "[stencil][STEN-07]") {
  for (auto& machine : testing::machines()) {
    test::check_stencil<box<3>>(machine, {64, 64}, test::unlike_weights<3>(), replicate{});
    test::check_stencil<box<3>>(machine, {20, 301, 3, 1}, test::unlike_weights<3>(), replicate{});
    test::check_stencil<box<8>>(machine, {33, 70}, sum_of_far<8, 8>{}, replicate{});
  }
}

TEST_CASE("the last columns and rows are computed like the first", "[stencil][STEN-08]") {
  const auto in_reach = [](int i, int n, int radius) { return min_of(i + radius, n - 1) - max_of(i - radius, 0) + 1; };
  for (auto& machine : testing::machines())
    for (int cols : {257, 129, 128}) {
      const int rows = 33;
      auto in = machine.buffer<float>(rows, cols, [](int, int) { return 1.f; }),
           out = machine.buffer<float>(rows, cols);
      REQUIRE(stencil<box<1>>(machine, in.view(), out.view(), ones, constant{0.f}));
      CHECK(unit::differences(out.host(), rows, cols,
                              [&](int r, int c) { return float(in_reach(r, rows, 1) * in_reach(c, cols, 1)); }) == 0);
    }
}

TEST_CASE("an output that overlaps an input is refused, and nothing changes", "[stencil][STEN-09]") {
  for (auto& machine : testing::machines()) {
    auto v = machine.buffer<float>(8, 4, [](int r, int c) { return float(r * 4 + c); });
    const auto refused = [&](const auto& in, const auto& out) {
      CHECK(stencil<box<1>>(machine, in, out, ones, constant{0.f}).message() ==
            "stencil: the output overlaps the input: give it memory of its own");
    };
    refused(v.view(), v.view());
    refused(subview(v.view(), 0, 0, 6, 4), subview(v.view(), 2, 0, 6, 4));
    CHECK(unit::differences(v.host(), 8, 4, [](int r, int c) { return float(r * 4 + c); }) == 0);
    REQUIRE(
        stencil<box<1>>(machine, subview(v.view(), 0, 0, 8, 2), subview(v.view(), 0, 2, 8, 2), ones, constant{0.f}));
  }
}

TEST_CASE("a radius may be larger than the image", "[stencil][STEN-13]") {
  for (auto& machine : testing::machines()) {
    test::check_stencil<box<3>>(machine, {1, 2}, test::taps<3>({1, 1, 1, 1, 1, 1, 1}, false), replicate{});
    test::check_stencil<box<3>>(machine, {2, 1}, test::taps<3>({1, 1, 1, 1, 1, 1, 1}, true), reflect{});
    using across = window<0, 0, 50, 50>;
    test::check_stencil<across>(machine, {1, 1}, sum_of_far<0, 50>{}, reflect{});
    test::check_stencil<across>(machine, {2, 3}, sum_of_far<0, 50>{}, reflect{});
  }
}

TEST_CASE("a window of 241 doubles needs no more shared memory than another", "[stencil][STEN-15]") {
  for (auto& machine : testing::machines()) {
    auto in = machine.buffer<double>(9, 300, [](int, int) { return 1.0; }), out = machine.buffer<double>(9, 300);
    REQUIRE(stencil<window<0, 0, 120, 120>>(machine, in.view(), out.view(), sum_of_far<0, 120>{}, replicate{}));
    CHECK(unit::differences(out.host(), 9, 300, [](int, int) { return 241.0; }) == 0);
    unit::check_clean(machine);
  }
}
