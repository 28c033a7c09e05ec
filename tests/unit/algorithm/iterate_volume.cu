// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Steps of volumes that are fused against the same steps one by one: the same bits with every border, at every size, for
// every number of steps.
#include <support/stencil.hpp>

using namespace memtile;

namespace {

// Tells every neighbour and every place from any other.
struct mixed {
  template <class Neighbours>
  MEMTILE_FUNCTION uint32 operator()(const Neighbours& n) const {
    uint32 sum = uint32(n.slice()) * 719 + uint32(n.row()) * 77 + uint32(n.column());
    MEMTILE_UNROLL
    for (int d = -1; d <= 1; ++d) sum = sum * 5 + n(d, 0, 0) + 3 * n(0, d, 0) + 7 * n(0, 0, d);
    return sum ^ sum >> 7;
  }
};
struct mixed_box {
  template <class Neighbours>
  MEMTILE_FUNCTION uint32 operator()(const Neighbours& n) const {
    return n(-1, -1, 1) + n(0, 0, 0);
  }
};
struct two_fields {
  template <class Neighbours>
  MEMTILE_FUNCTION uint32 operator()(const Neighbours& n) const {
    return n(0, 0, 0) + n.template get<1>(0, 0, 1);
  }
};
struct mean {
  template <class Neighbours>
  MEMTILE_FUNCTION auto operator()(const Neighbours& n) const {
    auto sum = n(-1, 0, 0) + n(1, 0, 0) + n(0, -1, 0) + n(0, 1, 0) + n(0, 0, -1) + n(0, 0, 1);
    return (sum + 2 * n(0, 0, 0)) / 8;
  }
};

struct volume {
  int depth, rows, cols, gap = 0, offset = 0;
};

// Slices of rows + 1 rows each, the last of which is not part of the volume.
template <class Policy, class T, class Machine, class Functor, class Border>
void check_iterate(Machine& machine, const volume& shape, int64 steps, const Functor& functor, const Border& border) {
  INFO(machine.name() << ": " << shape.depth << "x" << shape.rows << "x" << shape.cols << ", gap " << shape.gap
                      << ", offset " << shape.offset << ", " << steps << " steps");
  const sim::placement place{shape.cols + shape.gap, shape.offset};
  const int lines = shape.depth * (shape.rows + 1);
  const auto start = [&](int l, int c) { return T(test::pixel(l, c) + 9); };
  auto u = machine.template buffer<T>(lines, shape.cols, start, place);
  auto v = machine.template buffer<T>(lines, shape.cols, start, place);
  auto scratch = machine.template buffer<T>(lines, shape.cols, place);
  const auto whole = [&](const matrix_view<T>& m) {
    return volume_view<T>(m.data, shape.depth, shape.rows, shape.cols, m.pitch, m.pitch * (shape.rows + 1));
  };
  const status status =
      iterate<star<1>, Policy>(machine, steps, whole(u.view()), whole(scratch.view()), functor, border);
  INFO(status.message());
  REQUIRE(status.ok());
  unit::check_clean_without_conflicts(machine);
  CHECK((u.untouched() && scratch.untouched()));
  REQUIRE(iterate<star<1>, fused_steps<1>>(machine, steps, whole(v.view()), whole(scratch.view()), functor, border));
  const auto expected = v.host();
  CHECK(unit::differences(u.host(), lines, shape.cols, [&](int l, int c) { return expected(l, c); }) == 0);
}

// Of four steps a block keeps 24 rows of 120 columns. In the last one a tile in the middle has nothing outside.
const volume shapes[] = {{0, 3, 4},         {3, 0, 4},          {3, 4, 0},          {1, 1, 1},       {2, 1, 3},
                         {5, 3, 1},         {30, 5, 8, 4},      {1, 25, 7},         {3, 23, 119, 1}, {9, 24, 120},
                         {4, 3, 124, 0, 1}, {2, 49, 121, 3, 2}, {12, 26, 252, 4, 4}};

}  // namespace

TEST_CASE("fused steps of a volume are the same as single ones with every border, at every size",
          "[stencil][iterate][STEN-03]") {
  for (auto& machine : testing::machines())
    for (const volume& shape : shapes) {
      const auto check = [&](const auto& border) {
        check_iterate<fused_steps<4>, uint32>(machine, shape, 5, mixed{}, border);
      };
      check(constant{uint32(7)});
      check(replicate{});
      check(reflect101{});
      check(wrap{});
      check(valid{});
    }
}

TEST_CASE("each axis and each side of fused steps of a volume may have a border of its own", "[stencil][iterate]") {
  for (auto& machine : testing::machines())
    for (const volume& shape : {volume{14, 36, 5, 3}, volume{5, 2, 121}}) {
      const auto check = [&](const auto& border) {
        check_iterate<fused_steps<3>, uint32>(machine, shape, 4, mixed{}, border);
      };
      check(borders{wrap{}, sides{constant{uint32(5)}, reflect101{}}, sides{valid{}, reflect{}}});
      check(borders{sides{valid{}, constant{uint32(9)}}, wrap{}, sides{reflect101{}, constant{uint32(3)}}});
      check(borders{sides{reflect101{}, valid{}}, sides{reflect{}, valid{}}, wrap{}});
    }
}

