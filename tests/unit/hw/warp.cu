// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shuffles and votes, in whole and in partial warps. What a lane that does not exist would bring is not asked for.
#include <support/unit.hpp>

using namespace memtile;

namespace {

using hw::shuffle_kind;

struct shuffle_once {
  int threads;
  shuffle_kind what;
  int argument, group;
  MEMTILE_KERNEL void operator()(block b, vector_view<int> out) const {
    const warp w = b.warp();
    const int64 i = int64(b.grid_column()) * b.size() + b.rank();
    const int mine = int(i) + 1000;
    int got;
    switch (what) {
    case shuffle_kind::down: got = w.shuffle_down(mine, argument, group); break;
    case shuffle_kind::up: got = w.shuffle_up(mine, argument, group); break;
    case shuffle_kind::exclusive_or: got = w.shuffle_xor(mine, argument, group); break;
    default: got = w.shuffle(mine, argument, group); break;
    }
    out.store(i, got);
  }
};

// Which lane the CUDA manual says that a lane reads.
int source(shuffle_kind what, int lane, int argument, int group) {
  const int first = lane / group * group;
  switch (what) {
  case shuffle_kind::down: return lane + argument < first + group ? lane + argument : lane;
  case shuffle_kind::up: return lane - argument >= first ? lane - argument : lane;
  case shuffle_kind::exclusive_or:
    return (lane ^ argument) < first + group ? lane ^ argument : lane;  // earlier groups may be read, later ones not
  default: return first + argument % group;
  }
}

template <class Machine>
void check_shuffle(Machine& machine, int threads, shuffle_kind what, int argument, int group) {
  auto out = machine.template buffer<int>(2 * threads);
  REQUIRE(launch(machine, 2, shuffle_once{threads, what, argument, group}, out.view()));
  const auto got = out.host();
  int wrong = 0, asked = 0;
  for (int i = 0; i < 2 * threads; ++i) {
    const int rank = i % threads, from = rank / 32 * 32 + source(what, rank % 32, argument, group);
    if (from >= threads) continue;
    ++asked;
    wrong += got(i) != i - rank + from + 1000;
  }
  INFO(machine.name() << ": " << threads << " threads, kind " << int(what) << ", argument " << argument
                      << ", groups of " << group);
  CHECK(asked >= 2);
  CHECK(wrong == 0);
  CHECK(out.untouched());
  unit::check_clean(machine);
}

struct three_words {
  int first;
  float second;
  unsigned char third;
};
struct shuffle_types {
  static constexpr int threads = 32;
  MEMTILE_KERNEL void operator()(block b, vector_view<double> doubles, vector_view<three_words> structs,
                                 vector_view<uint8> bytes, vector_view<float16> halves) const {
    const warp w = b.warp();
    const int lane = w.lane();
    doubles.store(lane, w.shuffle(lane + 1 / 3., 31 - lane));
    structs.store(lane, w.shuffle_xor(three_words{lane, lane * 0.5f, static_cast<unsigned char>(200 + lane)}, 5));
    bytes.store(lane, w.shuffle_down(uint8(100 + lane), 1));
    halves.store(lane, w.shuffle_up(float16(float(lane)), 1));
  }
};

struct vote {
  int threads;
  MEMTILE_KERNEL void operator()(block b, matrix_view<uint32> out) const {
    const warp w = b.warp();
    const int t = b.rank();
    out.store(t, 0, w.ballot(t % 3 == 0));
    out.store(t, 1,
              uint32(w.any(t == 40)) | uint32(w.any(t < 0)) << 1 | uint32(w.all(t >= 0)) << 2 |
                  uint32(w.all(t != 40)) << 3);
  }
};

struct broadcast {
  static constexpr int threads = 32;
  MEMTILE_KERNEL void operator()(block b, vector_view<int> out) const {
    int value = -1;
    if (b.rank() == 0) value = 1234;
    out.store(b.rank(), b.warp().shuffle(value, 0));
  }
};

}  // namespace

