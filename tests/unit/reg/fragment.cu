// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The values of one thread: where they stand, and the outer product that a matmul is made of.
#include <support/unit.hpp>

#include <cmath>

using namespace memtile;

namespace {

// values(i, j) = 0.25 + sum over steps of a(step, i) * b(step, j), for every thread another a.
template <class T>
struct outer_products {
  static constexpr int threads = 32, rows = 3, columns = 5;
  MEMTILE_KERNEL void operator()(block b, matrix_view<const T> a, matrix_view<const T> c, matrix_view<T> out) const {
    fragment<T, rows, columns> sums;
    sums.fill(T(0.25));
    for (int step = 0; step < int(a.rows); ++step) {
      T left[rows], right[columns];
      MEMTILE_UNROLL
      for (int i = 0; i < rows; ++i) left[i] = a.load(step, b.rank() + i);
      MEMTILE_UNROLL
      for (int j = 0; j < columns; ++j) right[j] = c.load(step, j);
      sums.add_outer_product(left, right);
    }
    MEMTILE_UNROLL
    for (int i = 0; i < rows; ++i) {
      MEMTILE_UNROLL
      for (int j = 0; j < columns; ++j) out.store(b.rank(), i * columns + j, sums(i, j));
    }
  }
};

// Needs every bit, so that a second rounding would show.
template <class T>
T rough(int r, int c) {
  return T(1) + T((r * 7 + c * 13) % 101) / T(3);
}

template <class T>
void check_outer_products() {
  constexpr int steps = 9, rows = outer_products<T>::rows, columns = outer_products<T>::columns;
  for (auto& machine : testing::machines()) {
    auto a = machine.buffer<T>(steps, 32 + rows, rough<T>), c = machine.buffer<T>(steps, columns, rough<T>);
    auto out = machine.buffer<T>(32, rows * columns);
    REQUIRE(launch(machine, 1, outer_products<T>{}, a.view(), c.view(), out.view()));
    CHECK(unit::differences(out.host(), 32, rows * columns, [](int thread, int place) {
            T sum = T(0.25);
            for (int step = 0; step < steps; ++step) {
              const T left = rough<T>(step, thread + place / columns), right = rough<T>(step, place % columns);
              sum = std::is_integral<T>::value ? T(sum + left * right) : T(std::fma(left, right, sum));
            }
            return sum;
          }) == 0);
    CHECK(out.untouched());
    unit::check_clean(machine);
  }
}

}  // namespace

TEST_CASE("an outer product adds each product with one rounding", "[reg]") {
  check_outer_products<float>();
  check_outer_products<double>();
  check_outer_products<int>();
}

TEST_CASE("a fragment keeps its values by row and column", "[reg]") {
  fragment<int, 2, 3> f;
  static_assert(f.rows == 2 && f.columns == 3 && sizeof(f) == 24);
  f.fill(9);
  f(1, 2) = 4;
  f(0, 1) += 1;
  const fragment<int, 2, 3> copy = f;
  const int expected[2][3] = {{9, 10, 9}, {9, 9, 4}};
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j) CHECK(copy(i, j) == expected[i][j]);
}
