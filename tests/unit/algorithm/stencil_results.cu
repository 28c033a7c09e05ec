// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stencils with several outputs, and with a value of each output that is reduced in the same pass.
#include <support/stencil.hpp>

#include <cmath>

using namespace memtile;
using test::image;

namespace {

const image shapes[] = {{1, 1}, {3, 5}, {9, 135, 1, 1}, {70, 1100}, {300, 40, 4}};

struct gradient {  // down and across
  template <class Neighbours>
  MEMTILE_FUNCTION auto operator()(const Neighbours& n) const {
    return results(n(1, 0) - n(-1, 0), 0.5f * float(n(0, 1) - n(0, -1)));
  }
};
double down(int r, int c, const image& shape) {
  return test::with_border(test::pixel, reflect{}, r + 1, c, shape.rows, shape.cols) -
         test::with_border(test::pixel, reflect{}, r - 1, c, shape.rows, shape.cols);
}
double across(int r, int c, const image& shape) {
  return test::with_border(test::pixel, reflect{}, r, c + 1, shape.rows, shape.cols) -
         test::with_border(test::pixel, reflect{}, r, c - 1, shape.rows, shape.cols);
}

template <int Radius>
struct step {  // and how much has changed; of a wide window its lower right corner has a say too
  template <class Neighbours>
  MEMTILE_FUNCTION auto operator()(const Neighbours& n) const {
    const float next = n(-1, 0) + n(0, 1) - n(Radius, Radius);
    return measured(next, memtile::abs(next - n(0, 0)));
  }
};
template <int Radius>
double next(int r, int c, const image& shape) {
  const auto at = [&](int y, int x) {
    return test::with_border(test::pixel, wrap{}, r + y, c + x, shape.rows, shape.cols);
  };
  return at(-1, 0) + at(0, 1) - at(Radius, Radius);
}

// The largest and the summed change of the places from `rim` on, which lie inside.
template <int Radius, class Total, class Operator>
void check_total(const Operator& op) {
  for (auto& machine : testing::machines())
    for (const image& shape : shapes) {
      INFO(machine.name() << ": " << shape.rows << "x" << shape.cols << ", radius " << Radius);
      const sim::placement place{shape.cols + shape.gap, shape.offset};
      auto in = machine.buffer<float>(shape.rows, shape.cols, test::pixel, place);
      auto out = machine.buffer<float>(shape.rows, shape.cols, place);
      auto total = machine.buffer<Total>(1);
      const status done =
          stencil<box<Radius>>(machine, in.view(), out.view(), step<Radius>{}, wrap{}, reduce_into(total.view(), op));
      INFO(done.message());
      REQUIRE(done.ok());
      unit::check_clean_without_conflicts(machine);
      CHECK((in.untouched() && out.untouched() && total.untouched()));
      double expected = op.template identity<Total>();
      for (int r = 0; r < shape.rows; ++r)
        for (int c = 0; c < shape.cols; ++c)
          expected = op(expected, std::abs(next<Radius>(r, c, shape) - test::pixel(r, c)));
      CHECK(double(total.host()(0)) == expected);
      CHECK(unit::differences(out.host(), shape.rows, shape.cols,
                              [&](int r, int c) { return float(next<Radius>(r, c, shape)); }) == 0);
    }
}

struct split {  // two outputs and a value
  template <class Neighbours>
  MEMTILE_FUNCTION auto operator()(const Neighbours& n) const {
    return measured(results(n(0), n(-1) + n(1)), n(0));
  }
};

}  // namespace

TEST_CASE("a functor of several results fills outputs of different types", "[stencil]") {
  for (auto& machine : testing::machines())
    for (const image& shape : shapes) {
      INFO(machine.name() << ": " << shape.rows << "x" << shape.cols);
      auto in = machine.buffer<int16>(shape.rows, shape.cols, test::pixel);
      auto rows = machine.buffer<int8>(shape.rows, shape.cols, sim::placement{shape.cols + shape.gap});
      auto columns = machine.buffer<float>(shape.rows, shape.cols, sim::placement{shape.cols, shape.offset});
      REQUIRE(stencil<star<1>>(machine, in.view(), fields(rows.view(), columns.view()), gradient{}, reflect{}));
      unit::check_clean_without_conflicts(machine);
      CHECK((in.untouched() && rows.untouched() && columns.untouched()));
      CHECK(unit::differences(rows.host(), shape.rows, shape.cols, [&](int r, int c) { return down(r, c, shape); }) ==
            0);
      CHECK(unit::differences(columns.host(), shape.rows, shape.cols,
                              [&](int r, int c) { return across(r, c, shape) / 2; }) == 0);
    }
}

