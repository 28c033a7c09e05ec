// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every border, at every size: the reference values of the cases, and a sweep over sizes, pitches and offsets.
#include <support/stencil.hpp>

#include <vector>

using namespace memtile;
using test::image;

namespace {

template <class Go>
void with_every_border(const Go& go) {
  go(constant{-7.f});
  go(replicate{});
  go(reflect{});
  go(reflect101{});
  go(wrap{});
}

// Along a row of 1 x n, or down a column.
template <class Border>
std::vector<float> filtered(const std::vector<float>& x, std::initializer_list<int> taps, const Border& border,
                            bool down) {
  const int n = int(x.size());
  sim::machine machine;
  auto in = machine.buffer<float>(down ? n : 1, down ? 1 : n, [&](int r, int c) { return x[std::size_t(r + c)]; });
  auto out = machine.buffer<float>(down ? n : 1, down ? 1 : n);
  REQUIRE(stencil<box<2>>(machine, in.view(), out.view(), test::taps<2>(taps, down), border));
  unit::check_clean(machine);
  std::vector<float> result;
  for (int i = 0; i < n; ++i) result.push_back(down ? out.host()(i, 0) : out.host()(0, i));
  return result;
}

using list = std::vector<float>;

}  // namespace

TEST_CASE("box sums and correlations of four pixels are those of the convention", "[stencil][STEN-03]") {
  for (bool down : {false, true}) {
    const auto sums = [&](auto border) { return filtered({1, 2, 3, 4}, {1, 1, 1, 1, 1}, border, down); };
    CHECK(sums(constant{0.f}) == list{6, 10, 10, 9});
    CHECK(sums(replicate{}) == list{8, 11, 14, 17});
    CHECK(sums(reflect{}) == list{9, 11, 14, 16});
    CHECK(sums(reflect101{}) == list{11, 12, 13, 14});
    CHECK(sums(wrap{}) == list{13, 14, 11, 12});
    const auto taps = [&](auto border) { return filtered({1, 2, 3, 4}, {1, 10, 100}, border, down); };
    CHECK(taps(constant{0.f}) == list{210, 321, 432, 43});
    CHECK(taps(replicate{}) == list{211, 321, 432, 443});
    CHECK(taps(reflect{}) == list{211, 321, 432, 443});
    CHECK(taps(reflect101{}) == list{212, 321, 432, 343});
    CHECK(taps(wrap{}) == list{214, 321, 432, 143});
  }
}

TEST_CASE("an axis of one pixel is mirrored into itself", "[stencil][STEN-04]") {
  CHECK(filtered({5}, {1, 1, 1}, reflect101{}, false) == list{15});
  for (auto& machine : testing::machines()) {
    auto in = machine.buffer<float>(1, 4, [](int, int c) { return float(c + 1); });
    auto out = machine.buffer<float>(1, 4);
    REQUIRE(stencil<box<2>>(machine, in.view(), out.view(), test::taps<2>({1, 1, 1}, true), reflect101{}));
    CHECK(unit::differences(out.host(), 1, 4, [](int, int c) { return float(3 * (c + 1)); }) == 0);
  }
}

TEST_CASE("every border is right at every size and placement", "[stencil][STEN-08][STEN-14]") {
  const image shapes[] = {{0, 7},        {7, 0},      {1, 1},      {1, 5},         {5, 1},        {2, 2},
                          {3, 4, 1, 1},  {9, 127},    {8, 128},    {10, 129},      {6, 256},      {5, 257},
                          {70, 9, 3, 2}, {4, 131, 1}, {7, 132, 4}, {6, 132, 0, 1}, {3, 400, 0, 0}};
  for (auto& machine : testing::machines())
    for (const image& shape : shapes)
      with_every_border(
          [&](auto border) { test::check_stencil<box<2>>(machine, shape, test::unlike_weights<2>(), border); });
}

TEST_CASE("a border that is valid on one side leaves the rim of that side", "[stencil]") {
  const auto value = [](int64 r, int64 c) { return float(test::pixel(r, c)); };
  for (auto& machine : testing::machines()) {
    auto in = machine.buffer<float>(7, 70, value), out = machine.buffer<float>(7, 70, [](int, int) { return -5.f; });
    const borders border{sides{wrap{}, valid{}}, sides{valid{}, replicate{}}};
    REQUIRE(maximum_filter<window<1, 2, 1, 1>>(machine, in.view(), out.view(), border));
    CHECK(unit::differences(out.host(), 7, 70, [&](int r, int c) {
            if (r >= 5 || c < 1) return -5.f;
            float best = value((r + 6) % 7, c);
            for (int y = -1; y <= 2; ++y)
              for (int x = -1; x <= 1; ++x) best = max_of(best, value((r + y + 7) % 7, min_of(c + x, 69)));
            return best;
          }) == 0);
    auto scratch = machine.buffer<float>(7, 70);
    auto u = machine.buffer<float>(7, 70, value);
    REQUIRE(iterate<box<1>>(machine, 2, u.view(), scratch.view(), detail::itself{}, sides{valid{}, wrap{}}));
    CHECK(unit::differences(u.host(), 7, 70, value) == 0);
  }
}

TEST_CASE("a constant border is rounded and saturated to the elements", "[stencil][STEN-11]") {
  for (auto& machine : testing::machines()) {
    auto in = machine.buffer<uint8>(2, 5, [](int, int) { return uint8(7); }), out = machine.buffer<uint8>(2, 5);
    const auto at_corner = [&](auto value) {
      REQUIRE(maximum_filter<box<1>>(machine, in.view(), out.view(), constant{value}));
      return int(out.host()(0, 0));
    };
    CHECK((at_corner(-1) == 7 && at_corner(-1.f) == 7 && at_corner(300) == 255 && at_corner(1e9) == 255));
    CHECK(at_corner(7.75f) == 8);
  }
}

TEST_CASE("a volume without slices may have no memory", "[stencil]") {
  for (auto& machine : testing::machines()) {
    const volume_view<float> none(nullptr, 0, 4, 4, 16, 64);
    CHECK(stencil<box<1>>(machine, none, none, detail::itself{}, wrap{}));
  }
}
