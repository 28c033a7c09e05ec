// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Accesses whose cost is known from elsewhere, most of them measured by others on hardware: their addresses are counted
// at compile time, and then kernels make the same accesses through tiles and views and the report is compared.
#include <support/unit.hpp>

#include <algorithm>
#include <type_traits>

namespace {

using memtile::block;
using memtile::matrix_view;
using memtile::padded;
using memtile::shared_tile;
using memtile::site;
using memtile::vec;
using memtile::vector_view;
using memtile::wide;
using memtile::xor_swizzle;
using memtile::sim::access_counts;
using memtile::sim::access_kind;
using memtile::sim::count_global;
using memtile::sim::count_shared;
using memtile::sim::lane_offsets;
using memtile::sim::shared_count;
using memtile::sim::space;

// Where each lane of a warp goes, in accesses from the beginning; negative: nowhere.
struct lanes {
  int at[32];
};
template <class Place>
constexpr lanes each(Place place) {
  lanes all{};
  for (int t = 0; t < 32; ++t) all.at[t] = place(t);
  return all;
}
constexpr lanes every(int stride) {
  return each([=](int t) { return stride * t; });
}
constexpr lane_offsets byte_offsets(const lanes& places, int bytes) {
  lane_offsets offsets{};
  for (std::size_t t = 0; t < 32; ++t) offsets[t] = places.at[t] < 0 ? -1 : places.at[t] * bytes;
  return offsets;
}

struct known_in_shared {
  const char* what;
  int bytes;
  lanes places;
  shared_count count;
};
constexpr lanes swizzled_rows() {
  using tile = shared_tile<float, 32, 32, xor_swizzle<>>;
  return each([](int t) { return tile::offset(t, 4 * 3) / 4; });
}
// A warp that covers two rows of 16 threads.
constexpr lanes two_rows(int pitch) {
  return each([=](int t) { return t / 16 * pitch + t % 16; });
}
constexpr lanes two_columns(int pitch) {
  return each([=](int t) { return t % 16 * pitch + t / 16; });
}
constexpr known_in_shared shared_loads[] = {
    {"T1 side by side", 4, every(1), {1, 0}},
    {"T2 every second word", 4, every(2), {2, 1}},
    {"T2 every fourth word", 4, every(4), {4, 3}},
    {"T2 every eighth word", 4, every(8), {8, 7}},
    {"T3 every third word", 4, every(3), {1, 0}},
    {"T4 a column of 32 words", 4, every(32), {32, 31}},
    {"T5 a column of 33 words", 4, every(33), {1, 0}},
    {"T6 one word for all", 4, every(0), {1, 0}},
    {"T6 one word for two lanes", 4, each([](int t) { return t / 2; }), {1, 0}},
    {"T6 reversed", 4, each([](int t) { return 31 - t; }), {1, 0}},
    {"T7 two words of one bank", 4, each([](int t) { return t % 2 * 32; }), {2, 1}},
    {"T8 halves side by side", 2, every(1), {1, 0}},
    {"T8 bytes side by side", 1, every(1), {1, 0}},
    {"T9 a column of 32 halves", 2, every(32), {16, 15}},
    {"T9 a column of 34 halves", 2, every(34), {1, 0}},
    {"T10 a column of 32 bytes", 1, every(32), {8, 7}},
    {"T11 pairs side by side", 8, every(1), {2, 0}},
    {"T12 every second pair", 8, every(2), {4, 2}},
    {"T12 a column of 32 doubles", 8, every(32), {32, 30}},
    {"T12 a column of 33 doubles", 8, every(33), {2, 0}},
    {"T13 one pair for two lanes", 8, each([](int t) { return t / 2; }), {1, 0}},
    {"T14 two lanes, of both half-warps", 16, each([](int t) { return t == 15 || t == 16 ? 4 : -1; }), {2, 0}},
    {"T15 two lanes of one half-warp", 16, each([](int t) { return t == 0 || t == 15 ? 4 : -1; }), {1, 0}},
    {"T16 lanes agree with their neighbours", 16, each([](int t) { return t / 8 * 2 + t % 8 / 2 % 2; }), {2, 0}},
    // Nsight Compute's counter of the pipeline says 4 on an H200, as published; the one of instructions says 2.
    {"T17 and in the other half with the lane after that",
     16,
     each([](int t) { return t / 8 * 2 + (t < 16 ? t % 8 / 2 : t % 8) % 2; }),
     {4, 0}},
    {"T17 the lower half agrees, the upper does not", 16, each([](int t) { return t < 16 ? t / 2 : t; }), {4, 0}},
    {"T18 merged passes conflict", 16, each([](int t) { return t / 16 * 4 + t % 16 / 8 + t % 8 / 4 * 8; }), {4, 2}},
    {"T19 four words for all", 16, every(0), {2, 0}},
    {"T20 fours side by side", 16, every(1), {4, 0}},
    {"T21 every second four", 16, every(2), {8, 4}},
    {"T21 fours of rows of 32 words", 16, every(8), {32, 28}},
    {"T21 fours of rows of 36 words", 16, every(9), {4, 0}},
    {"T22 fours of swizzled rows", 16, swizzled_rows(), {4, 0}},
    {"T24 two rows of 16", 4, two_rows(16), {1, 0}},
    {"T24 two columns of 16", 4, two_columns(16), {8, 7}},
    {"T24 two columns of 17", 4, two_columns(17), {2, 1}},
    {"T24 two columns of 18", 4, two_columns(18), {1, 0}},
    {"T25 two rows of 34", 4, two_rows(34), {2, 1}},
    // Idle lanes agree with all, so that passes merge, and then conflict.
    {"T29 every fourth lane", 16, each([](int t) { return t % 4 == 0 ? t : -1; }), {4, 2}},
};

struct known_in_global {
  const char* what;
  int bytes;
  lanes places;
  int sectors;
};
constexpr known_in_global global_loads[] = {
    {"T31 side by side", 4, every(1), 4},
    {"T31 shifted by one", 4, each([](int t) { return t + 1; }), 5},
    {"T31 shifted by a sector", 4, each([](int t) { return t + 8; }), 4},
    {"T32 every second", 4, every(2), 8},
    {"T32 every fourth", 4, every(4), 16},
    {"T32 every fifth", 4, every(5), 20},
    {"T32 every eighth", 4, every(8), 32},
    {"T32 every sixteenth", 4, every(16), 32},
    {"T32 every 32nd", 4, every(32), 32},
    {"T33 one for all", 4, every(0), 1},
    {"T33 reversed", 4, each([](int t) { return 31 - t; }), 4},
    {"T34 pairs", 8, every(1), 8},
    {"T34 fours", 16, every(1), 16},
    {"T34 fours that begin within a sector", 16, each([](int t) { return t + 1; }), 17},
    {"T35 a field of structures of 12 bytes", 4, every(3), 12},
    {"T35 a field of structures of 16 bytes", 4, every(4), 16},
    {"T36 halves", 2, every(1), 2},
    {"T36 bytes", 1, every(1), 1},
    {"T36 half a warp", 4, each([](int t) { return t < 16 ? t : -1; }), 2},
    {"T37 a column of 1024", 4, every(1024), 32},
    {"T38 a row from one before its beginning", 4, each([](int t) { return 31 + t; }), 5},
    {"T38 and its last two", 4, each([](int t) { return t < 2 ? 63 + t : -1; }), 2},
    {"T41 eight fours, each for four lanes", 16, each([](int t) { return t % 8; }), 4},
};

// The number of the first entry that the counting functions contradict, -1 if there is none.
template <class Known, class Holds>
constexpr int first_wrong(const Known& all, Holds holds) {
  int number = 0;
  for (const auto& known : all) {
    if (!holds(known)) return number;
    ++number;
  }
  return -1;
}
static_assert(first_wrong(shared_loads, [](const known_in_shared& k) {
                return count_shared(access_kind::load, k.bytes, byte_offsets(k.places, k.bytes)) == k.count;
              }) == -1);
static_assert(first_wrong(global_loads, [](const known_in_global& k) {
                return count_global(k.bytes, byte_offsets(k.places, k.bytes)).sectors == k.sectors;
              }) == -1);

// T13 and T19 as stores: pairs of lanes do not merge.
static_assert(count_shared(access_kind::store, 8, byte_offsets(each([](int t) { return t / 2; }), 8)) ==
              shared_count{2, 0});
static_assert(count_shared(access_kind::store, 16, byte_offsets(every(0), 16)) == shared_count{4, 0});

// T26, T27, T30: lane i names row i.
constexpr shared_count matrices(access_kind kind, int pitch, int swizzle_mask = 0) {
  lane_offsets rows{};
  for (int t = 0; t < 32; ++t) rows[std::size_t(t)] = (t * pitch) ^ ((t * pitch >> 3) & swizzle_mask);
  return count_shared(kind, 16, rows);
}
static_assert(matrices(access_kind::ldmatrix_x4, 16) == shared_count{4, 0});
static_assert(matrices(access_kind::ldmatrix_x4, 32) == shared_count{8, 4});
static_assert(matrices(access_kind::ldmatrix_x4, 64) == shared_count{16, 12});
static_assert(matrices(access_kind::ldmatrix_x4, 128) == shared_count{32, 28});
static_assert(matrices(access_kind::ldmatrix_x4, 144) == shared_count{4, 0});
static_assert(matrices(access_kind::ldmatrix_x4, 272) == shared_count{4, 0});
static_assert(matrices(access_kind::ldmatrix_x4, 32, 0x10) == shared_count{4, 0});
static_assert(matrices(access_kind::ldmatrix_x4, 64, 0x30) == shared_count{4, 0});
static_assert(matrices(access_kind::ldmatrix_x4, 128, 0x70) == shared_count{4, 0});
static_assert(matrices(access_kind::stmatrix, 144) == shared_count{4, 0});
static_assert(matrices(access_kind::stmatrix, 128) == shared_count{32, 28});

// Two warps of each of two blocks make the access, a store and then a load.
constexpr int warps = 4;
template <class T, int Width>
struct access_tile {
  static constexpr int threads = 64;
  struct storage {
    shared_tile<T, 2, 16384 / int(sizeof(T))> tile;
  };
  lanes places;
  MEMTILE_KERNEL void operator()(block b, storage& shared, vec<T, Width> value) const {
    const int r = b.warp().rank(), c = Width * places.at[b.warp().lane()];
    if (c >= 0) shared.tile.store(r, c, value);
    b.sync();
    if (c >= 0) static_cast<void>(shared.tile.load(wide<Width>, r, c));
  }
};
template <class T, int Width>
struct access_view {
  static constexpr int threads = 64;
  lanes places;
  MEMTILE_KERNEL void operator()(block b, vector_view<const T> in, vector_view<T> out) const {
    const int i = Width * places.at[b.warp().lane()];
    if (i >= 0) out.store(i, in.load(wide<Width>, i));
  }
};

// Calls with(T{}, std::integral_constant<int, Width>) for an access of that many bytes.
template <class With>
void of_bytes(int bytes, With with) {
  switch (bytes) {
  case 1: return with(memtile::uint8(1), std::integral_constant<int, 1>{});
  case 2: return with(memtile::int16(1), std::integral_constant<int, 1>{});
  case 4: return with(1.f, std::integral_constant<int, 1>{});
  case 8: return with(1.f, std::integral_constant<int, 2>{});
  case 16: return with(1.f, std::integral_constant<int, 4>{});
  default: FAIL("no access of " << bytes << " bytes");
  }
}
int active(const lanes& places) {
  return int(std::count_if(places.at, places.at + 32, [](int place) { return place >= 0; }));
}

void check_in_tile(const known_in_shared& known) {
  memtile::sim::machine machine;
  of_bytes(known.bytes, [&](auto one, auto width) {
    using T = decltype(one);
    vec<T, width()> value{};
    REQUIRE(memtile::launch(machine, memtile::grid{2}, access_tile<T, width()>{known.places}, value));
  });
  CHECK(machine.last_report()->rows().size() == 2);
  const access_counts loads = machine.last_report()->total(space::shared, access_kind::load);
  CHECK(loads.requests == warps);
  CHECK(loads.lanes == warps * active(known.places));
  CHECK(loads.wavefronts == warps * known.count.wavefronts);
  CHECK(loads.bank_conflicts == warps * known.count.bank_conflicts);
  const shared_count store = count_shared(access_kind::store, known.bytes, byte_offsets(known.places, known.bytes));
  const access_counts stores = machine.last_report()->total(space::shared, access_kind::store);
  CHECK(stores.wavefronts == warps * store.wavefronts);
  CHECK(stores.bank_conflicts == warps * store.bank_conflicts);
}

void check_in_view(const known_in_global& known) {
  memtile::sim::machine machine;
  of_bytes(known.bytes, [&](auto one, auto width) {
    using T = decltype(one);
    const int size = width() * (1 + *std::max_element(known.places.at, known.places.at + 32));
    auto in = machine.buffer<T>(size, [](int) { return T(1); });
    auto out = machine.buffer<T>(size);
    REQUIRE(memtile::launch(machine, memtile::grid{2}, access_view<T, width()>{known.places}, in.view(), out.view()));
  });
  for (access_kind kind : {access_kind::load, access_kind::store}) {
    const access_counts counts = machine.last_report()->total(space::global, kind);
    CHECK(counts.requests == warps);
    CHECK(counts.lanes == warps * active(known.places));
    CHECK(counts.sectors == warps * known.sectors);
    CHECK(counts.wavefronts == 0);
  }
}

// T28
struct copy_fours {
  static constexpr int threads = 32;
  struct storage {
    shared_tile<float, 1, 128> tile;
  };
  MEMTILE_KERNEL void operator()(block b, storage& shared, vector_view<const float> in) const {
    memtile::hw::async_copy<16>(shared.tile.address(0, 4 * b.rank()), in.address(4 * b.rank()), true, site::here());
    memtile::hw::async_commit(site::here());
    memtile::hw::async_wait<0>(site::here());
  }
};

// T39: each warp reads one row.
struct rows_of_34 {
  static constexpr int threads = 160;
  MEMTILE_KERNEL void operator()(block b, matrix_view<const float> in, matrix_view<float> out) const {
    out.store(b.warp().rank(), b.warp().lane(), in.load(b.warp().rank(), b.warp().lane()));
  }
};

// T40
struct tiled_multiply {
  static constexpr int side = 16, threads = side * side;
  struct storage {
    shared_tile<float, side, side> a, b;
  };
  MEMTILE_KERNEL void operator()(block block, storage& shared, matrix_view<const float> a, matrix_view<const float> b,
                                 matrix_view<float> c) const {
    const int r = block.rank() / side, column = block.rank() % side;
    const int row0 = block.grid_row() * side, column0 = block.grid_column() * side;
    float sum = 0;
    for (int k0 = 0; k0 < a.cols; k0 += side) {
      shared.a.store(r, column, a.load(row0 + r, k0 + column, site{"a.cu", 1}));
      shared.b.store(r, column, b.load(k0 + r, column0 + column, site{"b.cu", 1}));
      block.sync();
      for (int k = 0; k < side; ++k) sum += shared.a.load(r, k) * shared.b.load(k, column);
      block.sync();
    }
    c.store(row0 + r, column0 + column, sum);
  }
};

struct naive_transpose {
  static constexpr int side = 32, threads = 256;
  MEMTILE_KERNEL void operator()(block b, matrix_view<const float> in, matrix_view<float> out) const {
    const int c = b.grid_column() * side + b.rank() % side;
    for (int i = b.rank() / side; i < side; i += threads / side)
      out.store_inside(c, b.grid_row() * side + i, in.load_inside(b.grid_row() * side + i, c));
  }
};
template <int Pad, int Threads = 256>
struct transpose_by_tile {
  static constexpr int side = 32, threads = Threads;
  struct storage {
    shared_tile<float, side, side, padded<Pad>> tile;
  };
  MEMTILE_KERNEL void operator()(block b, storage& shared, matrix_view<const float> in, matrix_view<float> out) const {
    const int row0 = b.grid_row() * side, column0 = b.grid_column() * side, lane = b.rank() % side;
    for (int i = b.rank() / side; i < side; i += threads / side)
      shared.tile.store(i, lane, in.load_inside(row0 + i, column0 + lane));
    b.sync();
    for (int i = b.rank() / side; i < side; i += threads / side)
      out.store_inside(column0 + i, row0 + lane, shared.tile.load(lane, i));
  }
};

struct sectors {
  std::int64_t of_loads, of_stores, load_requests, store_requests;
};
// The first rows of a matrix become the first columns of one whose rows are 1024 long.
template <class Kernel>
sectors transposed(memtile::sim::machine& machine, int rows, int cols) {
  const auto value = [](int r, int c) { return float(1031 * r + c); };
  auto in = machine.buffer<float>(rows, cols, value);
  auto out = machine.buffer<float>(cols, rows, memtile::sim::placement{1024, 0});
  REQUIRE(memtile::launch(machine, memtile::grid_for(rows, cols, 32, 32), Kernel{}, in.view(), out.view()));
  CHECK(unit::differences(out.host(), cols, rows, [&](int r, int c) { return value(c, r); }) == 0);
  const access_counts loads = machine.last_report()->total(space::global, access_kind::load),
                      stores = machine.last_report()->total(space::global, access_kind::store);
  return {loads.sectors, stores.sectors, loads.requests, stores.requests};
}

// PRIM-13: four values of each lane go to four rows.
template <int Pad>
struct turned_store {
  static constexpr int threads = 32;
  using tile = shared_tile<float, 8, 128, padded<Pad>>;
  struct storage {
    tile values;
  };
  MEMTILE_KERNEL void operator()(block b, storage& shared) const {
    for (int j = 0; j < 4; ++j) shared.values.store(4 * (b.rank() % 2) + j, b.rank() / 2, 1, site{"row.cu", j + 1});
  }
};
// The wavefronts of each of the four stores; 0 if they differ.
template <int Pad>
int wavefronts_of_turned_store() {
  memtile::sim::machine machine;
  REQUIRE(memtile::launch(machine, memtile::grid{1}, turned_store<Pad>{}));
  const auto& rows = machine.last_report()->rows();
  REQUIRE(rows.size() == 4);
  const bool alike = std::all_of(rows.begin(), rows.end(), [&](const memtile::sim::report_row& row) {
    return row.requests == 1 && row.wavefronts == rows[0].wavefronts && row.bank_conflicts == row.wavefronts - 1;
  });
  return alike ? int(rows[0].wavefronts) : 0;
}

}  // namespace

