// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads and stores through views, inside kernels: where they go, how wide they are, and what becomes of an index outside.
#include <support/unit.hpp>

#include <string>

using namespace memtile;

namespace {

// Element i of the output is element i - 2 of the input, or -5 where there is none.
struct shift_by_two {
  static constexpr int threads = 64;
  MEMTILE_KERNEL void operator()(block b, vector_view<const float> in, vector_view<float> out) const {
    const int i = b.rank() - 8;
    out.store_inside(i, in.load_inside(i - 2, -5.f));
  }
};

template <class LayoutIn, class LayoutOut>
struct copy_matrix {
  static constexpr int threads = 64;
  MEMTILE_KERNEL void operator()(block b, matrix_view<const int, LayoutIn> in, matrix_view<int, LayoutOut> out) const {
    for (int r = b.grid_row() * 8 - 4 + b.rank() / 8; r <= in.rows; r += 8 * b.grid_rows())
      for (int c = b.rank() % 8 - 1; c <= in.cols; c += 8) out.store_inside(r, c, in.load_inside(r, c, -1));
  }
};

// Four neighbours along the unit stride are moved at a time, and turned around.
template <class Layout>
struct turn_fours {
  static constexpr int threads = 32;
  MEMTILE_KERNEL void operator()(block b, matrix_view<const float, Layout> in, matrix_view<float, Layout> out) const {
    constexpr bool along_rows = detail::is_same<Layout, row>;
    const int lines = int(along_rows ? in.rows : in.cols), fours = int(along_rows ? in.cols : in.rows) / 4;
    for (int i = b.rank(); i < lines * fours; i += threads) {
      const int r = along_rows ? i / fours : i % fours * 4, c = along_rows ? i % fours * 4 : i / fours;
      const vec<float, 4> v = in.load(wide<4>, r, c);
      out.store(r, c, vec<float, 4>{{v[3], v[2], v[1], v[0]}});
    }
  }
};

struct turn_vector {
  static constexpr int threads = 32;
  MEMTILE_KERNEL void operator()(block b, vector_view<const float16> in, vector_view<float16> out) const {
    if (!in.inside(2 * b.rank() + 1)) return;
    const vec<float16, 2> v = in.load(wide<2>, 2 * b.rank());
    out.store(2 * b.rank(), vec<float16, 2>{{v[1], v[0]}});
  }
};

struct copy_volume {
  static constexpr int threads = 32;
  MEMTILE_KERNEL void operator()(block b, volume_view<const int> in, volume_view<int> out) const {
    for (int z = 0; z < in.depth; ++z)
      for (int r = 0; r < in.rows; ++r)
        if (b.rank() < in.cols) out.store(z, r, b.rank(), in.load(z, r, b.rank()) + 1);
  }
};

struct forty_eight_bytes {
  int row, column;
  float rest[10];
};
struct transpose_elements {
  static constexpr int threads = 64;
  MEMTILE_KERNEL void operator()(block b, matrix_view<const forty_eight_bytes> in,
                                 matrix_view<forty_eight_bytes> out) const {
    const int64 r = b.rank() / 8, c = b.rank() % 8;
    if (in.inside(r, c)) out.store(c, r, in.load(r, c));
  }
};

struct go_outside {
  static constexpr int threads = 1;
  MEMTILE_KERNEL void operator()(block, vector_view<float> v, matrix_view<float> m, vector_view<float> out) const {
    out.store(0, v.load(4));
    out.store(1, m.load(0, 3));
    out.store(2, v.load(wide<4>, 1)[0]);
    v.store(-1, 9.f);
    m.store(2, 0, 9.f);
    out.store(3, v.atomic_add(4, 1.f));
  }
};

}  // namespace

