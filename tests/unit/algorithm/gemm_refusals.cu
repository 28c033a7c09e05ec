// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What gemm refuses, in which words, and that a refusal changes nothing.
#include <support/gemm.hpp>

#include <string>

using namespace memtile;

namespace {

// The refusal says `words`, and c still holds -7 everywhere.
template <class Machine, class A, class B>
void check_refused(Machine& machine, const A& a, const B& b, int rows, int cols, const std::string& words) {
  auto c = machine.template buffer<float>(rows, cols, [](int, int) { return -7.f; });
  const status refused = gemm(machine, a, b, c.view());
  CHECK_FALSE(refused);
  CHECK(refused.code() == status::invalid_value);
  CHECK(refused.message() == words);
  CHECK(test::differences(c.host(), rows, cols, [](int, int) { return -7.f; }) == 0);
}

}  // namespace

TEST_CASE("sizes that do not match are refused with the sizes", "[gemm]") {
  for (auto& machine : testing::machines()) {
    auto a = machine.buffer<float>(128, 64, test::integer_a), b = machine.buffer<float>(32, 256, test::integer_b);
    check_refused(machine, a.view(), b.view(), 128, 256, "gemm: a is 128x64 but b is 32x256: inner sizes differ");
    check_refused(machine, a.view(), transposed(a.view()), 64, 64,
                  "gemm: a is 128x64 and b is 64x128, so the output must be 128x128, but it is 64x64");
  }
}

TEST_CASE("a leading dimension shorter than a row is refused", "[gemm][GEMM-09]") {
  const float a_values[6] = {1, -3, 1, 2, -6, 2}, x_values[3] = {2, 1, 1};
  for (auto& machine : testing::machines()) {
    auto numbers = machine.buffer<float>(6, [&](int i) { return a_values[i]; });
    auto x = machine.buffer<float>(3, 1, [&](int r, int) { return x_values[r]; });
    check_refused(machine, row_major(numbers.view().data, 2, 3, 2), x.view(), 2, 1,
                  "gemm: a is 2x3 with a pitch of 8 bytes: it must be at least 12, the bytes of one row");
    auto c = machine.buffer<float>(2, 1, [](int r, int) { return float(r + 1); });
    REQUIRE(gemm(machine, row_major(numbers.view().data, 2, 3, 3), x.view(), c.view()));
    CHECK((c.host()(0, 0) == 0 && c.host()(1, 0) == 0));
  }
}

TEST_CASE("null, negative and misaligned arguments are refused", "[gemm]") {
  for (auto& machine : testing::machines()) {
    auto a = machine.buffer<float>(4, 4, test::integer_a), b = machine.buffer<float>(4, 4, test::integer_b);
    check_refused(machine, matrix_view<float>(nullptr, 4, 4, 16), b.view(), 4, 4,
                  "gemm: a is 4x4 but its pointer is null");
    check_refused(machine, matrix_view<float>(a.view().data, -4, 4, 16), b.view(), 4, 4,
                  "gemm: a is -4x4: sizes must not be negative");
    check_refused(machine, pitched(a.view().data, 4, 4, 18), b.view(), 4, 4,
                  "gemm: the address and the pitch (18 bytes) of a must be multiples of its element's 4 bytes");
  }
}

TEST_CASE("an output that overlaps an input is refused", "[gemm][GEMM-10]") {
  for (auto& machine : testing::machines()) {
    auto memory = machine.buffer<float>(400, 200, test::integer_a);
    const auto upper = subview(memory.view(), 0, 0, 200, 200), lower = subview(memory.view(), 200, 0, 200, 200);
    auto other = machine.buffer<float>(200, 200, test::integer_b);
    CHECK(gemm(machine, upper, other.view(), upper).message() ==
          "gemm: the output overlaps a: give it memory of its own");
    CHECK(gemm(machine, other.view(), upper, upper).message() ==
          "gemm: the output overlaps b: give it memory of its own");
    CHECK_FALSE(gemm(machine, upper, other.view(), subview(memory.view(), 199, 0, 200, 200)));  // by one row
    CHECK(test::differences(memory.host(), 400, 200, test::integer_a) == 0);
    // side by side is no overlap: column blocks of one matrix, row blocks of one matrix
    CHECK(gemm(machine, subview(upper, 0, 0, 200, 60), subview(other.view(), 0, 0, 60, 40),
               subview(upper, 0, 60, 200, 40)));
    CHECK(gemm(machine, upper, other.view(), lower));
  }
}

TEST_CASE("rectangles of one pitch overlap only where they share bytes", "[gemm][GEMM-10]") {
  using detail::overlap;
  using detail::rectangle;
  const rectangle a{1000, 4, 16, 100};
  CHECK(overlap(a, a));
  CHECK(overlap(a, {1015, 4, 16, 100}));
  CHECK_FALSE(overlap(a, {1016, 4, 16, 100}));
  CHECK_FALSE(overlap(a, {984, 4, 16, 100}));
  CHECK(overlap(a, {985, 4, 16, 100}));   // reaches into the row from the left
  CHECK(overlap(a, {1090, 1, 20, 100}));  // continues behind the pitch
  CHECK_FALSE(overlap(a, {1090, 1, 10, 100}));
  CHECK_FALSE(overlap(a, {1400, 4, 16, 100}));
  CHECK(overlap(a, {1300, 1, 1, 50}));  // another pitch: by ranges
  CHECK_FALSE(overlap(a, {1000, 0, 16, 100}));
}

TEST_CASE("a vector of the epilogue that does not fit is refused", "[gemm]") {
  for (auto& machine : testing::machines()) {
    auto a = machine.buffer<float>(4, 4, test::integer_a), b = machine.buffer<float>(4, 6, test::integer_b),
         c = machine.buffer<float>(4, 6);
    auto five = machine.buffer<float>(5, [](int) { return 0.f; });
    CHECK(gemm(machine, a.view(), b.view(), c.view(), bias_columns(five.view()) | relu()).message() ==
          "gemm: bias_columns has 5 values but the output has 6 columns");
    CHECK(gemm(machine, a.view(), b.view(), c.view(), relu() | bias_rows(five.view())).message() ==
          "gemm: bias_rows has 5 values but the output has 4 rows");
  }
}
