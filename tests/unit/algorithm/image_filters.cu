// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gradients, the Laplacian, Gaussians, sharpening, means weighted by likeness, ranks: against plain loops.
#include <support/stencil.hpp>

#include <cmath>
#include <vector>

using namespace memtile;
using test::image;

namespace {

const image shapes[] = {{1, 1}, {2, 31}, {9, 135, 1}, {33, 257, 3, 1}, {40, 256}};

// apply(in, out) on images of T, of which each result must be within bound * (1 + |reference|) of reference(at, r, c), where
// at(y, x) is the neighbour so far away.
template <class T, class R, class Border, class Apply, class Reference>
void check_filter(const Border& border, const Apply& apply, const Reference& reference, double bound = 0) {
  for (auto& machine : testing::machines())
    for (const image& shape : shapes) {
      INFO(machine.name() << ": " << shape.rows << "x" << shape.cols);
      const sim::placement place{shape.cols + shape.gap, shape.offset};
      const auto pixel = [](int64 r, int64 c) { return test::pixel(r, c) + 9; };
      auto in = machine.buffer<T>(shape.rows, shape.cols, pixel, place);
      auto out = machine.buffer<R>(shape.rows, shape.cols, place);
      const status done = apply(machine, in.view(), out.view());
      INFO(done.message());
      REQUIRE(done.ok());
      unit::check_clean_without_conflicts(machine);
      CHECK((in.untouched() && out.untouched()));
      const auto got = out.host();
      int wrong = 0;
      for (int r = 0; r < shape.rows; ++r)
        for (int c = 0; c < shape.cols; ++c) {
          const double expected = reference(
              [&](int y, int x) { return test::with_border(pixel, border, r + y, c + x, shape.rows, shape.cols); });
          wrong += !(std::abs(double(got(r, c)) - expected) <= bound * (1 + std::abs(expected)));
        }
      CHECK(wrong == 0);
    }
}
double across(int y, int x) { return (y == 0 ? 2 : 1) * x; }
template <class At, class Weight>
double sum_around(int radius, const At& at, const Weight& weight) {
  double sum = 0;
  for (int y = -radius; y <= radius; ++y)
    for (int x = -radius; x <= radius; ++x) sum += weight(y, x) * at(y, x);
  return sum;
}
double normal(double distance, double sigma) { return std::exp(-distance * distance / (2 * sigma * sigma)); }

}  // namespace

TEST_CASE("gradients by Sobel are exact, down and across", "[stencil]") {
  const auto down = [](const auto& at) { return sum_around(1, at, [](int y, int x) { return across(x, y); }); };
  const auto right = [](const auto& at) { return sum_around(1, at, across); };
  check_filter<uint8, int16>(
      reflect{}, [](auto& m, const auto& in, const auto& out) { return sobel_filter<0>(m, in, out, reflect{}); }, down);
  check_filter<float, float>(
      wrap{}, [](auto& m, const auto& in, const auto& out) { return sobel_filter<1>(m, in, out, wrap{}); }, right);
  check_filter<uint8, float>(
      replicate{}, [](auto& m, const auto& in, const auto& out) { return sobel_magnitude(m, in, out, replicate{}); },
      [&](const auto& at) { return std::hypot(down(at), right(at)); }, 1e-6);
}

TEST_CASE("the Laplacian counts the neighbours along every axis", "[stencil]") {
  check_filter<uint8, int16>(
      constant{7}, [](auto& m, const auto& in, const auto& out) { return laplacian_filter(m, in, out, constant{7}); },
      [](const auto& at) { return at(-1, 0) + at(1, 0) + at(0, -1) + at(0, 1) - 4 * at(0, 0); });
  for (auto& machine : testing::machines()) {  // of squares it is twice the number of axes
    auto line = machine.buffer<float>(70, [](int i) { return float(i * i); }), bent = machine.buffer<float>(70);
    REQUIRE(laplacian_filter(machine, line.view(), bent.view(), valid{}));
    const auto row = bent.host();
    for (int i = 1; i < 69; ++i) CHECK(row(i) == 2);
    auto cubes = machine.buffer<int>(3 * 4, 5, [](int r, int c) { return r / 4 * (r / 4) + r % 4 * (r % 4) + c * c; });
    auto curved = machine.buffer<int>(3 * 4, 5, [](int, int) { return 0; });
    const auto volume = [](const auto& v) { return volume_view(v.data, 3, 4, 5, v.pitch, 4 * v.pitch); };
    REQUIRE(laplacian_filter(machine, volume(cubes.view()), volume(curved.view()), valid{}));
    CHECK(unit::differences(curved.host(), 12, 5,
                            [](int r, int c) { return r / 4 == 1 && r % 4 % 3 != 0 && c % 4 != 0 ? 6 : 0; }) == 0);
  }
}