TEST_CASE("loads of a tile cost the wavefronts that are known for their addresses", "[sim][SIM-09][TR-05]") {
  for (const known_in_shared& known : shared_loads) {
    INFO(known.what);
    check_in_tile(known);
  }
}

TEST_CASE("accesses to a view cost the sectors that are known for their addresses", "[sim][SIM-10]") {
  for (const known_in_global& known : global_loads) {
    INFO(known.what);
    check_in_view(known);
  }
}

TEST_CASE("an asynchronous copy is a load of sectors and a store of wavefronts", "[sim]") {
  memtile::sim::machine machine;
  auto in = machine.buffer<float>(128, [](int i) { return float(i); });
  REQUIRE(memtile::launch(machine, memtile::grid{1}, copy_fours{}, in.view()));
  const access_counts shared = machine.last_report()->total(space::shared, access_kind::async_copy),
                      global = machine.last_report()->total(space::global, access_kind::async_copy);
  CHECK(shared.wavefronts == 4);
  CHECK(shared.bank_conflicts == 0);
  CHECK(global.requests == 1);
  CHECK(global.sectors == 16);
}

TEST_CASE("rows of 34 elements begin within a sector, but for every fourth", "[sim][SIM-10]") {
  memtile::sim::machine machine;
  auto in = machine.buffer<float>(5, 34, [](int r, int c) { return float(r + c); });
  auto out = machine.buffer<float>(5, 32);
  REQUIRE(memtile::launch(machine, memtile::grid{1}, rows_of_34{}, in.view(), out.view()));
  const access_counts loads = machine.last_report()->total(space::global, access_kind::load);
  CHECK(loads.requests == 5);
  CHECK(loads.sectors == 4 + 5 + 5 + 5 + 4);
  CHECK(loads.ideal_sectors == 20);
  CHECK(machine.last_report()->total(space::global, access_kind::store).sectors == 20);
}

