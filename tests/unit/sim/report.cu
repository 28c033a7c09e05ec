// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a report says: rows for source lines, totals, text; and which launches are refused.
#include "verdict.hpp"

#include <sstream>

namespace {

using memtile::block;
using memtile::matrix_view;
using memtile::shared_tile;
using memtile::vector_view;
using memtile::sim::access_kind;
using memtile::sim::space;
using verdict::fault_kind;
using verdict::says;

template <bool Transposed>
struct move_tile {
  static constexpr int threads = 256, side = 16;
  struct storage {
    shared_tile<float, side, side> tile;
  };
  MEMTILE_KERNEL void operator()(block b, storage& shared, matrix_view<const float> in, matrix_view<float> out) const {
    const int r = b.rank() / side, c = b.rank() % side;
    shared.tile.store(r, c, in.load(b.grid_row() * side + r, b.grid_column() * side + c));
    b.sync();
    const float v = shared.tile.load(Transposed ? c : r, Transposed ? r : c, memtile::site{"loads.cu", 7});
    out.store(b.grid_column() * side + r, b.grid_row() * side + c, v);
  }
};

// The lanes go different ways and meet again; a loop ends earlier for some.
struct branches {
  static constexpr int threads = 32;
  MEMTILE_KERNEL void operator()(block b, vector_view<const float> in, vector_view<float> out) const {
    const int t = b.rank();
    float sum = 0;
    if (t < 8) {
      sum += in.load(t);
    } else {
      sum += in.load(t + 32);
      sum += in.load(t + 64);
    }
    for (int i = 0; i <= t / 8; ++i) sum += in.load(32 * i + t);
    out.store(t, sum);
  }
};

struct wide_access {
  static constexpr int threads = 32, line = __LINE__ + 3;
  int first;
  MEMTILE_KERNEL void operator()(block b, vector_view<const float> in, vector_view<float> out) const {
    if (b.rank() < 8) out.store(b.rank(), in.load(memtile::wide<4>, first + 4 * b.rank())[3]);
  }
};

struct many_mistakes {
  static constexpr int threads = 2;
  MEMTILE_KERNEL void operator()(block b, vector_view<float> out) const {
    out.store(b.rank() + 1, 0);
    out.store(b.rank() + 2, 0);
    out.store(b.rank() - 1, 0);
    out.store(b.rank() + 1, 0);
  }
};

struct of_any_size {
  int threads;
  MEMTILE_KERNEL void operator()(block) const {}
};

}  // namespace

TEST_CASE("a report has a row for each line, kind and width", "[sim]") {
  memtile::sim::machine machine;
  auto in = machine.buffer<float>(32, 48, [](int r, int c) { return float(100 * r + c); });
  auto out = machine.buffer<float>(48, 32);
  REQUIRE(memtile::launch(machine, memtile::grid{2, 3}, move_tile<true>{}, in.view(), out.view()));
  const auto& report = *machine.last_report();
  CHECK(report.rows().size() == 4);
  CHECK(report.barriers() == 6);
  CHECK(report.shared_bytes() == 1024);
  CHECK(says(report.kernel(), "move_tile"));

  const auto load = report.total(space::shared, access_kind::load);
  CHECK(load.requests == 48);
  CHECK(load.lanes == 6 * 256);
  CHECK(load.wavefronts == 8 * 48);
  CHECK(load.bank_conflicts == 7 * 48);
  CHECK(report.bank_conflicts() == 7 * 48);
  const auto global = report.total(space::global);
  CHECK(global.requests == 96);
  CHECK(global.sectors == 96 * 4);
  CHECK(global.ideal_sectors == 96 * 4);
  CHECK_THAT(report, memtile::sim::IsClean());
  CHECK_THAT(report, !memtile::sim::HasNoBankConflicts());
}

TEST_CASE("the worst line comes first in the text", "[sim]") {
  memtile::sim::machine machine;
  auto in = machine.buffer<float>(16, 16, [](int r, int c) { return float(100 * r + c); });
  auto out = machine.buffer<float>(16, 16);
  REQUIRE(memtile::launch(machine, memtile::grid{1}, move_tile<true>{}, in.view(), out.view()));
  std::ostringstream text;
  text << *machine.last_report();
  CAPTURE(text.str());
  const auto worst = text.str().find("\nloads.cu:7 "), other = text.str().find("\nreport.cu:");
  REQUIRE(other != std::string::npos);
  CHECK(worst < other);
  CHECK(says(text.str(), "shared memory  access "));
  CHECK(says(text.str(), "no faults"));
  CHECK(!says(text.str(), "model"));
}

