// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Minima and maxima with their infinities and NaN, other operators, and an array without elements.
#include <support/reduce.hpp>

#include <cfloat>

using namespace memtile;

namespace {

using test::infinity;
using test::not_a_number;

template <class Operator, class Machine>
float extreme_of(Machine& machine, const std::vector<float>& values) {
  auto in = test::buffer_of(machine, values);
  return test::reduced<float>(machine, in.view(), Operator{}, Operator::template identity<float>());
}
const std::vector<float> few_with_nan[] = {
    {1, 2, not_a_number}, {not_a_number, 2, 1}, {1, not_a_number, 2}, std::vector<float>(5, not_a_number)};
// The same number, or both NaN.
bool is_as(float a, float b) { return a == b || (std::isnan(a) && std::isnan(b)); }

}  // namespace

TEST_CASE("the maximum of negative floats is the largest of them", "[reduce][RED-13]") {
  for (auto& machine : testing::machines()) {
    CHECK(extreme_of<maximum>(machine, {-3, -7, -1.5f}) == -1.5f);
    CHECK(extreme_of<maximum>(machine, {-FLT_MAX}) == -FLT_MAX);
    CHECK(extreme_of<maximum>(machine, {-infinity, -infinity}) == -infinity);
    CHECK(extreme_of<maximum>(machine, std::vector<float>(1000, -2.f)) == -2);
    CHECK(extreme_of<maximum>(machine, std::vector<float>(20001, -2.f)) == -2);
    CHECK(extreme_of<maximum_number>(machine, std::vector<float>(20001, -2.f)) == -2);
    CHECK(extreme_of<minimum>(machine, std::vector<float>(20001, 2.f)) == 2);
  }
}

TEST_CASE("the minimum of infinities is infinite", "[reduce][RED-14]") {
  for (auto& machine : testing::machines()) {
    CHECK(extreme_of<minimum>(machine, std::vector<float>(10, infinity)) == infinity);
    CHECK(extreme_of<minimum_number>(machine, std::vector<float>(10, infinity)) == infinity);
    CHECK(extreme_of<maximum>(machine, {-infinity}) == -infinity);
    CHECK(extreme_of<maximum_number>(machine, {-infinity}) == -infinity);
  }
}

TEST_CASE("a NaN is the minimum and the maximum of a few values, wherever it stands", "[reduce][RED-15]") {
  for (auto& machine : testing::machines())
    for (const std::vector<float>& values : few_with_nan) {
      CHECK(std::isnan(extreme_of<minimum>(machine, values)));
      CHECK(std::isnan(extreme_of<maximum>(machine, values)));
      const bool has_number = !std::isnan(values[0]) || !std::isnan(values[1]);
      CHECK(is_as(extreme_of<minimum_number>(machine, values), has_number ? 1 : not_a_number));
      CHECK(is_as(extreme_of<maximum_number>(machine, values), has_number ? 2 : not_a_number));
    }
}

TEST_CASE("one NaN among many values is found, or ignored where that is asked for", "[reduce][RED-15]") {
  for (auto& machine : testing::machines())
    for (size_t at : {0, 31, 32, 255, 256, 50000, 99999}) {
      INFO(machine.name() << ": NaN at " << at);
      std::vector<float> values(100000, 1.f);
      values[at] = not_a_number;
      CHECK(std::isnan(extreme_of<minimum>(machine, values)));
      CHECK(std::isnan(extreme_of<maximum>(machine, values)));
      CHECK(extreme_of<minimum_number>(machine, values) == 1);
      CHECK(extreme_of<maximum_number>(machine, values) == 1);
    }
}

TEST_CASE("a reduction of no elements is its initial value", "[reduce][RED-17]") {
  for (auto& machine : testing::machines()) {
    auto in = machine.buffer<float>(0);
    CHECK(test::reduced<float>(machine, in.view(), minimum{}, 7) == 7);
    CHECK(test::reduced<float>(machine, vector_view<float>(), minimum{}, 7) == 7);
    CHECK(test::reduced<float>(machine, in.view(), plus{}, 7) == 7);
    CHECK(test::sum_of<float>(machine, in.view()) == 0);
    CHECK(test::reduced_to<int64, arg_maximum>(machine, in.view()) == -1);
#if MEMTILE_CUDA
    CHECK(cudaPeekAtLastError() == cudaSuccess);
#endif
    REQUIRE(machine.synchronize());
  }
}
