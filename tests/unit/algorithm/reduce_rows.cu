// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions of rows: every class of length and number, pitched and misaligned, in order where the operator asks for it.
#include <support/reduce_lines.hpp>

using namespace memtile;
using test::lines;

TEST_CASE("rows of every length add up, whatever the pitch and the alignment", "[algorithm][RED-05][PRIM-02]") {
  for (auto& machine : testing::machines())
    for (int length : {0,  1,  2,  3,   4,   5,   7,   8,   15,  16,  17,   31,   32,  33,
                       63, 64, 65, 127, 128, 129, 500, 511, 512, 513, 1023, 1024, 1025})
      for (const lines& shape : {lines{1, length}, lines{3, length}, lines{37, length, 5, 0}, lines{37, length, 1, 3}})
        test::check_sums_of_rows(machine, shape);
}

TEST_CASE("rows that a block or several blocks reduce add up too", "[algorithm]") {
  for (auto& machine : testing::machines())
    for (const lines& shape : {lines{3, 2049}, lines{2, 4096, 4, 0}, lines{2, 4097, 0, 1}, lines{2, 16384},
                               lines{3, 16385, 3, 0}, lines{2, 20000, 1, 2}, lines{1, 40000}})
      test::check_sums_of_rows(machine, shape);
}

TEST_CASE("many short rows take turns in a warp", "[algorithm]") {
  for (auto& machine : testing::machines())
    for (int rows : {31, 32, 33, 255, 256, 257, 1000})
      for (int length : {1, 4, 16, 19}) test::check_sums_of_rows(machine, lines{rows, length});
}

TEST_CASE("rows are folded in order where the operator is not commutative", "[algorithm]") {
  for (auto& machine : testing::machines())
    for (const lines& shape : {lines{5, 1}, lines{5, 3}, lines{40, 17}, lines{5, 64, 3, 0}, lines{3, 130, 0, 1},
                               lines{2, 1000}, lines{2, 3000}, lines{2, 17000}})
      test::check_order_of_rows(machine, shape);
}

TEST_CASE("each row has its own first extreme", "[algorithm][RED-16]") {
  for (auto& machine : testing::machines())
    for (const lines& shape : {lines{7, 1}, lines{7, 5}, lines{50, 33}, lines{4, 700, 1, 1}, lines{3, 5000}}) {
      auto in = test::integers(machine, shape);
      auto places = machine.template buffer<int>(shape.rows);
      REQUIRE(reduce_rows(machine, in.view(), places.view(), arg_maximum{}));
      const auto got = places.host();
      const auto v = in.host();
      int wrong = 0;
      for (int r = 0; r < shape.rows; ++r) {
        int first = 0;
        for (int c = 1; c < shape.cols; ++c) first = v(r, c) > v(r, first) ? c : first;
        wrong += got(r) != first;
      }
      INFO(machine.name() << ": " << shape.rows << "x" << shape.cols);
      CHECK(wrong == 0);
      CHECK(places.untouched());
      unit::check_clean_without_conflicts(machine);
    }
}

TEST_CASE("uint8 rows do not wrap at 255", "[algorithm][RED-11]") {
  for (auto& machine : testing::machines()) {
    auto in = machine.template buffer<uint8>(4, 256, [](int, int c) { return uint8(c); });
    auto sums = machine.template buffer<int>(4);
    REQUIRE(reduce_rows(machine, in.view(), sums.view(), plus{}, 0));
    CHECK(unit::differences(sums.host(), 4, [](int) { return 32640; }) == 0);
  }
}

TEST_CASE("16 rows of 2^22 floats are reduced by many blocks each", "[algorithm][large]") {
  for (auto& machine : testing::machines())
    if (machine.name() != "simulator") test::check_sums_of_rows(machine, lines{16, 1 << 22, 4, 0});
}

TEST_CASE("a million rows of 19 are reduced", "[algorithm][large]") {
  for (auto& machine : testing::machines())
    if (machine.name() != "simulator") test::check_sums_of_rows(machine, lines{1000003, 19});
}

TEST_CASE("rows that do not fit the output are refused in words", "[algorithm]") {
  for (auto& machine : testing::machines()) {
    auto in = machine.template buffer<float>(4, 5, [](int, int) { return 1.f; });
    auto out = machine.template buffer<float>(5);
    const status s = reduce_rows(machine, in.view(), out.view(), plus{}, 0.f);
    CHECK(s.message() == "reduce_rows: the input has 1 x 4 rows, but the output 1 x 5 elements");
    CHECK(unit::differences(out.host(), 5, [](int) { return 0; }) == 5);  // poison still
    const matrix_view<float> over(in.view().data, 4, 5, 8);
    CHECK(reduce_rows(machine, over, out.view(), plus{}, 0.f).message() ==
          "reduce_rows: the input is 4x5 with a pitch of 8 bytes: it must be at least 20, the bytes of one row");
    const vector_view<float> inside(in.view().data, 4);
    CHECK(reduce_rows(machine, in.view(), inside, plus{}, 0.f).message() ==
          "reduce_rows: the output overlaps the input");
  }
}
