// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mean, variance and skewness in one read, against two passes on the host; a large mean costs no digits of the variance.
#include <support/reduce.hpp>

using namespace memtile;

namespace {

struct reference {
  double mean = 0, variance = 0, third = 0, absolute_third = 0, largest = 0;
  template <class T>
  explicit reference(const std::vector<T>& values) {
    const long double n = static_cast<long double>(values.size());
    long double sum = 0, squares = 0, cubes = 0, absolute_cubes = 0;
    for (T v : values) sum += v, largest = std::fmax(largest, std::fabs(double(v)));
    for (T v : values) {
      const long double d = v - sum / n;
      squares += d * d, cubes += d * d * d, absolute_cubes += std::fabs(d * d * d);
    }
    mean = double(sum / n), variance = double(squares / n);
    third = double(cubes / n), absolute_third = double(absolute_cubes / n);
  }
};

// As many roundings as a sum has, each half the distance from 1 to the next number. The variance feels those of the means
// once (a condition of mean / deviation), where that of the sum of squares feels them squared.
template <class T>
double units(size_t n) {
  return (std::log2(double(n)) + 32) * double(std::numeric_limits<T>::epsilon()) / 2;
}
template <class T>
void check_statistics(const statistics_of<T>& found, const std::vector<T>& values) {
  const reference exact(values);
  const double many = units<T>(values.size()), deviation = std::sqrt(exact.variance);
  CHECK(found.count == int64(values.size()));
  CHECK(std::fabs(double(found.mean) - exact.mean) <= many * exact.largest);
  CHECK(std::fabs(double(found.variance()) - exact.variance) <= many * deviation * (deviation + exact.largest));
  CHECK(found.minimum == *std::min_element(values.begin(), values.end()));
  CHECK(found.maximum == *std::max_element(values.begin(), values.end()));
}

template <class T>
std::vector<T> noise(size_t n, double mean, double width) {
  std::vector<T> values(n);
  for (size_t i = 0; i < n; ++i) values[i] = T(mean + width * double(test::random_value(int(i))));
  return values;
}
template <class T, class Machine>
statistics_of<T> statistics_in(Machine& machine, const std::vector<T>& values, int64 offset = 0) {
  auto in = machine.template buffer<T>(int64(values.size()), [&](int i) { return values[size_t(i)]; }, {0, offset});
  return test::result_of<statistics_of<T>>(machine, [&](auto out) { return statistics(machine, in.view(), out); });
}

}  // namespace

TEST_CASE("statistics of arrays of every size are those of two passes on the host", "[reduce]") {
  for (auto& machine : testing::machines())
    for (size_t n : {1, 2, 3, 31, 33, 100, 1000, 4095, 4097, 16384, 16385, 70001}) {
      INFO(machine.name() << ": " << n << " elements");
      const auto values = noise<float>(n, 0.5, 3);
      check_statistics(statistics_in(machine, values), values);
    }
}

TEST_CASE("a large mean costs no digits of the variance", "[reduce]") {
  for (auto& machine : testing::machines()) {
    const auto values = noise<float>(50000, 1e6, 100);
    float sum = 0, squares = 0;  // the mean of the squares less the square of the mean
    for (float v : values) sum += v, squares += v * v;
    const float n = float(values.size()), naive = squares / n - sum / n * (sum / n);
    const double exact = reference(values).variance;
    CHECK(std::fabs(double(naive) - exact) > exact);  // else the rest shows nothing
    const auto found = statistics_in(machine, values);
    check_statistics(found, values);
    CHECK(std::fabs(double(found.variance()) - exact) <= 1e-3 * exact);
    CHECK(std::fabs(double(found.sample_variance()) - exact * n / (n - 1)) <= 1e-3 * exact);
  }
}

TEST_CASE("statistics of doubles are made in double", "[reduce]") {
  for (auto& machine : testing::machines()) {
    const auto values = noise<double>(20001, 1e6, 1e-3);
    const auto found = statistics_in(machine, values, 1);
    check_statistics(found, values);
    CHECK(std::fabs(found.variance() - reference(values).variance) <= 1e-6 * reference(values).variance);
  }
}

TEST_CASE("statistics of equal values have no variance, however large they are", "[reduce]") {
  for (auto& machine : testing::machines())
    for (float value : {0.f, 3.f, -1e6f, 1e20f})
      for (size_t n : {1, 5, 1000, 20000}) {
        INFO(machine.name() << ": " << n << " times " << value);
        const auto found = statistics_in(machine, std::vector<float>(n, value));
        CHECK(found.mean == value);
        CHECK(found.variance() == 0);
        CHECK((found.minimum == value && found.maximum == value && found.count == int64(n)));
      }
}

