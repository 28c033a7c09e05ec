// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the smallest and the largest elements stand: the first of equal ones, with infinities and with NaN.
#include <support/reduce.hpp>

using namespace memtile;

namespace {

using test::infinity;
using test::not_a_number;
using place = indexed<float>;

template <class Wanted, class Machine>
place place_in(Machine& machine, const std::vector<float>& values) {
  auto in = test::buffer_of(machine, values);
  return test::reduced_to<place, Wanted>(machine, in.view());
}
template <class Wanted, class Machine>
int64 index_in(Machine& machine, const std::vector<float>& values) {
  return place_in<Wanted>(machine, values).index;
}
// Zeros, but for ones at two places.
std::vector<float> two_ones(size_t n, size_t first, size_t second) {
  std::vector<float> values(n, 0.f);
  values[first] = values[second] = 1;
  return values;
}

}  // namespace

TEST_CASE("an extreme of infinities has their value and the first index", "[reduce][RED-14]") {
  for (auto& machine : testing::machines()) {
    const place least = place_in<arg_minimum>(machine, std::vector<float>(10, infinity));
    CHECK((least.value == infinity && least.index == 0));
    const place most = place_in<arg_maximum>(machine, {-infinity});
    CHECK((most.value == -infinity && most.index == 0));
    CHECK(index_in<arg_minimum_number>(machine, std::vector<float>(10, infinity)) == 0);
    CHECK(index_in<arg_maximum_number>(machine, {-infinity}) == 0);
  }
}

TEST_CASE("argmax returns the first of equal maxima", "[reduce][RED-16]") {
  for (auto& machine : testing::machines()) {
    CHECK(index_in<arg_maximum>(machine, std::vector<float>(16, 4.f)) == 0);
    CHECK(index_in<arg_maximum>(machine, {1, 0, 1, 1}) == 0);
    CHECK(index_in<arg_maximum>(machine, std::vector<float>(2001, 0.f)) == 0);
    CHECK(index_in<arg_maximum>(machine, two_ones(100000, 17, 99999)) == 17);
    CHECK(index_in<arg_maximum>(machine, two_ones(100000, 50001, 99998)) == 50001);
    CHECK(index_in<arg_maximum>(machine, two_ones(100000, 99998, 99999)) == 99998);
    CHECK(index_in<arg_minimum>(machine, two_ones(100000, 0, 1)) == 2);
  }
}

TEST_CASE("an extreme is found wherever it stands, at every alignment", "[reduce][RED-16]") {
  for (auto& machine : testing::machines())
    for (int n : {1, 2, 5, 33, 1000, 4097, 20001})
      for (int offset : {0, 1, 3})
        for (int at : {0, n / 3, n - 1}) {
          INFO(machine.name() << ": " << n << " elements, offset " << offset << ", at " << at);
          auto in = machine.buffer<float>(n, [&](int i) { return i == at ? -9 : i % 7; }, {0, offset});
          const place least = test::reduced_to<place, arg_minimum>(machine, in.view());
          CHECK((least.value == -9 && least.index == at));
          CHECK(in.untouched());
        }
}

TEST_CASE("a NaN is the extreme that is found, and the first of several", "[reduce][RED-15]") {
  for (auto& machine : testing::machines())
    for (size_t at : {0, 32, 255, 50000, 99998}) {
      INFO(machine.name() << ": NaN at " << at);
      std::vector<float> values(100000, 1.f);
      values[at] = values[99999] = not_a_number;
      CHECK(index_in<arg_minimum>(machine, values) == int64(at));
      CHECK(index_in<arg_maximum>(machine, values) == int64(at));
      CHECK(std::isnan(place_in<arg_maximum>(machine, values).value));
      CHECK(index_in<arg_minimum_number>(machine, values) == (at == 0 ? 1 : 0));
      values[20] = 2, values[25] = -2;
      CHECK(index_in<arg_maximum_number>(machine, values) == 20);
      CHECK(index_in<arg_minimum_number>(machine, values) == 25);
    }
}

TEST_CASE("where no element is a number, there is none to be found", "[reduce][RED-15]") {
  for (auto& machine : testing::machines())
    for (size_t n : {1, 5, 33, 1000, 20001}) {
      const std::vector<float> values(n, not_a_number);
      const place none = place_in<arg_minimum_number>(machine, values);
      CHECK((none.index == -1 && std::isnan(none.value)));
      CHECK(index_in<arg_maximum_number>(machine, values) == -1);
      CHECK(index_in<arg_minimum>(machine, values) == 0);
    }
}

TEST_CASE("the value of an extreme is that of the element at its index, to the sign of a zero", "[reduce][RED-16]") {
  for (auto& machine : testing::machines())
    for (const std::vector<float>& values : {std::vector<float>{0.f, -0.f}, {-0.f, 0.f}, {0.f, 0.f, 3.f, -0.f, -0.f}}) {
      const place least = place_in<arg_minimum>(machine, values);
      CHECK(std::signbit(least.value) == std::signbit(values[size_t(least.index)]));
    }
}

TEST_CASE("minmax finds both in one read", "[reduce][RED-16]") {
  for (auto& machine : testing::machines())
    for (int n : {1, 100, 16384, 70001}) {
      INFO(machine.name() << ": " << n << " elements");
      int first = 0, last = 0;
      for (int i = 1; i < n; ++i) {
        if (test::random_value(i) < test::random_value(first)) first = i;
        if (test::random_value(i) > test::random_value(last)) last = i;
      }
      auto in = machine.buffer<float>(n, test::random_value, {0, 1});
      const auto found =
          test::result_of<both<place, place>>(machine, [&](auto out) { return minmax(machine, in.view(), out); });
      CHECK((found.first.index == first && found.first.value == test::random_value(first)));
      CHECK((found.second.index == last && found.second.value == test::random_value(last)));
    }
}

TEST_CASE("argmin and argmax of integers return indices of the type that is asked for", "[reduce][RED-16]") {
  for (auto& machine : testing::machines()) {
    auto in = machine.buffer<int8>(70001, [](int i) { return i == 69000 ? -128 : i % 128; }, {0, 5});
    CHECK(test::result_of<int>(machine, [&](auto out) { return argmin(machine, in.view(), out); }) == 69000);
    CHECK(test::result_of<int>(machine, [&](auto out) { return argmax(machine, in.view(), out); }) == 127);
    CHECK(test::result_of<int>(
              machine, [&](auto out) { return argmax(machine, vector_view<int8>(in.view().data, 0), out); }) == -1);
  }
}

#if MEMTILE_CUDA
TEST_CASE("argmax returns the first of two maxima of a million", "[reduce][large][RED-16]") {
  for (auto& machine : testing::machines())
    if (machine.is_gpu()) CHECK(index_in<arg_maximum>(machine, two_ones(1000000, 17, 999999)) == 17);
}
#endif
