// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The inner dimension in slices: the epilogue once, sums in the order of the slices, workspaces, what is chosen.
#include <support/gemm.hpp>

using namespace memtile;

namespace {

template <int Slices>
using in_slices = gemm_policy<block_tile<32, 32, 8>, thread_tile<4, 4>, stages<2>, split_k<Slices>>;

float one(int, int) { return 1.f; }

template <int Slices, class Machine>
void check_once(Machine& machine) {
  auto a = machine.template buffer<float>(1, 8, one), b = machine.template buffer<float>(8, 1, one);
  auto c = machine.template buffer<float>(1, 1, one);
  REQUIRE(gemm<in_slices<Slices>>(machine, a.view(), b.view(), c.view(), linear{2.f, 3.f}));
  CHECK(c.host()(0, 0) == 19);
  CHECK(test::clean(machine));
}

}  // namespace

TEST_CASE("gemm in slices applies the epilogue once", "[gemm][split][GEMM-17]") {
  for (auto& machine : testing::machines()) {
    check_once<1>(machine);
    check_once<2>(machine);
    check_once<3>(machine);
    check_once<8>(machine);
    check_once<9>(machine);
  }
}

TEST_CASE("gemm in slices is exact at every edge", "[gemm][split]") {
  for (auto& machine : testing::machines())
    for (int m : {1, 32, 33})
      for (int k : {1, 7, 8, 9, 24, 25, 64, 0}) {
        test::check_integers<float, in_slices<3>>(machine, m, 34 - m, k);
        test::check_integers<float, in_slices<8>>(machine, m, 36, k);
      }
}

TEST_CASE("the sums of slices are added in their order", "[gemm][split]") {
  constexpr int inner = 37;
  for (auto& machine : testing::machines()) {
    auto a = machine.buffer<float>(33, inner, test::random_value),
         b = machine.buffer<float>(inner, 35, test::random_value);
    auto c = machine.buffer<float>(33, 35);
    REQUIRE(gemm<in_slices<3>>(machine, a.view(), b.view(), c.view()));
    const auto part = [&](int r, int q, int from, int to) {
      float sum = 0;
      for (int k = from; k < to; ++k) sum = memtile::fma(test::random_value(r, k), test::random_value(k, q), sum);
      return sum;
    };
    CHECK(test::differences(c.host(), 33, 35, [&](int r, int q) {  // 5 tiles of 8 steps: 2, 2 and 1
            return part(r, q, 0, 16) + part(r, q, 16, 32) + part(r, q, 32, inner);
          }) == 0);
  }
}

TEST_CASE("up to 8 slices are a cluster, more need a workspace", "[gemm][split]") {
  sim::machine machine;
  auto a = machine.buffer<float>(40, 96, test::integer_a), b = machine.buffer<float>(96, 40, test::integer_b);
  auto c = machine.buffer<float>(40, 40);
  const auto needed = [&](auto policy) {
    workspace_query need;
    REQUIRE(gemm<decltype(policy)>(need, a.view(), b.view(), c.view()));
    return need.bytes;
  };
  CHECK(needed(gemm_policy<>()) == 0);
  CHECK(needed(in_slices<9>()) >= 4 * 9 * 32 * 32 * sizeof(float));
  test::check_integers<float, in_slices<9>>(machine, 40, 40, 96);
  test::check_integers<float, in_slices<12>>(machine, 65, 33, 97);
  // both ways add the same sums in the same order
  auto by_8 = machine.buffer<float>(33, 35), by_9 = machine.buffer<float>(33, 35);
  auto x = machine.buffer<float>(33, 64, test::random_value), y = machine.buffer<float>(64, 35, test::random_value);
  REQUIRE(gemm<in_slices<8>>(machine, x.view(), y.view(), by_8.view()));
  REQUIRE(gemm<in_slices<9>>(machine, x.view(), y.view(), by_9.view()));  // 8 steps of k: the ninth slice is empty
  const auto expected = by_8.host();
  CHECK(test::differences(by_9.host(), 33, 35, [&](int r, int q) { return expected(r, q); }) == 0);
}

TEST_CASE("slices need no more shared memory than the tiles of a and b", "[gemm][split]") {
  using policy = gemm_policy<block_tile<128, 128, 8>, thread_tile<8, 8>, stages<2>, split_k<3>>;
  using view = matrix_view<double>;
  using kernel = gemm_kernel<block_gemm<double, policy>, 0, true, detail::one_product<view, view, view>, store_product>;
  static_assert(kernel::runs_at_once < kernel::runs &&
                    sizeof(kernel::storage) == block_gemm<double, policy>::shared_bytes,
                "sums are handed on a part at a time");
  for (auto& machine : testing::machines()) {
    test::check_integers<double, policy>(machine, 129, 67, 41);
    test::check_integers<double, in_slices<1>>(machine, 33, 36, 41);  // a kernel of its own, without slices
  }
  using through_memory = gemm_policy<block_tile<32, 32, 8>, thread_tile<4, 4>, stages<2>, split_k<9>>;
  workspace_query need;
  const view tall(nullptr, 32 * 20000, 0, 8);  // no steps of k
  CHECK(
      gemm<through_memory>(need, tall, view(nullptr, 0, 1, 8), column_major(reinterpret_cast<double*>(64), 640000, 1))
          .message() ==
      "gemm: 20000 tiles in 9 slices each are more than the 16384 whose slices can be added through memory: leave out "
      "split_k");
}

TEST_CASE("where tiles are few and k is long, gemm is cut along k by itself", "[gemm][split]") {
  CHECK(choose_slices(16, 65536, 32, 132) == 16);   // two blocks for each multiprocessor
  CHECK(choose_slices(1, 1 << 20, 32, 132) == 64);  // no more than 64
  CHECK(choose_slices(1, 2048, 32, 132) == 4);      // 16 tiles of k each
  CHECK(choose_slices(64, 512, 32, 132) == 1);      // too short
  CHECK(choose_slices(128, 8192, 64, 132) == 2);
  CHECK(choose_slices(133, 1 << 20, 32, 132) == 1);  // tiles enough
  CHECK(choose_slices(0, 100, 32, 132) == 1);
  for (auto& machine : testing::machines()) test::check_integers<float>(machine, 5, 6, 2100);
  sim::machine machine;
  auto a = machine.buffer<float>(8, 4096, test::integer_a), b = machine.buffer<float>(4096, 8, test::integer_b);
  auto c = machine.buffer<float>(8, 8);
  CHECK(explain_gemm(machine, a.view(), b.view(), c.view()) ==
        "gemm: 4 blocks of 128 threads, one for each tile of 16x64 (4x2 a thread), 64 steps of k at a time, 3 stages; "
        "accesses of 16 bytes, since all of a, b and the output allow them; the tile is the one that suits these "
        "sizes; 4 slices along k, since 1 tiles alone give the multiprocessors too little to do; they are added up in "
        "one "
        "order");
  CHECK(explain_gemm(machine, a.view(), a.view(), c.view()) == "gemm: a is 8x4096 but b is 8x4096: inner sizes differ");
}
