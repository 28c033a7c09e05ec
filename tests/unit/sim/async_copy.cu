// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Asynchronous copies arrive when they are waited for and not before; whoever touches their target in between is told.
#include "verdict.hpp"

namespace {

namespace hw = memtile::hw;
using memtile::block;
using memtile::matrix_view;
using memtile::shared_tile;
using memtile::site;
using memtile::vector_view;
using verdict::fault_kind;
using verdict::says;

enum class mistake { none, no_wait, no_commit, no_barrier, read_before_wait, overwrite_before_wait, issue_too_early };

struct copy_and_reverse {
  static constexpr int threads = 64, issue_line = __LINE__ + 8;
  struct storage {
    shared_tile<float, 1, threads> values;
  };
  mistake what;
  MEMTILE_KERNEL void operator()(block b, storage& shared, vector_view<const float> in, vector_view<float> out) const {
    const int t = b.rank();
    if (what == mistake::issue_too_early) shared.values.store(0, t ^ 1, 0);
    hw::async_copy<4>(shared.values.address(0, t), in.address(t), true, site::here());
    if (what != mistake::no_commit) hw::async_commit(site::here());
    if (what == mistake::read_before_wait) out.store(t, shared.values.load(0, t));
    if (what == mistake::overwrite_before_wait) shared.values.store(0, t, 1);
    if (what != mistake::no_wait) hw::async_wait<0>(site::here());
    if (what != mistake::no_barrier) b.sync();
    out.store(t, shared.values.load(0, threads - 1 - t));
  }
};

// A ring of two stages; the wait is for all groups but the newest.
template <int LeftPending>
struct two_stages {
  static constexpr int threads = 32;
  struct storage {
    shared_tile<float, 2, threads> stage;
  };
  MEMTILE_KERNEL void operator()(block b, storage& shared, matrix_view<const float> in, vector_view<float> out) const {
    const int t = b.rank(), steps = int(in.rows);
    float sum = 0;
    fetch(shared, in, 0, t);
    for (int step = 0; step < steps; ++step) {
      if (step + 1 < steps) fetch(shared, in, step + 1, t);
      else hw::async_commit(site::here());
      hw::async_wait<LeftPending>(site::here());
      b.sync();
      sum += shared.stage.load(step % 2, t ^ 1);
      b.sync();
    }
    out.store(t, sum);
  }
  MEMTILE_FUNCTION static void fetch(storage& shared, matrix_view<const float> in, int step, int t) {
    hw::async_copy<4>(shared.stage.address(step % 2, t), in.address(step, t), true, site::here());
    hw::async_commit(site::here());
  }
};

struct copy_of_some_rows {
  static constexpr int threads = 32;
  struct storage {
    shared_tile<float, threads, 4> rows;
  };
  MEMTILE_KERNEL void operator()(block b, storage& shared, matrix_view<const float> in, matrix_view<float> out) const {
    const int t = b.rank();
    hw::async_copy<16>(shared.rows.address(t, 0), in.address(t, 0), t % 5 != 0, site::here());
    hw::async_commit(site::here());
    hw::async_wait<0>(site::here());
    out.store(t, 0, shared.rows.load(memtile::wide<4>, t, 0));
  }
};

}  // namespace

TEST_CASE("an asynchronous copy must be committed, waited for, and followed by a barrier", "[sim]") {
  memtile::sim::machine machine;
  auto in = machine.buffer<float>(64, [](int i) { return float(i); });
  const auto run = [&](mistake what) {
    auto out = machine.buffer<float>(64);
    const bool ok = memtile::launch(machine, memtile::grid{2}, copy_and_reverse{what}, in.view(), out.view()).ok();
    if (ok)
      for (int i = 0; i < 64; ++i) CHECK(out.host()(i) == float(63 - i));
    return ok;
  };
  CHECK(run(mistake::none));
  for (mistake what :
       {mistake::no_wait, mistake::no_commit, mistake::read_before_wait, mistake::overwrite_before_wait}) {
    CAPTURE(int(what));
    CHECK(!run(what));
    CHECK(verdict::faults_of(machine, fault_kind::copy_in_flight) >= 1);
    const std::string text = machine.last_report()->faults()[0].text;
    CAPTURE(text);
    CHECK(says(text, "async_copy.cu:" + std::to_string(copy_and_reverse::issue_line)));
    CHECK(says(text, "has not been waited for"));
  }
  CHECK(!run(mistake::no_barrier));
  CHECK(verdict::faults_of(machine, fault_kind::race) >= 1);
  CHECK(!run(mistake::issue_too_early));
  CHECK(verdict::only_fault(machine, fault_kind::race).find("async copy") != std::string::npos);
}

TEST_CASE("a wait leaves the newest groups on their way", "[sim]") {
  memtile::sim::machine machine;
  auto in = machine.buffer<float>(5, 32, [](int r, int c) { return float(100 * r + c); });
  auto out = machine.buffer<float>(32);
  CHECK(memtile::launch(machine, memtile::grid{1}, two_stages<1>{}, in.view(), out.view()).ok());
  for (int t = 0; t < 32; ++t) CHECK(out.host()(t) == float(1000 + 5 * (t ^ 1)));
  CHECK(memtile::launch(machine, memtile::grid{1}, two_stages<0>{}, in.view(), out.view()).ok());
  CHECK(!memtile::launch(machine, memtile::grid{1}, two_stages<2>{}, in.view(), out.view()).ok());
  CHECK(verdict::faults_of(machine, fault_kind::copy_in_flight) >= 1);
}

TEST_CASE("a lane that is outside writes zeros and reads nothing", "[sim]") {
  memtile::sim::machine machine;
  auto in = machine.buffer<float>(32, 4, [](int r, int c) { return float(10 * r + c + 1); });
  auto out = machine.buffer<float>(32, 4);
  REQUIRE(memtile::launch(machine, memtile::grid{1}, copy_of_some_rows{}, in.view(), out.view()));
  for (int r = 0; r < 32; ++r)
    for (int c = 0; c < 4; ++c) CHECK(out.host()(r, c) == (r % 5 != 0 ? float(10 * r + c + 1) : 0));

  using memtile::sim::access_kind;
  using memtile::sim::space;
  const auto shared = machine.last_report()->total(space::shared, access_kind::async_copy);
  CHECK(shared.requests == 1);
  CHECK(shared.lanes == 32);
  CHECK(shared.wavefronts == 4);
  const auto global = machine.last_report()->total(space::global, access_kind::async_copy);
  CHECK(global.requests == 1);
  CHECK(global.lanes == 25);  // every fifth lane reads nothing
  CHECK(global.sectors == 16);
}