TEST_CASE("the _inside forms give the other value and store nothing outside", "[global]") {
  for (auto& machine : testing::machines())
    for (int n : {0, 1, 2, 3, 31, 37}) {
      auto in = machine.buffer<float>(n, [](int i) { return float(i + 1); }), out = machine.buffer<float>(n);
      REQUIRE(launch(machine, 1, shift_by_two{}, in.view(), out.view()));
      INFO(machine.name() << ", n = " << n);
      CHECK(unit::differences(out.host(), n, [](int i) { return i < 2 ? -5.f : float(i - 1); }) == 0);
      CHECK((in.untouched() && out.untouched()));
      unit::check_clean(machine);
    }
}

TEST_CASE("matrices of either layout and any pitch hold what was stored", "[global]") {
  for (auto& machine : testing::machines())
    for (int rows : {1, 7, 13})
      for (int cols : {1, 8, 11}) {
        const auto value = [](int r, int c) { return 100 * r + c; };
        auto in = machine.buffer<int>(rows, cols, value, {cols + 3, 1}),
             out = machine.buffer<int>(rows, cols, sim::placement{cols + 5, 3});
        auto flipped = machine.buffer<int>(cols, rows);
        INFO(machine.name() << ": " << rows << "x" << cols);
        REQUIRE(launch(machine, grid{2, 1}, copy_matrix<row, row>{}, in.view(), out.view()));
        unit::check_clean(machine);
        REQUIRE(launch(machine, grid{2, 1}, copy_matrix<row, column>{}, in.view(), transposed(flipped.view())));
        unit::check_clean(machine);
        CHECK(unit::differences(out.host(), rows, cols, value) == 0);
        CHECK(unit::differences(flipped.host(), cols, rows, [&](int r, int c) { return value(c, r); }) == 0);
        CHECK((in.untouched() && out.untouched() && flipped.untouched()));
      }
}

TEST_CASE("a wide access moves neighbours along the unit stride", "[global]") {
  for (auto& machine : testing::machines()) {
    const auto value = [](int r, int c) { return float(100 * r + c); };
    const auto turned = [&](int r, int c) { return value(r, c / 4 * 4 + 3 - c % 4); };
    auto in = machine.buffer<float>(5, 12, value, {16, 4}), out = machine.buffer<float>(5, 12, sim::placement{20, 8});
    REQUIRE(launch(machine, 1, turn_fours<row>{}, in.view(), out.view()));
    unit::check_clean(machine);
    if (const auto* report = machine.last_report()) {
      CHECK(unit::widths(*report, sim::space::global, sim::access_kind::load) == std::vector<int>{16});
      CHECK(unit::widths(*report, sim::space::global, sim::access_kind::store) == std::vector<int>{16});
    }
    CHECK(unit::differences(out.host(), 5, 12, turned) == 0);
    out.write([](int, int) { return 0.f; });
    REQUIRE(launch(machine, 1, turn_fours<column>{}, transposed(in.view()), transposed(out.view())));
    CHECK(unit::differences(out.host(), 5, 12, turned) == 0);
    CHECK(out.untouched());
    unit::check_clean(machine);
  }
}

TEST_CASE("a vector moves pairs of two-byte elements", "[global]") {
  for (auto& machine : testing::machines()) {
    auto in = machine.buffer<float16>(38, [](int i) { return float16(float(i)); }), out = machine.buffer<float16>(38);
    REQUIRE(launch(machine, 1, turn_vector{}, in.view(), out.view()));
    CHECK(unit::differences(out.host(), 38, [](int i) { return float(i ^ 1); }) == 0);
    CHECK(out.untouched());
    unit::check_clean(machine);
  }
}

TEST_CASE("a volume has a pitch of rows and one of slices", "[global]") {
  for (auto& machine : testing::machines()) {
    // 3 slices of 4 rows of 5, each row followed by 2 others and each slice by one row more
    auto in = machine.buffer<int>(15, 5, [](int r, int c) { return 10 * r + c; }, {7, 0}),
         out = machine.buffer<int>(15, 5, [](int, int) { return -1; }, {7, 0});
    const auto slices = [](const matrix_view<int>& v) {
      return volume_view<int>(v.data, 3, 4, 5, v.pitch, 5 * v.pitch);
    };
    REQUIRE(launch(machine, 1, copy_volume{}, slices(in.view()), slices(out.view())));
    CHECK(unit::differences(out.host(), 15, 5, [](int r, int c) { return r % 5 == 4 ? -1 : 10 * r + c + 1; }) == 0);
    CHECK(out.untouched());
    unit::check_clean(machine);
  }
}

