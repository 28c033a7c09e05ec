// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Segments of any length: none, empty, tiny, as long as many tiles, and all of them mixed.
#include <support/reduce_lines.hpp>

#include <vector>

using namespace memtile;

namespace {

// Lengths in a fixed disorder: mostly short ones, some empty, a few long.
std::vector<int> mixed_lengths(int count, int longest) {
  std::vector<int> lengths;
  unsigned state = 12345;
  for (int i = 0; i < count; ++i) {
    state = state * 1664525u + 1013904223u;
    const int kind = int(state >> 24) % 16;
    lengths.push_back(kind == 0 ? int(state >> 8) % longest : kind < 5 ? 0 : int(state >> 8) % 7);
  }
  return lengths;
}

template <class Index, class Machine>
void check_segments(Machine& machine, const std::vector<int>& lengths, int before, int shift) {
  std::vector<int> begins{before};  // segments need not begin with the first element
  for (int length : lengths) begins.push_back(begins.back() + length);
  const int count = int(lengths.size()), size = begins.back() + 5;
  const auto at = [](int i) { return float((i * 7 + i / 11) % 13 - 4); };
  auto in = machine.template buffer<float>(size, at, sim::placement{0, shift});
  auto offsets = machine.template buffer<Index>(count + 1, [&](int i) { return begins[size_t(i)]; });
  auto sums = machine.template buffer<float>(count);
  auto places = machine.template buffer<int>(count);
  auto chains = machine.template buffer<test::affine>(count);
  INFO(machine.name() << ": " << count << " segments, " << size << " elements, shifted by " << shift);
  REQUIRE(reduce_segments(machine, in.view(), offsets.view(), sums.view(), plus{}, 0.5f));
  unit::check_clean_without_conflicts(machine);
  REQUIRE(reduce_segments(machine, in.view(), offsets.view(), places.view(), arg_maximum{}));
  REQUIRE(reduce_segments(machine, in.view(), offsets.view(), chains.view(), test::then{}, test::affine{1, 0},
                          test::as_affine{}));
  unit::check_clean(machine);
  CHECK(unit::differences(sums.host(), count, [&](int s) {
          float sum = 0.5f;
          for (int i = begins[size_t(s)]; i < begins[size_t(s) + 1]; ++i) sum += at(i);
          return sum;
        }) == 0);
  CHECK(unit::differences(places.host(), count, [&](int s) {
          int first = -1;
          for (int i = 0; i < lengths[size_t(s)]; ++i)
            if (first < 0 || at(begins[size_t(s)] + i) > at(begins[size_t(s)] + first)) first = i;
          return first;
        }) == 0);
  int wrong = 0;
  const auto got = chains.host();
  for (int s = 0; s < count; ++s) {
    test::affine all{1, 0};
    for (int i = begins[size_t(s)]; i < begins[size_t(s) + 1]; ++i) all = test::then{}(all, test::as_affine{}(at(i)));
    wrong += got(s).a != all.a || got(s).b != all.b;
  }
  CHECK(wrong == 0);
  CHECK((in.untouched() && sums.untouched() && places.untouched() && chains.untouched()));
}

}  // namespace

TEST_CASE("segments of every length are reduced in order, empty ones to the initial value", "[algorithm]") {
  const std::vector<std::vector<int>> shapes = {{0},
                                                {1},
                                                {5},
                                                {0, 0, 0},
                                                {0, 0, 3, 0, 0},
                                                {1, 1, 1, 1},
                                                {4096},
                                                {4095, 1},
                                                {4097, 4095},
                                                {10000},
                                                {3, 9000, 0, 2, 5000, 0, 0, 1},
                                                {13000, 0, 0, 1, 13000},
                                                {16, 16, 16},
                                                mixed_lengths(600, 3000)};
  for (auto& machine : testing::machines())
    for (const std::vector<int>& lengths : shapes)
      for (int shift : {0, 1}) check_segments<int>(machine, lengths, 0, shift);
}

TEST_CASE("segments may begin anywhere, and have offsets of 64 bits", "[algorithm]") {
  for (auto& machine : testing::machines())
    for (int before : {1, 7, 5000}) check_segments<int64>(machine, mixed_lengths(100, 6000), before, 0);
}

TEST_CASE("millions of segments are reduced", "[algorithm][large]") {
  for (auto& machine : testing::machines())
    if (machine.name() != "simulator") check_segments<int>(machine, mixed_lengths(2000000, 20000), 0, 1);
}

TEST_CASE("offsets that do not fit the output are refused in words", "[algorithm]") {
  for (auto& machine : testing::machines()) {
    auto in = machine.template buffer<float>(10, [](int) { return 1.f; });
    auto offsets = machine.template buffer<int>(3, [](int i) { return 5 * i; });
    auto out = machine.template buffer<float>(3);
    CHECK(reduce_segments(machine, in.view(), offsets.view(), out.view(), plus{}, 0.f).message() ==
          "reduce_segments: 3 offsets are the ends of 2 segments, but the output has 3 elements");
    CHECK(unit::differences(out.host(), 3, [](int) { return 0; }) == 3);
  }
}