TEST_CASE("a product by tiles of 16 x 16 reads four sectors at a time and meets no conflict", "[sim]") {
  memtile::sim::machine machine;
  auto a = machine.buffer<float>(64, 64, [](int r, int c) { return float((r + 2 * c) % 7 - 3); });
  auto b = machine.buffer<float>(64, 64, [](int r, int c) { return float((3 * r + c) % 5 - 2); });
  auto c = machine.buffer<float>(64, 64);
  REQUIRE(memtile::launch(machine, memtile::grid{4, 4}, tiled_multiply{}, a.view(), b.view(), c.view()));
  unit::check_clean_without_conflicts(machine);  // V1
  CHECK_THAT(*machine.last_report(), memtile::sim::IsCoalesced());
  int matrices_read = 0;
  for (const memtile::sim::report_row& row : machine.last_report()->rows()) {
    if (row.where != space::global || row.kind != access_kind::load) continue;
    ++matrices_read;
    CHECK(row.requests == 512);
    CHECK(row.sectors == 4 * 512);
  }
  CHECK(matrices_read == 2);
}

TEST_CASE("a whole tile read by columns costs 1024 wavefronts, and 32 with rows of 33", "[sim][TR-05]") {
  memtile::sim::machine machine;
  static_cast<void>(transposed<transpose_by_tile<0, 1024>>(machine, 32, 32));
  const access_counts dense = machine.last_report()->total(space::shared, access_kind::load);
  CHECK(dense.requests == 32);
  CHECK(dense.wavefronts == 1024);
  CHECK(dense.bank_conflicts == 1024 - 32);
  static_cast<void>(transposed<transpose_by_tile<1, 1024>>(machine, 32, 32));
  CHECK(machine.last_report()->total(space::shared, access_kind::load).wavefronts == 32);
  unit::check_clean_without_conflicts(machine);
}

