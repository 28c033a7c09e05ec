// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Images of interleaved channels: every filter is that of each channel by itself, with every border.
#include <support/stencil.hpp>

#include <vector>

using namespace memtile;
using test::image;

namespace {

// Channel k of a pixel.
int shade(int64 r, int64 c, int k) { return test::pixel(r * 3 + k, c + 2 * k) + 9 + 60 * k; }
template <class T, int Channels>
vec<T, Channels> colour(int r, int c) {
  vec<T, Channels> v{};
  for (int k = 0; k < Channels; ++k) v[k] = T(shade(r, c, k));
  return v;
}

// apply(machine, in, out): each channel of each result is reference(at), where at(y, x) is its neighbour so far away.
template <class T, class R, int Channels, class Border, class Apply, class Reference>
void check_channels(const Border& border, const Apply& apply, const Reference& reference) {
  for (auto& machine : testing::machines())
    for (const image& shape : {image{1, 1}, image{3, 5, 1}, image{7, 200, 0, 1}, image{11, 528}}) {
      INFO(machine.name() << ": " << shape.rows << "x" << shape.cols << " of " << Channels << " channels");
      const sim::placement place{shape.cols + shape.gap, shape.offset};
      auto in = machine.buffer<vec<T, Channels>>(shape.rows, shape.cols, colour<T, Channels>, place);
      auto out = machine.buffer<vec<R, Channels>>(shape.rows, shape.cols, place);
      REQUIRE(apply(machine, in.view(), out.view()));
      unit::check_clean(machine);
      CHECK((in.untouched() && out.untouched()));
      const auto got = out.host();
      int wrong = 0;
      for (int r = 0; r < shape.rows; ++r)
        for (int c = 0; c < shape.cols; ++c)
          for (int k = 0; k < Channels; ++k)
            wrong += double(got(r, c)[k]) != reference([&](int y, int x) {
                       return test::with_border([&](int64 y0, int64 x0) { return shade(y0, x0, k); }, border, r + y,
                                                c + x, shape.rows, shape.cols);
                     });
      CHECK(wrong == 0);
    }
}
template <class At, class Combine>
double around(int up, int left, const At& at, double first, const Combine& combine) {
  for (int y = -up; y <= 1; ++y)
    for (int x = -left; x <= 1; ++x) first = combine(first, at(y, x), y, x);
  return first;
}
constexpr weights<float, 2, 3> uneven{{1, 2, 3, -4, 5, 6}};
double weighed(double sum, double v, int y, int x) {
  return y < 1 ? sum + uneven.values[(y + 1) * 3 + x + 1] * v : sum;
}

}  // namespace

TEST_CASE("bytes of three and four channels are filtered channel by channel", "[stencil][STEN-03]") {
  check_channels<uint8, float, 3>(
      reflect{}, [](auto& m, const auto& in, const auto& out) { return correlate(m, in, out, uneven, reflect{}); },
      [](const auto& at) { return around(1, 1, at, 0, weighed); });
  check_channels<uint8, uint8, 3>(
      reflect101{}, [](auto& m, const auto& in, const auto& out) { return dilate<box<1>>(m, in, out, reflect101{}); },
      [](const auto& at) {
        return around(1, 1, at, 0, [](double a, double b, int, int) { return (std::max)(a, b); });
      });
  check_channels<uint8, uint8, 4>(
      wrap{}, [](auto& m, const auto& in, const auto& out) { return median_filter<box<1>>(m, in, out, wrap{}); },
      [](const auto& at) {
        std::vector<double> all;
        around(1, 1, at, 0, [&](double, double v, int, int) { return all.push_back(v), 0.; });
        std::sort(all.begin(), all.end());
        return all[4];
      });
}

TEST_CASE("functors of two passes see channels too, in registers and beyond", "[stencil]") {
  const auto rounded_mean = [](const auto& at) {
    const double sum = around(1, 3, at, 0, [](double s, double v, int, int) { return s + v; });
    return double((2 * int(sum) + 15) / 30);
  };
  using below = window<1, 1, 3, 1>;
  check_channels<uint8, uint8, 3>(
      replicate{}, [](auto& m, const auto& in, const auto& out) { return box_filter<below>(m, in, out, replicate{}); },
      rounded_mean);
  const auto product = [](double sum, double v, int y, int x) { return sum + (y + 2) * (x + 3) * v; };
  check_channels<float, float, 2>(
      constant{5.f},
      [](auto& m, const auto& in, const auto& out) {
        return separable(m, in, out, weights<float, 3>{{1, 2, 3}}, weights<float, 3>{{2, 3, 4}}, constant{5.f});
      },
      [&](const auto& at) { return around(1, 1, at, 0, product); });
  check_channels<uint8, uint8, 3>(
      sides{wrap{}, constant{9}},
      [](auto& m, const auto& in, const auto& out) {
        return maximum_filter<window<8, 1, 7, 1>>(m, in, out, sides{wrap{}, constant{9}});
      },
      [](const auto& at) {
        return around(8, 7, at, 0, [](double a, double b, int, int) { return (std::max)(a, b); });
      });
}

TEST_CASE("a border of pixels leaves whole pixels, and vectors and volumes have channels as well", "[stencil]") {
  for (auto& machine : testing::machines()) {
    auto in = machine.buffer<vec<int16, 3>>(4, 7, colour<int16, 3>), out = machine.buffer<vec<int16, 3>>(4, 7);
    out.write([](int, int) { return vec<int16, 3>{{-1, -2, -3}}; });
    REQUIRE(laplacian_filter(machine, in.view(), out.view(), valid{}));
    const auto got = out.host();
    for (int r = 0; r < 4; ++r)
      for (int c = 0; c < 7; ++c)
        for (int k = 0; k < 3; ++k) {
          const bool is_rim = r % 3 == 0 || c % 6 == 0;
          CHECK(got(r, c)[k] == (is_rim ? -1 - k
                                        : shade(r - 1, c, k) + shade(r + 1, c, k) + shade(r, c - 1, k) +
                                              shade(r, c + 1, k) - 4 * shade(r, c, k)));
        }
    auto line = machine.buffer<vec<float, 2>>(90, [](int i) { return vec<float, 2>{{float(i), float(-i)}}; });
    auto ends = machine.buffer<vec<float, 2>>(90);
    REQUIRE(maximum_filter<box<2>>(machine, line.view(), ends.view(), wrap{}));
    const auto most = ends.host();
    for (int i = 0; i < 90; ++i)
      CHECK((most(i)[0] == (i < 2 || i > 87 ? 89 : i + 2) && most(i)[1] == (i < 2 || i > 87 ? 0 : 2 - i)));
  }
}
