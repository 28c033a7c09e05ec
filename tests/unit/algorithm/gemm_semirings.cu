// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matmul over other semirings than plus and times, and over types of a user's own.
#include <support/gemm.hpp>

using namespace memtile;

namespace {

struct modulo_97 {
  template <class T>
  MEMTILE_FUNCTION static constexpr T zero() {
    return T(0);
  }
  template <class T>
  MEMTILE_FUNCTION T plus(T x, T y) const {
    return (x + y) % 97;
  }
  template <class T>
  MEMTILE_FUNCTION T times(T x, T y) const {
    return x * y % 97;
  }
};

// Maps x -> slope * x + offset modulo 2^32. Plus keeps the later of two that are not "none"; times is composition. Neither is
// commutative, zero is not all bytes zero, and 12 bytes are no power of two.
struct map_of_line {
  uint32 slope, offset, is_some;
  MEMTILE_FUNCTION friend bool operator==(const map_of_line& a, const map_of_line& b) {
    return a.slope == b.slope && a.offset == b.offset && a.is_some == b.is_some;
  }
};
struct composition {
  template <class T>
  MEMTILE_FUNCTION static constexpr T zero() {
    return T{9, 9, 0};
  }
  MEMTILE_FUNCTION map_of_line plus(const map_of_line& x, const map_of_line& y) const {
    if (y.is_some == 0) return x;
    if (x.is_some == 0) return y;
    return {x.slope + 3 * y.slope, x.offset + 5 * y.offset, 1};
  }
  MEMTILE_FUNCTION map_of_line times(const map_of_line& x, const map_of_line& y) const {
    return {x.slope * y.slope, x.slope * y.offset + x.offset, 1};
  }
};

constexpr float no_edge = __builtin_huge_valf();
float length(int from, int to) {
  return from == to ? 0.f : (from * 7 + to * 3) % 5 == 0 ? float((from + to) % 9 + 1) : no_edge;
}

template <class Semiring, class T, class Policy, class Machine, class A, class B>
void check_semiring(Machine& machine, int m, int n, int k, const A& value_a, const B& value_b) {
  auto a = machine.template buffer<T>(m, k, value_a), b = machine.template buffer<T>(k, n, value_b);
  auto c = machine.template buffer<T>(m, n), d = machine.template buffer<T>(n, m);
  INFO(machine.name() << ": " << m << "x" << n << "x" << k);
  REQUIRE(gemm<Policy>(machine, a.view(), b.view(), c.view()));
  CHECK(test::clean(machine));
  REQUIRE(gemm<Policy>(machine, a.view(), b.view(), transposed(d.view())));
  const auto by_rows = c.host(), by_columns = d.host();
  int wrong = 0;
  for (int r = 0; r < m; ++r)
    for (int q = 0; q < n; ++q) {
      T sum = Semiring::template zero<T>();
      for (int i = 0; i < k; ++i) sum = Semiring{}.plus(sum, Semiring{}.times(value_a(r, i), value_b(i, q)));
      wrong += !(by_rows(r, q) == sum) || !(by_columns(q, r) == sum);
    }
  CHECK(wrong == 0);
  CHECK((c.untouched() && d.untouched() && test::clean(machine)));
}

}  // namespace

TEST_CASE("min_plus finds shortest paths", "[gemm][semiring]") {
  constexpr int cities = 67;
  using shortest = gemm_policy<semiring<min_plus>>;
  for (auto& machine : testing::machines()) {
    check_semiring<min_plus, float, shortest>(machine, cities, cities, cities, length, length);
    check_semiring<min_plus, float, shortest>(machine, 64, 64, 64, length, length);
    check_semiring<min_plus, float, shortest>(machine, 3, 5, 1, length, length);
    // squared six times, all paths of up to 64 edges: as Floyd and Warshall have it
    auto paths = machine.buffer<float>(cities, cities, length), next = machine.buffer<float>(cities, cities);
    for (int i = 0; i < 7; ++i) {
      REQUIRE(gemm<shortest>(machine, paths.view(), paths.view(), next.view()));
      std::swap(paths, next);
    }
    std::vector<float> known(cities * cities);
    for (int r = 0; r < cities; ++r)
      for (int c = 0; c < cities; ++c) known[size_t(r * cities + c)] = length(r, c);
    for (int via = 0; via < cities; ++via)
      for (int r = 0; r < cities; ++r)
        for (int c = 0; c < cities; ++c)
          known[size_t(r * cities + c)] = (std::min)(known[size_t(r * cities + c)],
                                                     known[size_t(r * cities + via)] + known[size_t(via * cities + c)]);
    CHECK(test::differences(paths.host(), cities, cities,
                            [&](int r, int c) { return known[size_t(r * cities + c)]; }) == 0);
  }
}

