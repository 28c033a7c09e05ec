// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cases GEMM-01 to GEMM-19 that a tile may get wrong, at a tile and for a type that the caller names.
#pragma once

#include <support/gemm.hpp>

#include <functional>
#include <limits>

namespace test {

/// One kind of epilogue for all cases, and rows for all matrices unless said otherwise: each combination is a kernel
/// more for
/// the compiler.
template <class T, class Tile>
class at_tile {
  using policy = Tile;
  using function = std::function<T(int, int)>;  // one type for all values: the compiler has enough to do
  template <int Slices>
  using in_slices = memtile::gemm_policy<typename Tile::block, typename Tile::thread, memtile::stages<Tile::stages>,
                                         memtile::resident_blocks<Tile::resident_blocks>, memtile::split_k<Slices>>;
  static constexpr int tile_m = Tile::block::m, tile_n = Tile::block::n, tile_k = Tile::block::k;
  static T one(int, int) { return T(1); }
  static T nan(int, int) { return std::numeric_limits<T>::quiet_NaN(); }
  static T infinity(int, int) { return std::numeric_limits<T>::infinity(); }

  template <class Policy = policy, class Machine, class A, class B, class C>
  static void multiply(Machine& machine, const A& a, const B& b, const C& c, double alpha = 1, double beta = 0) {
    const memtile::status done = memtile::gemm<Policy>(machine, a, b, c, memtile::linear{T(alpha), T(beta)});
    INFO(machine.name() << ": " << done.message());
    REQUIRE(done.ok());
    REQUIRE(machine.synchronize().ok());
    REQUIRE(clean(machine));
  }
  // a * b of two functions, into what `before` says, is expected(r, q).
  template <class Policy = policy, class Machine>
  static void check(Machine& machine, int m, int n, int k, const function& fa, const function& fb,
                    const function& before, double alpha, double beta, const function& expected) {
    auto a = machine.template buffer<T>(m, k, fa), b = machine.template buffer<T>(k, n, fb);
    auto c = machine.template buffer<T>(m, n, before);
    INFO(m << "x" << n << "x" << k << ", " << alpha << ", " << beta);
    multiply<Policy>(machine, a.view(), b.view(), c.view(), alpha, beta);
    CHECK(differences(c.host(), m, n, expected) == 0);
    CHECK((a.untouched() && b.untouched() && c.untouched()));
  }
  static function product(int k) {
    return [k](int r, int q) { return chain<T>(integer_a, integer_b, r, q, k); };
  }
  static function constant(double value) {
    return [value](int, int) { return T(value); };
  }

