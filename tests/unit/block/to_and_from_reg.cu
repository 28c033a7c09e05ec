// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// shared -> register whichever way the tile lies, and register -> global with a functor on the way.
#include <support/unit.hpp>

using namespace memtile;

namespace {

// Lanes side by side take runs of 4 side by side; eight of them and once more make 64 positions.
using span = thread_span<8, 4, 32>;

// Every thread stores its fragment as one row of `out`: (position, k) by rows of the tile first, then by its columns.
template <class Layout>
struct load_fragments {
  static constexpr int threads = 32, positions = 64, depth = 16;
  struct storage {
    shared_tile<float, positions, depth, Layout> k_along_rows;
    shared_tile<float, depth, positions> k_along_columns;
  };
  MEMTILE_KERNEL void operator()(block b, storage& shared, matrix_view<float> by_rows,
                                 matrix_view<float> by_columns) const {
    for (int i = b.rank(); i < positions * depth; i += threads) {
      const int position = i / depth, k = i % depth;
      shared.k_along_rows.store(position, k, float(100 * position + k));
      shared.k_along_columns.store(i / positions, i % positions, float(100 * (i % positions) + i / positions));
    }
    b.sync();
    const span mine{b.rank() % 8 * 4};
    const int k0 = b.rank() / 8 * 4;
    fragment<float, 4, 8> from_rows, from_columns;
    shared_rows_to_reg(shared.k_along_rows, mine, k0, from_rows, site::here());
    shared_columns_to_reg(shared.k_along_columns, mine, k0, from_columns, site::here());
    MEMTILE_UNROLL
    for (int k = 0; k < 4; ++k) {
      MEMTILE_UNROLL
      for (int i = 0; i < 8; ++i) {
        by_rows.store(b.rank(), k * 8 + i, from_rows(k, i));
        by_columns.store(b.rank(), k * 8 + i, from_columns(k, i));
      }
    }
  }
};

template <class Layout>
void check_fragments(bool without_conflicts) {
  for (auto& machine : testing::machines()) {
    auto by_rows = machine.buffer<float>(32, 32), by_columns = machine.buffer<float>(32, 32);
    REQUIRE(launch(machine, 1, load_fragments<Layout>{}, by_rows.view(), by_columns.view()));
    const auto expected = [](int thread, int value) {
      const int k = thread / 8 * 4 + value / 8, i = value % 8, position = thread % 8 * 4 + i / 4 * 32 + i % 4;
      return float(100 * position + k);
    };
    CHECK(unit::differences(by_rows.host(), 32, 32, expected) == 0);
    CHECK(unit::differences(by_columns.host(), 32, 32, expected) == 0);
    unit::check_clean(machine);
    if (const auto* report = machine.last_report()) {
      CHECK(unit::widths(*report, sim::space::shared, sim::access_kind::load) == std::vector<int>{16});
      CHECK((report->total(sim::space::shared, sim::access_kind::load).bank_conflicts == 0) == without_conflicts);
    }
  }
}

struct add_place {
  template <class Values>
  MEMTILE_FUNCTION Values operator()(int64 r, int64 c, Values v) const {
    for (int n = 0; n < Values::size; ++n) v[n] += float(1000 * r + c + n);
    return v;
  }
};

// 8 x 8 threads make a tile of 32 x 64: rows t, t + 8, ..., and columns in two runs of 4.
template <int N>
struct store_fragments {
  static constexpr int threads = 64;
  MEMTILE_KERNEL void operator()(block b, matrix_view<float> out) const {
    fragment<float, 4, 8> values;
    MEMTILE_UNROLL
    for (int i = 0; i < 4; ++i) {
      MEMTILE_UNROLL
      for (int j = 0; j < 8; ++j) values(i, j) = float(8 * i + j) / 64;
    }
    const thread_span<4, 1, 8> rows{b.rank() / 8};
    const span columns{b.rank() % 8 * 4};
    reg_to_global<N>(values, rows, columns, out, b.grid_row() * 32, b.grid_column() * 64, add_place{}, site::here());
  }
};

template <int N>
void check_stores(int rows, int cols, sim::placement where = {}) {
  for (auto& machine : testing::machines()) {
    auto out = machine.buffer<float>(rows, cols, where);
    REQUIRE(launch(machine, grid_for(rows, cols, 32, 64), store_fragments<N>{}, out.view()));
    INFO(machine.name() << ": " << rows << "x" << cols << ", " << N << " at a time");
    CHECK(unit::differences(out.host(), rows, cols, [](int r, int c) {
            const int i = r % 32 / 8, j = c % 64 / 32 * 4 + c % 4;
            return float(1000 * r + c) + float(8 * i + j) / 64;
          }) == 0);
    CHECK(out.untouched());
    unit::check_clean(machine);
    if (const auto* report = machine.last_report()) {
      CHECK(unit::widths(*report, sim::space::global, sim::access_kind::store) == std::vector<int>{4 * N});
      CHECK(report->total(sim::space::global, sim::access_kind::store).lanes * N == int64(rows) * cols);
    }
  }
}

}  // namespace

TEST_CASE("a span is runs of neighbours, a step apart", "[block]") {
  constexpr span s{12};
  const int expected[8] = {12, 13, 14, 15, 44, 45, 46, 47};
  for (int i = 0; i < 8; ++i) CHECK(s[i] == expected[i]);
  constexpr thread_span<3, 1, 10> single{2};
  CHECK((single[0] == 2 && single[1] == 12 && single[2] == 22));
}

TEST_CASE("a fragment gets the same values from a tile of either direction", "[block]") {
  check_fragments<xor_swizzle<16, 4, 8>>(true);
  check_fragments<padded<4>>(false);
}

TEST_CASE("a fragment is stored where it belongs, and nothing beyond the matrix", "[block]") {
  for (int rows : {1, 31, 32, 33})
    for (int cols : {1, 63, 64, 67}) check_stores<1>(rows, cols);
  for (int cols : {4, 60, 64, 68}) check_stores<4>(33, cols);
  check_stores<2>(7, 66, {70, 2});
  check_stores<4>(7, 68, {72, 4});
}