TEST_CASE("elements of 48 bytes at a pitch of 512 bytes are transposed whole", "[global][TR-06]") {
  for (auto& machine : testing::machines()) {
    auto memory = machine.buffer<float>(
        5, 84, [](int r, int i) { return i % 12 < 2 ? detail::float_of(uint32(i % 12 == 0 ? r : i / 12)) : float(i); },
        {128, 0});
    auto out = machine.buffer<forty_eight_bytes>(7, 5);
    const auto in = pitched(reinterpret_cast<const forty_eight_bytes*>(memory.view().data), 5, 7, 512);
    REQUIRE(launch(machine, 1, transpose_elements{}, in, out.view()));
    const auto got = out.host();
    for (int r = 0; r < 7; ++r)
      for (int c = 0; c < 5; ++c) {
        const forty_eight_bytes element = got(r, c);
        CHECK((element.row == c && element.column == r && element.rest[0] == float(12 * r + 2) &&
               element.rest[9] == float(12 * r + 11)));
      }
    CHECK(out.untouched());
    unit::check_clean(machine);
  }
}

TEST_CASE("an index outside is reported and the access left out", "[global]") {
  sim::machine machine;
  auto v = machine.buffer<float>(4, [](int) { return 1.f; }), out = machine.buffer<float>(4, [](int) { return 0.f; });
  auto m = machine.buffer<float>(2, 3, [](int, int) { return 1.f; });
  const status result = launch(machine, 1, go_outside{}, v.view(), m.view(), out.view());
  CHECK(result.code() == status::illegal_address);
  CHECK(machine.last_report()->faults().size() == 6);
  for (const char* text :
       {"vector_view[4] is outside 4", "matrix_view[0][3] is outside 2x3", "vector_view[1] is outside 4",
        "vector_view[-1] is outside 4", "matrix_view[2][0] is outside 2x3"})
    CHECK(machine.last_report()->to_string().find(text) != std::string::npos);
  for (int i = 0; i < 4; ++i) CHECK(out.host()(i) != out.host()(i));  // NaN
  CHECK((v.untouched() && m.untouched()));
}

TEST_CASE("a wide access needs a base, a pitch and an extent that are multiples of it", "[global][PRIM-01][PRIM-02]") {
  alignas(64) float memory[64];
  const auto allowed = [&](int offset, int cols, int ld) {
    return allows_access_of<16>(row_major(memory + offset, 3, cols, ld));
  };
  CHECK(allowed(0, 16, 16));
  CHECK(allowed(4, 16, 20));
  for (int offset : {1, 2, 3}) CHECK_FALSE(allowed(offset, 16, 16));
  for (int ld : {17, 18, 19, 33, 129}) CHECK_FALSE(allowed(0, 16, ld));
  for (int cols : {13, 14, 15, 17}) CHECK_FALSE(allowed(0, cols, 20));
  CHECK(allowed(0, 128, 132));
  CHECK(allows_access_of<8>(row_major(memory + 2, 3, 14, 18)));
  CHECK(allows_access_of<4>(row_major(memory + 1, 3, 15, 17)));
  CHECK_FALSE(allows_access_of<16>(pitched(reinterpret_cast<unsigned char*>(memory), 3, 16, 24)));
  // along a column it is the number of rows that counts
  CHECK(allows_access_of<16>(column_major(memory, 12, 5, 16)));
  CHECK_FALSE(allows_access_of<16>(column_major(memory, 13, 4, 16)));
}
