// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Filters of integers of 8 and 16 bits, which work on two columns at a time: values of the whole range, at every edge.
#include <support/stencil.hpp>

#include <cmath>
#include <utility>
#include <vector>

using namespace memtile;
using test::image;

namespace {

// Mostly the ends of the range, where a bit of one half that spoils the other shows.
template <class T>
T shade(int64 r, int64 c) {
  const uint32 mixed = uint32(r * 1237 + c * 31 + 1) * 2654435761u;
  return mixed >> 30 == 0 ? detail::highest<T>() : mixed >> 30 == 1 ? detail::lowest<T>() : T(mixed >> 9);
}

// Sizes on both sides of the runs that a warp and its lanes own, rows whose ends allow no wide access, lines that begin anywhere.
const image shapes[] = {{1, 1}, {4, 17, 1}, {9, 530, 0, 1}, {5, 1040}, {45, 21}};

// apply(machine, in, out): each result is reference(values of the window, row by row).
template <class T, class Border, class Apply, class Reference>
void check(int up, int down, int left, int right, const Border& border, const Apply& apply,
           const Reference& reference) {
  for (auto& machine : testing::machines())
    for (const image& shape : shapes) {
      INFO(machine.name() << ": " << shape.rows << "x" << shape.cols);
      const sim::placement place{shape.cols + shape.gap, shape.offset};
      auto in = machine.buffer<T>(shape.rows, shape.cols, shade<T>, place);
      auto out = machine.buffer<T>(shape.rows, shape.cols, place);
      REQUIRE(apply(machine, in.view(), out.view()));
      unit::check_clean_without_conflicts(machine);
      CHECK((in.untouched() && out.untouched()));
      CHECK(unit::differences(out.host(), shape.rows, shape.cols, [&](int r, int c) {
              std::vector<int> window;
              for (int y = -up; y <= down; ++y)
                for (int x = -left; x <= right; ++x)
                  window.push_back(int(test::with_border(shade<T>, border, r + y, c + x, shape.rows, shape.cols)));
              return T(reference(window));
            }) == 0);
    }
}
int middle(std::vector<int> v) {
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}
int least(const std::vector<int>& v) { return *std::min_element(v.begin(), v.end()); }
int most(const std::vector<int>& v) { return *std::max_element(v.begin(), v.end()); }

template <class T>
void check_median() {
  check<T>(
      1, 1, 1, 1, reflect{},
      [](auto& m, const auto& in, const auto& out) { return median_filter<box<1>>(m, in, out, reflect{}); }, middle);
}

int mean(const std::vector<int>& v) {  // rounded to nearest, of two equally near ones the even one
  double sum = 0;
  for (int each : v) sum += each;
  return int(std::nearbyint(sum / double(v.size())));
}
// Weighed by 1 2 1 or 1 4 6 4 1, down and across.
int binomial_mean(const std::vector<int>& v) {
  const std::vector<int> weight = v.size() == 9 ? std::vector<int>{1, 2, 1} : std::vector<int>{1, 4, 6, 4, 1};
  double sum = 0;
  for (std::size_t i = 0; i < v.size(); ++i) sum += v[i] * weight[i / weight.size()] * weight[i % weight.size()];
  return int(std::nearbyint(sum / (v.size() == 9 ? 16 : 256)));
}
template <class T, int Radius>
void check_binomial() {
  check<T>(
      Radius, Radius, Radius, Radius, reflect101{},
      [](auto& m, const auto& in, const auto& out) { return binomial_filter<Radius>(m, in, out, reflect101{}); },
      binomial_mean);
}

template <class T, int Up, int Down, int Left, int Right>
void check_mean() {
  check<T>(
      Up, Down, Left, Right, reflect{},
      [](auto& m, const auto& in, const auto& out) {
        return box_filter<window<Up, Down, Left, Right>>(m, in, out, reflect{});
      },
      mean);
}
// Every sum that a mean of so many bytes can have.
template <int Count>
int wrong_means() {
  int wrong = 0;
  const auto rounded = [](uint32 sum) { return uint32(std::nearbyint(double(sum) / Count)); };
  for (uint32 sum = 0; sum <= 255 * Count; ++sum) {
    const uint32 other = 255 * Count - sum;
    const halves<uint8> got =
        detail::stored_as_halves<uint8>(detail::quotient<Count, float, halves<int>>{{other << 16 | sum}});
    wrong += (got.both & 0x00ff00ff) != (rounded(other) << 16 | rounded(sum));
  }
  return wrong;
}
template <int... Half>
int wrong_means_of_all(std::integer_sequence<int, Half...>) {
  return (0 + ... + wrong_means<2 * Half + 1>());
}

struct binomial {
  static constexpr bool takes_halves = true;
  template <class Neighbours>
  MEMTILE_FUNCTION auto operator()(const Neighbours& n) const {
    const auto corners = n(-1, -1) + n(-1, 1) + n(1, -1) + n(1, 1), sides = n(-1, 0) + n(1, 0) + n(0, -1) + n(0, 1);
    return (corners + 2 * sides + 4 * n(0, 0) + 8) >> 4;
  }
};
struct sum_of_column {  // saturated
  static constexpr bool takes_halves = true;
  template <class Neighbours>
  MEMTILE_FUNCTION auto operator()(const Neighbours& n) const {
    return n(-1, 0) + n(0, 0) + n(1, 0);
  }
};

}  // namespace