 public:
  template <class Machine>
  static void edges(Machine& machine) {  // GEMM-01
    for (int m : {1, tile_m - 1, tile_m, tile_m + 1})
      for (int n : {1, tile_n - 1, tile_n, tile_n + 1})
        for (int k : {1, tile_k - 1, tile_k, tile_k + 1})
          check(machine, m, n, k, integer_a, integer_b, nan, 1, 0, product(k));
  }
  // Every inner size at one element; at four tiles every eleventh, which meets every state of the pipeline and every
  // rest.
  template <class Machine>
  static void inner_sizes(Machine& machine) {  // GEMM-02
    constexpr int most = 2 * Tile::stages * tile_k + 1;
    for (int k = 1; k <= most; ++k) check(machine, 1, 1, k, one, one, nan, 1, 0, constant(k));
    for (int k = 1; k <= most; k += 11) check(machine, tile_m + 1, tile_n + 1, k, one, one, nan, 1, 0, constant(k));
    check(machine, 1, 1, 1152, one, one, nan, 1, 0, constant(1152));
    check(machine, tile_m + 1, 1, 1152, one, one, nan, 1, 0, constant(1152));
  }
  template <class Machine>
  static void identities(Machine& machine) {  // GEMM-03
    const function identity = [](int r, int q) { return T(r == q); };
    const function count = [](int r, int q) { return T(128 * r + q); };
    check(machine, 256, 128, 256, identity, count, nan, 1, 0, count);
    check(machine, 128, 256, 256, count, identity, nan, 1, 0, count);
  }
  template <class Machine>
  static void beta_of_zero(Machine& machine) {  // GEMM-04, GEMM-05
    for (auto old : {nan, infinity}) {
      check(machine, 3, 3, 3, one, one, old, 1, 0, constant(3));
      check(machine, tile_m + 1, tile_n + 1, 4, one, one, old, 1, 0, constant(4));
    }
  }
  template <class Machine>
  static void empty_sums(Machine& machine) {  // GEMM-06; once more with tiles that are not complete
    const memtile::matrix_view<const T> a(nullptr, 3, 0, 0), b(nullptr, 0, 2, 2 * sizeof(T));
    const function count = [](int r, int q) { return T(2 * r + q + 1); };
    for (int beta : {2, 0, 1}) {
      auto c = beta == 0 ? machine.template buffer<T>(3, 2, nan) : machine.template buffer<T>(3, 2, count);
      multiply(machine, a, b, c.view(), 5, beta);
      CHECK(differences(c.host(), 3, 2, [&](int r, int q) { return T(beta) * count(r, q); }) == 0);
      CHECK(c.untouched());
      check(machine, tile_m + 1, tile_n + 1, 0, nan, nan, count, 5, beta,
            [&](int r, int q) { return T(beta) * count(r, q); });
    }
  }
  template <class Machine>
  static void alpha_of_zero(Machine& machine) {  // GEMM-07
    const function count = [](int r, int q) { return T(2 * r + q + 1); };
    for (int beta : {0, 1, 3}) {
      const function expected = [&](int r, int q) { return T(beta) * count(r, q); };
      check(machine, 2, 2, 2, nan, nan, count, 0, beta, expected);
      check(machine, tile_m + 1, tile_n + 1, tile_k, nan, nan, count, 0, beta, expected);
    }
  }
  template <class Machine>
  static void pitches(Machine& machine) {  // GEMM-08
    for (int pitch_a : {64, 65}) {
      auto a = machine.template buffer<T>(64, 64, integer_a, {pitch_a});
      auto b = machine.template buffer<T>(64, 239, integer_b, {240});
      auto c = machine.template buffer<T>(64, 239, {240});
      multiply(machine, a.view(), b.view(), c.view());
      const auto result = c.host();
      double sum = 0, squares = 0;
      for (int r = 0; r < 64; ++r)
        for (int q = 0; q < 239; ++q) sum += result(r, q), squares += double(result(r, q)) * result(r, q);
      CHECK((result(0, 0) == -3 && result(63, 238) == 8 && sum == 5 && squares == 699875));
      CHECK((a.untouched() && b.untouched() && c.untouched()));
    }
  }
  template <class Machine>
  static void vector_as_matrix(Machine& machine) {  // GEMM-09
    const T a_values[2][3] = {{1, -3, 1}, {2, -6, 2}}, x_values[3] = {2, 1, 1};
    check(
        machine, 2, 1, 3, [&](int r, int k) { return a_values[r][k]; }, [&](int k, int) { return x_values[k]; }, one, 1,
        0, constant(0));
  }
  template <class Machine>
  static void strides(Machine& machine) {  // GEMM-11
    auto numbers = machine.template buffer<T>(18, [](int i) { return T(i); });
    auto b = machine.template buffer<T>(2, 2, [](int r, int q) { return T(r == q); });
    auto c = machine.template buffer<T>(3, 2);
    const memtile::matrix_view<T, memtile::strided> a(numbers.view().data, 3, 2, 3 * sizeof(T), 9 * sizeof(T));
    multiply(machine, a, b.view(), c.view());
    CHECK(differences(c.host(), 3, 2, [](int r, int q) { return T(3 * r + 9 * q); }) == 0);
  }
  template <int Slices, class Machine>
  static void slices(Machine& machine) {  // GEMM-17
    check<in_slices<Slices>>(machine, 1, 1, 8, one, one, one, 2, 3, constant(19));
    constexpr int inner = Slices * tile_k - 1;
    check<in_slices<Slices>>(machine, tile_m + 1, tile_n + 1, inner, one, one, one, 2, 3, constant(2 * inner + 3));
  }
  template <class Machine>
  static void transposes(Machine& machine) {  // GEMM-18
    transposes_of(machine, 3, 4, 2);
    transposes_of(machine, tile_m + 4, tile_n + 8, tile_k + 12);  // wide accesses
    transposes_of(machine, tile_m - 1, tile_n + 1, tile_k + 3);
  }
  template <class Machine>
  static void ends_of_rows(Machine& machine) {  // GEMM-19
    for (int k : {53, 54, 56}) check(machine, tile_m, tile_n, k, one, one, nan, 1, 0, constant(k));
  }

 private:
  template <class Machine>
  static void transposes_of(Machine& machine, int m, int n, int k) {
    const function value_a = [&](int r, int i) { return T(m == 3 ? 2 * r + i + 1 : integer_a(r, i)); };
    const function value_b = [&](int i, int q) { return T(m == 3 ? 4 * i + q + 1 : integer_b(i, q)); };
    auto a = machine.template buffer<T>(m, k, value_a), b = machine.template buffer<T>(k, n, value_b);
    auto at = machine.template buffer<T>(k, m, [&](int i, int r) { return value_a(r, i); });
    auto bt = machine.template buffer<T>(n, k, [&](int q, int i) { return value_b(i, q); });
    const auto expect = [&](const auto& view_a, const auto& view_b) {
      auto c = machine.template buffer<T>(m, n);
      multiply(machine, view_a, view_b, c.view());
      CHECK(differences(c.host(), m, n, [&](int r, int q) { return chain<T>(value_a, value_b, r, q, k); }) == 0);
      if (m == 3) CHECK(c.host()(2, 3) == 68);
    };
    expect(a.view(), b.view());
    expect(transposed(at.view()), b.view());
    expect(a.view(), transposed(bt.view()));
    expect(transposed(at.view()), transposed(bt.view()));
  }
};

/// All of them but the layouts, which are kernels of their own.
template <class T, class Tile, class Machine>
void check_cases_at_tile(Machine& machine) {
  using cases = at_tile<T, Tile>;
  cases::edges(machine), cases::inner_sizes(machine), cases::identities(machine), cases::beta_of_zero(machine);
  cases::empty_sums(machine), cases::alpha_of_zero(machine), cases::pitches(machine), cases::vector_as_matrix(machine);
  cases::ends_of_rows(machine);
  cases::template slices<1>(machine), cases::template slices<2>(machine), cases::template slices<3>(machine);
  cases::template slices<8>(machine), cases::template slices<9>(machine);
}
template <class T, class Tile, class Machine>
void check_layouts_at_tile(Machine& machine) {
  at_tile<T, Tile>::strides(machine), at_tile<T, Tile>::transposes(machine);
}

}  // namespace test
