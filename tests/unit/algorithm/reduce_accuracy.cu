// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The promised bounds of sums, on inputs that were made to break them; sums that keep their rounding errors.
#include <support/reduce.hpp>

using namespace memtile;

namespace {

struct exact_sum {
  double sum = 0, absolutes = 0;  // of floats whose exponents differ by less than 29: no double is rounded
};
template <class Machine, class F>
void check_bound(Machine& machine, const char* what, int n, F value) {
  exact_sum exact;
  for (int i = 0; i < n; ++i)
    exact.sum += double(float(value(i))), exact.absolutes += std::fabs(double(float(value(i))));
  auto in = machine.template buffer<float>(n, value, {0, 1});
  INFO(machine.name() << ": " << what);
  CHECK(std::fabs(double(test::sum_of<float>(machine, in.view())) - exact.sum) <=
        test::bound_of_sum(n, exact.absolutes));
}

// big, 1, -big, again and again: the sum is a third of n, and a plain one loses the ones.
template <class T>
auto cancelling(T big) {
  return [big](int i) { return i % 3 == 0 ? big : i % 3 == 1 ? T(1) : -big; };
}
template <class T, class Policy, class Machine>
T sum_of_cancelling(Machine& machine, int n, T big) {
  auto in = machine.template buffer<T>(n, cancelling(big), {0, 1});
  return test::sum_of<T, Policy>(machine, in.view());
}

}  // namespace

TEST_CASE("a sum of floats keeps its bound on adversarial inputs", "[reduce][RED-09]") {
  for (auto& machine : testing::machines())
    for (int n : {1000, 16384, 100003}) {
      check_bound(machine, "random", n, test::random_value);
      check_bound(machine, "random and positive", n, [](int i) { return std::fabs(test::random_value(i)); });
      check_bound(machine, "alternating", n, [](int i) { return i % 2 == 0 ? 1e4f : -1e4f + 0.001f * float(i % 7); });
      check_bound(machine, "one large, then ones", n, [](int i) { return i == 0 ? 16777216.f : 1.f; });
      check_bound(machine, "tenths", n, [](int) { return 0.1f; });
      check_bound(machine, "cancelling", n, cancelling(1e8f));
      check_bound(machine, "growing", n, [](int i) { return std::ldexp(1.1f, i % 24); });
    }
}

TEST_CASE("a compensated sum keeps what a plain one loses", "[reduce]") {
  for (auto& machine : testing::machines()) {
    for (int n : {3, 30, 99, 300}) {
      INFO(machine.name() << ": " << n << " elements");
      const double u = 0x1p-24, exact = n / 3, absolutes = exact * (2e8 + 1);
      const double found = sum_of_cancelling<float, compensated>(machine, n, 1e8f);
      CHECK(std::fabs(found - exact) <= 2 * u * exact + n * n * u * u * absolutes);
    }
    // errors that are integers are added without an error
    for (int n : {9999, 30000, 99999}) CHECK(sum_of_cancelling<float, compensated>(machine, n, 1e8f) == float(n / 3));
    CHECK(sum_of_cancelling<double, compensated>(machine, 30000, 1e17) == 10000);
    CHECK(sum_of_cancelling<float, automatic>(machine, 30000, 1e8f) != 10000);  // else all this shows nothing
  }
}

TEST_CASE("a compensated sum of infinities and of numbers that overflow is infinite", "[reduce]") {
  for (auto& machine : testing::machines()) {
    auto one = machine.buffer<float>(1000, [](int i) { return i == 500 ? test::infinity : 1; });
    CHECK(test::sum_of<float, compensated>(machine, one.view()) == test::infinity);
    auto large = machine.buffer<float>(1000, [](int) { return -3e38f; });
    CHECK(test::sum_of<float, compensated>(machine, large.view()) == -test::infinity);
    auto none = machine.buffer<float>(0);
    CHECK(test::sum_of<float, compensated>(machine, none.view()) == 0);
  }
}

TEST_CASE("dot and the norms of floats keep the bound of sums", "[reduce]") {
  for (auto& machine : testing::machines())
    for (int n : {100, 16384, 70001}) {
      INFO(machine.name() << ": " << n << " elements");
      exact_sum product, squares;
      for (int i = 0; i < n; ++i) {
        const double a = test::random_value(i), b = test::random_value(i + 1000);
        product.sum += a * b, product.absolutes += std::fabs(a * b);
        squares.sum += a * a, squares.absolutes += std::fabs(a);
      }
      auto a = machine.buffer<float>(n, test::random_value, {0, 1});
      auto b = machine.buffer<float>(n, [](int i) { return test::random_value(i + 1000); });
      const double u = 0x1p-24;  // of the products, and of the root
      const auto multiplied = [&](auto out) { return dot(machine, a.view(), b.view(), out); };
      CHECK(std::fabs(test::result_of<float>(machine, multiplied) - product.sum) <=
            test::bound_of_sum(n, product.absolutes) + u * product.absolutes);
      const auto euclid = [&](auto out) { return norm(machine, a.view(), out); };
      const double root = std::sqrt(squares.sum);
      CHECK(std::fabs(test::result_of<float>(machine, euclid) - root) <=
            test::bound_of_sum(n, root) / 2 + 2 * u * root);
      const auto taxi = [&](auto out) { return norm_1(machine, a.view(), out); };
      CHECK(std::fabs(test::result_of<float>(machine, taxi) - squares.absolutes) <=
            test::bound_of_sum(n, squares.absolutes));
    }
}
