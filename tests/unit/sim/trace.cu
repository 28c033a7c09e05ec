// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lanes that go different ways: which of their accesses are laid side by side.
#include "verdict.hpp"

namespace {

using memtile::block;
using memtile::grid;
using memtile::matrix_view;
using memtile::vector_view;
using memtile::sim::access_kind;
using memtile::sim::space;

// Odd lanes do more in each round; all load together again, and store once at the end.
struct more_for_odd_lanes {
  static constexpr int threads = 32;
  int rounds;
  bool meets;
  MEMTILE_KERNEL void operator()(block b, vector_view<const float> in, vector_view<const float> more,
                                 vector_view<float> out) const {
    float sum = 0;
    for (int i = 0; i < rounds; ++i) {
      if (b.rank() % 2 == 1) sum += more.load(b.rank());
      sum += in.load(b.rank());
      if (meets) b.warp().meet();
    }
    out.store(b.rank(), sum);
  }
};

// The branch calls a function that stands below.
struct calls_below {
  static constexpr int threads = 32;
  MEMTILE_KERNEL void operator()(block b, vector_view<const float> in, vector_view<float> out) const {
    float sum = 0;
    for (int i = 0; i < 10; ++i) {
      if (b.rank() < 16) sum += below(b, in);
      sum += in.load(32 + b.rank());
    }
    out.store(b.rank(), sum);
  }
  MEMTILE_FUNCTION static float below(block b, vector_view<const float> in) { return in.load(b.rank()); }
};

// Lane 0 leaves out the second column: without meet() its second row lies beside the first row of the others.
struct two_rows {
  static constexpr int threads = 32;
  bool meets;
  MEMTILE_KERNEL void operator()(block b, matrix_view<float> out) const {
    for (int r = 0; r < 2; ++r) {
      for (int c = 0; c < 2; ++c)
        if (b.rank() > 0 || c == 0) out.store(r, 2 * b.rank() + c, 1);
      if (meets) b.warp().meet();
    }
  }
};

struct loops_of_different_length {
  static constexpr int threads = 64;
  MEMTILE_KERNEL void operator()(block b, vector_view<const float> in, vector_view<float> out) const {
    float sum = 0;
    for (int i = 0; i < 100 * (b.rank() % 32 + 1); ++i) sum += in.load(b.rank() + i % 7);
    out.store(b.rank(), sum);
  }
};

}  // namespace

TEST_CASE("lanes meet again in every round, however long the loop", "[sim]") {
  memtile::sim::machine machine;
  auto in = machine.buffer<float>(32, [](int i) { return float(i); });
  auto out = machine.buffer<float>(32);
  for (int rounds : {1, 100, 255, 256, 257, 1000, 5000})
    for (bool meets : {false, true}) {
      CAPTURE(rounds, meets);
      REQUIRE(memtile::launch(machine, grid{1}, more_for_odd_lanes{rounds, meets}, in.view(), in.view(), out.view()));
      const auto& rows = machine.last_report()->rows();
      REQUIRE(rows.size() == 3);
      int together = 0;
      for (const auto& row : rows) {
        const bool store = row.kind == access_kind::store, all = row.lanes == 32 * (store ? 1 : rounds);
        CHECK(row.requests == (store ? 1 : rounds));
        CHECK((all || row.lanes == 16 * rounds));
        together += all;
      }
      CHECK(together == 2);
    }
}

TEST_CASE("a function that stands below is not later", "[sim]") {
  memtile::sim::machine machine;
  auto in = machine.buffer<float>(64, [](int i) { return float(i); });
  auto out = machine.buffer<float>(32);
  REQUIRE(memtile::launch(machine, grid{1}, calls_below{}, in.view(), out.view()));
  CHECK(machine.last_report()->total(space::global, access_kind::load).requests == 20);
  CHECK(machine.last_report()->total(space::global, access_kind::store).requests == 1);
}

TEST_CASE("meet() keeps the rounds of an outer loop apart", "[sim]") {
  memtile::sim::machine machine;
  auto out = machine.buffer<float>(2, 64);
  REQUIRE(memtile::launch(machine, grid{1}, two_rows{true}, out.view()));
  CHECK(machine.last_report()->total(space::global).requests == 4);
  CHECK(machine.last_report()->total(space::global).sectors == 32);
}

TEST_CASE("a loop has as many accesses as its longest lane has rounds", "[sim]") {
  memtile::sim::machine machine;
  auto in = machine.buffer<float>(80, [](int i) { return float(i); });
  auto out = machine.buffer<float>(64);
  REQUIRE(memtile::launch(machine, grid{1}, loops_of_different_length{}, in.view(), out.view()));
  CHECK(machine.last_report()->total(space::global, access_kind::load).requests == 2 * 3200);
  CHECK(machine.last_report()->total(space::global, access_kind::load).lanes == 2 * 100 * 32 * 33 / 2);
  CHECK(machine.last_report()->total(space::global, access_kind::store).requests == 2);
}
