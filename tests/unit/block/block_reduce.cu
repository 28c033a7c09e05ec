// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions of a block: every number of threads, every operator, in order, with the result where it is promised.
#include <support/reduce.hpp>

using namespace memtile;

namespace {

struct rank_itself {
  MEMTILE_FUNCTION int operator()(int rank) const { return rank; }
};
struct minus_rank_and_one {
  MEMTILE_FUNCTION int operator()(int rank) const { return -(rank + 1); }
};
template <int Value>
struct always {
  MEMTILE_FUNCTION int operator()(int) const { return Value; }
};
struct function_of_rank {
  MEMTILE_FUNCTION test::affine operator()(int rank) const { return test::affine_of(rank); }
};

template <class T, class Operator, class Value, int Threads = 1024>
struct reduce_block {
  int threads;
  bool in_all;
  using reducer = block_reduce<T, Threads>;
  using storage = typename reducer::storage;
  MEMTILE_KERNEL void operator()(block b, storage& shared, vector_view<T> out) const {
    reducer reduce{b, shared};
    const T mine = Value{}(b.rank());
    const T total = in_all ? reduce.all_threads(mine, Operator{}) : reduce.thread_0(mine, Operator{});
    if (in_all || b.rank() == 0) out.store(b.rank(), total);
  }
};

// The result in thread 0, and then in every thread.
template <class Operator, class Value, int Threads = 1024, class T, class Machine>
void check_block(Machine& machine, int threads, T expected) {
  INFO(machine.name() << ": " << threads << " threads");
  for (bool in_all : {false, true}) {
    const int results = in_all ? threads : 1;
    auto out = machine.template buffer<T>(results);
    REQUIRE(launch(machine, 1, reduce_block<T, Operator, Value, Threads>{threads, in_all}, out.view()));
    CHECK(unit::differences(out.host(), results, [&](int) { return expected; }) == 0);
    CHECK(out.untouched());
    unit::check_clean(machine);
  }
}

// All of them on a GPU; in the simulator those up to 130, and above it primes and edges of warps.
template <class Machine>
std::vector<int> block_sizes(const Machine& machine) {
  std::vector<int> sizes;
  for (int n = 1; n <= 1024; ++n) {
    const bool at_edge = n % 32 <= 1 || n % 32 == 31;
    if (machine.is_gpu() || n <= 130 || at_edge || n == 523 || n == 751 || n == 1009) sizes.push_back(n);
  }
  return sizes;
}

struct sum_of_blocks {
  static constexpr int threads = 256;
  using reducer = block_reduce<int, threads>;
  using storage = reducer::storage;
  MEMTILE_KERNEL void operator()(block b, storage& shared, int n, vector_view<int> sum) const {
    const int i = b.grid_column() * threads + b.rank();
    const int total = reducer{b, shared}.thread_0(i < n ? i : plus::identity<int>(), plus{});
    if (b.rank() == 0) sum.atomic_add(0, total);
  }
};

template <int Threads>
constexpr int totals = int(sizeof(typename block_reduce<float, Threads>::storage) / sizeof(float));

}  // namespace

TEST_CASE("a block of any size adds up all its threads", "[block][RED-01][RED-02]") {
  for (auto& machine : testing::machines())
    for (int n : block_sizes(machine)) check_block<plus, rank_itself>(machine, n, n * (n - 1) / 2);
}

TEST_CASE("a block that is no power of two loses no thread", "[block][RED-01]") {
  for (auto& machine : testing::machines()) {
    check_block<plus, rank_itself>(machine, 768, 294528);
    check_block<plus, rank_itself, 768>(machine, 768, 294528);
  }
}

TEST_CASE("a block smaller than a warp adds up its threads", "[block][RED-02]") {
  for (auto& machine : testing::machines()) {
    for (int n : {1, 2, 7, 16, 31}) check_block<plus, always<1>>(machine, n, n);
    for (int n : {1, 2, 7, 16, 31}) check_block<plus, always<1>, 31>(machine, n, n);
  }
}

TEST_CASE("an incomplete last warp counts its threads and no others", "[block][RED-03]") {
  for (auto& machine : testing::machines())
    for (int n : {33, 48, 63, 65, 1000}) {
      check_block<plus, always<1>>(machine, n, n);
      check_block<maximum, minus_rank_and_one>(machine, n, -1);
    }
  for (auto& machine : testing::machines()) {
    check_block<maximum, minus_rank_and_one, 33>(machine, 33, -1);
    check_block<maximum, minus_rank_and_one, 65>(machine, 65, -1);
  }
}

TEST_CASE("a block keeps two words for each of its warps", "[block][RED-03]") {
  static_assert(totals<33> == 2 * 2 && totals<48> == 2 * 2 && totals<63> == 2 * 2 && totals<65> == 2 * 3);
  static_assert(totals<1000> == 2 * 32 && totals<1024> == 2 * 32 && totals<32> == 2 && totals<1> == 2);
  CHECK(block_reduce<float, 65>::shared_bytes == 24);
}

TEST_CASE("a thread that does not exist has no say, whatever the operator", "[block][RED-04]") {
  for (auto& machine : testing::machines()) {
    check_block<multiplies, always<2>>(machine, 20, 1048576);
    for (int n : {20, 45, 333}) {
      check_block<minimum, always<5>>(machine, n, 5);
      check_block<maximum, always<-5>>(machine, n, -5);
      check_block<logical_and, always<1>>(machine, n, 1);
    }
  }
}

TEST_CASE("threads past the end take part with the identity", "[block][RED-05]") {
  for (auto& machine : testing::machines()) {
    auto sum = machine.buffer<int>(1, [](int) { return 0; });
    REQUIRE(launch(machine, ceil_div(1000, 256), sum_of_blocks{}, 1000, sum.view()));
    CHECK(sum.host()(0) == 499500);
    unit::check_clean(machine);
  }
}

TEST_CASE("all_threads has the result in every thread", "[block][RED-07]") {
  for (auto& machine : testing::machines()) check_block<plus, rank_itself, 192>(machine, 192, 18336);
}

TEST_CASE("a block combines its threads in their order", "[block]") {
  for (auto& machine : testing::machines()) {
    const std::vector<int> sizes = block_sizes(machine);
    test::affine expected{1, 0};
    size_t next = 0;
    for (int n = 1; n <= 1024; ++n) {
      expected = test::compose{}(expected, test::affine_of(n - 1));
      if (sizes[next] != n) continue;
      check_block<test::compose, function_of_rank>(machine, n, expected);
      ++next;
    }
    CHECK(next == sizes.size());
  }
}
