// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every way a matrix can lie: row and column major, pitches, addresses that allow no wide access, strides.
#include <support/gemm.hpp>

#include <string>

using namespace memtile;
using sim::placement;

namespace {
struct negated {
  MEMTILE_FUNCTION float operator()(float v) const { return -v; }
};

// An M x N matrix in memory, as a row major or a column major one.
template <class Machine, class F>
auto stored(Machine& machine, bool transpose, int rows, int cols, F f, placement where = {}) {
  if (!transpose) return machine.template buffer<float>(rows, cols, f, where);
  return machine.template buffer<float>(
      cols, rows, [f](int r, int c) { return f(c, r); }, where);
}

// Calls go with the view of the matrix, whichever way it lies.
template <class Buffer, class Go>
void with_view(const Buffer& buffer, bool transpose, Go go) {
  if (transpose) go(transposed(buffer.view()));
  else go(buffer.view());
}

template <class Machine>
void check_all_layouts(Machine& machine, int m, int n, int k, placement where = {}) {
  for (int layouts = 0; layouts < 8; ++layouts) {
    const bool ta = layouts & 1, tb = layouts & 2, tc = layouts & 4;
    auto a = stored(machine, ta, m, k, test::integer_a, where), b = stored(machine, tb, k, n, test::integer_b, where);
    auto c = machine.template buffer<float>(tc ? n : m, tc ? m : n, where);
    with_view(a, ta, [&](auto va) {
      with_view(b, tb, [&](auto vb) { with_view(c, tc, [&](auto vc) { REQUIRE(gemm(machine, va, vb, vc)); }); });
    });
    INFO(machine.name() << ": layouts " << layouts << " of " << m << "x" << n << "x" << k);
    const auto result = c.host();
    int different = 0;
    for (int r = 0; r < m; ++r)
      for (int q = 0; q < n; ++q)
        different +=
            (tc ? result(q, r) : result(r, q)) != test::chain<float>(test::integer_a, test::integer_b, r, q, k);
    CHECK(different == 0);
    CHECK((a.untouched() && b.untouched() && c.untouched()));
    CHECK(test::clean(machine));
    if (const auto* report = machine.last_report()) CHECK(report->bank_conflicts() == 0);
  }
}

}  // namespace

TEST_CASE("gemm takes each operand row or column major", "[gemm][GEMM-18]") {
  for (auto& machine : testing::machines()) {
    check_all_layouts(machine, 37, 70, 45);
    check_all_layouts(machine, 64, 68, 36);  // multiples of 4: wide accesses
  }
}

TEST_CASE("gemm of the 3x2 and 2x4 example is right in all four transposed forms", "[gemm][GEMM-18]") {
  const float a_values[3][2] = {{1, 2}, {3, 4}, {5, 6}}, b_values[2][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}};
  const float expected[3][4] = {{11, 14, 17, 20}, {23, 30, 37, 44}, {35, 46, 57, 68}};
  for (auto& machine : testing::machines())
    for (int layouts = 0; layouts < 4; ++layouts) {
      auto a = stored(machine, layouts & 1, 3, 2, [&](int r, int c) { return a_values[r][c]; });
      auto b = stored(machine, layouts & 2, 2, 4, [&](int r, int c) { return b_values[r][c]; });
      auto c = machine.template buffer<float>(3, 4);
      with_view(a, layouts & 1, [&](auto va) {
        with_view(b, layouts & 2, [&](auto vb) { REQUIRE(gemm(machine, va, vb, c.view())); });
      });
      CHECK(test::differences(c.host(), 3, 4, [&](int r, int q) { return expected[r][q]; }) == 0);
    }
}

