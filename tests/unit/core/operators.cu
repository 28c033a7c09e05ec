// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operators of reductions: NaN stays wherever it stands, and an identity changes nothing.
#include <memtile/core/operators.hpp>
#include <support/catch.hpp>

#include <cmath>
#include <limits>

using namespace memtile;

namespace {

template <class Operator, class T>
bool identity_changes_nothing(T v) {
  const T neutral = Operator::template identity<T>();
  return Operator{}(v, neutral) == v && Operator{}(neutral, v) == v;
}
// Of the ends of the type's range and of some values between.
template <class Operator, class T>
bool identity_changes_nothing() {
  using limits = std::numeric_limits<T>;
  bool all = true;
  for (T v : {limits::lowest(), limits::max(), T(0), T(1), T(100)}) all = all && identity_changes_nothing<Operator>(v);
  if constexpr (limits::has_infinity)
    all = all && identity_changes_nothing<Operator>(limits::infinity()) &&
          identity_changes_nothing<Operator>(-limits::infinity());
  return all;
}
template <class T>
void check_identities() {
  CHECK(identity_changes_nothing<plus, T>());
  CHECK(identity_changes_nothing<multiplies, T>());
  CHECK(identity_changes_nothing<minimum, T>());
  CHECK(identity_changes_nothing<maximum, T>());
}

template <class T>
void check_not_a_number() {
  const T nan = std::numeric_limits<T>::quiet_NaN(), infinity = std::numeric_limits<T>::infinity();
  for (T other : {T(1), T(-1), T(0), infinity, -infinity, nan}) {
    CHECK(std::isnan(minimum{}(nan, other)));
    CHECK(std::isnan(minimum{}(other, nan)));
    CHECK(std::isnan(maximum{}(nan, other)));
    CHECK(std::isnan(maximum{}(other, nan)));
  }
}

}  // namespace

TEST_CASE("the identity of an operator changes no value of any type", "[core]") {
  check_identities<float>();
  check_identities<double>();
  check_identities<int8>();
  check_identities<uint8>();
  check_identities<int16>();
  check_identities<int>();
  check_identities<unsigned>();
  check_identities<int64>();
  check_identities<uint64>();
}

TEST_CASE("nothing is the minimum of infinity and the maximum of minus infinity", "[core]") {
  CHECK(minimum::identity<float>() == std::numeric_limits<float>::infinity());
  CHECK(maximum::identity<float>() == -std::numeric_limits<float>::infinity());
  CHECK(maximum::identity<double>() == -std::numeric_limits<double>::infinity());
  static_assert(minimum::identity<int>() == 2147483647 && maximum::identity<int>() == -2147483647 - 1);
  static_assert(minimum::identity<int8>() == 127 && maximum::identity<int8>() == -128);
  static_assert(minimum::identity<uint8>() == 255 && maximum::identity<uint8>() == 0);
  static_assert(minimum::identity<int64>() == INT64_MAX && maximum::identity<int64>() == INT64_MIN);
  static_assert(minimum::identity<uint64>() == UINT64_MAX && maximum::identity<unsigned>() == 0);
}

TEST_CASE("a NaN is the minimum and the maximum, on whichever side it stands", "[core]") {
  check_not_a_number<float>();
  check_not_a_number<double>();
}

TEST_CASE("minimum and maximum are those of the values", "[core]") {
  CHECK((minimum{}(-3.f, 2.f) == -3.f && minimum{}(2.f, -3.f) == -3.f && maximum{}(-3.f, 2.f) == 2.f &&
         maximum{}(2.f, -3.f) == 2.f));
  CHECK((minimum{}(-3, -7) == -7 && maximum{}(-3, -7) == -3));
  CHECK((minimum{}(1u, 4000000000u) == 1u && maximum{}(1u, 4000000000u) == 4000000000u));
}

TEST_CASE("sums and products keep the type", "[core]") {
  CHECK((plus{}(2.5f, -1.f) == 1.5f && multiplies{}(2.5f, -2.f) == -5.f));
  CHECK((plus{}(uint8(200), uint8(100)) == uint8(44) && multiplies{}(int64(1) << 32, int64(4)) == int64(1) << 34));
}

TEST_CASE("logical operators are those of truth tables", "[core]") {
  for (bool a : {false, true})
    for (bool b : {false, true}) {
      CHECK(logical_and{}(a, b) == (a && b));
      CHECK(logical_or{}(a, b) == (a || b));
    }
  CHECK((logical_and::identity<bool>() && !logical_or::identity<bool>()));
}

TEST_CASE("transforms change one value", "[core]") {
  CHECK((identity{}(-3) == -3 && square{}(-3) == 9 && absolute{}(-3) == 3 && absolute{}(3) == 3));
  CHECK((square{}(1.5f) == 2.25f && absolute{}(-2.5) == 2.5));
  CHECK_FALSE(std::signbit(absolute{}(-0.f)));
  CHECK(std::isnan(absolute{}(std::numeric_limits<float>::quiet_NaN())));
  CHECK(absolute{}(-std::numeric_limits<float>::infinity()) == std::numeric_limits<float>::infinity());
}
