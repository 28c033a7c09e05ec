// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts of an image with real neighbours, several fields, a border for each axis and side, outputs without a border, many
// steps, and what is refused in which words.
#include <support/stencil.hpp>

#include <string>

using namespace memtile;

namespace {

constexpr test::weighted<1> unlike{{1, 2, 3, 5, 8, 13, 4, 7, 11}};
float at(int64 r, int64 c) { return float(test::pixel(r, c)); }

// u + c (its neighbours' sum - 4 u), and the place.
struct diffuse {
  template <class Neighbours>
  MEMTILE_FUNCTION float operator()(const Neighbours& n) const {
    const float around = n(-1, 0) + n(1, 0) + n(0, -1) + n(0, 1);
    return n(0, 0) + float(n.template get<1>(0, 1)) * (around - 4 * n(0, 0)) + float(1000 * n.row() + n.column());
  }
};

struct beyond {
  template <class Neighbours>
  MEMTILE_FUNCTION float operator()(const Neighbours& n) const {
    return n(0, 0) + n(0, 2);
  }
};

}  // namespace

TEST_CASE("a region is computed with its real neighbours, and nothing else is written", "[stencil]") {
  const int rows = 40, cols = 300;
  for (auto& machine : testing::machines())
    for (const auto& part : {region{0, 0, rows, cols}, region{3, 5, 20, 200}, region{39, 299, 1, 1},
                             region{0, 128, 40, 128}, region{7, 1, 2, 299}, region{5, 5, 0, 3}}) {
      INFO(part.first[0] << ", " << part.first[1] << ": " << part.size[0] << "x" << part.size[1]);
      auto in = machine.buffer<float>(rows, cols, at),
           out = machine.buffer<float>(rows, cols, [](int, int) { return -5.f; });
      REQUIRE(stencil<box<1>>(machine, in.view(), out.view(), unlike, reflect{}, part));
      CHECK(unit::differences(out.host(), rows, cols, [&](int r, int c) {
              const bool there = r >= part.first[0] && r < part.first[0] + part.size[0] && c >= part.first[1] &&
                                 c < part.first[1] + part.size[1];
              return there ? float(unlike.expected(at, reflect{}, r, c, rows, cols)) : -5.f;
            }) == 0);
      CHECK(out.untouched());
    }
}

TEST_CASE("without a border only outputs are written whose window lies inside", "[stencil]") {
  for (auto& machine : testing::machines())
    for (const auto& shape : {test::image{9, 140}, test::image{2, 9}, test::image{3, 3}, test::image{1, 1}}) {
      auto in = machine.buffer<float>(shape.rows, shape.cols, at);
      auto out = machine.buffer<float>(shape.rows, shape.cols, [](int, int) { return -5.f; });
      REQUIRE(stencil<box<1>>(machine, in.view(), out.view(), unlike, valid{}));
      CHECK(unit::differences(out.host(), shape.rows, shape.cols, [&](int r, int c) {
              const bool there = r > 0 && c > 0 && r + 1 < shape.rows && c + 1 < shape.cols;
              return there ? float(unlike.expected(at, replicate{}, r, c, shape.rows, shape.cols)) : -5.f;
            }) == 0);
    }
}

TEST_CASE("each axis and each side may have a border of its own", "[stencil]") {
  const int rows = 6, cols = 135;
  const auto of_rows = wrap{};
  const sides of_columns{constant{100.f}, reflect101{}};
  for (auto& machine : testing::machines()) {
    auto in = machine.buffer<float>(rows, cols, at), out = machine.buffer<float>(rows, cols);
    REQUIRE(stencil<box<1>>(machine, in.view(), out.view(), unlike, borders{of_rows, of_columns}));
    CHECK(unit::differences(out.host(), rows, cols, [&](int r, int c) {
            float sum = 0;
            for (int y = -1; y <= 1; ++y)
              for (int x = -1; x <= 1; ++x) {
                const int64 from_r = test::walk(of_rows, r + y, rows), from_c = test::walk(reflect101{}, c + x, cols);
                sum += float(unlike.at(y, x)) * (c + x < 0 ? 100.f : at(from_r, from_c));
              }
            return sum;
          }) == 0);
  }
}

