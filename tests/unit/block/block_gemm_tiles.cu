// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// block_gemm on tiles that lie in shared memory already: a loop over k of one's own, two products without leaving the block,
// accumulators with their coordinates, operands through functors.
#include <support/gemm.hpp>

using namespace memtile;

namespace {

using product = block_gemm<float, gemm_policy<block_tile<32, 32, 8>, thread_tile<4, 4>>>;

// One tile of a * b by a loop over k of the kernel's own, 12 steps at a time.
struct own_loop {
  static constexpr int threads = product::threads, depth = 12;
  struct storage {
    product::storage multiply;
    shared_tile<float, product::block_m, depth, padded<1>> a;
    shared_tile<float, depth, product::block_n> b;
  };
  MEMTILE_KERNEL void operator()(block block, storage& shared, matrix_view<const float> a, matrix_view<const float> b,
                                 matrix_view<float> out) const {
    product multiply{block, shared.multiply};
    for (int64 k = 0; k < a.cols; k += depth) {
      global_to_shared(block, a, 0, k, shared.a);
      global_to_shared(block, b, k, 0, shared.b);
      block.sync();
      multiply.multiply_add(shared.a, shared.b);
      block.sync();
    }
    multiply.store(out, 0, 0);
  }
};

struct plus_place {
  MEMTILE_FUNCTION void operator()(int row, int column, float& v) const { v += float(row * 100 + column); }
};
// (a * b + 100 * row + column) * d, the first product staying in the block.
struct two_products {
  static constexpr int threads = product::threads;
  struct storage {
    product::storage multiply;
    product::a_tile<product::block_n> first;
    product::b_tile<product::block_n> d;
  };
  MEMTILE_KERNEL void operator()(block block, storage& shared, matrix_view<const float> a, matrix_view<const float> b,
                                 matrix_view<const float> d, matrix_view<float> out) const {
    product multiply{block, shared.multiply};
    multiply.multiply_add(a, b, 0, 0);
    multiply.for_each(plus_place{});
    multiply.store(shared.first);
    global_to_shared(block, d, 0, 0, shared.d);
    block.sync();
    multiply.clear();
    multiply.multiply_add(shared.first, shared.d);
    multiply.store(out, 0, 0);
  }
};

// Of each row of a * b the largest value and the sum, found through registers; every thread of a row must have them.
template <class Tile, class Threads>
struct rows_reduced {
  using multiplied = block_gemm<float, gemm_policy<Tile, Threads>>;
  static constexpr int threads = multiplied::threads;
  using storage = typename multiplied::storage;
  MEMTILE_KERNEL void operator()(block block, storage& shared, matrix_view<const float> a, matrix_view<const float> b,
                                 matrix_view<float> largest, matrix_view<float> sums) const {
    multiplied multiply{block, shared};
    multiply.multiply_add(a, b, 0, 0);
    const auto row_largest = multiply.reduce_rows(maximum{}), row_sums = multiply.reduce_rows(plus{});
    for (int i = 0; i < multiplied::accumulator_fragment::rows; ++i) {
      largest.store(multiply.row(i), multiply.thread_column(), row_largest[i]);
      sums.store(multiply.row(i), multiply.thread_column(), row_sums[i]);
    }
  }
};
template <class Tile, class Threads>
void check_rows_reduced() {
  using kernel = rows_reduced<Tile, Threads>;
  constexpr int rows = Tile::m, columns = Tile::n, k = 9, threads = columns / Threads::n;
  for (auto& machine : testing::machines()) {
    INFO(machine.name() << ": " << rows << "x" << columns << ", " << threads << " threads a row");
    auto a = machine.template buffer<float>(rows, k, test::integer_a);
    auto b = machine.template buffer<float>(k, columns, test::integer_b);
    auto largest = machine.template buffer<float>(rows, threads), sums = machine.template buffer<float>(rows, threads);
    REQUIRE(launch(machine, grid(1), kernel{}, a.view(), b.view(), largest.view(), sums.view()));
    const auto expected = [](auto op) {
      return [op](int r, int) {
        float v = test::chain<float>(test::integer_a, test::integer_b, r, 0, k);
        for (int c = 1; c < columns; ++c) v = op(v, test::chain<float>(test::integer_a, test::integer_b, r, c, k));
        return v;
      };
    };
    CHECK(test::differences(largest.host(), rows, threads, expected(maximum{})) == 0);
    CHECK(test::differences(sums.host(), rows, threads, expected(plus{})) == 0);
    CHECK(test::clean(machine));
  }
}

struct scaled_by_row {
  vector_view<const float> scale;
  MEMTILE_FUNCTION float operator()(float v, int64 row, int64) const { return v * scale.load(row); }
};
using of_bytes = block_gemm<elements<int8, float>, gemm_policy<block_tile<32, 32, 8>, thread_tile<4, 4>>>;
struct dequantised {
  static constexpr int threads = of_bytes::threads;
  using storage = of_bytes::storage;
  MEMTILE_KERNEL void operator()(block block, storage& shared, matrix_view<const int8> a,
                                 vector_view<const float> scale, matrix_view<const float> b,
                                 matrix_view<float> out) const {
    of_bytes multiply{block, shared};
    multiply.multiply_add(mapped(a, scaled_by_row{scale}), b, 0, 0);
    multiply.store(out, 0, 0);
  }
};

float third(int r, int c) { return float((r + c) % 3 - 1); }

}  // namespace