TEST_CASE("a shuffle whose source is past the group keeps the lane's own value", "[hw][SIM-06]") {
  for (auto& machine : testing::machines())
    for (int group : {8, 32}) {
      check_shuffle(machine, 256, shuffle_kind::down, 16, group);
      check_shuffle(machine, 256, shuffle_kind::up, 1, group);
      check_shuffle(machine, 256, shuffle_kind::exclusive_or, 1, group);
    }
}

TEST_CASE("shuffles reach the lane that the manual names, for every distance and group", "[hw][SIM-06]") {
  for (auto& machine : testing::machines())
    for (shuffle_kind what : {shuffle_kind::down, shuffle_kind::up, shuffle_kind::exclusive_or, shuffle_kind::index})
      for (int group : {1, 2, 8, 16, 32})
        for (int argument : {0, 1, 3, 7, 8, 16, 31}) check_shuffle(machine, 64, what, argument, group);
}

TEST_CASE("the lanes that a partial last warp has shuffle as in a whole one", "[hw]") {
  for (auto& machine : testing::machines())
    for (int threads : {16, 33, 48, 63})
      for (shuffle_kind what : {shuffle_kind::down, shuffle_kind::up, shuffle_kind::exclusive_or, shuffle_kind::index})
        for (int group : {8, 32}) check_shuffle(machine, threads, what, what == shuffle_kind::index ? 0 : 4, group);
}

TEST_CASE("values of any size are shuffled whole", "[hw]") {
  for (auto& machine : testing::machines()) {
    auto doubles = machine.buffer<double>(32);
    auto structs = machine.buffer<three_words>(32);
    auto bytes = machine.buffer<uint8>(32);
    auto halves = machine.buffer<float16>(32);
    REQUIRE(launch(machine, 1, shuffle_types{}, doubles.view(), structs.view(), bytes.view(), halves.view()));
    CHECK(unit::differences(doubles.host(), 32, [](int i) { return 31 - i + 1 / 3.; }) == 0);
    CHECK(unit::differences(bytes.host(), 32, [](int i) { return uint8(i == 31 ? 131 : 101 + i); }) == 0);
    CHECK(unit::differences(halves.host(), 32, [](int i) { return float(i == 0 ? 0 : i - 1); }) == 0);
    const auto got = structs.host();
    for (int i = 0; i < 32; ++i)
      CHECK((got(i).first == (i ^ 5) && got(i).second == (i ^ 5) * 0.5f && got(i).third == 200 + (i ^ 5)));
    unit::check_clean(machine);
  }
}

TEST_CASE("a vote has one bit for each lane that exists", "[hw]") {
  for (auto& machine : testing::machines())
    for (int threads : {1, 32, 33, 48, 63, 64}) {
      auto out = machine.buffer<uint32>(threads, 2);
      REQUIRE(launch(machine, 1, vote{threads}, out.view()));
      const auto got = out.host();
      INFO(machine.name() << ", " << threads << " threads");
      for (int t = 0; t < threads; ++t) {
        uint32 expected = 0;
        const int first = t / 32 * 32;
        for (int other = first; other < std::min(first + 32, threads); ++other)
          expected |= uint32(other % 3 == 0) << (other - first);
        const bool has_forty = first == 32 && threads > 40;
        CHECK(got(t, 0) == expected);
        CHECK(got(t, 1) == (uint32(has_forty) | 4u | uint32(!has_forty) << 3));
      }
      unit::check_clean(machine);
    }
}

TEST_CASE("a value set in one lane alone reaches all of them", "[hw][SIM-07]") {
  for (auto& machine : testing::machines()) {
    auto out = machine.buffer<int>(32);
    REQUIRE(launch(machine, 1, broadcast{}, out.view()));
    CHECK(unit::differences(out.host(), 32, [](int) { return 1234; }) == 0);
    unit::check_clean(machine);
  }
}