TEST_CASE("or_and finds what can be reached", "[gemm][semiring]") {
  const auto a = [](int r, int c) { return uint8((r * 5 + c * 3) % 11 == 0); };
  const auto b = [](int r, int c) { return uint8((r * 2 + c * 7) % 13 == 0 ? 2 : 0); };
  for (auto& machine : testing::machines())
    for (int k : {1, 31, 64, 65})
      check_semiring<or_and, uint8, gemm_policy<semiring<or_and>>>(machine, 65, 33, k, a, b);
}

TEST_CASE("gemm in modular arithmetic", "[gemm][semiring]") {
  const auto value = [](int r, int c) { return uint32((r * 31 + c * 17) % 97); };
  for (auto& machine : testing::machines())
    for (int k : {1, 40, 97})
      check_semiring<modulo_97, uint32, gemm_policy<semiring<modulo_97>>>(machine, 35, 66, k, value, value);
}

TEST_CASE("a semiring keeps the order of its operands and of k, over elements of 12 bytes", "[gemm][semiring]") {
  const auto value = [](int r, int c) {
    return map_of_line{uint32(2 * r + c + 1), uint32(r * c + 3), uint32((r + c) % 4 != 0)};
  };
  for (auto& machine : testing::machines())
    for (int k : {1, 8, 37})
      check_semiring<composition, map_of_line, gemm_policy<semiring<composition>>>(machine, 33, 35, k, value, value);
}

TEST_CASE("an empty sum is the semiring's zero", "[gemm][semiring][GEMM-06]") {
  for (auto& machine : testing::machines()) {
    auto a = machine.buffer<float>(3, 0), b = machine.buffer<float>(0, 2), c = machine.buffer<float>(3, 2);
    REQUIRE(gemm<gemm_policy<semiring<min_plus>>>(machine, a.view(), b.view(), c.view()));
    CHECK(test::differences(c.host(), 3, 2, [](int, int) { return no_edge; }) == 0);
  }
}

namespace {

struct bit {
  uint8 v;
};
struct field_of_two {
  template <class T>
  MEMTILE_FUNCTION static constexpr T zero() {
    return T{0};
  }
  template <class T>
  MEMTILE_FUNCTION T plus(T x, T y) const {
    return {uint8(x.v ^ y.v)};
  }
  template <class T>
  MEMTILE_FUNCTION T times(T x, T y) const {
    return {uint8(x.v & y.v)};
  }
};

struct path {  // 8 bytes, aligned to 4
  float length;
  int last;
};
struct shortest {
  template <class T>
  MEMTILE_FUNCTION static constexpr T zero() {
    return T{1e30f, -1};
  }
  template <class T>
  MEMTILE_FUNCTION T plus(T x, T y) const {
    return y.length < x.length ? y : x;
  }
  template <class T>
  MEMTILE_FUNCTION T times(T x, T y) const {
    return {x.length + y.length, y.last};
  }
};

}  // namespace

TEST_CASE("elements of one byte, with a semiring of their own, find a kernel", "[gemm][semiring]") {
  for (auto& machine : testing::machines()) {
    auto a = machine.buffer<bit>(5, 7, [](int r, int c) { return bit{uint8((r * c + r) % 2)}; }),
         b = machine.buffer<bit>(7, 6, [](int r, int c) { return bit{uint8((r + c) % 3 == 0)}; }),
         c = machine.buffer<bit>(5, 6);
    REQUIRE(gemm<gemm_policy<semiring<field_of_two>>>(machine, a.view(), b.view(), c.view()));
    CHECK(test::clean(machine));
    const auto found = c.host();
    int wrong = 0;
    for (int r = 0; r < 5; ++r)
      for (int q = 0; q < 6; ++q) {
        int odd = 0;
        for (int k = 0; k < 7; ++k) odd ^= (r * k + r) % 2 & int((k + q) % 3 == 0);
        wrong += found(r, q).v != odd;
      }
    CHECK(wrong == 0);
  }
}

TEST_CASE("large products of elements that are less aligned than large", "[gemm][semiring][PRIM-01]") {
  const int m = 639, n = 1280;
  for (auto& machine : testing::machines()) {
    auto a = machine.buffer<path>(m + 1, 2,
                                  [](int r, int c) {
                                    return path{float((r * 7 + c * 5) % 11), c};
                                  }),
         b = machine.buffer<path>(2, n,
                                  [](int r, int c) {
                                    return path{float((r * 3 + c) % 5), c};
                                  }),
         c = machine.buffer<path>(m, n);
    // Four bytes on, an element is the number of one and the length of the next.
    const auto all = a.view();
    const auto* const begin = reinterpret_cast<const path*>(reinterpret_cast<const char*>(all.data) + 4);
    const matrix_view<const path> shifted(begin, m, 1, all.pitch);
    REQUIRE(gemm<gemm_policy<semiring<shortest>>>(machine, shifted, subview(b.view(), 0, 0, 1, n), c.view()));
    CHECK(test::clean(machine));
    const auto found = c.host();
    int wrong = 0;
    for (int r = 0; r < m; ++r)
      for (int q = 0; q < n; ++q) wrong += found(r, q).last != q || !(found(r, q).length < 1e30f);
    CHECK(wrong == 0);
  }
}
