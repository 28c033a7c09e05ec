// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inputs and references for tests of reductions along the rows and columns of a matrix.
#pragma once

#include <memtile/reduce.cuh>
#include <support/unit.hpp>

namespace test {

/// A matrix with so many elements between the end of a row and the next, that begins so many behind a 256-byte boundary.
struct lines {
  int rows, cols;
  int gap = 0, offset = 0;
};

// Small whole numbers: every sum is exact.
inline int integer_at(int r, int c) { return (r * 7 + c * 5 + r * c % 3) % 11 - 3; }

template <class T = float, class Machine>
auto integers(Machine& machine, const lines& shape) {
  return machine.template buffer<T>(shape.rows, shape.cols, integer_at,
                                    memtile::sim::placement{shape.cols + shape.gap, shape.offset});
}

template <class Machine>
void check_sums_of_rows(Machine& machine, const lines& shape) {
  INFO(machine.name() << ": " << shape.rows << "x" << shape.cols << ", gap " << shape.gap << ", offset "
                      << shape.offset);
  auto in = integers(machine, shape);
  auto sums = machine.template buffer<float>(shape.rows);
  REQUIRE(memtile::reduce_rows(machine, in.view(), sums.view(), memtile::plus{}, 0.5f));
  CHECK(unit::differences(sums.host(), shape.rows, [&](int r) {
          double sum = 0.5;
          for (int c = 0; c < shape.cols; ++c) sum += integer_at(r, c);
          return float(sum);
        }) == 0);
  CHECK((in.untouched() && sums.untouched()));
  unit::check_clean_without_conflicts(machine);
}
template <class Machine>
void check_sums_of_columns(Machine& machine, const lines& shape) {
  INFO(machine.name() << ": " << shape.rows << "x" << shape.cols << ", gap " << shape.gap << ", offset "
                      << shape.offset);
  auto in = integers(machine, shape);
  auto sums = machine.template buffer<float>(shape.cols);
  REQUIRE(memtile::reduce_columns(machine, in.view(), sums.view(), memtile::plus{}, 0.5f));
  CHECK(unit::differences(sums.host(), shape.cols, [&](int c) {
          double sum = 0.5;
          for (int r = 0; r < shape.rows; ++r) sum += integer_at(r, c);
          return float(sum);
        }) == 0);
  CHECK((in.untouched() && sums.untouched()));
  unit::check_clean_without_conflicts(machine);
}

/// x -> a x + b over integers modulo 2^32: composition is associative, but not commutative, and has no identity here.
struct affine {
  memtile::uint32 a, b;
};
struct then {
  MEMTILE_FUNCTION affine operator()(const affine& first, const affine& second) const {
    return {second.a * first.a, second.a * first.b + second.b};
  }
};
struct as_affine {
  MEMTILE_FUNCTION affine operator()(float v) const {
    return {memtile::uint32(int(v) + 5) * 2 + 1, memtile::uint32(int(v) + 9)};
  }
};

// The results of `count` lines of `length` values at(line, i) are those of folding each in its order.
template <class Copy, class At>
int wrong_orders(const Copy& got, int count, int length, At at) {
  int wrong = 0;
  for (int line = 0; line < count; ++line) {
    affine all{1, 0};
    for (int i = 0; i < length; ++i) all = then{}(all, as_affine{}(float(at(line, i))));
    wrong += got(line).a != all.a || got(line).b != all.b;
  }
  return wrong;
}
template <class Machine>
void check_order_of_rows(Machine& machine, const lines& shape) {
  INFO(machine.name() << ": " << shape.rows << "x" << shape.cols);
  auto in = integers(machine, shape);
  auto chains = machine.template buffer<affine>(shape.rows);
  REQUIRE(memtile::reduce_rows(machine, in.view(), chains.view(), then{}, affine{1, 0}, as_affine{}));
  CHECK(wrong_orders(chains.host(), shape.rows, shape.cols, integer_at) == 0);
  unit::check_clean(machine);
}
template <class Machine>
void check_order_of_columns(Machine& machine, const lines& shape) {
  INFO(machine.name() << ": " << shape.rows << "x" << shape.cols);
  auto in = integers(machine, shape);
  auto chains = machine.template buffer<affine>(shape.cols);
  REQUIRE(memtile::reduce_columns(machine, in.view(), chains.view(), then{}, affine{1, 0}, as_affine{}));
  CHECK(wrong_orders(chains.host(), shape.cols, shape.rows, [](int c, int r) { return integer_at(r, c); }) == 0);
  unit::check_clean(machine);
}

}  // namespace test
