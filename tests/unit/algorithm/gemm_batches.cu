// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Batches: volumes, any step, one matrix for all, pointers, more than a grid's axis holds.
#include <support/gemm.hpp>

using namespace memtile;

namespace {

float value_a(int i, int r, int c) { return float((i + r + 2 * c) % 7 - 3); }
float value_b(int i, int r, int c) { return float((2 * i + 3 * r + c) % 5 - 2); }

// Element (r, q) of the i-th product of the two functions; `a` of them counts i as 0.
float expected(int i, int r, int q, int k, bool one_a = false) {
  float sum = 0;
  for (int j = 0; j < k; ++j) sum += value_a(one_a ? 0 : i, r, j) * value_b(i, j, q);
  return sum;
}

// A batch as rows of a buffer: matrix i begins at row i * (rows + gap).
template <class Machine, class F>
auto stacked(Machine& machine, int count, int rows, int cols, int gap, const F& f) {
  return machine.template buffer<float>(count * (rows + gap), cols, [=](int r, int c) {
    return r % (rows + gap) < rows ? f(r / (rows + gap), r % (rows + gap), c) : __builtin_nanf("");
  });
}
template <class Buffer>
auto batch_of(Buffer& buffer, int count, int rows, int gap) {
  auto view = buffer.view();
  using T = typename decltype(view)::value_type;
  return matrix_batch<T>{subview(view, 0, 0, rows, view.cols), count, (rows + gap) * view.pitch};
}

template <class Machine>
void check_batch(Machine& machine, int count, int m, int n, int k, int gap) {
  INFO(machine.name() << ": " << count << " of " << m << "x" << n << "x" << k << ", gap " << gap);
  auto a = stacked(machine, count, m, k, gap, value_a), b = stacked(machine, count, k, n, gap, value_b);
  const auto minus = [](int, int, int) { return -1.f; };
  auto c = stacked(machine, count, m, n, gap, minus);
  const status s = gemm(machine, batch_of(a, count, m, gap), batch_of(b, count, k, gap), batch_of(c, count, m, gap));
  INFO(s.message());
  REQUIRE(s.ok());
  const auto result = c.host();
  int wrong = 0;
  for (int i = 0; i < count; ++i)
    for (int r = 0; r < m; ++r)
      for (int q = 0; q < n; ++q) wrong += result(i * (m + gap) + r, q) != expected(i, r, q, k);
  for (int r = 0; r < count * (m + gap); ++r)
    if (r % (m + gap) >= m) wrong += result(r, 0) == result(r, 0);  // still NaN
  CHECK(wrong == 0);
  CHECK((c.untouched() && test::clean(machine)));
}

}  // namespace

TEST_CASE("a batch is multiplied matrix by matrix", "[gemm][batch]") {
  for (auto& machine : testing::machines())
    for (int count : {1, 2, 5})
      for (int size : {1, 16, 63, 64, 65})
        for (int gap : {0, 1, 3}) check_batch(machine, count, size, 66 - size, size == 1 ? 7 : 20, gap);
}

TEST_CASE("a batch of nothing, and a batch of empty sums", "[gemm][batch][GEMM-06]") {
  for (auto& machine : testing::machines()) {
    check_batch(machine, 3, 5, 6, 0, 1);
    auto a = machine.buffer<float>(2, 2, test::integer_a);
    const auto none = matrix_batch<float>{a.view(), 0, 16};
    CHECK(gemm(machine, none, none, none));
    // Outputs without rows have no bytes that a bias could share, wherever they would lie.
    const auto all = a.view();
    const matrix_batch<float> empty{matrix_view<float>(all.data, 0, 2, all.pitch), 2, 16};
    CHECK(gemm(machine, empty, matrix_batch<float>{all, 2, 0}, empty,
               linear{1.f, 0.f} | bias_columns(vector_view<float>(all.data, 2))));
  }
}

