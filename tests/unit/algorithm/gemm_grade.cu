// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// "Grade A" accuracy (Demmel and others; NVIDIA's gemm_grading): the error of each element, in units of eps times
// (|A||B|) of that element, grows at most linearly with the inner size. Multiplying in a narrower type, or by a method
// such as Strassen's whose error goes by the norm of the matrices, does not pass.
//
//   |c - exact| <= max(8, K / 16) * eps * (|A||B|)     eps = 2^-24, 2^-53
//
// A chain of fused multiply-adds guarantees K * eps for any data; on random data rounding errors partly cancel: at K =
// 4096
// it has 2.4 for normal and 40 for uniform numbers.
#include <support/gemm.hpp>
#include <support/gemm_fuzz_case.hpp>

#include <cmath>

using namespace memtile;

namespace {

constexpr int rows = 17, columns = 19;

template <class T>
constexpr double eps = std::is_same<T, float>::value ? 0x1p-24 : 0x1p-53;

enum class data { normal, uniform };

// Normal: 12 uniform numbers added up. Uniform: between 0 and 1.
template <class T>
std::vector<T> drawn(data kind, int count, std::uint64_t seed) {
  test::fuzz::dice d(seed);
  const auto unit = [&] { return double(d.bits() >> 11) * 0x1p-53; };
  std::vector<T> values;
  for (int i = 0; i < count; ++i) {
    double sum = -6;
    for (int j = 0; j < 12; ++j) sum += unit();
    values.push_back(T(kind == data::uniform ? unit() : sum));
  }
  return values;
}

// The largest error of an element. `seen` is what is judged: the result as it is, or made worse.
template <class T, class Seen>
double worst_of(const std::vector<T>& a, const std::vector<T>& b, int inner, const Seen& seen) {
  long double worst = 0;  // 64 bits of precision on x86, 113 on AArch64
  for (int r = 0; r < rows; ++r)
    for (int q = 0; q < columns; ++q) {
      long double exact = 0, magnitude = 0;
      for (int k = 0; k < inner; ++k) {
        const long double product = (long double)(a[size_t(r * inner + k)]) * b[size_t(k * columns + q)];
        exact += product, magnitude += std::fabs(product);
      }
      worst = (std::max)(worst, std::fabs((long double)(seen(r, q)) - exact) / (eps<T> * magnitude));
    }
  return double(worst);
}

double bound(int inner) { return (std::max)(8., inner / 16.); }

template <class T, class Policy>
void check_grade(std::initializer_list<int> inner_sizes) {
  for (auto& machine : testing::machines())
    for (data kind : {data::normal, data::uniform}) {
      double at_64 = 0;
      for (int inner : inner_sizes) {
        const auto a_values = drawn<T>(kind, rows * inner, 1), b_values = drawn<T>(kind, inner * columns, 2);
        auto a = machine.template buffer<T>(rows, inner, [&](int r, int k) { return a_values[size_t(r * inner + k)]; });
        auto b =
            machine.template buffer<T>(inner, columns, [&](int k, int q) { return b_values[size_t(k * columns + q)]; });
        auto c = machine.template buffer<T>(rows, columns);
        REQUIRE(gemm<Policy>(machine, a.view(), b.view(), c.view()));
        const auto result = c.host();
        const double worst = worst_of(a_values, b_values, inner, result);
        INFO(machine.name() << (kind == data::normal ? ": normal, K=" : ": uniform, K=") << inner << ", error " << worst
                            << " of " << bound(inner));
        CHECK(worst <= bound(inner));
        CHECK(worst > 0);  // the data do need rounding
        if (inner == 64) at_64 = worst;
        if (at_64 > 0) CHECK(worst <= at_64 * inner / 64);
        // A result of 11 bits must not pass.
        const double rounded =
            worst_of(a_values, b_values, inner, [&](int r, int q) { return float(float16(float(result(r, q)))); });
        INFO("rounded to float16: " << rounded);
        CHECK(rounded > bound(inner));
      }
    }
}

}  // namespace

TEST_CASE("gemm of floats has grade A", "[gemm][accuracy]") {
  check_grade<float, automatic>({8, 64, 512, 4096});
  check_grade<float, gemm_policy<split_k<1>>>({4096});  // automatic cuts that one into slices
}
TEST_CASE("gemm of doubles has grade A", "[gemm][accuracy]") {
  check_grade<double, automatic>({8, 64, 512, 4096});
  check_grade<double, gemm_policy<split_k<1>>>({4096});  // automatic cuts that one into slices
}
