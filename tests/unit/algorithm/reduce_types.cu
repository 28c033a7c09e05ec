// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// In which type a reduction combines floats: no total stops growing or overflows on its way to the result.
#include <support/reduce.hpp>

using namespace memtile;

namespace {

struct always_one {
  MEMTILE_FUNCTION float operator()(int64) const { return 1; }
};
struct always_100 {
  MEMTILE_FUNCTION float operator()(int64) const { return 100; }
};
struct counting {
  MEMTILE_FUNCTION float operator()(int64 i) const { return float(i); }
};

// n times the same value, far enough from zero that a narrow accumulator would overflow at once.
template <class Out, class T, class Machine>
Out sum_of_equal(Machine& machine, int64 n, T value) {
  auto in = machine.template buffer<T>(n, [&](int) { return value; }, {0, 1});
  return test::sum_of<Out>(machine, in.view());
}

}  // namespace

TEST_CASE("a total of floats goes on growing above 2^24", "[reduce][RED-09]") {
  for (auto& machine : testing::machines())
    CHECK(std::fabs(test::sum_of<float>(machine, generated(33554432, always_one{})) - 33554432.) <= 4);
}

TEST_CASE("a total of floats does not drift", "[reduce][RED-09]") {
  for (auto& machine : testing::machines()) {
    CHECK(std::fabs(test::sum_of<float>(machine, generated(1000000, always_100{})) - 100000000.) <= 64);
    CHECK(std::fabs(test::sum_of<float>(machine, generated(10000, counting{})) - 49995000.) <= 16);
    auto in = machine.buffer<float>(10000, [](int i) { return float(i); });
    CHECK(std::fabs(test::sum_of<float>(machine, in.view()) - 49995000.) <= 16);
  }
}

TEST_CASE("floats combined in double are exact", "[reduce][RED-09]") {
  using in_double = accumulate_in<double>;
  for (auto& machine : testing::machines()) {
    CHECK(test::sum_of<double, in_double>(machine, generated(1000000, always_100{})) == 100000000.);
    const int n = 70000;
    auto in = machine.buffer<float>(n, test::random_value, {0, 1});
    double expected = 0;  // 24 bits and 17 of carries fit into 53
    for (int i = 0; i < n; ++i) expected += test::random_value(i);
    CHECK(test::sum_of<double, in_double>(machine, in.view()) == expected);
    CHECK(double(test::sum_of<float>(machine, in.view())) != expected);  // else the line above shows nothing
  }
}

TEST_CASE("halves are combined in float and do not overflow on the way", "[reduce][RED-10]") {
  for (auto& machine : testing::machines()) {
    auto in = machine.buffer<float16>(8, [](int i) { return float16(i < 4 ? 32000.f : -32000.f); });
    CHECK(test::sum_of<float>(machine, in.view()) == 0);
    CHECK(float(test::sum_of<float16>(machine, in.view())) == 0);
    CHECK(sum_of_equal<float>(machine, 40000, float16(60000.f)) == 2.4e9f);
  }
}

TEST_CASE("a total of bfloat16 goes on growing above 256", "[reduce]") {
  for (auto& machine : testing::machines()) {
    CHECK(sum_of_equal<float>(machine, 70001, bfloat16(1.f)) == 70001);
    CHECK(float(sum_of_equal<bfloat16>(machine, 1000, bfloat16(1.f))) == 1000);
  }
}

TEST_CASE("the result is converted to the type of the output once", "[reduce]") {
  for (auto& machine : testing::machines()) {
    auto in = machine.buffer<float>(4097, [](int) { return 1.f; });
    CHECK(float(test::sum_of<float16>(machine, in.view())) == 4096);  // 4097 lies between 4096 and 4100
    CHECK(test::sum_of<double>(machine, in.view()) == 4097);
    auto thirds = machine.buffer<double>(30000, [](int i) { return i % 2 == 0 ? 1. / 3 : 2. / 3; });
    CHECK(std::fabs(test::sum_of<double>(machine, thirds.view()) - 15000) <= (std::log2(3e4) + 32) * 0x1p-53 * 15000);
    CHECK(test::sum_of<float>(machine, thirds.view()) == 15000.f);
  }
}
