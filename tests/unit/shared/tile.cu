// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles in shared memory hold what was stored, whatever their layout; with a halo they meet no bank conflict; rings go round.
#include <support/unit.hpp>

#include <string>
#include <type_traits>

using namespace memtile;

namespace {

// Stores one element at a time by rows, loads four neighbours at a time, and once more by way of load_beside.
template <class Layout>
struct through_tile {
  static constexpr int threads = 32, rows = 16, columns = 32;
  struct storage {
    shared_tile<float, rows, columns, Layout> tile;
  };
  MEMTILE_KERNEL void operator()(block b, storage& shared, matrix_view<const float> in, matrix_view<float> out,
                                 matrix_view<float> beside) const {
    for (int r = 0; r < rows; ++r) shared.tile.store(r, b.rank(), in.load(r, b.rank()));
    b.sync();
    for (int i = b.rank(); i < rows * columns / 4; i += threads) {
      const int r = i / (columns / 4), c = i % (columns / 4) * 4;
      out.store(r, c, shared.tile.load(wide<4>, r, c));
      const int d = r / 8 * 8, first = r - d;  // eight rows on there is the same key
      beside.store(r, c, shared.tile.load_beside(wide<4>, shared.tile.offset(first, 0), first, d, c));
    }
  }
};

template <class Layout>
void check_tile() {
  using kernel = through_tile<Layout>;
  const auto value = [](int r, int c) { return float(100 * r + c); };
  for (auto& machine : testing::machines()) {
    auto in = machine.buffer<float>(kernel::rows, kernel::columns, value);
    auto out = machine.buffer<float>(kernel::rows, kernel::columns),
         beside = machine.buffer<float>(kernel::rows, kernel::columns);
    REQUIRE(launch(machine, 1, kernel{}, in.view(), out.view(), beside.view()));
    CHECK(unit::differences(out.host(), kernel::rows, kernel::columns, value) == 0);
    CHECK(unit::differences(beside.host(), kernel::rows, kernel::columns, value) == 0);
    unit::check_clean_without_conflicts(machine);
    if (const auto* report = machine.last_report()) {
      CHECK(unit::widths(*report, sim::space::shared, sim::access_kind::load) == std::vector<int>{16});
      CHECK(unit::widths(*report, sim::space::shared, sim::access_kind::store) == std::vector<int>{4});
    }
  }
}

// Wide stores, and columns loaded one element a lane.
template <class Layout>
struct column_by_column {
  static constexpr int threads = 32, rows = 32, columns = 32;
  struct storage {
    shared_tile<float, rows, columns, Layout> tile;
  };
  MEMTILE_KERNEL void operator()(block b, storage& shared, matrix_view<const float> in, matrix_view<float> out) const {
    for (int r = 0; r < rows; ++r) shared.tile.store(r, b.rank(), in.load(r, b.rank()));
    b.sync();
    for (int c = 0; c < columns; ++c) out.store(c, b.rank(), shared.tile.load(b.rank(), c));
  }
};

// Every thread adds up its neighbourhood; the tile is filled by warps that walk along rows, together.
template <class T, int Rows, int Columns, int Halo>
struct neighbourhoods {
  static constexpr int threads = Rows * Columns;
  struct storage {
    halo_tile<T, Rows, Columns, Halo> tile;
  };
  MEMTILE_KERNEL void operator()(block b, storage& shared, matrix_view<T> out) const {
    const warp w = b.warp();
    for (int r = w.rank() - Halo; r < Rows + Halo; r += threads / 32)
      for (int first = -Halo; first < Columns + Halo; first += 32) {
        const int c = first + w.lane();
        if (c < Columns + Halo) shared.tile.store(r, c, T(100 * (r + Halo) + c + Halo));
        w.sync();
      }
    b.sync();
    const int r = b.rank() / Columns, c = b.rank() % Columns;
    T sum = 0;
    for (int dy = -Halo; dy <= Halo; ++dy)
      for (int dx = -Halo; dx <= Halo; ++dx) sum += shared.tile.load(r + dy, c + dx);
    out.store(r, c, sum);
  }
};

template <class T, int Rows, int Columns, int Halo>
void check_halo_tile() {
  for (auto& machine : testing::machines()) {
    auto out = machine.buffer<T>(Rows, Columns);
    REQUIRE(launch(machine, 1, neighbourhoods<T, Rows, Columns, Halo>{}, out.view()));
    constexpr int width = 2 * Halo + 1;
    INFO(machine.name() << ": " << Rows << "x" << Columns << " with a halo of " << Halo);
    CHECK(unit::differences(out.host(), Rows, Columns,
                            [](int r, int c) { return T(width * width * (100 * (r + Halo) + c + Halo)); }) == 0);
    unit::check_clean_without_conflicts(machine);
  }
}

struct go_outside {
  static constexpr int threads = 1;
  struct storage {
    shared_tile<float, 4, 8, padded<1>> tile;
    shared_tile<float, 1, 64> behind;
  };
  MEMTILE_KERNEL void operator()(block, storage& shared, vector_view<float> out) const {
    for (int i = 0; i < 64; ++i) shared.behind.store(0, i, 7.f);
    shared.tile.store(4, 0, 1.f);  // a row too far: this is memory of the kernel, and not of the tile
    shared.tile.store(0, 8, 1.f);  // the padding
    shared.tile.store(-1, 0, 1.f);
    out.store(0, shared.tile.load(0, 8));
    out.store(1, shared.tile.load(wide<4>, 0, 5)[0]);
    shared.tile.atomic_add(3, -1, 1.f);
    for (int i = 0; i < 64; ++i) out.store(2 + i, shared.behind.load(0, i));
  }
};

struct alignas(32) wide_element {
  float values[8];
};

}  // namespace

