// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic that has to be the same to the bit on both machines, and functions that have to be accurate on each. The values come from
// memory: what a compiler can compute beforehand, it need not round as the machine does.
#include <support/unit.hpp>

#include <cfloat>
#include <cmath>
#include <limits>

using namespace memtile;

namespace {

template <class T>
struct roundings {
  T fused, product, sum, product_then_sum, root, reciprocal_root;
};
// The names are qualified: those of <cmath> are as visible here.
template <class T>
struct make_roundings {
  static constexpr int threads = 32;
  MEMTILE_KERNEL void operator()(block b, matrix_view<const T> in, vector_view<roundings<T>> out) const {
    const int i = b.rank();
    if (!out.inside(i)) return;
    const T x = in.load(i, 0), y = in.load(i, 1), z = in.load(i, 2), any = in.load(i, 3);
    roundings<T> made;
    made.fused = memtile::fma(x, y, z);
    made.product = memtile::multiply(x, any);
    made.sum = memtile::add(x, any);
    made.product_then_sum = memtile::add(memtile::multiply(x, y), z);  // used once: a compiler would like to merge them
    made.root = memtile::sqrt(any);
    made.reciprocal_root = memtile::rsqrt(any);
    out.store(i, made);
  }
};

// x * y needs more bits than T has, and z takes away what it rounds to: two roundings leave 0, one leaves the rest.
template <class T>
T hard_value(int i, int which) {
  const T last_place = std::numeric_limits<T>::epsilon(), x = 1 + T(2 * i + 1) * last_place,
          y = 1 + T(4 * i + 3) * last_place;
  return which == 0 ? x : which == 1 ? y : which == 2 ? T(-std::fma(x, y, T(0))) : T(i + 1) / 3;
}

template <class T>
void check_roundings() {
  for (auto& machine : testing::machines()) {
    constexpr int count = 31;
    auto in = machine.buffer<T>(count, 4, hard_value<T>);
    auto out = machine.buffer<roundings<T>>(count);
    REQUIRE(launch(machine, 1, make_roundings<T>{}, in.view(), out.view()));
    const auto got = out.host();
    for (int i = 0; i < count; ++i) {
      const volatile T x = hard_value<T>(i, 0), y = hard_value<T>(i, 1), z = hard_value<T>(i, 2),
                       any = hard_value<T>(i, 3);
      const volatile T product = x * any, sum = x + any, root = std::sqrt(any), hard_product = x * y,
                       two_roundings = hard_product + z;
      const roundings<T> made = got(i);
      CHECK(made.fused == std::fma(x, y, z));
      CHECK(made.fused != 0);  // the input is hard enough
      CHECK(made.product == product);
      CHECK(made.sum == sum);
      CHECK((made.product_then_sum == two_roundings && made.product_then_sum == 0));
      CHECK(made.root == root);
      CHECK(made.reciprocal_root == 1 / root);
    }
    CHECK(out.untouched());
    unit::check_clean(machine);
  }
}

struct functions {
  float floor, even, exp, log, sin, cos, tanh, erf;
};
struct make_functions {
  static constexpr int threads = 64;
  MEMTILE_KERNEL void operator()(block b, vector_view<const float> in, vector_view<functions> out) const {
    const int i = b.rank();
    if (!out.inside(i)) return;
    const float x = in.load(i);
    out.store(i, functions{memtile::floor(x), memtile::round_to_even(x), memtile::exp(x),
                           memtile::log(memtile::abs(x) + 1), memtile::sin(x), memtile::cos(x), memtile::tanh(x),
                           memtile::erf(x)});
  }
};

struct bit_counts {
  int set, leading, lowest;
};
struct count_bits {
  static constexpr int threads = 128;
  MEMTILE_KERNEL void operator()(block b, vector_view<const uint32> in, vector_view<bit_counts> out) const {
    if (out.inside(b.rank())) {
      const uint32 x = in.load(b.rank());
      out.store(b.rank(), bit_counts{popc(x), leading_zeros(x), lowest_bit(x)});
    }
  }
};

bool near(float got, double expected) {
  return std::fabs(got - expected) <= 4 * double(FLT_EPSILON) * std::max(1e-3, std::fabs(expected));
}

}  // namespace

TEST_CASE("fma rounds once, and a product beside a sum is rounded on its own", "[core]") {
  check_roundings<float>();
  check_roundings<double>();
}

TEST_CASE("fma, add and multiply of integers are plain arithmetic", "[core]") {
  CHECK((memtile::fma(3, 4, 5) == 17 && add(int64(1) << 40, int64(2)) == (int64(1) << 40) + 2 &&
         multiply(uint8(16), uint8(17)) == uint8(16)));
}

TEST_CASE("functions are accurate on each machine", "[core]") {
  for (auto& machine : testing::machines()) {
    constexpr int count = 61;
    const auto value = [](int i) { return float(i - 30) / 4; };
    auto in = machine.buffer<float>(count, value);
    auto out = machine.buffer<functions>(count);
    REQUIRE(launch(machine, 1, make_functions{}, in.view(), out.view()));
    const auto got = out.host();
    for (int i = 0; i < count; ++i) {
      const double x = value(i);
      const functions f = got(i);
      INFO(machine.name() << " at " << x);
      CHECK(double(f.floor) == std::floor(x));
      CHECK(double(f.even) == std::nearbyint(x));
      CHECK(near(f.exp, std::exp(x)));
      CHECK(near(f.log, std::log(std::fabs(x) + 1)));
      CHECK(near(f.sin, std::sin(x)));
      CHECK(near(f.cos, std::cos(x)));
      CHECK(near(f.tanh, std::tanh(x)));
      CHECK(near(f.erf, std::erf(x)));
    }
    unit::check_clean(machine);
  }
}

TEST_CASE("halves round to the even integer", "[core]") {
  CHECK((round_to_even(0.5f) == 0.f && round_to_even(1.5f) == 2.f && round_to_even(2.5) == 2. &&
         round_to_even(-3.5) == -4.));
}

TEST_CASE("bits are counted alike on both machines, also of zero", "[core]") {
  for (auto& machine : testing::machines()) {
    constexpr int count = 99;
    const auto value = [](int i) {
      return i < 33 ? (i == 0 ? 0u : 1u << (i - 1)) : i < 66 ? ~0u >> (i - 33) % 32 : uint32(i) * 2654435761u;
    };
    auto in = machine.buffer<uint32>(count, value);
    auto out = machine.buffer<bit_counts>(count);
    REQUIRE(launch(machine, 1, count_bits{}, in.view(), out.view()));
    const auto got = out.host();
    for (int i = 0; i < count; ++i) {
      int set = 0, leading = 32, lowest = -1;
      for (int bit = 31; bit >= 0; --bit)
        if (value(i) >> bit & 1) {
          if (set == 0) leading = 31 - bit;
          lowest = bit;
          ++set;
        }
      INFO(value(i));
      CHECK((got(i).set == set && got(i).leading == leading && got(i).lowest == lowest));
    }
    unit::check_clean(machine);
  }
}

TEST_CASE("the absolute value of any signed type", "[core]") {
  CHECK((memtile::abs(-3) == 3 && memtile::abs(int64(-5)) == 5 && memtile::abs(2.5) == 2.5 &&
         memtile::abs(-2.5f) == 2.5f));
  CHECK_FALSE(std::signbit(memtile::abs(-0.f)));
}
