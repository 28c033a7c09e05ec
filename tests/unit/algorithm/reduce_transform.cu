// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is done to elements before they are combined, which of them count, and the sums that have a name.
#include <support/reduce.hpp>

using namespace memtile;

namespace {

struct times_index {
  MEMTILE_FUNCTION int64 operator()(int v, int64 index) const { return v * index; }
};
struct is_odd {
  MEMTILE_FUNCTION bool operator()(int v) const { return v % 2 != 0; }
};
struct above {
  float limit;
  MEMTILE_FUNCTION bool operator()(float v) const { return v > limit; }
};

constexpr int sizes[] = {0, 1, 33, 1000, 16384, 16385, 70001};

}  // namespace

TEST_CASE("a transform is told the value and its index, and a predicate says which elements count", "[reduce]") {
  for (auto& machine : testing::machines())
    for (int n : sizes)
      for (int offset : {0, 1}) {
        INFO(machine.name() << ": " << n << " elements, offset " << offset);
        auto in = machine.buffer<int>(n, test::small_integer, {0, offset});
        int64 expected = 11, odd = 11;
        for (int i = 0; i < n; ++i) {
          expected += int64(i) * test::small_integer(i);
          if (test::small_integer(i) % 2 != 0) odd += int64(i) * test::small_integer(i);
        }
        const auto all = [&](auto out) { return reduce(machine, in.view(), out, plus{}, 11, times_index{}); };
        CHECK(test::result_of<int64>(machine, all) == expected);
        const auto some = [&](auto out) {
          return reduce(machine, in.view(), out, plus{}, 11, times_index{}, is_odd{});
        };
        CHECK(test::result_of<int64>(machine, some) == odd);
      }
}

TEST_CASE("count_if counts the elements that are accepted", "[reduce]") {
  for (auto& machine : testing::machines())
    for (int n : sizes) {
      int expected = 0;
      for (int i = 0; i < n; ++i) expected += test::random_value(i) > 0.25f;
      auto in = machine.buffer<float>(n, test::random_value, {0, 1});
      const auto count = [&](auto out) { return count_if(machine, in.view(), out, above{0.25f}); };
      CHECK(test::result_of<int64>(machine, count) == expected);
    }
}

TEST_CASE("dot is the sum of products", "[reduce]") {
  for (auto& machine : testing::machines())
    for (int n : sizes)
      for (int offset : {0, 1, 2}) {
        INFO(machine.name() << ": " << n << " elements, offset " << offset);
        int64 expected = 0;
        for (int i = 0; i < n; ++i) expected += test::small_integer(i) * test::small_integer(i + 3);
        auto a = machine.buffer<float>(n, test::small_integer, {0, offset});
        auto b = machine.buffer<float>(n, [](int i) { return test::small_integer(i + 3); }, {0, offset / 2});
        const auto product = [&](auto out) { return dot(machine, a.view(), b.view(), out); };
        CHECK(test::result_of<float>(machine, product) == float(expected));
        CHECK((a.untouched() && b.untouched()));
      }
}

TEST_CASE("dot takes two types, and multiplies in the wider one", "[reduce]") {
  for (auto& machine : testing::machines()) {
    const int n = 20001;
    auto a = machine.buffer<int8>(n, [](int) { return -128; }, {0, 3});
    auto b = machine.buffer<int16>(n, [](int) { return 32767; });
    const auto product = [&](auto out) { return dot(machine, a.view(), b.view(), out); };
    CHECK(test::result_of<int64>(machine, product) == int64(n) * -128 * 32767);
  }
}

TEST_CASE("norms are those of the values", "[reduce]") {
  for (auto& machine : testing::machines())
    for (int n : sizes) {
      INFO(machine.name() << ": " << n << " elements");
      double squares = 0, absolutes = 0, largest = 0;
      for (int i = 0; i < n; ++i) {
        const double v = 5 * test::small_integer(i);
        squares += v * v, absolutes += std::fabs(v), largest = std::fmax(largest, std::fabs(v));
      }
      auto in = machine.buffer<float>(n, [](int i) { return 5 * test::small_integer(i); }, {0, 1});
      const auto euclid = [&](auto out) { return norm(machine, in.view(), out); };
      CHECK(test::result_of<float>(machine, euclid) == std::sqrt(float(squares)));
      const auto taxi = [&](auto out) { return norm_1(machine, in.view(), out); };
      CHECK(test::result_of<float>(machine, taxi) == float(absolutes));
      const auto most = [&](auto out) { return norm_infinity(machine, in.view(), out); };
      CHECK(test::result_of<float>(machine, most) == float(largest));
    }
}

TEST_CASE("norms of small integers do not wrap", "[reduce]") {
  for (auto& machine : testing::machines()) {
    auto in = machine.buffer<int8>(40000, [](int) { return -128; });
    const auto euclid = [&](auto out) { return norm(machine, in.view(), out); };
    CHECK(test::result_of<float>(machine, euclid) == 25600.f);  // 128 * sqrt(40000)
    const auto taxi = [&](auto out) { return norm_1(machine, in.view(), out); };
    CHECK(test::result_of<int64>(machine, taxi) == 5120000);
    const auto most = [&](auto out) { return norm_infinity(machine, in.view(), out); };
    CHECK(test::result_of<int64>(machine, most) == 128);
  }
}

namespace {
struct from_table {
  vector_view<const float> table;
  MEMTILE_FUNCTION float operator()(int key) const { return table.load(key); }
};
struct is_key {
  MEMTILE_FUNCTION bool operator()(int key) const { return key >= 0; }
};
}  // namespace

TEST_CASE("what keep rejects is not transformed", "[reduce]") {
  for (auto& machine : testing::machines()) {
    auto keys = machine.template buffer<int>(1000, [](int i) { return i % 3 == 0 ? -1 : i % 5; });
    auto table = machine.template buffer<float>(5, [](int k) { return float(k + 1); });
    auto out = machine.template buffer<float>(1);
    REQUIRE(reduce(machine, keys.view(), out.view(), plus{}, 0, from_table{table.view()}, is_key{}));
    float expected = 0;
    for (int i = 0; i < 1000; ++i) expected += i % 3 == 0 ? 0 : float(i % 5 + 1);
    CHECK(out.host()(0) == expected);
    unit::check_clean(machine);
  }
}

TEST_CASE("products of signed and unsigned integers keep their sign", "[reduce]") {
  for (auto& machine : testing::machines()) {
    auto a = machine.template buffer<int32>(10, [](int) { return -1; });
    auto b = machine.template buffer<uint32>(10, [](int) { return 1u; });
    auto out = machine.template buffer<float>(1);
    REQUIRE(dot(machine, a.view(), b.view(), out.view()));
    CHECK(out.host()(0) == -10);
  }
}
