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
