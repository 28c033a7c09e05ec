// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Epilogues whose values, vectors, matrices and outputs are of different types.
#include <support/epilogue.hpp>

#include <cmath>

using namespace memtile;

namespace {

constexpr int m = 19, n = 23;

struct halve {  // takes whole numbers and makes none
  MEMTILE_FUNCTION double operator()(int32 value, int64, int64) const { return value / 2.; }
};
struct count_up {
  MEMTILE_FUNCTION int operator()(float value, int64 row, int64) const { return int(value) + int(row); }
};

// A user's number: arithmetic modulo 7.
struct residue {
  int value = 0;
  MEMTILE_FUNCTION friend residue operator+(residue a, residue b) { return {(a.value + b.value) % 7}; }
  MEMTILE_FUNCTION friend residue operator*(residue a, residue b) { return {a.value * b.value % 7}; }
  MEMTILE_FUNCTION friend bool operator==(residue a, residue b) { return a.value == b.value; }
};

// The type that a chain ends in, for values of type V.
template <class V, class Epilogue>
using end_of = decltype(detail::apply_epilogue(detail::declval<const Epilogue&>(), V{}, 0, 0, V{}));
template <class V, class E>
constexpr bool ends_in_float(const E&) {
  return detail::is_same<end_of<V, E>, float>;
}

}  // namespace

TEST_CASE("whole numbers scaled by floats are rounded to even and saturated at the end", "[gemm][GEMM-13]") {
  const auto product = [](int r, int c) { return (r - 9) * 40 + c; };
  for (auto& machine : testing::machines()) {
    auto accumulated = machine.buffer<int32>(m, n, product);
    auto scale = machine.buffer<float>(n, [](int c) { return c % 2 == 0 ? 0.5f : 0.25f; });
    auto offset = machine.buffer<int32>(m, [](int r) { return r % 4; });
    auto out = machine.buffer<int8>(m, n);
    test::apply(machine, accumulated.view(), out.view(),
                scale_columns(scale.view()) | bias_rows(offset.view()) | clamp(-100, 1e9f));
    CHECK(unit::differences(out.host(), m, n, [&](int r, int c) {
            const double v = std::nearbyint(product(r, c) * (c % 2 == 0 ? 0.5 : 0.25) + r % 4);
            return int8(std::min(std::max(v, -100.), 127.));
          }) == 0);
    CHECK(out.untouched());
  }
}

TEST_CASE("whole numbers stay whole where only whole numbers meet them", "[gemm]") {
  for (auto& machine : testing::machines()) {
    auto accumulated = machine.buffer<int32>(m, n, [](int r, int c) { return (1 << 30) + 2 * r + c; });  // no float
    auto bytes = machine.buffer<int8>(m, [](int r) { return int8(r - 9); });
    auto out = machine.buffer<int32>(m, n, [](int r, int) { return r; });
    test::apply(machine, accumulated.view(), out.view(), linear{1, -3} | bias_rows(bytes.view()) | relu());
    CHECK(unit::differences(out.host(), m, n, [](int r, int c) { return (1 << 30) + 2 * r + c - 3 * r + r - 9; }) == 0);
  }
}

TEST_CASE("bounds beyond the range of a whole number are its ends", "[gemm][GEMM-13]") {
  for (auto& machine : testing::machines()) {
    auto accumulated = machine.buffer<int32>(1, n, [](int, int c) { return (c - 9) * 40; });
    auto out = machine.buffer<int32>(1, n);
    test::apply(machine, accumulated.view(), out.view(), clamp(0u, 4294967295u));
    CHECK(unit::differences(out.host(), 1, n, [](int, int c) { return c < 9 ? 0 : (c - 9) * 40; }) == 0);
    test::apply(machine, accumulated.view(), out.view(), clamp(int64(-5000000000), int64(100)));
    CHECK(unit::differences(out.host(), 1, n, [](int, int c) { return c < 12 ? (c - 9) * 40 : 100; }) == 0);
  }
}

TEST_CASE("linear with floating alpha and beta makes whole numbers floating", "[gemm]") {
  for (auto& machine : testing::machines()) {
    auto accumulated = machine.buffer<int32>(m, n, [](int r, int c) { return 7 * r - 3 * c; });
    auto out = machine.buffer<uint8>(m, n, [](int r, int) { return uint8(r); });
    test::apply(machine, accumulated.view(), out.view(), linear{0.5f, 2.f});
    CHECK(unit::differences(out.host(), m, n, [](int r, int c) {
            return uint8(std::max(0., std::nearbyint((7 * r - 3 * c) * 0.5 + 2 * r)));
          }) == 0);
  }
}

