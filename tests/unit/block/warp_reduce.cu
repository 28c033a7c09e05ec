// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions within a warp: groups of every size, warps that are not complete, operators of which the order counts.
#include <support/reduce.hpp>

using namespace memtile;

namespace {

struct rank_of_lane {
  MEMTILE_FUNCTION int operator()(int rank) const { return rank * rank - 40; }
};
struct function_of_lane {
  MEMTILE_FUNCTION test::affine operator()(int rank) const { return test::affine_of(rank); }
};
template <int Value>
struct always {
  MEMTILE_FUNCTION int operator()(int) const { return Value; }
};

template <class T, class Operator, class Value>
struct reduce_lanes {
  int threads, group;
  bool to_first;
  MEMTILE_KERNEL void operator()(block b, vector_view<T> out) const {
    const T mine = Value{}(b.rank());
    out.store(b.rank(), to_first ? warp_reduce_to_first(b.warp(), mine, Operator{}, group)
                                 : warp_reduce(b.warp(), mine, Operator{}, group));
  }
};

// Each group has what a loop over its lanes has, in their order.
template <class T, class Operator, class Value, class Machine>
void check_lanes(Machine& machine, int threads, int group, bool to_first) {
  auto out = machine.template buffer<T>(threads);
  REQUIRE(launch(machine, 1, reduce_lanes<T, Operator, Value>{threads, group, to_first}, out.view()));
  const auto got = out.host();
  INFO(machine.name() << ": " << threads << " threads in groups of " << group << (to_first ? ", to the first" : ""));
  int different = 0;
  for (int first = 0; first < threads; first += group) {
    const int end = std::min(first + group, threads);
    T expected = Value{}(first);
    for (int i = first + 1; i < end; ++i) expected = Operator{}(expected, Value{}(i));
    for (int i = first; i < (to_first ? first + 1 : end); ++i) different += !(got(i) == expected);
  }
  CHECK(different == 0);
  CHECK(out.untouched());
  unit::check_clean(machine);
}

template <class Operator, class Value, class Machine>
int of_20_lanes(Machine& machine) {
  auto out = machine.template buffer<int>(20);
  REQUIRE(launch(machine, 1, reduce_lanes<int, Operator, Value>{20, 32, false}, out.view()));
  unit::check_clean(machine);
  const auto got = out.host();
  CHECK(unit::differences(got, 20, [&](int) { return got(0); }) == 0);
  return got(0);
}

}  // namespace

TEST_CASE("a warp of any size adds up its lanes, in groups of any size", "[block][RED-02][RED-03]") {
  for (auto& machine : testing::machines())
    for (int threads : {1, 2, 7, 16, 20, 31, 32, 33, 47, 63, 64, 65, 100})
      for (int group = 1; group <= 32; group *= 2)
        for (bool to_first : {false, true}) check_lanes<int, plus, rank_of_lane>(machine, threads, group, to_first);
}

TEST_CASE("a warp combines its lanes in their order", "[block]") {
  for (auto& machine : testing::machines())
    for (int threads = 1; threads <= 64; threads += threads < 34 ? 1 : 10)
      for (int group = 1; group <= 32; group *= 2)
        for (bool to_first : {false, true})
          check_lanes<test::affine, test::compose, function_of_lane>(machine, threads, group, to_first);
}

TEST_CASE("warps of fewer than 32 lanes count each lane once", "[block][RED-02]") {
  for (auto& machine : testing::machines())
    for (int threads : {1, 2, 7, 16, 31}) {
      auto out = machine.buffer<int>(threads);
      REQUIRE(launch(machine, 1, reduce_lanes<int, plus, always<1>>{threads, 32, false}, out.view()));
      CHECK(unit::differences(out.host(), threads, [&](int) { return threads; }) == 0);
      unit::check_clean(machine);
    }
}

TEST_CASE("a lane that does not exist has no say, whatever the operator", "[block][RED-04]") {
  for (auto& machine : testing::machines()) {
    CHECK(of_20_lanes<multiplies, always<2>>(machine) == 1048576);
    CHECK(of_20_lanes<minimum, always<5>>(machine) == 5);
    CHECK(of_20_lanes<maximum, always<-5>>(machine) == -5);
    CHECK(of_20_lanes<logical_and, always<1>>(machine) == 1);
    CHECK(of_20_lanes<bit_and, always<6>>(machine) == 6);
  }
}