TEST_CASE("gemm honours pitches and leaves the padding alone", "[gemm][GEMM-08]") {
  for (auto& machine : testing::machines())
    for (int pitch_a : {64, 65}) {
      auto a = machine.buffer<float>(64, 64, test::integer_a, placement{pitch_a});
      auto b = machine.buffer<float>(64, 239, test::integer_b, placement{240});
      auto c = machine.buffer<float>(64, 239, placement{240});
      REQUIRE(gemm(machine, a.view(), b.view(), c.view()));
      const auto result = c.host();
      CHECK(result(0, 0) == -3);
      CHECK(result(63, 238) == 8);
      double sum = 0, squares = 0;
      for (int r = 0; r < 64; ++r)
        for (int q = 0; q < 239; ++q) sum += result(r, q), squares += double(result(r, q)) * result(r, q);
      CHECK(sum == 5);
      CHECK(squares == 699875);
      CHECK((a.untouched() && b.untouched() && c.untouched()));
      CHECK(test::clean(machine));
    }
}

TEST_CASE("gemm with pitches in every layout", "[gemm][GEMM-08]") {
  for (auto& machine : testing::machines()) {
    check_all_layouts(machine, 33, 44, 20, placement{48});  // aligned pitch
    check_all_layouts(machine, 33, 44, 20, placement{49});
  }
}

TEST_CASE("gemm takes the wide path by the actual address", "[gemm][PRIM-01]") {
  for (auto& machine : testing::machines())
    for (int which = 0; which < 3; ++which)
      for (int offset : {0, 1, 2, 3}) {
        const placement moved{0, offset}, still{};
        test::check_integers<float>(machine, 32, 32, 32, which == 0 ? moved : still, which == 1 ? moved : still,
                                    which == 2 ? moved : still);
        if (const auto* report = machine.last_report()) {
          bool narrow = false;  // an operand's own accesses, or the stores, which are of 8 bytes at most in this tile
          for (const auto& row : report->rows()) narrow |= row.where == sim::space::global && row.bytes < 8;
          CHECK(narrow == (offset != 0));
        }
      }
}

TEST_CASE("a tile that fills the registers may be narrow", "[gemm]") {
  using policy = gemm_policy<block_tile<256, 16, 8>, thread_tile<32, 4>, stages<2>>;  // rows of b in half lines
  for (auto& machine : testing::machines()) {
    auto a = machine.buffer<float>(70, 19, test::integer_a), c = machine.buffer<float>(70, 35);
    auto b = machine.buffer<float>(35, 19, [](int q, int k) { return test::integer_b(k, q); });
    REQUIRE(gemm<policy>(machine, a.view(), transposed(b.view()), c.view()));
    CHECK(test::clean(machine));
    CHECK(test::differences(c.host(), 70, 35, [](int r, int q) {
            return test::chain<float>(test::integer_a, test::integer_b, r, q, 19);
          }) == 0);
  }
}

TEST_CASE("gemm takes the wide path by the pitch too", "[gemm][PRIM-02]") {
  for (auto& machine : testing::machines())
    for (int pitch : {33, 129, 132})
      test::check_integers<float>(machine, 32, 32, 32, placement{pitch}, placement{pitch}, placement{pitch});
}

TEST_CASE("gemm reads nothing behind the end of a row", "[gemm][GEMM-19]") {
  using policy = gemm_policy<block_tile<32, 32, 16>, thread_tile<4, 4>>;
  const auto one = [](int, int) { return 1.f; };
  for (auto& machine : testing::machines())
    for (int k : {53, 54, 55, 56}) {  // NaN stands right behind the last element of a and b
      auto a = machine.buffer<float>(32, k, one), b = machine.buffer<float>(k, 32, one),
           c = machine.buffer<float>(32, 32);
      REQUIRE(gemm<policy>(machine, a.view(), b.view(), c.view()));
      CHECK(test::differences(c.host(), 32, 32, [&](int, int) { return float(k); }) == 0);
      CHECK(test::clean(machine));
    }
}

