// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The small floats against their definition: a table of all values, made in double, in which the nearest one is looked up.
#include <memtile/core/small_float.hpp>
#include <support/catch.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include <support/cuda_floats.hpp>

using namespace memtile;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity(),
                not_a_number = std::numeric_limits<float>::quiet_NaN();

template <class F>
struct format;
template <>
struct format<float16> {
  static constexpr int fraction = 10, bias = 15, sign = 0x8000, beyond = 0x7c00, canonical_nan = 0x7fff;
  static constexpr bool saturates = false;
};
template <>
struct format<bfloat16> {
  static constexpr int fraction = 7, bias = 127, sign = 0x8000, beyond = 0x7f80, canonical_nan = 0x7fff;
  static constexpr bool saturates = false;
};
template <>
struct format<float8_e4m3> {
  static constexpr int fraction = 3, bias = 7, sign = 0x80, beyond = 0x7f, canonical_nan = 0x7f;
  static constexpr bool saturates = true;
};

// What the bits 0 .. beyond - 1 mean; `beyond` itself as if the numbers went on.
template <class F>
std::vector<double> all_values() {
  std::vector<double> values;
  for (int code = 0; code <= format<F>::beyond; ++code) {
    const int exponent = code >> format<F>::fraction, one = 1 << format<F>::fraction, fraction = code & (one - 1);
    values.push_back(exponent == 0 ? std::ldexp(fraction, 1 - format<F>::bias - format<F>::fraction)
                                   : std::ldexp(one + fraction, exponent - format<F>::bias - format<F>::fraction));
  }
  return values;
}

// The bits that are nearest to f, of two equally near ones the even one.
template <class F>
int nearest(const std::vector<double>& values, float f) {
  const int sign = std::signbit(f) ? format<F>::sign : 0;
  const double wanted = std::fabs(double(f));
  int code = int(std::lower_bound(values.begin(), values.end(), wanted) - values.begin());
  if (code > format<F>::beyond) code = format<F>::beyond;
  if (code > 0 && wanted < values[std::size_t(code)]) {
    const double up = values[std::size_t(code)] - wanted, down = wanted - values[std::size_t(code - 1)];
    if (down < up || (down == up && code % 2 == 1)) --code;
  }
  if (format<F>::saturates && code == format<F>::beyond) --code;
  return sign | code;
}

template <class F>
int wrongly_rounded(const std::vector<float>& inputs) {
  const std::vector<double> values = all_values<F>();
  int wrong = 0;
  for (float f : inputs) wrong += int(F(f).bits) != nearest<F>(values, f);
  return wrong;
}

// Every value, every middle between two values, and the floats beside them; negative ones too.
template <class F>
std::vector<float> crossroads() {
  const std::vector<double> values = all_values<F>();
  std::vector<float> inputs;
  for (std::size_t code = 0; code + 1 < values.size(); ++code)
    for (double place : {values[code], (values[code] + values[code + 1]) / 2})
      for (float f : {std::nextafter(float(place), -infinity), float(place), std::nextafter(float(place), infinity)})
        inputs.insert(inputs.end(), {f, -f});
  return inputs;
}
std::vector<float> all_over_the_range() {
  std::vector<float> inputs = {infinity, -infinity, std::numeric_limits<float>::max(), 0.f, -0.f};
  for (uint32 u = 0; u < 0xffff0000u; u += 9973) {
    const float f = detail::float_of(u);
    if (!std::isnan(f)) inputs.push_back(f);
  }
  return inputs;
}

template <class F>
int codes_that_change_on_the_way() {
  const std::vector<double> values = all_values<F>();
  int wrong = 0;
  for (int code = 0; code < 2 * format<F>::sign; ++code) {
    F small;
    small.bits = decltype(small.bits)(code);
    const float f = small;
    const int magnitude = code & (format<F>::sign - 1);
    const bool infinite = magnitude == format<F>::beyond && !format<F>::saturates;
    if (magnitude < format<F>::beyond || infinite) {
      const double expected = infinite ? double(infinity) : values[std::size_t(magnitude)];
      wrong +=
          std::fabs(double(f)) != expected || std::signbit(f) != (code >= format<F>::sign) || int(F(f).bits) != code;
    } else {
      wrong += !std::isnan(f) || int(F(f).bits) != format<F>::canonical_nan;
    }
  }
  return wrong;
}

}  // namespace

TEST_CASE("every pattern of float16 and bfloat16 and every code of e4m3 means its value and survives the way to float "
          "and back",
          "[core]") {
  CHECK(codes_that_change_on_the_way<float16>() == 0);
  CHECK(codes_that_change_on_the_way<bfloat16>() == 0);
  CHECK(codes_that_change_on_the_way<float8_e4m3>() == 0);
}

