// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions of a block: one after the other, several at once, of structs, and in blocks of two and three dimensions.
#include <support/reduce.hpp>

using namespace memtile;

namespace {

enum class asks { all_threads, thread_0, in_turn };

// Round r brings r + 1 of every thread; nothing stands between two rounds.
struct eight_rounds {
  int threads;
  asks how;
  using reducer = block_reduce<int>;
  using storage = reducer::storage;
  MEMTILE_KERNEL void operator()(block b, storage& shared, matrix_view<int> out) const {
    reducer reduce{b, shared};
    for (int r = 0; r < 8; ++r) {
      const bool in_all = how == asks::all_threads || (how == asks::in_turn && r % 3 != 1);
      const int total = in_all ? reduce.all_threads(r + 1, plus{}) : reduce.thread_0(r + 1, plus{});
      if (in_all || b.rank() == 0) out.store(r, b.rank(), total);
      else out.store(r, b.rank(), -1);
    }
  }
};

// Three sums, then two maxima behind one barrier each, and a single value between them.
struct several_at_once {
  int threads;
  bool in_all;
  using reducer = block_reduce<int, 1024, 3>;
  using storage = reducer::storage;
  MEMTILE_KERNEL void operator()(block b, storage& shared, matrix_view<int> out) const {
    reducer reduce{b, shared};
    const int rank = b.rank();
    const vec<int, 3> three{{rank, 1, -2 * rank}};
    const vec<int, 2> two{{rank, -rank}};
    const vec<int, 3> sums = in_all ? reduce.all_threads(three, plus{}) : reduce.thread_0(three, plus{});
    const int one = reduce.all_threads(5, plus{});
    const vec<int, 2> maxima = in_all ? reduce.all_threads(two, maximum{}) : reduce.thread_0(two, maximum{});
    const int all[6] = {sums[0], sums[1], sums[2], one, maxima[0], maxima[1]};
    for (int i = 0; i < 6; ++i)
      if (in_all || rank == 0) out.store(i, rank, all[i]);
  }
};

struct three_words {
  int first;
  float second;
  uint32 third;
};
struct four_words {
  int64 first;
  float second;
  int third;
};
template <class Struct>
struct add_members {
  MEMTILE_FUNCTION Struct operator()(const Struct& a, const Struct& b) const {
    return {a.first + b.first, a.second + b.second, a.third + b.third};
  }
};
template <class Struct>
struct reduce_structs {
  int threads;
  using reducer = block_reduce<Struct>;
  using storage = typename reducer::storage;
  MEMTILE_KERNEL void operator()(block b, storage& shared, vector_view<Struct> out) const {
    const Struct mine{b.rank(), float(2 * b.rank()), 1};
    out.store(b.rank(), reducer{b, shared}.all_threads(mine, add_members<Struct>{}));
  }
};
template <class Struct, class Machine>
void check_structs(Machine& machine) {
  for (int n : {1, 31, 32, 33, 64, 100, 256, 1000, 1024}) {
    INFO(machine.name() << ": " << n << " threads, structs of " << sizeof(Struct) << " bytes");
    auto out = machine.template buffer<Struct>(n);
    REQUIRE(launch(machine, 1, reduce_structs<Struct>{n}, out.view()));
    const auto got = out.host();
    int different = 0;
    for (int i = 0; i < n; ++i)
      different += !(got(i).first == n * (n - 1) / 2 && got(i).second == float(n * (n - 1)) && int(got(i).third) == n);
    CHECK(different == 0);
    CHECK(out.untouched());
    unit::check_clean(machine);
  }
}

struct ranks_of_block {
  int threads;
  MEMTILE_KERNEL void operator()(block b, vector_view<int> out) const {
    out.store(b.rank(), this_block().rank() * 2048 + this_block().size());
  }
};

}  // namespace

TEST_CASE("reductions of a block may follow each other at once", "[block][RED-08]") {
  for (auto& machine : testing::machines())
    for (asks how : {asks::all_threads, asks::thread_0, asks::in_turn})
      for (int n : {1, 32, 40, 256, 300, 1024}) {
        INFO(machine.name() << ": " << n << " threads, way " << int(how));
        auto out = machine.buffer<int>(8, n);
        REQUIRE(launch(machine, 1, eight_rounds{n, how}, out.view()));
        CHECK(unit::differences(out.host(), 8, n, [&](int r, int rank) {
                const bool in_all = how == asks::all_threads || (how == asks::in_turn && r % 3 != 1);
                return in_all || rank == 0 ? n * (r + 1) : -1;
              }) == 0);
        CHECK(out.untouched());
        unit::check_clean_without_conflicts(machine);
      }
}

