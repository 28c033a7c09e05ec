// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements of every type, packed in registers where they are narrow; results that are rounded and saturated into another one.
#include <support/stencil.hpp>

#include <cmath>
#include <type_traits>

using namespace memtile;
using test::image;

namespace {

// An asymmetric functor, so that exchanged neighbours show.
struct uneven {
  template <class Neighbours>
  MEMTILE_FUNCTION auto operator()(const Neighbours& n) const {
    return n(-1, -1) + 2 * n(-1, 1) + 3 * n(0, -1) + n(0, 0) - n(1, 0) + 2 * n(1, 1);
  }
};
struct scaled_uneven {
  template <class Neighbours>
  MEMTILE_FUNCTION float operator()(const Neighbours& n) const {
    return 0.5f * float(uneven{}(n));
  }
};
double uneven_at(int r, int c, int rows, int cols) {
  const auto n = [&](int y, int x) {
    return test::with_border([](int64 y0, int64 x0) { return test::pixel(y0, x0) + 9; }, reflect{}, r + y, c + x, rows,
                             cols);
  };
  return n(-1, -1) + 2 * n(-1, 1) + 3 * n(0, -1) + n(0, 0) - n(1, 0) + 2 * n(1, 1);
}

template <class T, class R, class Functor = uneven>
void check_type(double low, double high, double factor = 1) {
  for (auto& machine : testing::machines())
    for (const image& shape : {image{5, 7}, image{4, 1100, 20, 0}, image{3, 515, 1, 1}}) {
      INFO(machine.name() << ": " << shape.rows << "x" << shape.cols << ", " << sizeof(T) << " to " << sizeof(R)
                          << " bytes");
      const sim::placement place{shape.cols + shape.gap, shape.offset};
      auto in = machine.buffer<T>(
          shape.rows, shape.cols, [](int r, int c) { return T(float(test::pixel(r, c) + 9)); }, place);
      auto out = machine.buffer<R>(shape.rows, shape.cols, place);
      REQUIRE(stencil<box<1>>(machine, in.view(), out.view(), Functor{}, reflect{}));
      CHECK(unit::differences(out.host(), shape.rows, shape.cols, [&](int r, int c) {
              const double product = factor * uneven_at(r, c, shape.rows, shape.cols),
                           exact = std::is_integral<R>::value ? std::nearbyint(product) : product;
              return float(R(float(min_of(max_of(exact, low), high))));
            }) == 0);
      CHECK((in.untouched() && out.untouched()));
      unit::check_clean(machine);
    }
}

struct mean_of_three {
  template <class Neighbours>
  MEMTILE_FUNCTION float operator()(const Neighbours& n) const {
    return float(n(0, -1) + n(0, 0) + n(0, 1)) / 3.f;
  }
};
struct mean_of_nine {
  template <class Neighbours>
  MEMTILE_FUNCTION float operator()(const Neighbours& n) const {
    int sum = 0;
    MEMTILE_UNROLL
    for (int y = -1; y <= 1; ++y) {
      MEMTILE_UNROLL
      for (int x = -1; x <= 1; ++x) sum += n(y, x);
    }
    return float(sum) / 9.f;
  }
};
struct sharpen {
  template <class Neighbours>
  MEMTILE_FUNCTION int operator()(const Neighbours& n) const {
    return 5 * n(0, 0) - n(-1, 0) - n(1, 0) - n(0, -1) - n(0, 1);
  }
};

}  // namespace

TEST_CASE("elements of one and two bytes are neighbours like any other", "[stencil]") {
  check_type<uint8, uint8>(0, 255);
  check_type<int16, int16>(-32768, 32767);
  check_type<float16, float16>(-1e9, 1e9);
}

TEST_CASE("doubles are neighbours like any other", "[stencil]") { check_type<double, double>(-1e9, 1e9); }

TEST_CASE("inputs and outputs may be of different types", "[stencil]") {
  check_type<uint8, float>(-1e9, 1e9);
  check_type<bfloat16, float>(-1e9, 1e9);
  check_type<int32, double>(-1e9, 1e9);
}

TEST_CASE("a mean is rounded to nearest", "[stencil][STEN-10]") {
  for (auto& machine : testing::machines()) {
    auto in = machine.buffer<uint8>(1, 3, [](int, int c) { return uint8(c == 2 ? 2 : 0); });
    auto out = machine.buffer<uint8>(1, 3);
    REQUIRE(stencil<box<1>>(machine, in.view(), out.view(), mean_of_three{}, replicate{}));
    CHECK(int(out.host()(0, 1)) == 1);
    auto constants = machine.buffer<uint8>(4, 64), means = machine.buffer<uint8>(4, 64);
    for (int value = 0; value < 256; ++value) {
      constants.write([&](int, int) { return uint8(value); });
      REQUIRE(stencil<box<1>>(machine, constants.view(), means.view(), mean_of_nine{}, reflect101{}));
      CHECK(unit::differences(means.host(), 4, 64, [&](int, int) { return uint8(value); }) == 0);
    }
  }
}

TEST_CASE("what an element can not hold becomes its largest or smallest value", "[stencil][STEN-11]") {
  for (auto& machine : testing::machines()) {
    auto in = machine.buffer<uint8>(3, 3, [](int r, int c) { return uint8(r == 1 && c == 1 ? 200 : 0); });
    auto out = machine.buffer<uint8>(3, 3);
    REQUIRE(stencil<box<1>>(machine, in.view(), out.view(), sharpen{}, constant{0}));
    CHECK(unit::differences(out.host(), 3, 3, [](int r, int c) { return r == 1 && c == 1 ? 255 : 0; }) == 0);
  }
  check_type<uint8, int8, scaled_uneven>(-128, 127, 0.5);  // halves: of two the even one
}

namespace {

template <class Pixel>
struct shift_left {
  template <class Neighbours>
  MEMTILE_FUNCTION Pixel operator()(const Neighbours& n) const {
    const Pixel right = n(0, 1), below = n(1, 0);
    Pixel mixed = right;
    mixed[1] = below[1];
    return mixed;
  }
};

// Elements of several values: pixels of interleaved channels, or structures.
template <class Pixel>
void check_pixels() {
  const auto pixel = [](int64 r, int64 c) {
    Pixel p{};
    for (int i = 0; i < Pixel::size; ++i) p[i] = typename Pixel::value_type(100 * i + r * 7 + c % 50);
    return p;
  };
  for (auto& machine : testing::machines())
    for (int cols : {1, 70, 128}) {
      auto in = machine.buffer<Pixel>(5, cols, [&](int r, int c) { return pixel(r, c); });
      auto out = machine.buffer<Pixel>(5, cols);
      REQUIRE(stencil<box<1>>(machine, in.view(), out.view(), shift_left<Pixel>{}, replicate{}));
      unit::check_clean(machine);
      CHECK((in.untouched() && out.untouched()));
      const auto got = out.host();
      int wrong = 0;
      for (int r = 0; r < 5; ++r)
        for (int c = 0; c < cols; ++c)
          wrong +=
              got(r, c)[0] != pixel(r, min_of(c + 1, cols - 1))[0] || got(r, c)[1] != pixel(min_of(r + 1, 4), c)[1];
      CHECK(wrong == 0);
    }
}

}  // namespace

TEST_CASE("pixels of three channels and structures of 16 bytes are elements too", "[stencil]") {
  check_pixels<vec<uint8, 3>>();
  check_pixels<vec<float, 4>>();
}
