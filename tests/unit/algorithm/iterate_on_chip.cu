// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All steps in one kernel, whose blocks hand each other their margins, against the same steps one by one: the same bits with
// every border, at every size, for every number of steps.
#include <support/stencil.hpp>

using namespace memtile;
using test::image;

namespace {

// Tells every neighbour and every place from any other.
template <int Radius>
struct mixed {
  template <class Neighbours>
  MEMTILE_FUNCTION uint32 operator()(const Neighbours& n) const {
    uint32 sum = uint32(n.row()) * 77 + uint32(n.column());
    MEMTILE_UNROLL
    for (int d = -Radius; d <= Radius; ++d) sum = sum * 5 + n(d, 0) + 3 * n(0, d);
    return sum ^ sum >> 7;
  }
};
struct mixed_box {
  template <class Neighbours>
  MEMTILE_FUNCTION uint32 operator()(const Neighbours& n) const {
    uint32 sum = uint32(n.row()) * 77 + uint32(n.column());
    MEMTILE_UNROLL
    for (int i = 0; i < 9; ++i) sum = sum * 5 + n(i / 3 - 1, i % 3 - 1);
    return sum ^ sum >> 7;
  }
};
struct from_1_to_4 {  // and keeps them so
  vector_view<int> strangers;
  template <class Neighbours>
  MEMTILE_FUNCTION int operator()(const Neighbours& n) const {
    int sum = 0;
    MEMTILE_UNROLL
    for (int i = 0; i < 9; ++i) {
      const int v = n(i / 3 - 1, i % 3 - 1);
      if (v < 1 || v > 4) strangers.atomic_add(0, 1);
      sum += v;
    }
    return 1 + sum % 4;
  }
};
template <int Down, int Right>
struct along {
  template <class Neighbours>
  MEMTILE_FUNCTION uint32 operator()(const Neighbours& n) const {
    return 3 * n(-Down, -3 * Right) + 5 * n(0, 0) + 7 * n(Down, 3 * Right) + uint32(n.column());
  }
};
uint32 start(int r, int c) { return uint32(test::pixel(r, c)); }

template <class Window, class Machine, class Functor, class Border>
void check_on_chip(Machine& machine, const image& shape, int64 steps, const Functor& functor, const Border& border) {
  INFO(machine.name() << ": " << shape.rows << "x" << shape.cols << ", gap " << shape.gap << ", offset " << shape.offset
                      << ", " << steps << " steps");
  const sim::placement place{shape.cols + shape.gap, shape.offset};
  auto u = machine.template buffer<uint32>(shape.rows, shape.cols, start, place);
  auto v = machine.template buffer<uint32>(shape.rows, shape.cols, start, place);
  auto scratch = machine.template buffer<uint32>(shape.rows, shape.cols, place);
  const status status = iterate<Window, on_chip<>>(machine, steps, u.view(), scratch.view(), functor, border);
  INFO(status.message());
  REQUIRE(status.ok());
  unit::check_clean_without_conflicts(machine);
  CHECK((u.untouched() && scratch.untouched()));
  REQUIRE(iterate<Window, fused_steps<1>>(machine, steps, v.view(), scratch.view(), functor, border));
  const auto expected = v.host();
  CHECK(unit::differences(u.host(), shape.rows, shape.cols, [&](int r, int c) { return expected(r, c); }) == 0);
}

}  // namespace

// With two lines of a warp a tile has 24 x 120 elements of its own, with three 40 x 120; its margins are 4 wide.
const image shapes[] = {{0, 7},     {7, 0},          {1, 1},       {3, 2},          {23, 119},      {24, 120},
                        {25, 5, 3}, {48, 121, 1, 1}, {49, 124, 4}, {50, 241, 0, 1}, {85, 123, 1, 2}};

