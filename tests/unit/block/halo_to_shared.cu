// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A tile comes with all its neighbours, those outside of the image as the border says, however few threads bring it.
#include <support/unit.hpp>

using namespace memtile;
using sim::placement;

namespace {

// Each block copies its tile and halo out again.
template <class T, int Rows, int Columns, int Halo, class Border, class U = T>
struct copy_halo_tiles {
  using tile = halo_tile<T, Rows, Columns, Halo>;
  int threads;
  Border border;
  struct storage {
    tile pixels;
  };
  MEMTILE_KERNEL void operator()(block b, storage& shared, matrix_view<const U> in, matrix_view<T> out) const {
    halo_to_shared(b, in, b.grid_row() * Rows, b.grid_column() * Columns, shared.pixels, border);
    b.sync();
    const int r0 = b.grid_row() * tile::full_rows, c0 = b.grid_column() * tile::full_columns;
    for (int i = b.rank(); i < tile::full_rows * tile::full_columns; i += b.size()) {
      const int r = i / tile::full_columns, c = i % tile::full_columns;
      out.store(r0 + r, c0 + c, shared.pixels.load(r - Halo, c - Halo));
    }
  }
};

// The index that a border gives, found step by step; -1: the constant.
int64 walk(constant<float>, int64 i, int64 n) { return i >= 0 && i < n ? i : -1; }
int64 walk(replicate, int64 i, int64 n) { return std::min(std::max<int64>(i, 0), n - 1); }
int64 walk(reflect, int64 i, int64 n) {
  while (i < 0 || i >= n) i = i < 0 ? -1 - i : 2 * n - 1 - i;
  return i;
}
int64 walk(reflect101, int64 i, int64 n) {
  while (n > 1 && (i < 0 || i >= n)) i = i < 0 ? -i : 2 * n - 2 - i;
  return n == 1 ? 0 : i;
}
int64 walk(wrap, int64 i, int64 n) {
  while (i < 0) i += n;
  while (i >= n) i -= n;
  return i;
}

float pixel(int64 r, int64 c) { return float(64 * r + c + 1); }
template <class Border>
float expected(Border border, float outside, int64 r, int64 c, int64 rows, int64 cols) {
  const int64 from_r = walk(border, r, rows), from_c = walk(border, c, cols);
  return from_r < 0 || from_c < 0 ? outside : pixel(from_r, from_c);
}

template <int Rows, int Columns, int Halo, class Border, class Machine>
void check_halo(Machine& machine, Border border, int rows, int cols, int threads, float outside = 0) {
  using kernel = copy_halo_tiles<float, Rows, Columns, Halo, Border>;
  constexpr int full_rows = kernel::tile::full_rows, full_columns = kernel::tile::full_columns;
  grid blocks = grid_for(rows, cols, Rows, Columns);
  if (blocks.rows == 0 || blocks.columns == 0) blocks = grid{1, 1};
  auto in = machine.template buffer<float>(rows, cols, pixel, placement{cols + 3, 1});
  auto out = machine.template buffer<float>(blocks.rows * full_rows, blocks.columns * full_columns);
  REQUIRE(launch(machine, blocks, kernel{threads, border}, in.view(), out.view()));

  INFO(machine.name() << ": " << rows << "x" << cols << ", " << threads << " threads");
  CHECK(unit::differences(out.host(), int(out.rows()), int(out.cols()), [&](int r, int c) {
          return expected(border, outside, r / full_rows * Rows + r % full_rows - Halo,
                          c / full_columns * Columns + c % full_columns - Halo, rows, cols);
        }) == 0);
  CHECK(out.untouched());
  unit::check_clean(machine);
  if (const auto* report = machine.last_report()) {
    const auto stores = report->total(sim::space::shared, sim::access_kind::store);
    CHECK(stores.lanes == blocks.rows * blocks.columns * full_rows * full_columns);  // each element once
    CHECK(stores.bank_conflicts == 0);
    CHECK(report->barriers() == blocks.rows * blocks.columns);
  }
}

template <int Rows, int Columns, int Halo, class Machine>
void check_all_borders(Machine& machine, int rows, int cols, int threads) {
  check_halo<Rows, Columns, Halo>(machine, constant<float>{-7.5f}, rows, cols, threads, -7.5f);
  check_halo<Rows, Columns, Halo>(machine, replicate{}, rows, cols, threads);
  check_halo<Rows, Columns, Halo>(machine, reflect{}, rows, cols, threads);
  check_halo<Rows, Columns, Halo>(machine, reflect101{}, rows, cols, threads);
  check_halo<Rows, Columns, Halo>(machine, wrap{}, rows, cols, threads);
}

// The sum of the neighbourhood, with one thread for each pixel and fewer threads than pixels with halo.
template <int Halo>
struct box_sum {
  static constexpr int side = 16, threads = side * side;
  struct storage {
    halo_tile<float, side, side, Halo> pixels;
  };
  MEMTILE_KERNEL void operator()(block b, storage& shared, matrix_view<const float> in, matrix_view<float> out) const {
    const int row0 = b.grid_row() * side, column0 = b.grid_column() * side, r = b.rank() / side, c = b.rank() % side;
    halo_to_shared(b, in, row0, column0, shared.pixels, replicate{});
    b.sync();
    float sum = 0;
    for (int dy = -Halo; dy <= Halo; ++dy)
      for (int dx = -Halo; dx <= Halo; ++dx) sum += shared.pixels.load(r + dy, c + dx);
    out.store_inside(row0 + r, column0 + c, sum);
  }
};

template <int Halo>
void check_box_sum(int rows, int cols) {
  for (auto& machine : testing::machines()) {
    auto in = machine.buffer<float>(rows, cols, pixel), out = machine.buffer<float>(rows, cols);
    REQUIRE(launch(machine, grid_for(rows, cols, 16, 16), box_sum<Halo>{}, in.view(), out.view()));
    CHECK(unit::differences(out.host(), rows, cols, [&](int r, int c) {
            float sum = 0;
            for (int dy = -Halo; dy <= Halo; ++dy)
              for (int dx = -Halo; dx <= Halo; ++dx) sum += expected(replicate{}, 0, r + dy, c + dx, rows, cols);
            return sum;
          }) == 0);
    CHECK((in.untouched() && out.untouched()));
    unit::check_clean_without_conflicts(machine);
  }
}

}  // namespace