TEST_CASE("statistics of integers and halves are made in float", "[reduce]") {
  for (auto& machine : testing::machines()) {
    auto bytes = machine.buffer<int8>(60000, [](int i) { return i % 2 == 0 ? -128 : 127; }, {0, 3});
    const auto of_bytes = test::reduced_to<statistics_of<float>, moments>(machine, bytes.view());
    CHECK((of_bytes.mean == -0.5f && of_bytes.minimum == -128 && of_bytes.maximum == 127));
    CHECK(std::fabs(of_bytes.variance() - 16256.25f) <= 16256.25f * units<float>(60000));
    auto halves = machine.buffer<float16>(1000, [](int i) { return float16(i % 2 == 0 ? 1.f : 3.f); });
    const auto of_halves = test::reduced_to<statistics_of<float>, moments>(machine, halves.view());
    CHECK((of_halves.count == 1000 && of_halves.mean == 2 && of_halves.variance() == 1));
  }
}

TEST_CASE("statistics of nothing are those of nothing, and a NaN spoils them", "[reduce]") {
  for (auto& machine : testing::machines()) {
    const auto none = statistics_in(machine, std::vector<float>());
    CHECK((none.count == 0 && none.mean == 0 && none.minimum == test::infinity && none.maximum == -test::infinity));
    for (size_t at : {0, 999, 5000}) {
      std::vector<float> values(20000, 1.f);
      values[at] = test::not_a_number;
      const auto found = statistics_in(machine, values);
      CHECK((std::isnan(found.mean) && std::isnan(found.variance()) && std::isnan(found.minimum)));
      CHECK((std::isnan(found.maximum) && found.count == 20000));
    }
  }
}

TEST_CASE("skewness is that of two passes on the host", "[reduce]") {
  for (auto& machine : testing::machines())
    for (size_t n : {3, 100, 1000, 16384, 70001}) {
      INFO(machine.name() << ": " << n << " elements");
      std::vector<float> values = noise<float>(n, 0, 1);
      for (float& v : values) v = 5 * v * v * v * v - 1;  // leans to one side
      auto in = test::buffer_of(machine, values);
      const auto found = test::reduced_to<statistics_of<float>, moments_with_skewness>(machine, in.view());
      const reference exact(values);
      const double scale = std::pow(exact.variance, 1.5);
      CHECK(exact.third / scale > 0.5);
      CHECK(std::fabs(double(found.skewness()) - exact.third / scale) <=
            4 * units<float>(n) * exact.absolute_third / scale);
      check_statistics(found, values);
    }
}

TEST_CASE("statistics have the same bits at every alignment", "[reduce]") {
  for (auto& machine : testing::machines())
    for (size_t n : {5, 1000, 5000, 16384, 40000, 100001}) {
      const auto values = noise<float>(n, 2, 3);
      const auto aligned = statistics_in(machine, values);
      for (int offset = 1; offset < 4; ++offset) {
        INFO(machine.name() << ": " << n << " elements, offset " << offset);
        const auto found = statistics_in(machine, values, offset);
        CHECK(test::bits(found.mean) == test::bits(aligned.mean));
        CHECK(test::bits(found.squares) == test::bits(aligned.squares));
      }
    }
}

TEST_CASE("statistics of halves have the same bits at every alignment", "[reduce]") {
  for (auto& machine : testing::machines())
    for (int n : {1000, 25000, 33000, 40961, 50000, 66000, 90000, 100001}) {
      const auto at = [&](int64 offset) {
        auto in = machine.buffer<float16>(n, [](int i) { return float16(2 + 3 * test::random_value(i)); }, {0, offset});
        return test::reduced_to<statistics_of<float>, moments>(machine, in.view());
      };
      const statistics_of<float> aligned = at(0);
      for (int offset : {1, 6}) {
        INFO(machine.name() << ": " << n << " elements, offset " << offset);
        const statistics_of<float> found = at(offset);
        CHECK(test::bits(found.mean) == test::bits(aligned.mean));
        CHECK(test::bits(found.squares) == test::bits(aligned.squares));
      }
    }
}

TEST_CASE("the mean of large equal values does not overflow", "[reduce]") {
  for (auto& machine : testing::machines()) {
    auto in = machine.template buffer<float>(4096, [](int) { return 3e38f; });
    auto out = machine.template buffer<statistics_of<float>>(1);
    REQUIRE(statistics(machine, in.view(), out.view()));
    CHECK(out.host()(0).mean == 3e38f);
    CHECK(out.host()(0).squares == 0);
  }
}