TEMPLATE_TEST_CASE("small floats everywhere: each is widened, and the end is rounded once", "[gemm]", float16,
                   bfloat16) {
  using small_float = TestType;
  const auto value = [](int r, int c) { return float(r * n + c) / 64 - 3; };
  for (auto& machine : testing::machines()) {
    auto accumulated = machine.template buffer<float>(m, n, value);
    auto bias = machine.template buffer<small_float>(n, [](int c) { return small_float(float(c) / 8); });
    auto scale = machine.template buffer<small_float>(m, [](int r) { return small_float(float(r % 5) / 4); });
    auto residual = machine.template buffer<small_float>(n, m, [](int c, int r) { return small_float(float(r - c)); });
    auto out = machine.template buffer<small_float>(m, n, [](int r, int) { return small_float(float(r)); });
    test::apply(machine, accumulated.view(), out.view(),
                linear{1.f, small_float(2.f)} | bias_columns(bias.view()) | scale_rows(scale.view()) |
                    add_matrix(transposed(residual.view())));
    const auto stored = out.host();
    int different = 0;
    for (int r = 0; r < m; ++r)
      for (int c = 0; c < n; ++c) {  // exact in float
        const float v = (value(r, c) + 2 * float(r) + float(c) / 8) * (float(r % 5) / 4) + float(r - c);
        different += stored(r, c).bits != small_float(v).bits;
      }
    CHECK(different == 0);
    CHECK(out.untouched());
  }
}

TEST_CASE("functors may stand anywhere, and change the type as they like", "[gemm]") {
  for (auto& machine : testing::machines()) {
    auto accumulated = machine.buffer<int32>(m, n, [](int r, int c) { return 5 * r - 4 * c; });
    auto out = machine.buffer<double>(m, n);
    auto as_integers = machine.buffer<int32>(m, n);
    test::apply(machine, accumulated.view(), out.view(), relu() | halve() | linear{2.f});
    CHECK(unit::differences(out.host(), m, n, [](int r, int c) { return double(std::max(0, 5 * r - 4 * c)); }) == 0);
    test::apply(machine, accumulated.view(), as_integers.view(), linear{0.5f} | count_up() | linear{3});
    CHECK(unit::differences(as_integers.host(), m, n,
                            [](int r, int c) { return 3 * (int((5 * r - 4 * c) * 0.5f) + r); }) == 0);
  }
}

TEST_CASE("a user's number passes through linear, biases, scales and residuals", "[gemm]") {
  const auto some = [](int r, int c) { return residue{(3 * r + c) % 7}; };
  for (auto& machine : testing::machines()) {
    auto accumulated = machine.buffer<residue>(m, n, some), other = machine.buffer<residue>(m, n, some);
    auto per_row = machine.buffer<residue>(m, [](int r) { return residue{r % 7}; });
    auto out = machine.buffer<residue>(m, n, some);
    test::apply(machine, accumulated.view(), out.view(),
                linear{residue{2}, residue{4}} | scale_rows(per_row.view()) | add_matrix(other.view()));
    CHECK(unit::differences(out.host(), m, n, [&](int r, int c) {
            return residue{(some(r, c).value * 6 * r + some(r, c).value) % 7};
          }) == 0);
  }
}

TEST_CASE("values decide the type of a chain only where they are floating and the product is not", "[gemm]") {
  const vector_view<const float> floats;
  const vector_view<const double> doubles;
  const vector_view<const float16> halves;
  const vector_view<const int8> bytes;
  CHECK(ends_in_float<float>(bias_columns(doubles)));
  CHECK(ends_in_float<float>(scale_rows(halves) | relu() | linear{2.0, 1}));
  CHECK(ends_in_float<int32>(scale_rows(halves)));
  CHECK(ends_in_float<int32>(bias_rows(bytes) | scale_columns(floats) | bias_rows(bytes)));
  CHECK(ends_in_float<int32>(gelu()));
  CHECK_FALSE(ends_in_float<int32>(scale_columns(doubles)));
  CHECK_FALSE(ends_in_float<double>(scale_columns(floats) | silu()));
  CHECK_FALSE(ends_in_float<int32>(relu() | clamp(0, 3)));
}