TEST_CASE("a naive transpose stores 32 sectors at a time, one by a padded tile four", "[sim][TR-08]") {
  memtile::sim::machine machine;
  constexpr int rows = 128, cols = 1024, requests = rows * cols / 32;
  const sectors naive = transposed<naive_transpose>(machine, rows, cols);
  CHECK(naive.load_requests == requests);
  CHECK(naive.store_requests == requests);
  CHECK(naive.of_loads == 4 * requests);
  CHECK(naive.of_stores == 32 * requests);

  const sectors tiled = transposed<transpose_by_tile<1>>(machine, rows, cols);
  CHECK(tiled.load_requests == requests);
  CHECK(tiled.store_requests == requests);
  CHECK(tiled.of_loads == 4 * requests);
  CHECK(tiled.of_stores == 4 * requests);
  unit::check_clean_without_conflicts(machine);
}

// Row r of 1023 elements begins r elements before a sector. Pieces of 32 touch five sectors, but four in every eighth
// row; the last pieces, of 31, touch four in one row more of eight.
TEST_CASE("a transpose of rows of 1023 by a padded tile moves five sectors at a time at most", "[sim][TR-08]") {
  memtile::sim::machine machine;
  constexpr int rows = 128, requests = rows * 32;
  const sectors tiled = transposed<transpose_by_tile<1>>(machine, rows, 1023);
  CHECK(tiled.load_requests == requests);
  CHECK(tiled.of_loads == rows / 8 * (31 * (4 + 7 * 5) + 2 * 4 + 6 * 5));
  CHECK(tiled.store_requests == rows / 32 * 1023);
  CHECK(tiled.of_stores == 4 * tiled.store_requests);
  unit::check_clean_without_conflicts(machine);
}

TEST_CASE("a turned store of four values is free of conflicts with rows padded by four, and no others",
          "[sim][PRIM-13]") {
  CHECK(wavefronts_of_turned_store<0>() == 2);
  CHECK(wavefronts_of_turned_store<1>() == 2);
  CHECK(wavefronts_of_turned_store<2>() == 2);
  CHECK(wavefronts_of_turned_store<8>() == 2);
  CHECK(wavefronts_of_turned_store<4>() == 1);
  static_assert(turned_store<4>::tile::offset(1, 0) * sizeof(float) == 528, "rows keep the alignment of 16 bytes");
  static_assert(turned_store<4>::tile::layout::keeps_together<float, 8, 128>() == 4);
}