TEST_CASE("floats round to the nearest small float, and to the even one in the middle", "[core]") {
  CHECK(wrongly_rounded<float16>(crossroads<float16>()) == 0);
  CHECK(wrongly_rounded<bfloat16>(crossroads<bfloat16>()) == 0);
  CHECK(wrongly_rounded<float8_e4m3>(crossroads<float8_e4m3>()) == 0);
  CHECK(wrongly_rounded<float16>(all_over_the_range()) == 0);
  CHECK(wrongly_rounded<bfloat16>(all_over_the_range()) == 0);
  CHECK(wrongly_rounded<float8_e4m3>(all_over_the_range()) == 0);
}

TEST_CASE("too large is infinity, and 448 for e4m3", "[core]") {
  CHECK(float(float16(65504.f)) == 65504.f);
  CHECK(float(float16(65519.99f)) == 65504.f);
  CHECK(float(float16(65520.f)) == infinity);
  CHECK(float(float16(-infinity)) == -infinity);
  CHECK(float(bfloat16(3.3961e38f)) == std::ldexp(255.f, 120));
  CHECK(float(bfloat16(3.3962e38f)) == infinity);
  CHECK(float(bfloat16(-infinity)) == -infinity);
  CHECK(float(float8_e4m3(448.f)) == 448.f);
  CHECK(float(float8_e4m3(449.f)) == 448.f);
  CHECK(float(float8_e4m3(464.f)) == 448.f);
  CHECK(float(float8_e4m3(1e30f)) == 448.f);
  CHECK(float(float8_e4m3(-infinity)) == -448.f);
}

TEST_CASE("too small is subnormal, then zero with its sign", "[core]") {
  CHECK(float(float16(6.0e-5f)) == std::ldexp(1007.f, -24));
  CHECK(float16(std::ldexp(1.f, -24)).bits == 1);
  CHECK(float16(std::ldexp(1.f, -25)).bits == 0);
  CHECK(float16(std::ldexp(1.5f, -25)).bits == 1);
  CHECK(float16(-std::ldexp(1.f, -30)).bits == 0x8000);
  CHECK(bfloat16(-std::ldexp(1.f, -140)).bits == 0x8000);
  CHECK(float8_e4m3(std::ldexp(1.f, -9)).bits == 1);
  CHECK(float8_e4m3(-std::ldexp(1.f, -10)).bits == 0x80);
}

TEST_CASE("a NaN stays one", "[core]") {
  for (float f : {not_a_number, -not_a_number, detail::float_of(0x7f800001u), detail::float_of(0xff800001u),
                  detail::float_of(0x7fffffffu)}) {
    CHECK(std::isnan(float(float16(f))));
    CHECK(std::isnan(float(bfloat16(f))));
    CHECK(std::isnan(float(float8_e4m3(f))));
  }
}

TEST_CASE("small floats are storage: arithmetic is in float, and only rounding needs a word", "[core]") {
  static_assert(sizeof(float16) == 2 && sizeof(bfloat16) == 2 && sizeof(float8_e4m3) == 1);
  static_assert(std::is_trivial<float16>::value && std::is_trivial<bfloat16>::value &&
                std::is_trivial<float8_e4m3>::value);
  static_assert(std::is_convertible<float16, float>::value && !std::is_convertible<float, float16>::value);
  static_assert(!std::is_convertible<float16, bfloat16>::value);
  const float16 a(1.5f), b(2049.f);
  static_assert(std::is_same<decltype(a + b), float>::value);
  CHECK(a + b == 2049.5f);  // 2049 was rounded to 2048 when it was stored
}

TEST_CASE("CUDA's types come and go with their bits", "[core]") {
  const float16 sixteen(-0.333f);
  const bfloat16 brain(1e30f);
  const float8_e4m3 eight(17.f);
  static_assert(std::is_same<decltype(sixteen.cuda()), __half>::value &&
                std::is_same<decltype(brain.cuda()), __nv_bfloat16>::value);
  static_assert(std::is_same<decltype(eight.cuda()), __nv_fp8_e4m3>::value);
  CHECK(__builtin_bit_cast(uint16, sixteen.cuda()) == sixteen.bits);
  CHECK(float16(sixteen.cuda()).bits == sixteen.bits);
  CHECK(bfloat16(brain.cuda()).bits == brain.bits);
  CHECK(float8_e4m3(eight.cuda()).bits == eight.bits);
}

#if defined(__CUDACC__)
TEST_CASE("CUDA rounds to the same bits", "[core]") {
  int different[3] = {};
  for (float f : all_over_the_range()) {
    different[0] += float16(f).bits != float16(__float2half_rn(f)).bits;
    different[1] += bfloat16(f).bits != bfloat16(__float2bfloat16_rn(f)).bits;
    different[2] += float8_e4m3(f).bits != float8_e4m3(__nv_fp8_e4m3(f)).bits;
  }
  CHECK((different[0] == 0 && different[1] == 0 && different[2] == 0));
}
#endif