TEST_CASE("steps on the chip are the same as single ones with every border, at every size",
          "[stencil][iterate][STEN-03]") {
  for (auto& machine : testing::machines())
    for (const image& shape : shapes) {
      const auto check = [&](const auto& border) { check_on_chip<star<1>>(machine, shape, 9, mixed<1>{}, border); };
      check(constant{uint32(7)});
      check(replicate{});
      check(reflect{});
      check(reflect101{});
      check(wrap{});
      check(valid{});
    }
}

TEST_CASE("each axis and each side of steps on the chip may have a border of its own", "[stencil][iterate]") {
  for (auto& machine : testing::machines())
    for (const image& shape : {image{3, 5}, image{1, 121}, image{50, 241, 3}}) {
      const auto check = [&](const auto& border) { check_on_chip<box<1>>(machine, shape, 6, mixed_box{}, border); };
      check(borders{wrap{}, sides{constant{uint32(5)}, reflect101{}}});
      check(borders{sides{valid{}, constant{uint32(9)}}, wrap{}});
      check(borders{sides{reflect{}, constant{uint32(9)}}, sides{constant{uint32(2)}, valid{}}});
    }
}

TEST_CASE("warps of many lines on the chip walk them in turns of a window", "[stencil][iterate]") {
  for (auto& machine : testing::machines()) {  // in the simulator 25 and 27 lines of eight tiles, of the last one some
    check_on_chip<box<1>>(machine, {400, 120}, 5, mixed_box{}, borders{reflect{}, sides{constant{uint32(9)}, valid{}}});
    check_on_chip<star<2>>(machine, {831, 250, 3, 1}, 3, mixed<2>{}, wrap{});
  }
}

TEST_CASE("a large matrix fills the chip", "[stencil][iterate][large]") {
  for (auto& machine : testing::machines()) {
    check_on_chip<star<1>>(machine, {2048, 2048}, 23, mixed<1>{}, wrap{});
    check_on_chip<box<1>>(machine, {2031, 2003, 1, 1}, 23, mixed_box{}, reflect101{});
  }
}

TEST_CASE("functors on the chip see nothing that was not in the matrix", "[stencil][iterate]") {
  for (auto& machine : testing::machines())
    for (const image& shape : {image{73, 128}, image{30, 30}, image{51, 125, 2}}) {
      auto u = machine.buffer<int>(shape.rows, shape.cols, [](int r, int c) { return 1 + (r * 3 + c) % 4; },
                                   {shape.cols + shape.gap, 0});
      auto scratch = machine.buffer<int>(shape.rows, shape.cols, [](int, int) { return 0; });
      auto strangers = machine.buffer<int>(1, [](int) { return 0; });
      const auto check = [&](const auto& border) {
        INFO(machine.name() << ": " << shape.rows << "x" << shape.cols);
        REQUIRE(
            iterate<box<1>, on_chip<>>(machine, 9, u.view(), scratch.view(), from_1_to_4{strangers.view()}, border));
        CHECK(strangers.host()(0) == 0);
      };
      check(wrap{});
      check(replicate{});
      check(constant{3});
    }
}

TEST_CASE("any number of steps on the chip ends in u", "[stencil][iterate][STEN-13]") {
  for (auto& machine : testing::machines())
    for (int64 steps : {0, 1, 2, 3, 4, 5, 6, 7, 8, 11}) {
      check_on_chip<star<2>>(machine, {60, 131}, steps, mixed<2>{}, reflect{});  // two steps to an exchange
      check_on_chip<star<2>>(machine, {2, 1}, steps, mixed<2>{}, wrap{});
    }
}

TEST_CASE("a window on the chip may reach to its sides or up and down alone", "[stencil][iterate]") {
  for (auto& machine : testing::machines()) {
    check_on_chip<window<0, 0, 3, 3>>(machine, {40, 250}, 5, along<0, 1>{}, replicate{});
    check_on_chip<window<0, 0, 5, 5>>(machine, {3, 250}, 3, along<0, 1>{}, wrap{});  // further than a run
    check_on_chip<window<1, 1, 0, 0>>(machine, {70, 130}, 9, along<1, 0>{}, reflect{});
  }
}