TEST_CASE("one matrix serves a whole batch", "[gemm][batch]") {
  constexpr int count = 4, m = 20, n = 33, k = 12;
  for (auto& machine : testing::machines()) {
    auto a = machine.buffer<float>(m, k, [](int r, int c) { return value_a(0, r, c); });
    auto b = stacked(machine, count, k, n, 0, value_b);
    const auto zero = [](int, int, int) { return 0.f; };
    for (bool by_step : {false, true}) {
      auto c = stacked(machine, count, m, n, 0, zero);
      const auto all_b = batch_of(b, count, k, 0);
      const auto all_c = batch_of(c, count, m, 0);
      REQUIRE((by_step ? gemm(machine, matrix_batch<float>{a.view(), count, 0}, all_b, all_c)
                       : gemm(machine, a.view(), all_b, all_c)));
      CHECK(test::differences(c.host(), count * m, n,
                              [&](int r, int q) { return expected(r / m, r % m, q, k, true); }) == 0);
      CHECK(test::clean(machine));
    }
  }
}

TEST_CASE("a volume is a batch of its slices, transposed ones too", "[gemm][batch]") {
  constexpr int count = 3, m = 18, n = 10, k = 9;
  for (auto& machine : testing::machines()) {
    auto at = stacked(machine, count, k, m, 0, [](int i, int c, int r) { return value_a(i, r, c); });
    auto b = stacked(machine, count, k, n, 0, value_b);
    auto ct = stacked(machine, count, n, m, 0, [](int, int, int) { return 0.f; });
    const auto volume = [&](auto& buffer, int rows) {
      auto v = buffer.view();
      return volume_view<float>(v.data, count, rows, v.cols, v.pitch, rows * v.pitch);
    };
    REQUIRE(gemm(machine, transposed(volume(at, k)), volume(b, k), transposed(volume(ct, n))));
    CHECK(test::differences(ct.host(), count * n, m,
                            [&](int row, int r) { return expected(row / n, r, row % n, k); }) == 0);
    CHECK(test::clean(machine));
  }
}

TEST_CASE("a batch by pointers", "[gemm][batch]") {
  constexpr int count = 5, m = 17, n = 34, k = 8;
  for (auto& machine : testing::machines()) {
    auto a = stacked(machine, count, m, k, 1, value_a), b = stacked(machine, count, k, n, 2, value_b);
    auto c = stacked(machine, count, m, n, 0, [](int, int, int) { return 0.f; });
    // the last matrix first
    auto a_at = machine.buffer<float*>(count, [&](int i) { return a.view().address((count - 1 - i) * (m + 1), 0); });
    auto b_at = machine.buffer<float*>(count, [&](int i) { return b.view().address((count - 1 - i) * (k + 2), 0); });
    auto c_at = machine.buffer<float*>(count, [&](int i) { return c.view().address((count - 1 - i) * m, 0); });
    const auto pointers = [](auto& buffer, int rows, const auto& view) {
      return pointer_batch<float>{buffer.view(), rows, view.cols, view.pitch};
    };
    REQUIRE(gemm(machine, pointers(a_at, m, a.view()), pointers(b_at, k, b.view()), pointers(c_at, m, c.view())));
    CHECK(test::differences(c.host(), count * m, n, [&](int r, int q) { return expected(r / m, r % m, q, k); }) == 0);
    CHECK(test::clean(machine));
    CHECK(gemm(machine, pointer_batch<float>{{nullptr, 5}, m, k, 4 * k}, pointers(b_at, k, b.view()),
               pointers(c_at, m, c.view()))
              .message() == "gemm: a has 5 matrices but its array of pointers is null");
    // the pitch is checked, although the matrices themselves are out of sight
    CHECK(
        gemm(machine, pointer_batch<float>{a_at.view(), m, k}, pointers(b_at, k, b.view()), pointers(c_at, m, c.view()))
            .message() == "gemm: a is 17x8 with a pitch of 0 bytes: it must be at least 32, the bytes of one row");
    CHECK(gemm(machine, matrix_batch<float>{matrix_view<float>(nullptr, m, k, 4 * k), 5, 0},
               pointers(b_at, k, b.view()), pointers(c_at, m, c.view()))
              .message() == "gemm: a is 17x8 but its pointer is null");
  }
}

template <class Batch>
using element_of_batch = typename decltype(detail::operand_of(Batch()))::view::element;
// incomplete types do: only their addresses are taken
static_assert(detail::is_same<element_of_batch<matrix_batch<const __nv_bfloat16>>, bfloat16> &&
                  detail::is_same<element_of_batch<pointer_batch<__half, column>>, float16>,
              "batches of CUDA's small floats are batches of memtile's, whose products are added in float");

