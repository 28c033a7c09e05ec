// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fused steps against single ones, of several fields: some that stay as they are, and two time levels in one element.
#include <support/stencil.hpp>

using namespace memtile;

namespace {

struct with_constants {
  template <class Neighbours>
  MEMTILE_FUNCTION uint32 operator()(const Neighbours& n) const {
    uint32 sum = n(0, 0) + 3 * n(-1, 0) + 5 * n(1, 0) + 7 * n(0, -1) + 11 * n(0, 1);
    sum +=
        uint32(n.template get<1>(0, 0)) + 13 * uint32(n.template get<1>(1, 0)) + 17 * uint32(n.template get<1>(0, -1));
    return sum + 19 * uint32(n.template get<2>(-1, 0)) + 23 * uint32(n.template get<2>(0, 1));
  }
};
struct two_fields {
  template <class Neighbours>
  MEMTILE_FUNCTION uint32 operator()(const Neighbours& n) const {
    return n(0, 0) + n.template get<1>(0, 0);
  }
};
struct two_levels {
  template <class Neighbours>
  MEMTILE_FUNCTION vec<uint32, 2> operator()(const Neighbours& n) const {
    const vec<uint32, 2> here = n(0, 0);
    const uint32 around = n(-1, 0)[0] + 3 * n(1, 0)[0] + 5 * n(0, -1)[0] + 7 * n(0, 1)[0];
    return {{2 * here[0] - here[1] + around, here[0]}};
  }
};

uint32 start(int r, int c) { return uint32(test::pixel(r, c)); }

}  // namespace

TEST_CASE("fields that the steps do not change are the same in each of them", "[stencil][iterate]") {
  const int rows = 67, cols = 250;
  for (auto& machine : testing::machines()) {
    auto u = machine.buffer<uint32>(rows, cols, start), v = machine.buffer<uint32>(rows, cols, start),
         scratch = machine.buffer<uint32>(rows, cols);
    const auto c = machine.buffer<uint8>(rows, cols, [](int r, int k) { return uint8(r * 5 + k * 3); }, {cols + 3, 1});
    const auto d = machine.buffer<float>(rows, cols, [](int r, int k) { return float(r * 7 + k); });
    const auto check = [&](const auto& border) {
      REQUIRE(iterate<star<1>, fused_steps<3>>(machine, 8, fields(u.view(), c.view(), d.view()), scratch.view(),
                                               with_constants{}, border));
      unit::check_clean_without_conflicts(machine);
      REQUIRE(iterate<star<1>, fused_steps<1>>(machine, 8, fields(v.view(), c.view(), d.view()), scratch.view(),
                                               with_constants{}, border));
      const auto expected = v.host();
      CHECK(unit::differences(u.host(), rows, cols, [&](int r, int k) { return expected(r, k); }) == 0);
    };
    check(borders{wrap{}, constant{3}});
    check(borders{reflect101{}, valid{}});
    CHECK(iterate<star<1>>(machine, 2, fields(u.view(), scratch.view()), scratch.view(), two_fields{}, wrap{})
              .message() == "iterate: the output overlaps field 1: give it memory of its own");
    CHECK(iterate<star<1>>(machine, 2, fields(u.view(), u.view()), scratch.view(), two_fields{}, wrap{}).message() ==
          "iterate: the output overlaps field 1: give it memory of its own");
  }
}

TEST_CASE("two time levels are iterated as elements of two numbers", "[stencil][iterate]") {
  using levels = vec<uint32, 2>;  // now, and one step before
  const auto begin = [](int r, int c) { return levels{{start(r, c), start(c, r)}}; };
  for (auto& machine : testing::machines()) {
    auto u = machine.buffer<levels>(34, 61, begin), v = machine.buffer<levels>(34, 61, begin),
         scratch = machine.buffer<levels>(34, 61);
    REQUIRE(iterate<star<1>, fused_steps<3>>(machine, 8, u.view(), scratch.view(), two_levels{}, reflect101{}));
    unit::check_clean_without_conflicts(machine);
    REQUIRE(iterate<star<1>, fused_steps<1>>(machine, 8, v.view(), scratch.view(), two_levels{}, reflect101{}));
    const auto expected = v.host(), found = u.host();
    int different = 0;
    for (int i = 0; i < 34 * 61; ++i) {
      const levels a = found(i / 61, i % 61), b = expected(i / 61, i % 61);
      different += a[0] != b[0] || a[1] != b[1];
    }
    CHECK(different == 0);
  }
}
