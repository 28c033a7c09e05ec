// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Activations against a reference in long double: how far they may be off, and where they are exact.
#include <support/epilogue.hpp>

#include <cmath>
#include <limits>

using namespace memtile;

namespace {

constexpr int rows = 64, columns = 33;

using exact = long double;
exact logistic(exact x) { return 1 / (1 + std::exp(-x)); }
exact exact_silu(exact v) { return v * logistic(v); }
exact exact_gelu(exact v) { return v / 2 * std::erfc(-v / std::sqrt(exact(2))); }
exact exact_gelu_tanh(exact v) {
  const exact pi = 3.14159265358979323846264338327950288L;
  return v * logistic(2 * std::sqrt(2 / pi) * (v + 0.044715L * v * v * v));
}

// -100 to 100, and closer to zero.
template <class T>
T argument(int r, int c) {
  const T v = T(r * columns + c - rows * columns / 2) / (rows * columns / 2);
  return c % 3 == 0 ? 100 * v : c % 3 == 1 ? 16 * v : v;
}

// |error| <= bound * epsilon * |result| * (1 + v^2): exp and erfc turn a rounded argument x into a relative error of
// |x| * epsilon, and the arguments grow like v^2. What is almost too small for a normal number may become 0, as exp(-x)
// is infinite then.
template <class T, class Epilogue>
void check_activation(const Epilogue& epilogue, exact (*expected)(exact), exact bound) {
  for (auto& machine : testing::machines()) {
    auto in = machine.buffer<T>(rows, columns, argument<T>), out = machine.buffer<T>(rows, columns);
    test::apply(machine, in.view(), out.view(), epilogue);
    const auto made = out.host();
    exact worst = 0;
    for (int r = 0; r < rows; ++r)
      for (int c = 0; c < columns; ++c) {
        const exact v = argument<T>(r, c), right = expected(v), error = std::fabs(exact(made(r, c)) - right);
        const exact unit = std::numeric_limits<T>::epsilon() * std::fabs(right) * (1 + v * v);
        if (error > 128 * std::numeric_limits<T>::min()) worst = std::max(worst, error / unit);
      }
    INFO(machine.name());
    CHECK(worst <= bound);
    CHECK(out.untouched());
  }
}

template <class T, class Epilogue>
T applied(const Epilogue& epilogue, T v) {
  return detail::apply_epilogue(epilogue, v, 0, 0, v);
}

}  // namespace

TEMPLATE_TEST_CASE("silu and both forms of gelu are accurate, for negative arguments too", "[gemm]", float, double) {
  check_activation<TestType>(silu(), exact_silu, 6);
  check_activation<TestType>(gelu(), exact_gelu, 6);
  check_activation<TestType>(gelu_tanh(), exact_gelu_tanh, 6);
}

TEST_CASE("the tanh form of gelu is near the exact one", "[gemm]") {
  double farthest = 0;
  for (int i = -6000; i <= 6000; ++i)
    farthest = std::max(farthest, std::fabs(applied(gelu(), i / 1000.) - applied(gelu_tanh(), i / 1000.)));
  CHECK((farthest > 0.0004 && farthest < 0.0005));
}

TEST_CASE("relu and clamp are exact, keep NaN, and give +0", "[gemm]") {
  const float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const float values[9] = {-infinity, -2.5f, -0.f, 0.f, 1.25f, 6.f, 7.f, infinity, nan};
  const float positive[8] = {0, 0, 0, 0, 1.25f, 6, 7, infinity}, up_to_6[8] = {-1, -1, 0, 0, 1.25f, 6, 6, 6};
  for (auto& machine : testing::machines()) {
    auto in = machine.buffer<float>(1, 9, [&](int, int c) { return values[c]; });
    auto relus = machine.buffer<float>(1, 9), clamps = machine.buffer<float>(1, 9);
    test::apply(machine, in.view(), relus.view(), relu());
    test::apply(machine, in.view(), clamps.view(), clamp(-1, 6.f));
    CHECK(unit::differences(relus.host(), 1, 8, [&](int, int c) { return positive[c]; }) == 0);
    CHECK(unit::differences(clamps.host(), 1, 8, [&](int, int c) { return up_to_6[c]; }) == 0);
    CHECK_FALSE(std::signbit(relus.host()(0, 2)));
    CHECK((std::isnan(relus.host()(0, 8)) && std::isnan(clamps.host()(0, 8))));
  }
}
