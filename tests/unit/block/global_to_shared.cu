// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A tile comes whole from any matrix to shared memory, by accesses as wide as the matrix allows and no wider.
#include <support/unit.hpp>

using namespace memtile;
using sim::placement;

namespace {

// Each block copies its tile out again, with what lies beyond the matrix.
template <class T, int Rows, int Columns, class Layout = dense>
struct copy_tiles {
  static constexpr int rows = Rows, columns = Columns;
  int threads;
  struct storage {
    shared_tile<T, Rows, Columns, Layout> tile;
  };
  MEMTILE_KERNEL void operator()(block b, storage& shared, matrix_view<const T> in, int64 row0, int64 column0,
                                 matrix_view<T> out) const {
    const int r0 = b.grid_row() * Rows, c0 = b.grid_column() * Columns;
    global_to_shared(b, in, row0 + r0, column0 + c0, shared.tile);
    b.sync();
    for (int i = b.rank(); i < Rows * Columns; i += b.size())
      out.store(r0 + i / Columns, c0 + i % Columns, shared.tile.load(i / Columns, i % Columns));
  }
};
using dense_32 = copy_tiles<float, 32, 32>;
using padded_32 = copy_tiles<float, 32, 32, padded<1>>;
using swizzled_32 = copy_tiles<float, 32, 32, xor_swizzle<>>;

struct matrix {
  int rows, cols;
  placement where = {};
  int row0 = 0, column0 = 0;  // where the first tile begins
};

// Copies the matrix in tiles, from (row0, column0) on, and checks values, faults, the width of the loads (0: any) and that each element
// is read once.
template <class Kernel, class T = float, class Machine>
void check_copy(Machine& machine, const matrix& m, int threads, int width) {
  const auto value = [](int r, int c) {
    return T(float((100 * r + c) % 2039 + 1));
  };  // exact in every type here, never 0
  const grid blocks{std::max<int64>(1, ceil_div(m.rows - m.row0, Kernel::rows)),
                    std::max<int64>(1, ceil_div(m.cols - m.column0, Kernel::columns))};
  const int out_rows = int(blocks.rows) * Kernel::rows, out_cols = int(blocks.columns) * Kernel::columns;
  auto in = machine.template buffer<T>(m.rows, m.cols, value, m.where);
  auto out = machine.template buffer<T>(out_rows, out_cols);
  REQUIRE(launch(machine, blocks, Kernel{threads}, in.view(), m.row0, m.column0, out.view()));

  INFO(machine.name() << ": " << m.rows << "x" << m.cols << " from (" << m.row0 << ", " << m.column0 << "), pitch "
                      << m.where.pitch_elements << ", offset " << m.where.offset_elements << ", " << threads
                      << " threads");
  CHECK(unit::differences(out.host(), out_rows, out_cols, [&](int r, int c) {
          const int from_r = r + m.row0, from_c = c + m.column0;
          return from_r < m.rows && from_c < m.cols ? value(from_r, from_c) : T(0.f);
        }) == 0);
  CHECK(out.untouched());
  unit::check_clean(machine);
  if (const auto* report = machine.last_report()) {
    int64 bytes = 0;
    for (const sim::report_row& row : report->rows())
      if (row.where == sim::space::global && row.kind == sim::access_kind::load) bytes += row.lanes * row.bytes;
    CHECK(bytes == int64(sizeof(T)) * std::max(0, m.rows - m.row0) * std::max(0, m.cols - m.column0));
    if (width != 0) CHECK(unit::widths(*report, sim::space::global, sim::access_kind::load) == std::vector<int>{width});
  }
}

}  // namespace

TEST_CASE("a base that is not a multiple of 16 bytes takes the narrow path", "[block][PRIM-01]") {
  for (auto& machine : testing::machines()) {
    check_copy<dense_32>(machine, {32, 32}, 256, 16);
    for (int offset : {1, 2, 3}) check_copy<dense_32>(machine, {32, 32, placement{32, offset}}, 256, 4);
    check_copy<dense_32>(machine, {32, 32, placement{32, 4}}, 256, 16);
  }
}