TEST_CASE("the largest change, and the sum of all, come with the step itself", "[stencil]") {
  check_total<1, float>(maximum{});
  check_total<1, double>(plus{});
  check_total<5, float>(plus{});  // a window beyond the registers
}

TEST_CASE("a total is of the part that is stored, of no place the identity", "[stencil]") {
  for (auto& machine : testing::machines()) {
    const image shape{50, 300};
    auto in = machine.buffer<float>(50, 300, test::pixel), out = machine.buffer<float>(50, 300);
    auto total = machine.buffer<double>(1);
    double expected = 0;
    for (int r = 7; r < 40; ++r)
      for (int c = 131; c < 288; ++c) expected += std::abs(next<1>(r, c, shape) - test::pixel(r, c));
    REQUIRE(stencil<box<1>>(machine, in.view(), out.view(), step<1>{}, wrap{}, region{7, 131, 33, 157},
                            reduce_into(total.view(), plus{})));
    unit::check_clean(machine);
    CHECK(total.host()(0) == expected);
    REQUIRE(stencil<box<1>>(machine, in.view(), out.view(), step<1>{}, wrap{}, region{7, 131, 0, 157},
                            reduce_into(total.view(), plus{})));
    CHECK(total.host()(0) == 0);

    auto line = machine.buffer<int>(4000, [](int i) { return i % 19; }), own = machine.buffer<int>(4000);
    auto sides = machine.buffer<int>(4000);
    auto sum = machine.buffer<int64>(1);
    REQUIRE(stencil<box<1>>(machine, line.view(), fields(own.view(), sides.view()), split{}, constant{0},
                            reduce_into(sum.view(), plus{})));
    unit::check_clean(machine);
    CHECK(sum.host()(0) == 4000 / 19 * 171 + 4000 % 19 * (4000 % 19 - 1) / 2);
    CHECK(unit::differences(own.host(), 4000, [](int i) { return i % 19; }) == 0);
    CHECK(unit::differences(sides.host(), 4000,
                            [](int i) { return (i == 0 ? 0 : (i - 1) % 19) + (i == 3999 ? 0 : (i + 1) % 19); }) == 0);
  }
}

TEST_CASE("outputs and totals that overlap are refused, and nothing is changed", "[stencil][STEN-09]") {
  for (auto& machine : testing::machines()) {
    auto in = machine.buffer<float>(8, 9, test::pixel), out = machine.buffer<float>(8, 9, test::pixel);
    auto total = machine.buffer<float>(1, [](int) { return 7.f; });
    const auto view = out.view();
    const auto outputs = [&](const auto& a, const auto& b) {
      return stencil<star<1>>(machine, in.view(), fields(a, b), gradient{}, reflect{}).message();
    };
    const auto reduced = [&](const auto& to) {
      return stencil<box<1>>(machine, in.view(), view, step<1>{}, wrap{}, reduce_into(to, maximum{})).message();
    };
    CHECK(outputs(view, view) == "stencil: two outputs overlap: give each memory of its own");
    CHECK(outputs(view, subview(view, 0, 0, 4, 9)) == "stencil: one output is 8x9 but another one 4x9");
    CHECK(outputs(view, in.view()) == "stencil: the output overlaps the input: give it memory of its own");
    CHECK(reduced(vector_view<float>(view.data + 20, 1)) ==
          "stencil: the total lies in an input or an output: give it memory of its own");
    CHECK(reduced(vector_view<float>(total.view().data, 0)) ==
          "stencil: the total has no element, but the reduction needs one");
    CHECK(unit::differences(out.host(), 8, 9, test::pixel) == 0);
    CHECK(total.host()(0) == 7);

    workspace_query need;
    REQUIRE(stencil<box<1>>(need, in.view(), view, step<1>{}, wrap{}, reduce_into(total.view(), maximum{})));
    CHECK(need.bytes > 0);
  }
}
