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

TEST_CASE("steps on the chip are the same as single ones with every border, at every size",
          "[stencil][iterate][STEN-03]") {
  // With two lines of a warp a tile has 24 x 120 elements of its own, with three 40 x 120; its margins are 4 wide.
  const image shapes[] = {{0, 7}, {1, 1}, {3, 2}, {23, 119}, {48, 121, 1, 1}, {24, 120}, {25, 5, 3}, {330, 241, 0, 4}};
  for (auto& machine : testing::machines()) {
    for (const image& shape : shapes) {
      check_on_chip<star<1>>(machine, shape, 9, mixed<1>{}, wrap{});
      check_on_chip<star<1>>(machine, shape, 9, mixed<1>{}, borders{constant{uint32(7)}, reflect101{}});
    }
  }
}