TEST_CASE("medians of 3 x 3 small integers", "[stencil]") {
  check_median<uint8>();
  check_median<int8>();
  check_median<uint16>();
  check_median<int16>();
}

TEST_CASE("smallest and largest small integers of even windows, and medians of larger ones", "[stencil][STEN-12]") {
  using uneven = window<2, 1, 0, 3>;
  check<uint8>(
      2, 1, 0, 3, wrap{}, [](auto& m, const auto& in, const auto& out) { return erode<uneven>(m, in, out, wrap{}); },
      least);
  check<int16>(
      2, 1, 0, 3, constant{-7},
      [](auto& m, const auto& in, const auto& out) { return dilate<uneven>(m, in, out, constant{-7}); }, most);
  check<int8>(
      1, 1, 2, 2, replicate{},
      [](auto& m, const auto& in, const auto& out) {
        return median_filter<window<1, 1, 2, 2>>(m, in, out, replicate{});
      },
      middle);
}

TEST_CASE("means of small integers are exact, with sums of rows that are held or run along", "[stencil][STEN-10]") {
  check_mean<uint8, 1, 1, 1, 1>();
  check_mean<uint8, 2, 2, 2, 3>();  // an even number
  check_mean<uint8, 7, 7, 7, 7>();
  check_mean<uint8, 0, 0, 0, 0>();
  check_mean<uint8, 8, 7, 8, 7>();   // 256
  check_mean<uint8, 3, 9, 20, 0>();  // more
  check_mean<int16, 5, 4, 2, 2>();
  CHECK(wrong_means_of_all(std::make_integer_sequence<int, 128>{}) == 0);
  CHECK(wrong_means<2>() + wrong_means<4>() + wrong_means<8>() + wrong_means<16>() + wrong_means<256>() == 0);
}

TEST_CASE("binomial means are exact, of floats too", "[stencil][STEN-10]") {
  check_binomial<uint8, 1>();
  check_binomial<uint8, 2>();
  check_binomial<int16, 1>();
  for (auto& machine : testing::machines()) {
    auto in = machine.buffer<float>(3, 70, test::pixel), out = machine.buffer<float>(3, 70);
    REQUIRE(binomial_filter<2>(machine, in.view(), out.view(), reflect{}));
    CHECK(unit::differences(out.host(), 3, 70, [](int r, int c) {
            const int weight[] = {1, 4, 6, 4, 1};
            double sum = 0;
            for (int i = 0; i < 25; ++i)
              sum += weight[i / 5] * weight[i % 5] *
                     test::with_border(test::pixel, reflect{}, r + i / 5 - 2, c + i % 5 - 2, 3, 70);
            return float(sum / 256);
          }) == 0);
  }
}

