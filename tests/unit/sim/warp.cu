// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What lanes of a warp exchange, as the simulator plays it.
#include "verdict.hpp"

namespace {

namespace hw = memtile::hw;
using memtile::block;
using memtile::matrix_view;
using memtile::site;
using memtile::vector_view;

constexpr memtile::uint32 full = 0xffffffffu;

struct shuffles {
  static constexpr int threads = 64;
  int group;
  MEMTILE_KERNEL void operator()(block b, matrix_view<int> out) const {
    const int v = b.grid_column() * threads + b.rank();
    out.store(0, v, hw::shuffle(hw::shuffle_kind::down, full, v, 16, group, site::here()));
    out.store(1, v, hw::shuffle(hw::shuffle_kind::up, full, v, 1, group, site::here()));
    out.store(2, v, hw::shuffle(hw::shuffle_kind::exclusive_or, full, v, 1, group, site::here()));
    out.store(3, v, hw::shuffle(hw::shuffle_kind::index, full, v, 5, group, site::here()));
  }
};

// Arguments that no shuffle should have.
struct odd_shuffles {
  static constexpr int threads = 32;
  hw::shuffle_kind kind;
  int argument, group;
  MEMTILE_KERNEL void operator()(block b, vector_view<int> out) const {
    out.store(b.rank(), hw::shuffle(kind, full, b.rank(), argument, group, site::here()));
  }
};

// The mask names lanes that the block does not have.
struct votes_of_all {
  static constexpr int threads = 48;
  MEMTILE_KERNEL void operator()(block b, vector_view<memtile::uint32> out) const {
    out.store(b.rank(), hw::ballot(full, b.rank() % 3 == 0, site::here()));
  }
};

struct broadcast_after_branch {
  static constexpr int threads = 32;
  MEMTILE_KERNEL void operator()(block b, vector_view<int> out) const {
    int value = -1;
    if (b.rank() == 0) value = 1234;
    out.store(b.rank(), b.warp().shuffle(value, 0));
  }
};

struct votes {
  static constexpr int threads = 48;  // the second warp has 16 lanes
  MEMTILE_KERNEL void operator()(block b, vector_view<memtile::uint32> out) const {
    out.store(b.rank(), b.warp().ballot(b.rank() % 3 == 0));
  }
};

struct sum_of_warp {
  static constexpr int threads = 40;
  MEMTILE_KERNEL void operator()(block b, vector_view<double> out) const {
    double sum = b.rank();
    for (int bit = 1; bit < 32; bit *= 2) sum += b.warp().size() == 32 || bit < 8 ? b.warp().shuffle_xor(sum, bit) : 0;
    out.store(b.rank(), sum);
  }
};

}  // namespace

TEST_CASE("a shuffle past the end of the group gives back one's own value", "[sim][SIM-06]") {
  memtile::sim::machine machine;
  auto out = machine.buffer<int>(4, 256);
  for (int group : {32, 8}) {
    REQUIRE(memtile::launch(machine, memtile::grid{4}, shuffles{group}, out.view()));
    CHECK_THAT(*machine.last_report(), memtile::sim::IsClean());
    const auto got = out.host();
    for (int v = 0; v < 256; ++v) {
      CAPTURE(group, v);
      const int lane = v % group, first = v - lane;
      CHECK(got(0, v) == (lane + 16 < group ? v + 16 : v));
      CHECK(got(1, v) == (lane == 0 ? v : v - 1));
      CHECK(got(2, v) == (v ^ 1));
      CHECK(got(3, v) == first + 5);
    }
  }
}

TEST_CASE("a broadcast after a branch brings the new value to all lanes", "[sim][SIM-07]") {
  memtile::sim::machine machine;
  auto out = machine.buffer<int>(32);
  REQUIRE(memtile::launch(machine, memtile::grid{1}, broadcast_after_branch{}, out.view()));
  CHECK_THAT(*machine.last_report(), memtile::sim::IsClean());
  for (int i = 0; i < 32; ++i) CHECK(out.host()(i) == 1234);
}

TEST_CASE("a warp that is not full votes with the lanes it has", "[sim]") {
  memtile::sim::machine machine;
  auto out = machine.buffer<memtile::uint32>(48);
  REQUIRE(memtile::launch(machine, memtile::grid{1}, votes{}, out.view()));
  CHECK(out.host()(7) == 0x49249249u);
  CHECK(out.host()(40) == 0x2492u);
}

TEST_CASE("eight bytes are exchanged in two words", "[sim]") {
  memtile::sim::machine machine;
  auto out = machine.buffer<double>(40);
  REQUIRE(memtile::launch(machine, memtile::grid{1}, sum_of_warp{}, out.view()));
  for (int i = 0; i < 40; ++i) CHECK(out.host()(i) == (i < 32 ? 496 : 284));
}

TEST_CASE("a negative or long distance is past the end", "[sim][SIM-06]") {
  memtile::sim::machine machine;
  auto out = machine.buffer<int>(32);
  using kind = hw::shuffle_kind;
  for (auto k : {kind::up, kind::down, kind::exclusive_or})
    for (int argument : {-1, -40, 32, 33, 1000, int(0x80000000)}) {
      CAPTURE(int(k), argument);
      REQUIRE(memtile::launch(machine, memtile::grid{1}, odd_shuffles{k, argument, 32}, out.view()));
      for (int i = 0; i < 32; ++i) CHECK(out.host()(i) == i);
    }
  REQUIRE(memtile::launch(machine, memtile::grid{1}, odd_shuffles{kind::index, -1, 32}, out.view()));
  CHECK(out.host()(4) == 31);
  for (int group : {0, -8, 12, 33, 64})
    CHECK(!memtile::launch(machine, memtile::grid{1}, odd_shuffles{kind::index, 40, group}, out.view()).ok());
}

TEST_CASE("lanes that do not exist vote no", "[sim]") {
  memtile::sim::machine machine;
  auto out = machine.buffer<memtile::uint32>(48);
  REQUIRE(memtile::launch(machine, memtile::grid{1}, votes_of_all{}, out.view()));
  CHECK(out.host()(40) == 0x2492u);
}
