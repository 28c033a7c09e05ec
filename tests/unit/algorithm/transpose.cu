// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transposition of every element size, at every size, pitch and offset; in place and in batches; what it refuses, and how
// it reaches memory.
#include <memtile/transpose.cuh>
#include <support/unit.hpp>

using namespace memtile;
using sim::placement;

namespace {

// Elements that say where they stand.
template <class T>
T number(int64 r, int64 c) {
  return T((r * 65 + c) % 251);
}
struct fat {
  int row, column, rest[10];
  friend bool operator==(const fat& a, const fat& b) {
    return a.row == b.row && a.column == b.column && a.rest[9] == b.rest[9];
  }
};
template <>
fat number<fat>(int64 r, int64 c) {
  return {int(r), int(c), {0, 0, 0, 0, 0, 0, 0, 0, 0, int(r * 1000 + c)}};
}
struct rgb {
  uint8 values[3];
  friend bool operator==(const rgb& a, const rgb& b) {
    return a.values[0] == b.values[0] && a.values[2] == b.values[2];
  }
};
template <>
rgb number<rgb>(int64 r, int64 c) {
  return {{uint8(r), 7, uint8(c)}};
}
using four = vec<float, 4>;
template <>
four number<four>(int64 r, int64 c) {
  return {{float(r), float(c), float(r * 1000 + c), -1}};
}
bool same(const four& a, const four& b) { return a[0] == b[0] && a[1] == b[1] && a[2] == b[2] && a[3] == b[3]; }
template <class T>
bool same(const T& a, const T& b) {
  return a == b;
}

struct gaps {
  int in = 0, in_offset = 0, out = 0, out_offset = 0;
};
// With pitches that are multiples of 16 bytes, so that runs are moved.
template <class T>
gaps aligned(int rows, int cols) {
  const int run = max_of(1, 16 / int(sizeof(T)));
  return {(run - cols % run) % run, 0, (run - rows % run) % run + run, 0};
}

template <class T, class Machine>
void check_transpose(Machine& machine, int rows, int cols, const gaps& g) {
  INFO(machine.name() << ": " << rows << "x" << cols << ", gaps " << g.in << " and " << g.out << ", offsets "
                      << g.in_offset << " and " << g.out_offset);
  auto in = machine.template buffer<T>(rows, cols, number<T>, placement{cols + g.in, g.in_offset});
  auto out = machine.template buffer<T>(cols, rows, placement{rows + g.out, g.out_offset});
  REQUIRE(transpose(machine, in.view(), out.view()));
  const auto got = out.host();
  int wrong = 0;
  for (int c = 0; c < cols; ++c)
    for (int r = 0; r < rows; ++r) wrong += !same(got(c, r), number<T>(r, c));
  CHECK(wrong == 0);
  CHECK((in.untouched() && out.untouched()));
  if (16 % sizeof(T) == 0) unit::check_clean_without_conflicts(machine);
  else unit::check_clean(machine);
}
template <class T, class Machine>
void check_sizes(Machine& machine) {
  const int sizes[][2] = {{0, 5},     {5, 0},   {1, 1},    {1, 257},  {257, 1}, {100, 110},
                          {110, 100}, {31, 33}, {64, 128}, {129, 65}, {3, 150}};
  for (const auto& size : sizes) {
    check_transpose<T>(machine, size[0], size[1], {});
    check_transpose<T>(machine, size[0], size[1], aligned<T>(size[0], size[1]));
    check_transpose<T>(machine, size[0], size[1], {1, 1, 3, 2});
  }
}

}  // namespace

TEST_CASE("elements of every size are transposed at every size and placement", "[transpose][TR-01][TR-02]") {
  for (auto& machine : testing::machines()) {
    check_sizes<uint8>(machine);
    check_sizes<uint16>(machine);
    check_sizes<float>(machine);
    check_sizes<double>(machine);
    check_sizes<four>(machine);
    check_sizes<rgb>(machine);
  }
}