TEST_CASE("means of bytes become floats", "[stencil]") {
  for (auto& machine : testing::machines()) {
    auto in = machine.buffer<uint8>(40, 131, shade<uint8>);
    auto out = machine.buffer<float>(40, 131);
    REQUIRE(box_filter<window<3, 3, 1, 1>>(machine, in.view(), out.view(), wrap{}));
    unit::check_clean(machine);
    CHECK(unit::differences(out.host(), 40, 131, [](int r, int c) {
            int sum = 0;
            for (int y = -3; y <= 3; ++y)
              for (int x = -1; x <= 1; ++x) sum += shade<uint8>((r + y + 40) % 40, (c + x + 131) % 131);
            return float(sum) / 21;
          }) == 0);
  }
}

TEST_CASE("a functor of one's own may take halves", "[stencil]") {
  check<uint8>(
      1, 1, 1, 1, reflect101{},
      [](auto& m, const auto& in, const auto& out) { return stencil<box<1>>(m, in, out, binomial{}, reflect101{}); },
      [](const std::vector<int>& v) {
        return (v[0] + v[2] + v[6] + v[8] + 2 * (v[1] + v[3] + v[5] + v[7]) + 4 * v[4] + 8) / 16;
      });
  check<uint8>(
      1, 1, 0, 0, wrap{},
      [](auto& m, const auto& in, const auto& out) { return stencil<star<1>>(m, in, out, sum_of_column{}, wrap{}); },
      [](const std::vector<int>& v) { return (std::min)(255, v[0] + v[1] + v[2]); });
}

TEST_CASE("small integers of vectors and volumes too", "[stencil]") {
  for (auto& machine : testing::machines()) {
    auto line = machine.buffer<int8>(1100, [](int i) { return shade<int8>(3, i); }),
         medians = machine.buffer<int8>(1100);
    REQUIRE(median_filter<window<1, 3>>(machine, line.view(), medians.view(), wrap{}));
    CHECK(unit::differences(medians.host(), 1100, [](int i) {
            std::vector<int> window;
            for (int x = -1; x <= 3; ++x) window.push_back(shade<int8>(3, (i + x + 1100) % 1100));
            return int8(middle(window));
          }) == 0);
    constexpr int depth = 4, rows = 11, cols = 37;
    auto in = machine.buffer<uint8>(depth * rows, cols, shade<uint8>), out = machine.buffer<uint8>(depth * rows, cols);
    const volume_view<const uint8> from(in.view().data, depth, rows, cols, in.view().pitch, rows * in.view().pitch);
    const volume_view<uint8> to(out.view().data, depth, rows, cols, out.view().pitch, rows * out.view().pitch);
    REQUIRE(minimum_filter<box<1>>(machine, from, to, replicate{}));
    unit::check_clean(machine);
    CHECK(unit::differences(out.host(), depth * rows, cols, [](int place, int c) {
            const auto inside = [](int i, int n) { return (std::min)((std::max)(i, 0), n - 1); };
            int least = 255;
            for (int i = 0; i < 27; ++i)
              least = (std::min)(least, int(shade<uint8>(inside(place / rows + i / 9 - 1, depth) * rows +
                                                             inside(place % rows + i / 3 % 3 - 1, rows),
                                                         inside(c + i % 3 - 1, cols))));
            return uint8(least);
          }) == 0);
  }
}

TEST_CASE("where a border leaves a rim, or a part is computed, halves beyond it are not stored", "[stencil]") {
  for (auto& machine : testing::machines()) {
    auto in = machine.buffer<uint8>(12, 600, shade<uint8>), out = machine.buffer<uint8>(12, 600);
    out.write([](int, int) { return uint8(77); });
    REQUIRE(stencil<box<1>>(machine, in.view(), out.view(), binomial{}, valid{}, region{3, 5, 4, 560}));
    unit::check_clean_without_conflicts(machine);
    CHECK((out.untouched() && in.untouched()));
    CHECK(unit::differences(out.host(), 12, 600, [](int r, int c) {
            if (r < 3 || r >= 7 || c < 5 || c >= 565) return uint8(77);
            int sum = 8;
            for (int y = -1; y <= 1; ++y)
              for (int x = -1; x <= 1; ++x) sum += (2 - y * y) * (2 - x * x) * shade<uint8>(r + y, c + x);
            return uint8(sum / 16);
          }) == 0);
  }
}