TEST_CASE("matrices that a warp makes are exact at every edge of its tile", "[gemm][batch]") {
  CHECK(prefers_smaller_tile(16, 16, 64, 64, 16, 16));
  CHECK(prefers_smaller_tile(32, 32, 64, 64, 16, 16));
  CHECK_FALSE(prefers_smaller_tile(64, 64, 64, 64, 16, 16));
  CHECK_FALSE(prefers_smaller_tile(40, 64, 64, 64, 16, 16));
  for (auto& machine : testing::machines())
    for (int m : {2, 15, 16, 17, 32})
      for (int n : {3, 16, 20, 33})
        for (int k : {1, 15, 16, 17, 32}) check_batch(machine, 3, m, n, k, 0);
}

TEST_CASE("batches that do not fit are refused in words", "[gemm][batch][GEMM-10]") {
  sim::machine machine;
  auto a = stacked(machine, 4, 8, 8, 0, value_a), b = stacked(machine, 4, 8, 8, 0, value_b),
       c = stacked(machine, 4, 8, 8, 0, value_a);
  const auto message = [&](const auto& x, const auto& y, const auto& z) {
    return std::string(gemm(machine, x, y, z).message());
  };
  const auto batch = [](auto& buffer, int64 count, int64 step) {
    return matrix_batch<float>{subview(buffer.view(), 0, 0, 8, 8), count, step};
  };
  CHECK(message(batch(a, 3, 256), batch(b, 4, 256), batch(c, 4, 256)) ==
        "gemm: a has 3 matrices but the output 4: they must be as many");
  CHECK(message(batch(a, 4, 256), batch(b, 4, 256), batch(c, 4, 128)) ==
        "gemm: the matrices of the output are 128 bytes apart but 256 long: they must not share memory");
  CHECK(message(batch(a, 4, 256), batch(b, 4, 256), batch(a, 4, 256)) ==
        "gemm: the output overlaps a: give it memory of its own");
  CHECK(message(batch(a, -1, 256), batch(b, -1, 256), batch(c, -1, 256)) ==
        "gemm: a has -1 matrices: sizes must not be negative");
  CHECK(message(batch(a, 4, -256), batch(b, 4, 256), batch(c, 4, 256)) ==
        "gemm: the matrices of a are -256 bytes apart: that must be a multiple of its element's 4 bytes, and not "
        "negative");
  // side by side in the rows of one matrix they are apart
  auto wide = machine.buffer<float>(8, 32, [](int, int) { return 0.f; });
  CHECK(
      gemm(machine, batch(a, 4, 256), batch(b, 4, 256), matrix_batch<float>{subview(wide.view(), 0, 0, 8, 8), 4, 32}));
  CHECK(wide.host()(7, 31) == expected(3, 7, 7, 8));
  // and where the batch is the direction of neighbours
  const matrix_view<float, strided> every_fourth(wide.view().data, 8, 8, wide.view().pitch, 16);
  REQUIRE(gemm(machine, batch(a, 4, 256), batch(b, 4, 256), matrix_batch<float, strided>{every_fourth, 4, 4}));
  CHECK(test::differences(wide.host(), 8, 32, [](int r, int q) { return expected(q % 4, r, q / 4, 8); }) == 0);
  CHECK_FALSE(gemm(machine, batch(a, 4, 256), batch(b, 4, 256), matrix_batch<float, strided>{every_fourth, 4, 16}));
}

TEST_CASE("a batch may have more matrices than an axis of a grid holds", "[gemm][batch][GEMM-14][large]") {
  for (auto& machine : testing::machines())
    for (int count : {65535, 65536, 65537}) {
      auto a = stacked(machine, count, 16, 8, 0, [](int i, int, int) { return float(i % 7 + 1); });
      auto b = machine.buffer<float>(8, 16, [](int, int) { return 1.f; });
      auto c = stacked(machine, count, 16, 16, 0, [](int, int, int) { return 0.f; });
      REQUIRE(gemm(machine, batch_of(a, count, 16, 0), b.view(), batch_of(c, count, 16, 0)));
      CHECK(test::differences(c.host(), count * 16, 16, [](int r, int) { return float(8 * (r / 16 % 7 + 1)); }) == 0);
    }
}