TEST_CASE("bytes of every size up to 65 x 65 are transposed, by runs and by elements", "[transpose][TR-02]") {
  for (auto& machine : testing::machines())
    for (int rows = 1; rows <= 65; rows += machine.is_gpu() ? 1 : 4)
      for (int cols = 1; cols <= 65; cols += machine.is_gpu() ? 1 : 3) {
        check_transpose<uint8>(machine, rows, cols, {});
        check_transpose<uint8>(machine, rows, cols, aligned<uint8>(rows, cols));
      }
}

TEST_CASE("halves of 462 x 1024 and 1024 x 462 are transposed", "[transpose][TR-02]") {
  for (auto& machine : testing::machines()) {
    check_transpose<uint16>(machine, 462, 1024, {});
    check_transpose<uint16>(machine, 1024, 462, aligned<uint16>(1024, 462));
  }
}

TEST_CASE("squares are transposed in place, other overlaps are refused", "[transpose][TR-03]") {
  for (auto& machine : testing::machines()) {
    for (int side : {1, 8, 32, 33, 100}) {
      auto v = machine.buffer<float>(side, side, number<float>, placement{side + 3, 1});
      REQUIRE(transpose(machine, v.view(), v.view()));
      CHECK(unit::differences(v.host(), side, side, [](int r, int c) { return number<float>(c, r); }) == 0);
      CHECK(v.untouched());
      unit::check_clean_without_conflicts(machine);
    }
    auto v = machine.buffer<float>(16, 16, number<float>);
    const auto refused = [&](const auto& in, const auto& out) {
      CHECK(transpose(machine, in, out).message() ==
            "transpose: the output overlaps the input: give it memory of its own, or the very memory of a square");
    };
    refused(row_major(v.view().data, 8, 16), row_major(v.view().data, 16, 8));
    refused(subview(v.view(), 0, 0, 8, 8), subview(v.view(), 7, 0, 8, 8));
    CHECK(unit::differences(v.host(), 16, 16, number<float>) == 0);
  }
}

TEST_CASE("tall and wide matrices of bytes are transposed", "[transpose][TR-04]") {
  for (auto& machine : testing::machines()) {
    const int length = machine.is_gpu() ? 1108992 : 70000;
    auto tall = machine.buffer<uint8>(length, 4, [](int r, int) { return uint8(r % 251); });
    auto wide = machine.buffer<uint8>(4, length, [](int, int) { return uint8(10); });
    REQUIRE(transpose(machine, tall.view(), wide.view()));
    CHECK(unit::differences(wide.host(), 4, length, [](int, int c) { return uint8(c % 251); }) == 0);
    auto back = machine.buffer<uint8>(length, 4, [](int, int) { return uint8(10); });
    REQUIRE(transpose(machine, wide.view(), back.view()));
    CHECK(unit::differences(back.host(), length, 4, [](int r, int) { return uint8(r % 251); }) == 0);
  }
}

TEST_CASE("elements of 48 bytes at a pitch of 512 bytes are transposed whole by one call", "[transpose][TR-06]") {
  for (auto& machine : testing::machines()) {
    // 12 words an element, 128 words from row to row: 10 elements and 8 words
    auto words = machine.buffer<int>(
        5, 84,
        [](int r, int w) {
          const int c = w / 12, i = w % 12;
          return i == 0 ? r : i == 1 ? c : i == 11 ? r * 1000 + c : 0;
        },
        placement{128});
    auto out = machine.buffer<fat>(7, 5);
    REQUIRE(transpose(machine, pitched(reinterpret_cast<const fat*>(words.view().data), 5, 7, 512), out.view()));
    CHECK(unit::differences(out.host(), 7, 5, [](int c, int r) { return number<fat>(r, c); }) == 0);
    CHECK(out.untouched());
    unit::check_clean(machine);
    check_transpose<fat>(machine, 40, 17, {});
  }
}