TEST_CASE("a tile holds what was stored, and four neighbours can be loaded at once", "[shared]") {
  check_tile<dense>();
  check_tile<padded<4>>();
  check_tile<xor_swizzle<>>();
}

TEST_CASE("the columns of a padded tile are free of conflicts and those of a dense tile are not", "[shared][TR-05]") {
  const auto value = [](int r, int c) { return float(100 * r + c); };
  const auto transposed_value = [&](int r, int c) { return value(c, r); };
  for (auto& machine : testing::machines()) {
    auto in = machine.buffer<float>(32, 32, value), out = machine.buffer<float>(32, 32);
    REQUIRE(launch(machine, 1, column_by_column<padded<1>>{}, in.view(), out.view()));
    CHECK(unit::differences(out.host(), 32, 32, transposed_value) == 0);
    unit::check_clean_without_conflicts(machine);
    out.write([](int, int) { return 0.f; });
    REQUIRE(launch(machine, 1, column_by_column<dense>{}, in.view(), out.view()));
    CHECK(unit::differences(out.host(), 32, 32, transposed_value) == 0);
    unit::check_clean(machine);
    if (const auto* report = machine.last_report()) CHECK(report->bank_conflicts() == 32 * 31);
  }
}

TEST_CASE("a tile with halo meets no conflict, also where a warp covers several rows", "[shared]") {
  check_halo_tile<float, 16, 16, 1>();
  check_halo_tile<float, 8, 32, 1>();
  check_halo_tile<float, 32, 8, 2>();
  check_halo_tile<float, 8, 48, 1>();
  check_halo_tile<double, 8, 24, 1>();
  check_halo_tile<int, 4, 8, 20>();
}

TEST_CASE("an index outside of a tile is reported and the access left out", "[shared]") {
  sim::machine machine;
  auto out = machine.buffer<float>(66, [](int) { return 5.f; });
  CHECK_FALSE(launch(machine, 1, go_outside{}, out.view()).ok());
  CHECK(machine.last_report()->faults().size() == 6);
  for (const char* text :
       {"shared_tile[4][0] is outside 4x8", "shared_tile[0][8] is outside 4x8", "shared_tile[-1][0] is outside 4x8",
        "shared_tile[0][5] is outside 4x8", "shared_tile[3][-1] is outside 4x8"})
    CHECK(machine.last_report()->to_string().find(text) != std::string::npos);
  const auto got = out.host();  // what was left out reads as NaN
  CHECK((got(0) != got(0) && got(1) != got(1)));
  for (int i = 2; i < 66; ++i) CHECK(got(i) == 7);
}

TEST_CASE("a tile is trivial, and aligned for accesses of 16 bytes and for its elements", "[shared]") {
  using tile = shared_tile<float, 3, 5, padded<1>>;
  static_assert(std::is_trivial<tile>::value && sizeof(tile) == 80 && alignof(tile) == 16);
  static_assert(alignof(shared_tile<uint8, 1, 1>) == 16 && alignof(shared_tile<wide_element, 2, 2>) == 32);
  static_assert(std::is_trivial<halo_tile<float, 16, 16, 1>>::value && std::is_trivial<ring<tile, 3>>::value);
  static_assert(tile::rows == 3 && tile::columns == 5 && tile::offset(2, 4) == 16);
  using image = halo_tile<float, 16, 32, 3>;
  static_assert(image::rows == 16 && image::columns == 32 && image::halo == 3 && image::full_rows == 22 &&
                image::full_columns == 38);
  static_assert(sizeof(halo_tile<float, 16, 32, 0>) == 16 * 32 * 4, "no halo, no padding");
  SUCCEED();
}

TEST_CASE("a ring goes round all of its slots", "[shared]") {
  ring<int, 3> slots{{10, 20, 30}};
  static_assert(ring<int, 3>::stages == 3 && sizeof(slots) == 12);
  int slot = 0, sum = 0;
  for (int step = 0; step < 7; ++step, slot = slots.after(slot)) sum = 7 * sum + slots[slot];
  CHECK(sum == ((((((10 * 7 + 20) * 7 + 30) * 7 + 10) * 7 + 20) * 7 + 30) * 7 + 10));
  slots[2] = 31;
  const ring<int, 3>& same_slots = slots;
  CHECK(same_slots[2] == 31);
  static_assert(ring<int, 1>::after(0) == 0 && ring<int, 2>::after(0) == 1 && ring<int, 2>::after(1) == 0);
}