TEST_CASE("block_gemm multiplies tiles that a kernel brought itself", "[block][gemm]") {
  for (auto& machine : testing::machines())
    for (int k : {1, 12, 25}) {
      auto a = machine.buffer<float>(31, k, test::integer_a), b = machine.buffer<float>(k, 30, test::integer_b);
      auto out = machine.buffer<float>(31, 30);
      REQUIRE(launch(machine, grid(1), own_loop{}, a.view(), b.view(), out.view()));
      CHECK(test::differences(out.host(), 31, 30, [&](int r, int c) {
              return test::chain<float>(test::integer_a, test::integer_b, r, c, k);
            }) == 0);
      CHECK((out.untouched() && test::clean(machine)));
    }
}

TEST_CASE("two products are chained without leaving the block", "[block][gemm]") {
  constexpr int k = 21;
  for (auto& machine : testing::machines()) {
    auto a = machine.buffer<float>(32, k, test::integer_a), b = machine.buffer<float>(k, 32, test::integer_b);
    auto d = machine.buffer<float>(32, 32, third), out = machine.buffer<float>(32, 32);
    REQUIRE(launch(machine, grid(1), two_products{}, a.view(), b.view(), d.view(), out.view()));
    const auto first = [](int r, int c) {
      return test::chain<float>(test::integer_a, test::integer_b, r, c, k) + float(r * 100 + c);
    };
    CHECK(test::differences(out.host(), 32, 32,
                            [&](int r, int c) { return test::chain<float>(first, third, r, c, 32); }) == 0);
    CHECK(test::clean(machine));
    if (machine.last_report() != nullptr)
      for (const auto& line : machine.last_report()->rows())
        if (line.where == sim::space::shared && line.kind == sim::access_kind::load) CHECK(line.bank_conflicts == 0);
  }
}

TEST_CASE("rows of accumulators are reduced in registers", "[block][gemm]") {
  check_rows_reduced<block_tile<16, 64, 8>, thread_tile<4, 8>>();  // 4 x 8 threads, the patch of a warp
  check_rows_reduced<block_tile<32, 32, 8>, thread_tile<2, 4>>();  // two warps of it
  check_rows_reduced<block_tile<32, 16, 8>, thread_tile<4, 4>>();  // 8 x 4 threads
  check_rows_reduced<block_tile<12, 16, 8>, thread_tile<4, 2>>();  // 3 x 8: part of a warp, in ranks side by side
  check_rows_reduced<block_tile<10, 12, 8>, thread_tile<2, 3>>();  // 5 x 4, three columns each
  check_rows_reduced<block_tile<40, 8, 8>, thread_tile<1, 4>>();   // 40 x 2
  check_rows_reduced<block_tile<16, 4, 8>, thread_tile<4, 4>>();   // a row each
}

TEST_CASE("an operand passes through a functor on its way", "[block][gemm]") {
  for (auto& machine : testing::machines())
    for (int rows : {32, 29})
      for (int k : {8, 19}) {
        auto a = machine.buffer<int8>(rows, k, [](int r, int c) { return int8(test::integer_a(r, c)); });
        auto scale = machine.buffer<float>(rows, [](int r) { return float(r % 4 + 1); });
        auto b = machine.buffer<float>(k, 32, test::integer_b), out = machine.buffer<float>(rows, 32);
        REQUIRE(launch(machine, grid(1), dequantised{}, a.view(), scale.view(), b.view(), out.view()));
        CHECK(test::differences(out.host(), rows, 32, [&](int r, int c) {
                return float(r % 4 + 1) * test::chain<float>(test::integer_a, test::integer_b, r, c, k);
              }) == 0);
        CHECK((out.untouched() && test::clean(machine)));
      }
}

namespace {

// b in swizzled tiles of a width that is no power of two: 12 threads side by side.
template <class Layout>
struct multiply_swizzled {
  using product = block_gemm<float, gemm_policy<block_tile<8, 96, 8>, thread_tile<4, 8>>>;
  static constexpr int threads = product::threads;
  struct storage {
    shared_tile<float, 8, 8> a;
    shared_tile<float, 8, 96, Layout> b;
    typename product::storage tiles;
  };
  MEMTILE_KERNEL void operator()(block block, storage& shared, matrix_view<const float> a, matrix_view<const float> b,
                                 matrix_view<float> c) const {
    global_to_shared(block, a, 0, 0, shared.a);
    global_to_shared(block, b, 0, 0, shared.b);
    block.sync();
    product multiply{block, shared.tiles};
    multiply.multiply_add(shared.a, shared.b);
    multiply.store(c, 0, 0);
  }
};

}  // namespace

TEMPLATE_TEST_CASE("any layout of a shared tile will do", "[block][gemm]", dense, xor_swizzle<16>, padded<4>) {
  for (auto& machine : testing::machines()) {
    auto a = machine.buffer<float>(8, 8, [](int r, int c) { return float(r == c); }),
         b = machine.buffer<float>(8, 96, [](int r, int c) { return float(100 * r + c); }),
         c = machine.buffer<float>(8, 96);
    REQUIRE(launch(machine, grid(1), multiply_swizzled<TestType>{}, a.view(), b.view(), c.view()));
    CHECK(test::differences(c.host(), 8, 96, [](int r, int q) { return float(100 * r + q); }) == 0);
  }
}