TEST_CASE("the number of tiles of a long axis does not overflow", "[transpose][TR-07]") {
  CHECK(ceil_div(2147483647, 32) == 67108864);
  sim::machine machine;
  const matrix_view<const uint8> long_rows(reinterpret_cast<const uint8*>(16), int64(1) << 40, 4096, 4096);
  const matrix_view<uint8> short_rows(reinterpret_cast<uint8*>(int64(1) << 60), 4096, int64(1) << 40, int64(1) << 40);
  CHECK(transpose(machine, long_rows, short_rows).message() ==
        "transpose: 274877906944 tiles are too many for one launch: at most 2147483647");
}

TEST_CASE("both sides of a transposition are read and written along their rows", "[transpose][TR-05][TR-08]") {
  sim::machine machine;
  const auto measured = [&](int rows, int cols) -> sim::report {
    auto in = machine.buffer<float>(rows, cols, number<float>), out = machine.buffer<float>(cols, rows);
    REQUIRE(transpose(machine, in.view(), out.view()));
    return *machine.last_report();
  };
  const sim::report whole = measured(256, 128);
  CHECK_THAT(whole, sim::IsCoalesced());
  CHECK_THAT(whole, sim::HasNoBankConflicts());
  CHECK_THAT(whole, sim::MovesAtMost(2 * 256 * 128 * 4));
  CHECK(unit::widths(whole, sim::space::global, sim::access_kind::load) == std::vector<int>{16});
  const sim::report odd = measured(128, 127);
  CHECK_THAT(odd, sim::HasNoBankConflicts());
  for (sim::access_kind kind : {sim::access_kind::load, sim::access_kind::store}) {
    const auto counts = odd.total(sim::space::global, kind);
    CHECK(counts.sectors <= 5 * counts.requests);
  }
}

TEST_CASE("every matrix of a batch is transposed, in place too", "[transpose]") {
  for (auto& machine : testing::machines())
    for (int cols : {40, 64}) {
      auto in = machine.buffer<float>(3 * 40, cols, [](int r, int c) { return float(r * 100 + c); });
      auto out = machine.buffer<float>(3 * cols, 40);
      const volume_view<float> from(in.view().data, 3, 40, cols, cols * 4, 40 * cols * 4);
      const volume_view<float> to(out.view().data, 3, cols, 40, 160, 40 * cols * 4);
      REQUIRE(transpose(machine, from, to));
      unit::check_clean(machine);
      CHECK(unit::differences(out.host(), 3 * cols, 40,
                              [&](int r, int c) { return float((r / cols * 40 + c) * 100 + r % cols); }) == 0);
      if (cols == 40) {
        REQUIRE(transpose(machine, from, from));
        CHECK(unit::differences(in.host(), 3 * 40, 40,
                                [](int r, int c) { return float((r / 40 * 40 + c) * 100 + r % 40); }) == 0);
      }
    }
}

TEST_CASE("column-major matrices are transposed, and shapes that do not match are refused", "[transpose]") {
  for (auto& machine : testing::machines()) {
    auto in = machine.buffer<float>(7, 5, number<float>), out = machine.buffer<float>(5, 7);
    REQUIRE(transpose(machine, transposed(in.view()), transposed(out.view())));
    CHECK(unit::differences(out.host(), 5, 7, [](int r, int c) { return number<float>(c, r); }) == 0);
    CHECK(transpose(machine, in.view(), in.view()).message() ==
          "transpose: the input is 1 x 7x5, so the output must be 1 x 5x7, but it is 1 x 7x5");
  }
}

TEST_CASE("more than 2^31 bytes are transposed", "[transpose][TR-07][large]") {
  for (auto& machine : testing::machines())
    if (machine.is_gpu()) {
      constexpr int rows = 33640000;
      auto in = machine.buffer<uint8>(rows, 64, [](int r, int c) { return uint8((31 * r + 17 * c) % 251); });
      auto out = machine.buffer<uint8>(64, rows);
      REQUIRE(transpose(machine, in.view(), out.view()));
      const auto got = out.host();
      CHECK(got(63, rows - 1) == 45);
      CHECK(unit::differences(got, 64, rows, [](int c, int r) { return uint8((31 * r + 17 * c) % 251); }) == 0);
    }
}
