// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of floats have the same bits at every alignment, in every shape of view and in every order of the blocks.
#include <support/reduce.hpp>

using namespace memtile;

namespace {

// The sums of n random values at all alignments are one number.
template <class T, class Machine>
void check_same_bits(Machine& machine, int64 n) {
  using R = decltype(T() + T());
  const auto sum_at = [&](int64 offset) {
    auto in = machine.template buffer<T>(n, [](int i) { return T(test::random_value(i)); }, {0, offset});
    return test::bits(test::sum_of<R>(machine, in.view()));
  };
  const auto aligned = sum_at(0);
  for (int offset = 1; offset < 16 / int(sizeof(T)); ++offset) {
    INFO(machine.name() << ": " << n << " elements of " << sizeof(T) << " bytes, offset " << offset);
    CHECK(sum_at(offset) == aligned);
  }
}

// A block's share of a long array, as wide as one block of the library never takes it.
template <bool Aligned>
struct long_share {
  static constexpr int threads = 32;
  MEMTILE_KERNEL void operator()(block b, vector_view<const float> in, vector_view<float> out) const {
    const fold<plus, float> way{plus{}, 0.f, identity{}, detail::every_element{}, identity{}};
    const array_source<float, Aligned> source{in.data, in.size};
    const float share = share_of<4>(source, 0, int(in.size), team{b.warp(), b.rank(), b.size()}, way);
    out.store(b.rank(), share);
  }
};
template <bool Aligned, class Machine>
auto shares(Machine& machine, int64 n, int64 offset) {
  auto in = machine.template buffer<float>(n, test::random_value, {0, offset});
  auto out = machine.template buffer<float>(32);
  REQUIRE(launch(machine, 1, long_share<Aligned>{}, in.view(), out.view()));
  unit::check_clean(machine);
  return out.host();
}

}  // namespace

TEST_CASE("a sum of floats has the same bits at every alignment", "[reduce]") {
  for (auto& machine : testing::machines()) {
    for (int64 n : {1, 5, 33, 100, 1023, 4096, 4099, 5000, 16384, 20000, 70001}) check_same_bits<float>(machine, n);
    for (int64 n : {3, 1030, 9001}) check_same_bits<double>(machine, n);
    for (int64 n : {7, 2049, 70001}) check_same_bits<float16>(machine, n);
  }
}

TEST_CASE("a sum over large tiles has the same bits at every alignment", "[reduce]") {
  for (auto& machine : testing::machines()) check_same_bits<float>(machine, 64 * 65536 + 4099);
}

TEST_CASE("a share of many tiles has the same bits at every alignment", "[reduce]") {
  for (auto& machine : testing::machines())
    for (int64 n : {8 * 512, 15 * 512 + 7, 17 * 512, 40 * 512 + 100}) {
      const auto aligned = shares<true>(machine, n, 0);
      for (int offset = 1; offset < 4; ++offset) {
        INFO(machine.name() << ": " << n << " elements, offset " << offset);
        CHECK(unit::differences(shares<false>(machine, n, offset), 32, [&](int i) { return aligned(i); }) == 0);
      }
    }
}

TEST_CASE("a sum has the same bits whether its input is a vector, a matrix or has gaps between its rows", "[reduce]") {
  for (auto& machine : testing::machines()) {
    const int rows = 151, cols = 133;
    const auto value = [&](int r, int c) { return test::random_value(r * cols + c); };
    auto vector = machine.buffer<float>(rows * cols, test::random_value);
    auto matrix = machine.buffer<float>(rows, cols, value);
    auto gaps = machine.buffer<float>(rows, cols, value, {cols + 3, 1});
    const uint32 expected = test::bits(test::sum_of<float>(machine, vector.view()));
    CHECK(test::bits(test::sum_of<float>(machine, matrix.view())) == expected);
    CHECK(test::bits(test::sum_of<float>(machine, gaps.view())) == expected);
    const auto column_major = transposed(gaps.view());  // in the order in which it lies in memory
    CHECK(test::bits(test::sum_of<float>(machine, column_major)) == expected);
    const volume_view<float> slices(gaps.view().data, 1, rows, cols, gaps.view().pitch, rows * gaps.view().pitch);
    CHECK(test::bits(test::sum_of<float>(machine, slices)) == expected);
    CHECK(gaps.untouched());
  }
}

TEST_CASE("a sum has the same bits in whatever order the simulator runs the blocks", "[reduce]") {
  for (auto& machine : testing::machines()) {
    if (machine.is_gpu()) continue;
    auto in = machine.buffer<float>(100003, test::random_value);
    const uint32 forward = test::bits(test::sum_of<float>(machine, in.view()));
    sim::machine& simulator = machine.simulator();
    for (sim::order order : {sim::order::reverse, sim::order::random})
      for (uint32 seed : {1u, 2u, 3u}) {
        simulator.order = order;
        simulator.seed = seed;
        CHECK(test::bits(test::sum_of<float>(machine, in.view())) == forward);
      }
    simulator.order = sim::order::forward;
  }
}