TEST_CASE("several fields of different types are read side by side", "[stencil]") {
  const int rows = 12, cols = 150;
  for (auto& machine : testing::machines()) {
    auto u = machine.buffer<float>(rows, cols, at), out = machine.buffer<float>(rows, cols);
    auto c = machine.buffer<uint8>(rows, cols, [](int r, int k) { return uint8((r + 2 * k) % 5); });
    REQUIRE(stencil<star<1>>(machine, fields(u.view(), c.view()), out.view(), diffuse{}, wrap{}));
    unit::check_clean_without_conflicts(machine);
    CHECK(unit::differences(out.host(), rows, cols, [&](int r, int k) {
            const auto n = [&](int y, int x) { return float(test::with_border(at, wrap{}, r + y, k + x, rows, cols)); };
            const float factor = float((r + 2 * ((k + 1) % cols)) % 5);
            return n(0, 0) + factor * (n(-1, 0) + n(1, 0) + n(0, -1) + n(0, 1) - 4 * n(0, 0)) + float(1000 * r + k);
          }) == 0);
    CHECK(stencil<star<1>>(machine, fields(u.view(), subview(c.view(), 0, 0, 3, 4)), out.view(), diffuse{}, wrap{})
              .message() == "stencil: field 1 is 3x4 but the output 12x150");
    CHECK(stencil<star<1>>(machine, fields(u.view(), out.view()), out.view(), diffuse{}, wrap{}).message() ==
          "stencil: the output overlaps field 1: give it memory of its own");
  }
}

TEST_CASE("many steps end in u whatever their number", "[stencil]") {
  for (auto& machine : testing::machines())
    for (int steps : {0, 1, 2, 5}) {
      const int rows = 7, cols = 9;
      std::vector<double> now(rows * cols), next;
      for (int i = 0; i < rows * cols; ++i) now[std::size_t(i)] = at(i / cols, i % cols);
      const auto value = [&](int64 r, int64 c) { return now[std::size_t(r * cols + c)]; };
      const test::weighted<1> shift{{0, 1, 0, 0, 0, 0, 0, 0, 1}};
      auto u = machine.buffer<float>(rows, cols, at), scratch = machine.buffer<float>(rows, cols);
      REQUIRE(iterate<box<1>>(machine, steps, u.view(), scratch.view(), shift, valid{}));
      for (int step = 0; step < steps; ++step, now = next) {
        next = now;
        for (int r = 1; r + 1 < rows; ++r)
          for (int c = 1; c + 1 < cols; ++c)
            next[std::size_t(r * cols + c)] = shift.expected(value, replicate{}, r, c, rows, cols);
      }
      CHECK(unit::differences(u.host(), rows, cols, [&](int r, int c) { return float(value(r, c)); }) == 0);
      CHECK(iterate<box<1>>(machine, -1, u.view(), scratch.view(), shift, valid{}).message() ==
            "iterate: -1 steps: there must be 0 or more");
      CHECK(iterate<box<1>>(machine, 2, u.view(), u.view(), shift, valid{}).message() ==
            "iterate: the output overlaps the input: give it memory of its own");
    }
}

TEST_CASE("shapes that differ and regions outside are refused in words", "[stencil]") {
  for (auto& machine : testing::machines()) {
    auto in = machine.buffer<float>(3, 4, at), out = machine.buffer<float>(5, 6, [](int, int) { return -5.f; });
    CHECK(stencil<box<1>>(machine, in.view(), out.view(), unlike, reflect{}).message() ==
          "stencil: the input is 3x4 but the output 5x6");
    const auto same = subview(out.view(), 0, 0, 3, 4);
    CHECK(stencil<box<1>>(machine, in.view(), same, unlike, reflect{}, region{0, 2, 3, 3}).message() ==
          "stencil: the region has 3 elements from 2 on along axis 1, but the output has 4");
    CHECK(stencil<box<1>>(machine, in.view(), same, unlike, reflect{}, region{0, 2}).message() ==
          "stencil: the region has 1 dimensions, but the output 2");
    CHECK(unit::differences(out.host(), 5, 6, [](int, int) { return -5.f; }) == 0);
  }
}

TEST_CASE("a neighbour that is not in the window is found in the simulator", "[stencil]") {
  sim::machine machine;
  auto in = machine.buffer<float>(3, 4, at), out = machine.buffer<float>(3, 4);
  const status found = stencil<box<1>>(machine, in.view(), out.view(), beyond{}, reflect{});
  CHECK_FALSE(found);
  REQUIRE_FALSE(machine.last_report()->faults().empty());
  CHECK(machine.last_report()->faults()[0].kind == sim::fault_kind::out_of_bounds);
  const status diagonal = stencil<star<1>>(machine, in.view(), out.view(), unlike, reflect{});
  CHECK_FALSE(diagonal);
  CHECK(diagonal.message().find("axes of a star") != std::string::npos);
}