TEST_CASE("a pitch that is not a multiple of 16 bytes takes the narrow path, though the base is one",
          "[block][PRIM-02]") {
  for (auto& machine : testing::machines()) {
    check_copy<dense_32>(machine, {40, 32, placement{33, 0}}, 256, 4);
    check_copy<dense_32>(machine, {40, 128, placement{129, 0}}, 256, 4);
    check_copy<dense_32>(machine, {40, 128, placement{132, 0}}, 256, 16);
    check_copy<dense_32>(machine, {40, 32, placement{36, 8}}, 256, 16);
  }
}

TEST_CASE("an extent that is not a multiple of 16 bytes takes the narrow path, and the padding is not read",
          "[block]") {
  for (auto& machine : testing::machines())
    for (int cols : {29, 30, 31, 33}) check_copy<dense_32>(machine, {5, cols, placement{64, 0}}, 256, 4);
}

TEST_CASE("a tile that begins between two accesses of 16 bytes takes the narrow path", "[block]") {
  for (auto& machine : testing::machines()) {
    for (int column0 : {1, 2, 3, 30}) check_copy<dense_32>(machine, {40, 64, {}, 0, column0}, 128, 4);
    for (int column0 : {4, 32, 60}) check_copy<dense_32>(machine, {40, 64, {}, 3, column0}, 128, 16);
  }
}

TEST_CASE("a block of any size brings the whole tile", "[block][PRIM-12]") {
  for (auto& machine : testing::machines())
    for (int threads : {1024, 256, 96, 33, 1}) {
      check_copy<dense_32>(machine, {64, 96}, threads, 16);
      check_copy<padded_32>(machine, {64, 96}, threads, 4);
      check_copy<swizzled_32>(machine, {64, 96}, threads, 16);
    }
}

TEST_CASE("matrices of all sizes around the tile come whole, with zeros beyond", "[block]") {
  for (auto& machine : testing::machines())
    for (int rows : {1, 31, 32, 33, 67})
      for (int cols : {1, 31, 32, 33, 67}) {
        check_copy<dense_32>(machine, {rows, cols}, 96, cols % 4 == 0 ? 16 : 4);
        check_copy<swizzled_32>(machine, {rows, cols}, 128, cols % 4 == 0 ? 16 : 4);
      }
}

TEST_CASE("a tile at the last row or column, or beyond, is partly or all zeros", "[block]") {
  for (auto& machine : testing::machines()) {
    check_copy<dense_32>(machine, {40, 64, {}, 39, 60}, 64, 16);
    check_copy<dense_32>(machine, {40, 64, {}, 39, 63}, 64, 4);
    check_copy<dense_32>(machine, {40, 64, {}, 40, 0}, 64, 0);
    check_copy<dense_32>(machine, {40, 64, {}, 0, 64}, 64, 0);
    check_copy<dense_32>(machine, {40, 64, {}, 1000, 1000}, 64, 0);
    check_copy<dense_32>(machine, {0, 64}, 64, 0);
    check_copy<dense_32>(machine, {64, 0}, 64, 0);
  }
}

TEST_CASE("elements of other sizes come in accesses of 16 bytes too", "[block]") {
  for (auto& machine : testing::machines()) {
    check_copy<copy_tiles<float16, 8, 64>, float16>(machine, {13, 104}, 96, 16);
    check_copy<copy_tiles<float16, 8, 64>, float16>(machine, {13, 100}, 96, 2);
    check_copy<copy_tiles<double, 8, 12>, double>(machine, {13, 14}, 32, 16);
    check_copy<copy_tiles<double, 8, 12>, double>(machine, {13, 14, placement{15, 0}}, 32, 8);
    check_copy<copy_tiles<float, 8, 6>>(machine, {13, 18}, 32,
                                        8);  // a row of the tile holds no whole number of 16 bytes
  }
}
