// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// In which type a reduction combines integers: no total wraps or is truncated, and the initial value has no say.
#include <support/reduce.hpp>

using namespace memtile;

namespace {

// n times the same value, far enough from zero that a narrow accumulator would overflow at once.
template <class Out, class T, class Machine>
Out sum_of_equal(Machine& machine, int64 n, T value) {
  auto in = machine.template buffer<T>(n, [&](int) { return value; }, {0, 1});
  return test::sum_of<Out>(machine, in.view());
}

}  // namespace

TEST_CASE("totals of integers are combined in 64 bits", "[reduce][RED-11]") {
  for (auto& machine : testing::machines()) {
    CHECK(sum_of_equal<int64>(machine, 4, int(1) << 30) == 4294967296);
    auto counted = machine.buffer<int>(100000, [](int i) { return i; });
    CHECK(test::sum_of<int64>(machine, counted.view()) == 4999950000);
    auto rows = machine.buffer<uint8>(4, 256, [](int, int c) { return uint8(c); });
    for (int r = 0; r < 4; ++r) {
      const vector_view<uint8> row(rows.view().address(r, 0), 256);
      CHECK(test::sum_of<int64>(machine, row) == 32640);
    }
    CHECK(test::sum_of<int64>(machine, rows.view()) == 4 * 32640);
  }
}

TEST_CASE("integers of every size are summed at the ends of their ranges", "[reduce][RED-11]") {
  for (auto& machine : testing::machines()) {
    CHECK(sum_of_equal<int64>(machine, 100001, int8(-128)) == -128 * int64(100001));
    CHECK(sum_of_equal<int64>(machine, 100001, uint8(255)) == 255 * int64(100001));
    CHECK(sum_of_equal<int64>(machine, 100001, int16(-32768)) == -32768 * int64(100001));
    CHECK(sum_of_equal<uint64>(machine, 100001, uint16(65535)) == 65535 * uint64(100001));
    CHECK(sum_of_equal<uint64>(machine, 100001, uint32(4294967295)) == 4294967295 * uint64(100001));
    CHECK(sum_of_equal<int64>(machine, 30001, int64(1) << 40) == (int64(1) << 40) * 30001);
  }
}

TEST_CASE("the type of the initial value has no say", "[reduce][RED-12]") {
  for (auto& machine : testing::machines()) {
    auto halves = machine.buffer<float>(4, [](int) { return 0.5f; });
    CHECK(test::reduced<float>(machine, halves.view(), plus{}, 0) == 2);
    auto bytes = machine.buffer<uint8>(2, [](int i) { return uint8(i == 0 ? 200 : 100); });
    CHECK(test::reduced<int64>(machine, bytes.view(), plus{}, uint8(0)) == 300);
    CHECK(test::reduced<int64>(machine, bytes.view(), plus{}, 7) == 307);
    static_assert(detail::is_same<accumulator_t<plus, float>, float> &&
                  detail::is_same<accumulator_t<plus, int>, int64>);
    static_assert(detail::is_same<accumulator_t<plus, uint8>, int64>);
    static_assert(detail::is_same<accumulator_t<plus, uint32>, uint64>);
    static_assert(detail::is_same<accumulator_t<plus, float16>, float>);
    static_assert(detail::is_same<accumulator_t<maximum, int8>, int8>);
  }
}