TEST_CASE("gemm honours both strides of a view", "[gemm][GEMM-11]") {
  for (auto& machine : testing::machines()) {
    auto numbers = machine.buffer<float>(24, [](int i) { return float(i); });
    auto identity = machine.buffer<float>(2, 2, [](int r, int c) { return float(r == c); });
    auto c = machine.buffer<float>(3, 2, [](int, int) { return -1.f; });
    const auto strides = [&](int64 down, int64 across) {
      return matrix_view<float, strided>(numbers.view().data, 3, 2, 4 * down, 4 * across);
    };
    for (int64 down : {3, 1, 0, 5})
      for (int64 across : {9, 1, 0, 3}) {
        INFO(machine.name() << ": " << down << " from row to row, " << across << " from column to column");
        REQUIRE(gemm(machine, strides(down, across), identity.view(), c.view()));
        CHECK(test::differences(c.host(), 3, 2, [&](int r, int q) { return float(down * r + across * q); }) == 0);
        // as b, and mapped
        auto d = machine.buffer<float>(2, 3);
        REQUIRE(gemm(machine, identity.view(), mapped(transposed(strides(down, across)), negated{}), d.view()));
        CHECK(test::differences(d.host(), 2, 3, [&](int q, int r) { return -float(down * r + across * q); }) == 0);
        CHECK(test::clean(machine));
      }
  }
}

TEST_CASE("gemm stores where neither stride is one element, and nowhere else", "[gemm][GEMM-11]") {
  for (auto& machine : testing::machines())
    for (bool by_columns : {false, true}) {
      auto a = machine.buffer<float>(33, 5, test::integer_a), b = machine.buffer<float>(5, 34, test::integer_b);
      auto room = machine.buffer<float>(40 * 80, [](int) { return 7.f; });
      const int64 down = by_columns ? 2 : 72, across = by_columns ? 68 : 2;
      const matrix_view<float, strided> c(room.view().data, 33, 34, 4 * down, 4 * across);
      REQUIRE(gemm(machine, a.view(), b.view(), c, linear{1.f, 1.f}));
      auto expected = std::vector<float>(40 * 80, 7.f);
      for (int r = 0; r < 33; ++r)
        for (int q = 0; q < 34; ++q)
          expected[size_t(r * down + q * across)] += test::chain<float>(test::integer_a, test::integer_b, r, q, 5);
      const auto result = room.host();
      int wrong = 0;
      for (int i = 0; i < 40 * 80; ++i) wrong += result(i) != expected[size_t(i)];
      CHECK(wrong == 0);
      CHECK(test::clean(machine));
    }
}

TEST_CASE("gemm refuses strides that are negative, and outputs whose elements share memory",
          "[gemm][GEMM-10][GEMM-11]") {
  for (auto& machine : testing::machines()) {
    auto numbers = machine.buffer<float>(64, [](int i) { return float(i); });
    auto c = machine.buffer<float>(16, [](int i) { return float(-i); });
    const matrix_view<float, strided> backwards(numbers.view().data + 20, 3, 2, -12, 36),
        forwards(numbers.view().data, 2, 2, 8, 16);
    const auto output = [&](int64 down, int64 across) {
      return matrix_view<float, strided>(c.view().data, 3, 2, down, across);
    };
    CHECK(gemm(machine, backwards, forwards, output(8, 4)).message() ==
          "gemm: a has -12 bytes from row to row and 36 from column to column: neither may be negative");
    const matrix_view<float, strided> a(numbers.view().data, 3, 2, 12, 36);
    CHECK(
        gemm(machine, a, forwards, output(8, 0)).message() ==
        "gemm: the output is 3x2 with 8 bytes from row to row and 0 from column to column: its elements must not share "
        "memory");
    CHECK_FALSE(gemm(machine, a, forwards, output(4, 8)));
    CHECK_FALSE(gemm(machine, a, forwards, output(0, 4)));
    CHECK_FALSE(gemm(machine, a, forwards, output(6, 4)));
    int changed = 0;
    for (int i = 0; i < 16; ++i) changed += c.host()(i) != float(-i);
    CHECK(changed == 0);
    CHECK(gemm(machine, a, forwards, output(8, 4)));
    CHECK(gemm(machine, a, forwards, output(4, 12)));
  }
}