TEST_CASE("the report of a machine sums its launches until it is cleared", "[sim]") {
  memtile::sim::machine machine;
  CHECK(machine.last_report() == nullptr);
  auto in = machine.buffer<float>(16, 16, [](int r, int c) { return float(r + c); });
  auto out = machine.buffer<float>(16, 16);
  for (int i = 0; i < 3; ++i)
    REQUIRE(memtile::launch(machine, memtile::grid{1}, move_tile<true>{}, in.view(), out.view()));
  REQUIRE(memtile::launch(machine, memtile::grid{1}, move_tile<false>{}, in.view(), out.view()));
  CHECK(machine.last_report()->bank_conflicts() == 0);
  CHECK_THAT(*machine.last_report(), memtile::sim::HasNoBankConflicts());
  CHECK(machine.report().launches() == 4);
  CHECK(machine.report().rows().size() == 4);
  CHECK(machine.report().bank_conflicts() == 3 * 7 * 8);
  machine.clear_report();
  CHECK(machine.report().rows().empty());
  machine.count = false;
  REQUIRE(memtile::launch(machine, memtile::grid{1}, move_tile<true>{}, in.view(), out.view()));
  CHECK(machine.report().bank_conflicts() == 0);
}

TEST_CASE("lanes that go different ways make accesses of their own and meet again", "[sim]") {
  memtile::sim::machine machine;
  auto in = machine.buffer<float>(160, [](int i) { return float(i); });
  auto out = machine.buffer<float>(32);
  REQUIRE(memtile::launch(machine, memtile::grid{1}, branches{}, in.view(), out.view()));
  const auto& rows = machine.last_report()->rows();
  REQUIRE(rows.size() == 5);
  const int requests[5] = {1, 1, 1, 4, 1}, lanes[5] = {8, 24, 24, 32 + 24 + 16 + 8, 32};
  for (std::size_t i = 0; i < 5; ++i) {
    CAPTURE(i);
    CHECK(rows[i].requests == requests[i]);
    CHECK(rows[i].lanes == lanes[i]);
  }
  CHECK(rows[3].sectors == 4 + 3 + 2 + 1);
  CHECK(rows[3].ideal_sectors == 4 + 3 + 2 + 1);
}

TEST_CASE("a misaligned access is left out and named", "[sim]") {
  memtile::sim::machine machine;
  auto in = machine.buffer<float>(64, [](int i) { return float(i); });
  auto out = machine.buffer<float>(8);
  CHECK(memtile::launch(machine, memtile::grid{1}, wide_access{0}, in.view(), out.view()).ok());
  const auto status = memtile::launch(machine, memtile::grid{1}, wide_access{1}, in.view(), out.view());
  CHECK(status.code() == memtile::status::illegal_address);
  const std::string text = verdict::only_fault(machine, fault_kind::misaligned);
  CAPTURE(text);
  CHECK(says(text, "thread 0 and 7 more, report.cu:" + std::to_string(wide_access::line)));
  CHECK(says(text, "16 bytes"));
}

TEST_CASE("as many faults are kept as asked for", "[sim]") {
  memtile::sim::machine machine;
  auto out = machine.buffer<float>(1);
  CHECK(!memtile::launch(machine, memtile::grid{1}, many_mistakes{}, out.view()).ok());
  CHECK(machine.last_report()->faults().size() == 4);
  machine.max_reports = 2;
  CHECK(!memtile::launch(machine, memtile::grid{1}, many_mistakes{}, out.view()).ok());
  CHECK(machine.last_report()->faults().size() == 2);
  CHECK(says(machine.last_report()->to_string(), "more"));
  CHECK(out.untouched());
}

TEST_CASE("what no GPU would launch is refused and leaves the last report as it was", "[sim]") {
  memtile::sim::machine machine;
  REQUIRE(memtile::launch(machine, memtile::grid{1}, of_any_size{1}));
  REQUIRE(memtile::launch(machine, memtile::grid{1}, of_any_size{1024}));
  int runs = 0;
  memtile::sim::launch_request request{
      "kernel", 1, 1, 1, 32, 0, 1, [](const void* n) { ++*static_cast<int*>(const_cast<void*>(n)); }, &runs};
  REQUIRE(machine.run(request));
  CHECK(runs == 32);

  const auto refused = [&](auto change, const char* words) {
    memtile::sim::launch_request changed = request;
    change(changed);
    const memtile::status status = machine.run(changed);
    CAPTURE(status.message());
    return !status && status.code() == memtile::status::invalid_configuration && says(status.message(), words);
  };
  CHECK(refused([](auto& r) { r.threads = 0; }, "not 0"));
  CHECK(refused([](auto& r) { r.threads = 1025; }, "not 1025"));
  CHECK(refused([](auto& r) { r.shared_bytes = 227 * 1024 + 1; }, "232449"));
  CHECK(refused([](auto& r) { r.shared_alignment = 2048; }, "2048"));
  CHECK(refused([](auto& r) { r.rows = 65536; }, "65536"));
  CHECK(runs == 32);
  CHECK(machine.report().launches() == 3);
  request.shared_bytes = 227 * 1024;
  CHECK(machine.run(request).ok());
}
