// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// block_gemm in a kernel of one's own: any first row and column, several products into one set of accumulators, a functor on the way out.
#include <support/gemm.hpp>

using namespace memtile;

namespace {

using product = block_gemm<float, gemm_policy<block_tile<32, 32, 8>, thread_tile<4, 4>>>;

// The block's tile of a * b begins at (row0, column0) and is stored from there on, `times` products deep.
template <class LayoutA, class LayoutB>
struct multiply_from {
  static constexpr int threads = product::threads;
  using storage = product::storage;
  MEMTILE_KERNEL void operator()(block block, storage& shared, matrix_view<const float, LayoutA> a,
                                 matrix_view<const float, LayoutB> b, matrix_view<float> out, int row0, int column0,
                                 int times) const {
    product multiply{block, shared};
    for (int i = 0; i < times; ++i) multiply.multiply_add(a, b, row0, column0);
    multiply.store(out, row0, column0);
  }
};

struct plus_coordinates {
  MEMTILE_FUNCTION float operator()(int64 row, int64 column, float v) const { return v + float(100 * row + column); }
};
struct multiply_with_functor {
  static constexpr int threads = product::threads;
  using storage = product::storage;
  MEMTILE_KERNEL void operator()(block block, storage& shared, matrix_view<const float> a, matrix_view<const float> b,
                                 matrix_view<float> out) const {
    product multiply{block, shared};
    multiply.multiply_add(a, b, block.grid_row() * product::block_m, block.grid_column() * product::block_n);
    multiply.for_each_inside(out, block.grid_row() * product::block_m, block.grid_column() * product::block_n,
                             plus_coordinates{});
  }
};

template <class LayoutA, class LayoutB, class Machine, class A, class B>
void check_from(Machine& machine, const A& a, const B& b, int row0, int column0, int times) {
  constexpr int size = 48;
  auto out = machine.template buffer<float>(size, size, [](int, int) { return -1.f; });
  INFO(machine.name() << ": from " << row0 << ", " << column0);
  REQUIRE(launch(machine, grid(1), multiply_from<LayoutA, LayoutB>{}, a, b, out.view(), row0, column0, times));
  CHECK(test::differences(out.host(), size, size, [&](int r, int c) {
          const bool made = r >= row0 && r < row0 + product::block_m && c >= column0 && c < column0 + product::block_n;
          return made ? float(times) * test::chain<float>(test::integer_a, test::integer_b, r, c, size) : -1.f;
        }) == 0);
  CHECK(out.untouched());
  CHECK(test::clean(machine));
}

}  // namespace

TEST_CASE("block_gemm takes any first row and column", "[block][gemm][PRIM-01]") {
  constexpr int size = 48;
  for (auto& machine : testing::machines()) {
    auto a = machine.buffer<float>(size, size, test::integer_a), b = machine.buffer<float>(size, size, test::integer_b);
    auto at = machine.buffer<float>(size, size, [](int k, int i) { return test::integer_a(i, k); });
    auto bt = machine.buffer<float>(size, size, [](int j, int k) { return test::integer_b(k, j); });
    for (int from : {0, 1, 2, 4, 17, 47}) {
      check_from<row, row>(machine, a.view(), b.view(), from, 47 - from, 1);
      check_from<column, row>(machine, transposed(at.view()), b.view(), from, 16, 1);
      check_from<row, column>(machine, a.view(), transposed(bt.view()), 16, from, 1);
      check_from<column, column>(machine, transposed(at.view()), transposed(bt.view()), from, from, 1);
    }
  }
}

TEST_CASE("block_gemm adds product to product, and its storage is free in between", "[block][gemm]") {
  constexpr int size = 48;
  for (auto& machine : testing::machines()) {
    auto a = machine.buffer<float>(size, size, test::integer_a), b = machine.buffer<float>(size, size, test::integer_b);
    check_from<row, row>(machine, a.view(), b.view(), 0, 0, 3);
  }
}

TEST_CASE("block_gemm hands each product inside to a functor with its coordinates", "[block][gemm]") {
  for (auto& machine : testing::machines())
    for (int columns : {44, 45}) {  // with and without 16-byte stores
      auto a = machine.buffer<float>(35, 20, test::integer_a), b = machine.buffer<float>(20, columns, test::integer_b);
      auto out = machine.buffer<float>(35, columns);
      REQUIRE(launch(machine, grid_for(35, columns, 32, 32), multiply_with_functor{}, a.view(), b.view(), out.view()));
      CHECK(test::differences(out.host(), 35, columns, [](int r, int c) {
              return test::chain<float>(test::integer_a, test::integer_b, r, c, 20) + float(100 * r + c);
            }) == 0);
      CHECK(out.untouched());
      CHECK(test::clean(machine));
    }
}

TEST_CASE("operands whose inner sizes differ are an access outside, and are reported", "[block][gemm]") {
  sim::machine machine;
  auto a = machine.buffer<float>(32, 16, test::integer_a), b = machine.buffer<float>(8, 32, test::integer_b);
  auto out = machine.buffer<float>(32, 32);
  const status done = launch(machine, grid(1), multiply_with_functor{}, a.view(), b.view(), out.view());
  CHECK_FALSE(done);
  CHECK(done.message().find("matrix_view[8][") != std::string::npos);
}
