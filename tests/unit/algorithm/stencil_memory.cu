// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How stencils reach memory: 16 bytes at a time, every sector whole, each row once and the ends of walks once more.
#include <support/stencil.hpp>

using namespace memtile;

namespace {

constexpr test::weighted<1> unlike{{1, 2, 3, 5, 8, 13, 4, 7, 11}};

}  // namespace

TEST_CASE("inside an image every access is of 16 bytes and moves whole sectors", "[stencil]") {
  sim::machine machine;
  const int rows = 66, cols = 640;
  auto in = machine.buffer<float>(rows, cols, test::pixel), out = machine.buffer<float>(rows, cols);
  // columns 128 to 511: the chunks of three warps, with neighbours on both sides
  REQUIRE(stencil<box<1>>(machine, in.view(), out.view(), unlike, replicate{}, region{1, 128, 64, 384}));
  const sim::report& report = *machine.last_report();
  CHECK_THAT(report, sim::IsClean());
  CHECK_THAT(report, sim::IsCoalesced());
  CHECK_THAT(report, sim::HasNoBankConflicts());
  for (sim::access_kind kind : {sim::access_kind::async_copy, sim::access_kind::store})
    CHECK(unit::widths(report, sim::space::global, kind) == std::vector<int>{16});
  CHECK(report.total(sim::space::global, sim::access_kind::store).bytes_moved() == 64 * 384 * 4);
  // Walks of 4 rows, since an image so small must share its work among many warps: 6 rows are read for 4, and a sector to
  // each side of 128 columns.
  CHECK(report.total(sim::space::global, sim::access_kind::async_copy).sectors == 16 * 6 * 3 * (16 + 2));
}

TEST_CASE("walks are long where there are many of them", "[stencil]") {
  using detail::steps_of_walk;
  CHECK(steps_of_walk(64, 3, 2, 16) == 4);
  CHECK(steps_of_walk(16384, 128, 2, 16) == 32);
  CHECK(steps_of_walk(16384, 128, 2, 6) == 12);
  CHECK(steps_of_walk(1080, 15, 2, 16) == 4);
  CHECK(steps_of_walk(16384, 128, 8, 16) == 125);
  CHECK(steps_of_walk(3, 128, 8, 16) == 3);
  CHECK(steps_of_walk(int64(1) << 24, 1, 1, 6) == 6);
}
