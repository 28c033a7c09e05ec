// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A walk over a matrix, tile by tile, with asynchronous copies: whole tiles, zeros beyond, and nothing read that does not exist.
#include <support/unit.hpp>

using namespace memtile;
using sim::placement;

namespace {

enum class walk { along_columns, along_rows };

// Walks over a strip of the matrix with three tiles in flight, and copies every tile out again.
template <int Threads, int Bytes, class Layout = dense>
struct copy_strip {
  static constexpr int threads = Threads, rows = 16, columns = 32, stages = 3;
  using tile = shared_tile<float, rows, columns, Layout>;
  struct storage {
    ring<tile, stages> tiles;
  };
  walk direction;
  MEMTILE_KERNEL void operator()(block b, storage& shared, matrix_view<const float> in, int row0, int column0,
                                 int steps, matrix_view<float> out) const {
    const site s = site::here();
    const bool down = direction == walk::along_rows;
    tile_stream<float, rows, columns, Threads, Bytes> stream(b.rank(), in, row0, column0);
    const auto fetch = [&](int step, int slot) {
      if (step < steps) {
        stream.copy(shared.tiles[slot], int(in.rows) - row0 - (down ? step * rows : 0),
                    int(in.cols) - column0 - (down ? 0 : step * columns), s);
        if (down) stream.next_rows();
        else stream.next_columns();
      }
      hw::async_commit(s);
    };
    for (int step = 0; step < stages - 1; ++step) fetch(step, step);
    int slot = 0, free_slot = stages - 1;
    for (int step = 0; step < steps; ++step) {
      hw::async_wait<stages - 2>(s);
      b.sync();
      fetch(step + stages - 1, free_slot);
      const int out_row = down ? step * rows : 0, out_column = down ? 0 : step * columns;
      for (int i = b.rank(); i < rows * columns; i += threads)
        out.store(out_row + i / columns, out_column + i % columns, shared.tiles[slot].load(i / columns, i % columns));
      slot = shared.tiles.after(slot);
      free_slot = shared.tiles.after(free_slot);
    }
  }
};

struct strip {
  int rows, cols;
  placement where = {};
  int row0 = 0, column0 = 0;
};

template <class Kernel, class Machine>
void check_strip(Machine& machine, walk direction, const strip& m, int bytes) {
  const bool down = direction == walk::along_rows;
  const auto value = [](int r, int c) { return float(1000 * r + c + 1); };
  const int steps = down ? ceil_div(m.rows - m.row0, Kernel::rows) : ceil_div(m.cols - m.column0, Kernel::columns);
  const int out_rows = Kernel::rows * (down ? steps : 1), out_cols = Kernel::columns * (down ? 1 : steps);
  auto in = machine.template buffer<float>(m.rows, m.cols, value, m.where);
  auto out = machine.template buffer<float>(out_rows, out_cols);
  REQUIRE(launch(machine, 1, Kernel{direction}, in.view(), m.row0, m.column0, steps, out.view()));

  INFO(machine.name() << ": " << m.rows << "x" << m.cols << " from (" << m.row0 << ", " << m.column0 << "), "
                      << Kernel::threads << " threads, " << bytes << " bytes"
                      << (down ? ", along rows" : ", along columns"));
  CHECK(unit::differences(out.host(), out_rows, out_cols, [&](int r, int c) {
          return r + m.row0 < m.rows && c + m.column0 < m.cols ? value(r + m.row0, c + m.column0) : 0.f;
        }) == 0);
  CHECK(out.untouched());
  unit::check_clean(machine);
  if (const auto* report = machine.last_report()) {
    // Every element inside was read, since its value is right. These accesses leave no room for another one.
    const int inside = std::min(m.rows - m.row0, out_rows) * std::min(m.cols - m.column0, out_cols);
    const auto read = report->total(sim::space::global, sim::access_kind::async_copy);
    CHECK(read.lanes * bytes == inside * 4);
    CHECK(unit::widths(*report, sim::space::global, sim::access_kind::async_copy) == std::vector<int>{bytes});
    // Each element of each tile is written once, be it with zero.
    CHECK(report->total(sim::space::shared, sim::access_kind::async_copy).lanes * bytes ==
          int64(out_rows) * out_cols * 4);
  }
}

template <class Wide, class Narrow>
void check_both_walks() {
  for (auto& machine : testing::machines())
    for (walk direction : {walk::along_columns, walk::along_rows}) {
      const bool down = direction == walk::along_rows;
      for (int length : {1, 15, 16, 17, 31, 32, 33, 64, 97}) {
        const int rows = down ? length : 16, cols = down ? 32 : length;
        check_strip<Narrow>(machine, direction, {rows, cols}, 4);
        if (cols % 4 == 0) check_strip<Wide>(machine, direction, {rows, cols}, 16);
      }
      check_strip<Narrow>(machine, direction, {35, 71, placement{77, 3}, 3, 5}, 4);
      check_strip<Wide>(machine, direction, {35, 72, placement{76, 4}, 3, 8}, 16);
      check_strip<Narrow>(machine, direction, {1, 1}, 4);
    }
}

}  // namespace

TEST_CASE("a stream brings tile after tile, in wide and in narrow accesses", "[block][PRIM-01][PRIM-02]") {
  check_both_walks<copy_strip<128, 16>, copy_strip<128, 4>>();
}

TEST_CASE("so does a block that is no multiple of the accesses in a row, or larger than the tile", "[block][PRIM-12]") {
  check_both_walks<copy_strip<33, 16>, copy_strip<96, 4>>();
  check_both_walks<copy_strip<96, 16>, copy_strip<33, 4>>();
  check_both_walks<copy_strip<256, 16>, copy_strip<1024, 4>>();
}

TEST_CASE("a stream fills swizzled tiles without a bank conflict", "[block]") {
  using swizzled = copy_strip<128, 16, xor_swizzle<>>;
  check_both_walks<swizzled, copy_strip<128, 4, padded<1>>>();
  for (auto& machine : testing::machines()) {
    check_strip<swizzled>(machine, walk::along_columns, {16, 128}, 16);
    unit::check_clean_without_conflicts(machine);
  }
}