TEST_CASE("any number of steps of a volume ends in u, for elements of any size", "[stencil][iterate][STEN-13]") {
  for (auto& machine : testing::machines()) {
    for (int64 steps : {0, 1, 2, 3, 4, 7})
      check_iterate<fused_steps<2>, uint8>(machine, {9, 54, 13, 3}, steps, mean{}, reflect{});
    check_iterate<fused_steps<2>, uint8>(machine, {9, 5, 123}, 3, mean{}, wrap{});
    check_iterate<fused_steps<3>, double>(machine, {20, 5, 61, 1}, 4, mean{}, replicate{});
    check_iterate<fused_steps<3>, double>(machine, {9, 36, 57}, 4, mean{}, constant{0.5});
  }
}

TEST_CASE("fused steps of an aligned volume move 16 bytes at a time", "[stencil][iterate]") {
  for (auto& machine : testing::machines()) {
    auto u = machine.buffer<uint32>(20 * 30, 120), scratch = machine.buffer<uint32>(20 * 30, 120);
    const auto whole = [](const matrix_view<uint32>& m) {
      return volume_view<uint32>(m.data, 20, 30, 120, m.pitch, 30 * m.pitch);
    };
    REQUIRE(iterate<star<1>, fused_steps<4>>(machine, 8, whole(u.view()), whole(scratch.view()), mixed{},
                                             constant{uint32(7)}));
    if (const sim::report* report = machine.last_report()) {
      CHECK(unit::widths(*report, sim::space::global, sim::access_kind::async_copy) == std::vector<int>{16});
      CHECK(unit::widths(*report, sim::space::global, sim::access_kind::store) == std::vector<int>{16});
      CHECK_THAT(*report, sim::IsCoalesced());
    }
  }
}

TEST_CASE("the pitch of a single row or slice of a volume may be anything", "[stencil][iterate]") {
  for (auto& machine : testing::machines()) {
    const auto pixel = [](int r, int c) { return uint32(r * 31 + c * 7); };
    auto u = machine.buffer<uint32>(5, 24, pixel), v = machine.buffer<uint32>(5, 24, pixel),
         s = machine.buffer<uint32>(5, 24);
    const auto check = [&](int depth, int rows, int64 row_pitch, int64 slice_pitch) {
      const auto whole = [&](const auto& m) {
        return volume_view<uint32>(m.view().data, depth, rows, 8, row_pitch, slice_pitch);
      };
      REQUIRE(iterate<star<1>, fused_steps<2>>(machine, 4, whole(u), whole(s), mixed{}, replicate{}));
      unit::check_clean_without_conflicts(machine);
      REQUIRE(iterate<star<1>, fused_steps<1>>(machine, 4, whole(v), whole(s), mixed{}, replicate{}));
      const auto expected = v.host();
      CHECK(unit::differences(u.host(), 5, 24, [&](int r, int c) { return expected(r, c); }) == 0);
    };
    check(5, 1, 36, 96);
    check(1, 3, 32, 100);
  }
}

TEST_CASE("whether steps of a volume are fused is said in words", "[stencil][iterate]") {
  sim::machine machine;
  auto u = machine.buffer<uint32>(8, 4), c = machine.buffer<uint32>(8, 4), scratch = machine.buffer<uint32>(8, 4);
  const auto whole = [](const matrix_view<uint32>& m) {
    return volume_view<uint32>(m.data, 2, 4, 4, m.pitch, 4 * m.pitch);
  };
  const auto a = whole(u.view()), b = whole(scratch.view());
  CHECK(explain_iterate<star<1>>(12, a, b, mixed{}, wrap{}) ==
        "iterate: 12 steps, 3 to a kernel, 4 kernels; expected: 2.4 steps in the time of one");
  CHECK(explain_iterate<box<1>>(12, a, b, mixed_box{}, wrap{}) ==
        "iterate: 12 steps, each a kernel of its own: those of a volume can be fused where the window is a star of "
        "radius 1");
  CHECK(explain_iterate<star<1>>(12, fields(a, whole(c.view())), b, two_fields{}, wrap{}) ==
        "iterate: 12 steps, each a kernel of its own: those of a volume can be fused where there are no other fields");
  CHECK(iterate<star<1>>(machine, -1, a, b, mixed{}, wrap{}).message() == "iterate: -1 steps: there must be 0 or more");
  CHECK(iterate<star<1>>(machine, 2, a, whole(u.view()), mixed{}, wrap{}).message() ==
        "iterate: the output overlaps the input: give it memory of its own");
}
