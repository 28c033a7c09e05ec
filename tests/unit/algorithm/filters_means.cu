// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Means of windows whose sums pass 24 and 32 bits, and of even numbers of integers.
#include <support/stencil.hpp>

using namespace memtile;

namespace {

// The mean of a constant image is that constant.
template <class Window, class T>
void check_constant(T value) {
  for (auto& machine : testing::machines()) {
    auto in = machine.buffer<T>(3, 4, [&](int, int) { return value; });
    auto out = machine.buffer<T>(3, 4);
    REQUIRE(box_filter<Window>(machine, in.view(), out.view(), replicate{}));
    unit::check_clean(machine);
    CHECK(unit::differences(out.host(), 3, 4, [&](int, int) { return value; }) == 0);
  }
}

}  // namespace

TEST_CASE("sums of a mean that pass 32 bits are held in 64", "[stencil][STEN-10]") {
  check_constant<box<100>>(uint16(65535));
  check_constant<box<128>>(int16(-32768));
  check_constant<window<2, 2, 4000, 4000>>(uint16(65535));
  check_constant<box<128>>(uint8(255));
  check_constant<box<1>>(int32(-2147483647 - 1));
}

TEST_CASE("means of even numbers of integers are rounded exactly", "[stencil][STEN-10]") {
  for (auto& machine : testing::machines())
    for (int more : {287, 288, 289}) {  // of 576: in float each is the middle
      auto in = machine.buffer<uint16>(24, 24, [&](int r, int c) { return uint16(40000 + (r * 24 + c < more)); });
      auto out = machine.buffer<uint16>(24, 24);
      const auto rounded = [&](int, int) { return uint16(more > 288 ? 40001 : 40000); };
      REQUIRE(box_filter<window<12, 11, 12, 11>>(machine, in.view(), out.view(), wrap{}));
      CHECK(unit::differences(out.host(), 24, 24, rounded) == 0);
      auto negative = machine.buffer<int16>(2, 24, [&](int, int c) { return int16(c % 2 == 0 ? -3 : -4); });
      auto means = machine.buffer<int16>(2, 24);
      REQUIRE(box_filter<window<0, 0, 1, 0>>(machine, negative.view(), means.view(), wrap{}));
      CHECK(unit::differences(means.host(), 2, 24, [](int, int) { return int16(-4); }) == 0);
    }
}