TEST_CASE("a tile larger than the block is loaded whole, each element once", "[block][STEN-07]") {
  for (auto& machine : testing::machines())
    for (int threads : {1, 31, 32, 100, 256}) check_halo<16, 16, 3>(machine, replicate{}, 64, 64, threads);
}

TEST_CASE("every border fills every halo, corners too", "[block][STEN-03][STEN-06]") {
  for (auto& machine : testing::machines()) {
    check_all_borders<16, 16, 3>(machine, 37, 41, 256);
    check_all_borders<16, 16, 3>(machine, 16, 16, 100);
    check_all_borders<16, 16, 3>(machine, 15, 17, 31);
  }
}

TEST_CASE("of a single row or column every border makes a neighbourhood", "[block][STEN-04]") {
  for (auto& machine : testing::machines()) {
    check_all_borders<16, 16, 3>(machine, 1, 1, 64);
    check_all_borders<16, 16, 3>(machine, 1, 4, 64);
    check_all_borders<16, 16, 3>(machine, 4, 1, 64);
  }
}

TEST_CASE("the radius may be larger than the image", "[block][STEN-13]") {
  for (auto& machine : testing::machines()) {
    check_all_borders<4, 16, 8>(machine, 1, 2, 64);
    check_all_borders<4, 16, 8>(machine, 3, 5, 64);
  }
}

TEST_CASE("an image without pixels is all constant", "[block]") {
  for (auto& machine : testing::machines()) {
    check_halo<16, 16, 3>(machine, constant<float>{2.f}, 0, 7, 64, 2.f);
    check_halo<16, 16, 3>(machine, constant<float>{2.f}, 7, 0, 64, 2.f);
  }
}

TEST_CASE("pixels of a narrower type are widened on the way, and the constant with them", "[block]") {
  for (auto& machine : testing::machines()) {
    using kernel = copy_halo_tiles<float, 8, 8, 1, constant<int>, uint8>;
    auto in = machine.buffer<uint8>(7, 5, [](int r, int c) { return uint8(200 + 7 * r + c); });
    auto out = machine.buffer<float>(10, 10);
    REQUIRE(launch(machine, grid{1, 1}, kernel{32, constant{300}}, in.view(), out.view()));
    CHECK(unit::differences(out.host(), 10, 10, [](int r, int c) {
            return r >= 1 && r < 8 && c >= 1 && c < 6 ? float(uint8(200 + 7 * (r - 1) + c - 1)) : 300.f;
          }) == 0);
    unit::check_clean(machine);
  }
}

TEST_CASE("neighbourhood sums through a tile with halo are the direct sums, without bank conflicts",
          "[block][STEN-07]") {
  check_box_sum<3>(64, 64);
  check_box_sum<8>(64, 64);
  check_box_sum<3>(17, 35);
}