TEST_CASE("several values of each thread are reduced behind one barrier", "[block]") {
  for (auto& machine : testing::machines())
    for (bool in_all : {false, true})
      for (int n : {1, 20, 32, 33, 64, 100, 512, 1000}) {
        INFO(machine.name() << ": " << n << " threads, in all: " << in_all);
        auto out = machine.buffer<int>(6, n, [](int, int) { return -1; });
        REQUIRE(launch(machine, 1, several_at_once{n, in_all}, out.view()));
        const int sum = n * (n - 1) / 2, expected[6] = {sum, n, -2 * sum, 5 * n, n - 1, 0};
        CHECK(unit::differences(out.host(), 6, n,
                                [&](int i, int rank) { return in_all || rank == 0 ? expected[i] : -1; }) == 0);
        unit::check_clean(machine);
      }
}

TEST_CASE("a block reduces structs of 12 and of 16 bytes", "[block]") {
  static_assert(sizeof(three_words) == 12 && sizeof(four_words) == 16);
  for (auto& machine : testing::machines()) {
    check_structs<three_words>(machine);
    check_structs<four_words>(machine);
  }
}

TEST_CASE("this_block is the block of the launch, with ranks from 0 on", "[block][RED-06]") {
  for (auto& machine : testing::machines())
    for (int n : {1, 33, 105, 256}) {
      auto out = machine.buffer<int>(n);
      REQUIRE(launch(machine, 1, ranks_of_block{n}, out.view()));
      CHECK(unit::differences(out.host(), n, [&](int i) { return i * 2048 + n; }) == 0);
    }
}

#if MEMTILE_CUDA
namespace {

// Each thread contributes 1, and then its index with x first.
__global__ void reduce_cube(int* ones, int* sums) {
  using reducer = block_reduce<int, 256>;
  __shared__ reducer::storage storage;
  reducer reduce{this_block(), storage};
  const int linear = int(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z));
  ones[linear] = reduce.all_threads(1, plus{});
  sums[linear] = reduce.all_threads(linear, plus{});
}

}  // namespace

TEST_CASE("a block of two or three dimensions is reduced as a whole", "[block][RED-06]") {
  const dim3 shapes[3] = {dim3(16, 16), dim3(8, 8, 4), dim3(3, 5, 7)};
  const int sums_expected[3] = {32640, 32640, 5460};
  for (auto& machine : testing::machines()) {
    if (!machine.is_gpu()) continue;  // its blocks are linear: see the test above
    for (int shape = 0; shape < 3; ++shape) {
      const int n = int(shapes[shape].x * shapes[shape].y * shapes[shape].z);
      auto ones = machine.buffer<int>(n), sums = machine.buffer<int>(n);
      reduce_cube<<<1, shapes[shape], 0, machine.stream()>>>(ones.view().data, sums.view().data);
      REQUIRE(cudaGetLastError() == cudaSuccess);
      REQUIRE(machine.synchronize());
      CHECK(unit::differences(ones.host(), n, [&](int) { return n; }) == 0);
      CHECK(unit::differences(sums.host(), n, [&](int) { return sums_expected[shape]; }) == 0);
    }
  }
}
#endif

namespace {
struct too_many_threads {
  static constexpr int threads = 64;
  using storage = block_reduce<int, 32>::storage;
  MEMTILE_KERNEL void operator()(block b, storage& shared, vector_view<int> out) const {
    const int sum = block_reduce<int, 32>{b, shared}.thread_0(1, plus{});
    if (b.rank() == 0) out.store(0, sum);
  }
};
}  // namespace

TEST_CASE("a block of more threads than its reduction was made for is a fault in the simulator", "[block]") {
  sim::machine machine;
  auto out = machine.buffer<int>(1);
  const status result = launch(machine, 1, too_many_threads{}, out.view());
  CHECK(result.message().find("the threads of block_reduce[63]") != std::string::npos);
}
