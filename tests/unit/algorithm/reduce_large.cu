// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// More elements than 32 bits count. The real sizes run on a GPU; each has a small twin.
#include <support/reduce.hpp>

using namespace memtile;

namespace {

constexpr int64 two_to_31 = int64(1) << 31, two_to_32 = int64(1) << 32, ten_billion = 10000000000;

// Of consecutive chunks, all full but the last one, each of which one block can count, and no more than one can join.
constexpr bool covers(int64 size, int64 rows, int width) {
  const reduce_plan plan = plan_reduce(size, rows, width);
  const int64 before_last = (int64(plan.chunks) - 1) * plan.chunk;
  return plan.size == size && plan.chunks >= 1 && before_last < max_of(size, int64(1)) &&
         before_last + plan.chunk >= size && plan.chunk < two_to_31 && int64(plan.chunks) * rows <= 16384 &&
         (plan.chunks == 1 ||
          (plan.chunk % (256 * width) == 0 && plan.parts_a_row >= plan.chunks && plan.parts_a_row % 16 == 0));
}

// The size of an element's index, told apart from its lower 32 bits.
struct how_far_behind {
  int64 begin;
  MEMTILE_FUNCTION int operator()(int64 i) const { return int(i - begin); }
};
struct share_far_behind {
  static constexpr int threads = 64;
  MEMTILE_KERNEL void operator()(block b, int64 begin, int count, vector_view<int64> out) const {
    const fold<plus, int64> way{plus{}, 0, identity{}, detail::every_element{}, identity{}};
    const generated_source<how_far_behind> source{begin + count, {begin}};
    out.store(b.rank(), share_of<4>(source, begin, count, team{b.warp(), b.rank(), b.size()}, way));
  }
};
struct place_far_behind {
  static constexpr int threads = 64;
  MEMTILE_KERNEL void operator()(block b, int64 begin, int count, vector_view<int64> out) const {
    const arg_fold<int, maximum> way{};
    const generated_source<how_far_behind> source{begin + count, {begin}};
    out.store(b.rank(), share_of<4>(source, begin, count, team{b.warp(), b.rank(), b.size()}, way).index);
  }
};

}  // namespace

TEST_CASE("the plan of a reduction covers every element once, whatever their number", "[reduce][RED-18]") {
  static_assert(covers(ten_billion, 1, 4) && covers(two_to_31, 1, 4) && covers(two_to_32 + 1, 1, 4));
  static_assert(covers(two_to_31, 1, 16) && covers(two_to_31 - 1, 1, 16) && covers(int64(1) << 43, 1, 1));
  static_assert(plan_reduce(16384, 1, 4).chunks == 1 && plan_reduce(16385, 1, 4).chunks == 5);
  static_assert(!plan_reduce(64 * 65536 - 1, 1, 4).large && plan_reduce(64 * 65536, 1, 4).large);
  for (int width : {1, 2, 4, 8, 16}) {
    for (int64 size = 0; size <= 200000; size += 997) CHECK(covers(size, 1, width));
    for (int64 size = 1; size < int64(1) << 44; size *= 2)
      for (int64 n : {size - 1, size, size + 1}) CHECK(covers(n, 1, width));
  }
}

TEST_CASE("elements behind the 2^32nd are told apart by their index", "[reduce][RED-18]") {
  for (auto& machine : testing::machines())
    for (int64 begin : {two_to_31 - 100, two_to_31, two_to_32 - 3, two_to_32 + 5, ten_billion})
      for (int count : {1, 100, 1024, 5001}) {
        INFO(machine.name() << ": " << count << " elements from " << begin << " on");
        auto out = machine.buffer<int64>(64);
        REQUIRE(launch(machine, 1, share_far_behind{}, begin, count, out.view()));
        int64 sum = 0;
        const auto shares = out.host();
        for (int i = 0; i < 64; ++i) sum += shares(i);
        CHECK(sum == int64(count) * (count - 1) / 2);
        REQUIRE(launch(machine, 1, place_far_behind{}, begin, count, out.view()));
        int64 last = -1;
        const auto places = out.host();
        for (int i = 0; i < 64; ++i) last = std::max(last, places(i));
        CHECK(last == begin + count - 1);
      }
}

#if MEMTILE_CUDA
namespace {

struct always_one {
  MEMTILE_FUNCTION int operator()(int64) const { return 1; }
};
struct one_at {
  int64 first, second;
  MEMTILE_FUNCTION float operator()(int64 i) const { return i == first || i == second ? 1.f : 0.f; }
};

struct fill_bytes {
  static constexpr int threads = 256;
  MEMTILE_KERNEL void operator()(block b, vector_view<int8> v) const {
    for (int64 i = int64(b.grid_column()) * threads + b.rank(); i < v.size; i += int64(b.grid_columns()) * threads)
      v.store(i, i % 3 == 0 ? int8(-1) : int8(1));
  }
};

}  // namespace

TEST_CASE("more elements than 32 bits count are counted", "[reduce][large][RED-18]") {
  for (auto& machine : testing::machines()) {
    if (!machine.is_gpu()) continue;
    for (int64 n : {two_to_31, two_to_32 + 1, ten_billion})
      CHECK(test::sum_of<int64>(machine, generated(n, always_one{})) == n);
    const one_at far{two_to_32 + 7, two_to_32 + 9};
    CHECK(test::reduced_to<int64, arg_maximum>(machine, generated(two_to_32 + 10, far)) == two_to_32 + 7);
  }
}

TEST_CASE("an array of more than 2^32 bytes is read to its end", "[reduce][large][RED-18]") {
  for (auto& machine : testing::machines()) {
    if (!machine.is_gpu()) continue;
    const int64 n = two_to_32 + 1000;
    int8* memory = nullptr;
    REQUIRE(cudaMalloc(&memory, size_t(n)) == cudaSuccess);
    REQUIRE(launch(machine, 4096, fill_bytes{}, vector_view<int8>(memory, n)));
    for (int offset : {0, 5}) {
      const int64 size = n - offset, whole = size / 3 * 3;  // of three neighbours, one is -1
      int64 expected = whole / 3;
      for (int64 i = whole; i < size; ++i) expected += (i + offset) % 3 == 0 ? -1 : 1;
      CHECK(test::sum_of<int64>(machine, vector_view<const int8>(memory + offset, size)) == expected);
    }
    REQUIRE(cudaFree(memory) == cudaSuccess);
  }
}
#endif