TEST_CASE("a Gaussian is its weights down and across, and sharpening takes it away", "[stencil]") {
  const auto blurred = [](const auto& at) {
    double sum = 0;
    const double all = sum_around(
        2, [](int, int) { return 1.; },
        [&](int y, int x) {
          sum += normal(y, 1.2) * normal(x, 1.2) * at(y, x);
          return normal(y, 1.2) * normal(x, 1.2);
        });
    return sum / all;
  };
  check_filter<uint8, float>(
      reflect101{},
      [](auto& m, const auto& in, const auto& out) { return gaussian_filter<2>(m, in, out, 1.2, reflect101{}); },
      blurred, 1e-6);
  check_filter<double, double>(
      reflect101{},
      [](auto& m, const auto& in, const auto& out) { return gaussian_filter<2>(m, in, out, 1.2, reflect101{}); },
      blurred, 2e-15);
  check_filter<float, float>(
      replicate{},
      [](auto& m, const auto& in, const auto& out) { return unsharp_filter<2>(m, in, out, 1.2, 1.5, replicate{}); },
      [&](const auto& at) { return at(0, 0) + 1.5 * (at(0, 0) - blurred(at)); }, 4e-6);
  check_filter<double, double>(
      replicate{},
      [](auto& m, const auto& in, const auto& out) { return unsharp_filter<2>(m, in, out, 1.2, 1.5, replicate{}); },
      [&](const auto& at) { return at(0, 0) + 1.5 * (at(0, 0) - blurred(at)); }, 8e-15);
  for (auto& machine : testing::machines()) {  // of a vector: a single one becomes the weights
    auto in = machine.buffer<float>(9, [](int i) { return i == 4 ? 1.f : 0.f; }), out = machine.buffer<float>(9);
    REQUIRE(gaussian_filter<2>(machine, in.view(), out.view(), 1.2, reflect{}));
    const auto w = gaussian_weights<2>(1.2);
    CHECK(unit::differences(out.host(), 9, [&](int i) { return i < 2 || i > 6 ? 0.f : w.values[i - 2]; }) == 0);
  }
}

TEST_CASE("a bilateral filter weights neighbours by distance and likeness, in registers and beyond", "[stencil]") {
  const auto expected = [](int radius) {
    return [=](const auto& at) {
      double sum = 0, weights = 0;
      for (int y = -radius; y <= radius; ++y)
        for (int x = -radius; x <= radius; ++x) {
          const double weight = normal(y, 1.5) * normal(x, 1.5) * normal(at(y, x) - at(0, 0), 8);
          sum += weight * at(y, x), weights += weight;
        }
      return sum / weights;
    };
  };
  check_filter<uint8, float>(
      reflect{},
      [](auto& m, const auto& in, const auto& out) { return bilateral_filter<1>(m, in, out, 1.5, 8, reflect{}); },
      expected(1), 29 * std::ldexp(1, -23));
  check_filter<float, float>(
      wrap{}, [](auto& m, const auto& in, const auto& out) { return bilateral_filter<5>(m, in, out, 1.5, 8, wrap{}); },
      expected(5), 141 * std::ldexp(1, -23));
  check_filter<uint8, float>(
      reflect{},
      [](auto& m, const auto& in, const auto& out) { return bilateral_filter<1>(m, in, out, 1e-15, 1e-15, reflect{}); },
      [](const auto& at) { return at(0, 0); });
}

TEST_CASE("ranks are those of the sorted neighbourhood; erosion and dilation are its ends", "[stencil][STEN-16]") {
  const auto number = [](int rank) {
    return [=](const auto& at) {
      std::vector<double> all;
      sum_around(1, at, [&](int y, int x) { return all.push_back(at(y, x)), 0; });
      std::nth_element(all.begin(), all.begin() + rank, all.end());
      return all[std::size_t(rank)];
    };
  };
  for (int rank : {0, 2, 8})
    check_filter<uint8, uint8>(
        reflect{},
        [=](auto& m, const auto& in, const auto& out) { return rank_filter<box<1>>(m, in, out, rank, reflect{}); },
        number(rank));
  check_filter<float, float>(
      constant{-3.f},
      [](auto& m, const auto& in, const auto& out) { return rank_filter<box<1>>(m, in, out, 6, constant{-3.f}); },
      number(6));
  check_filter<uint8, uint8>(
      reflect{}, [](auto& m, const auto& in, const auto& out) { return erode<box<1>>(m, in, out, reflect{}); },
      number(0));
  check_filter<uint8, uint8>(
      reflect{}, [](auto& m, const auto& in, const auto& out) { return dilate<box<1>>(m, in, out, reflect{}); },
      number(8));
}

TEST_CASE("filters refuse widths and ranks that make no sense, and change nothing", "[stencil]") {
  for (auto& machine : testing::machines()) {
    auto in = machine.buffer<float>(5, 6, test::pixel), out = machine.buffer<float>(5, 6, [](int, int) { return 7.f; });
    const auto from = in.view(), to = out.view();
    CHECK(gaussian_filter<2>(machine, from, to, 0, reflect{}).message() ==
          "gaussian_filter: sigma is 0.000000: it must be at least 1e-15");
    CHECK(unsharp_filter<1>(machine, from, to, std::nan(""), 1, reflect{}).message() ==
          "unsharp_filter: sigma is nan: it must be at least 1e-15");
    CHECK(unsharp_filter<1>(machine, from, to, 1, std::nan(""), reflect{}).message() ==
          "unsharp_filter: the amount is nan: it must be from -1e30 to 1e30");
    CHECK(gaussian_weights<1>(1e-200).values[1] == 1);
    const auto narrow = subview(to, 0, 0, 5, 5);
    CHECK(gaussian_filter<1>(machine, from, narrow, 1, reflect{}).message() ==
          "gaussian_filter: the input is 5x6 but the output 5x5");
    CHECK(erode<box<1>>(machine, from, narrow, reflect{}).message() == "erode: the input is 5x6 but the output 5x5");
    CHECK(bilateral_filter<1>(machine, from, to, 1, -2, reflect{}).message() ==
          "bilateral_filter: sigma_value is -2.000000: it must be at least 1e-15");
    CHECK(rank_filter<box<1>>(machine, from, to, 9, reflect{}).message() ==
          "rank_filter: the rank is 9, but the window has 9 elements: it must be from 0 to 8");
    CHECK(sobel_filter<0>(machine, from, from, reflect{}).message() ==
          "sobel_filter: the output overlaps the input: give it memory of its own");
    CHECK(unit::differences(out.host(), 5, 6, [](int, int) { return 7.f; }) == 0);
  }
}
