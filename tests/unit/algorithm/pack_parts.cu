// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts of views side by side in a line and back, of every size of element; what is refused.
#include <memtile/domain.cuh>
#include <support/unit.hpp>

#include <string>

using namespace memtile;

namespace {

struct pixel {
  unsigned char red, green, blue;
  bool operator==(const pixel& o) const { return red == o.red && green == o.green && blue == o.blue; }
};
template <class T>
T value(int r, int c) {
  if constexpr (std::is_same_v<T, pixel>) return {uint8(r), uint8(c), 7};
  else return T(r * 100 + c);
}

// A matrix and, of the same memory, slices of two rows; the part of the one is a part of the other.
template <class T, class Machine>
void check_part(Machine& machine, int rows, int cols, const region& part) {
  INFO(machine.name() << ": " << sizeof(T) << " bytes, " << part.first[0] << ", " << part.first[1] << ": "
                      << part.size[0] << "x" << part.size[1]);
  const int64 r0 = part.first[0], c0 = part.first[1], wide = part.size[1], count = part.size[0] * wide;
  const auto line_value = [&](int i) { return value<T>(int(r0 + i / wide), int(c0 + i % wide)); };
  const sim::placement place{cols + 5, 1};
  auto in = machine.template buffer<T>(rows, cols, value<T>, place);
  auto line = machine.template buffer<T>(count, sim::placement{0, 1});
  REQUIRE(pack(machine, in.view(), part, line.view()));
  CHECK(unit::differences(line.host(), int(count), line_value) == 0);
  CHECK(line.untouched());
  if (count > 0) unit::check_clean(machine);

  auto out = machine.template buffer<T>(
      rows, cols, [](int, int) { return value<T>(-1, -1); }, place);
  REQUIRE(unpack(machine, line.view(), out.view(), part));
  CHECK(unit::differences(out.host(), rows, cols, [&](int r, int c) {
          const bool there = r >= r0 && r < r0 + part.size[0] && c >= c0 && c < c0 + wide;
          return there ? value<T>(r, c) : value<T>(-1, -1);
        }) == 0);
  CHECK(out.untouched());
}

}  // namespace

TEST_CASE("parts of a matrix go into a line and back", "[pack]") {
  for (auto& machine : testing::machines()) {
    for (const auto& part : {region{0, 0, 37, 61}, region{36, 0, 1, 61}, region{0, 60, 37, 1}, region{5, 7, 31, 33},
                             region{3, 3, 0, 5}, region{36, 60, 1, 1}})
      check_part<float>(machine, 37, 61, part);
    for (const auto& part : {region{0, 2, 20, 3}, region{1, 0, 2, 9}}) {
      check_part<uint8>(machine, 20, 9, part);
      check_part<double>(machine, 20, 9, part);
      check_part<pixel>(machine, 20, 9, part);
    }
  }
}

TEST_CASE("a part of a volume is packed slice by slice, rows at full width", "[pack]") {
  for (auto& machine : testing::machines()) {
    auto in = machine.template buffer<float>(4 * 8, 256, [](int r, int c) { return float(r * 1000 + c); });
    const volume_view<float> volume(in.view().data, 4, 8, 256, in.view().pitch, 8 * in.view().pitch);
    auto line = machine.template buffer<float>(2 * 3 * 256);
    REQUIRE(pack(machine, volume, region{1, 4, 0, 2, 3, 256}, line.view()));
    CHECK(unit::differences(line.host(), 2 * 3 * 256,
                            [](int i) { return float((8 * (1 + i / 768) + 4 + i / 256 % 3) * 1000 + i % 256); }) == 0);
    if (const auto* report = machine.last_report()) {
      CHECK_THAT(*report, sim::IsClean());
      CHECK_THAT(*report, sim::IsCoalesced());
      CHECK_THAT(*report, sim::MovesAtMost(2 * 2 * 3 * 256 * 4));
    }
  }
}

TEST_CASE("parts that cannot be moved are refused in words", "[pack]") {
  for (auto& machine : testing::machines()) {
    auto in = machine.template buffer<float>(6, 8, [](int, int) { return 1.f; });
    auto line = machine.template buffer<float>(10, [](int) { return -7.f; });
    const auto words = [&](const region& part) { return pack(machine, in.view(), part, line.view()).message(); };
    CHECK(words(region{0, 1}) == "pack: the region has 1 dimensions, but the view 2");
    CHECK(words(region{4, 0, 3, 1}) == "pack: the region has 3 elements from 4 on along axis 0, but the view has 6");
    CHECK(words(region{0, -1, 1, 1}) == "pack: the region has 1 elements from -1 on along axis 1, but the view has 8");
    CHECK(words(region{0, 0, 2, 6}) == "pack: 12 elements do not fit into a line of 10");
    CHECK(unpack(machine, vector_view<float>(in.view().data, 10), in.view(), region{0, 0, 1, 1}).message() ==
          "unpack: the line overlaps the view: give it memory of its own");
    const vector_view<float> long_line(in.view().data, int64(1) << 40);
    CHECK(unpack(machine, vector_view<float>(line.view().data, 10), long_line, region{0, int64(1) << 33}).message() ==
          "unpack: the line overlaps the view: give it memory of its own");

    subdomain d = subdomain_of({12, 8}, {2, 1}, 0, 1);
    CHECK(pack_halo(machine, in.view(), d, line.view()).message() ==
          "pack_halo: the view must have the 2 dimensions of the subdomain, with 7 elements along axis 0");
    CHECK(pack_halo(machine, vector_view<float>(in.view().data, 6), d, line.view()).message() ==
          "pack_halo: the view has 1 dimensions, but the subdomain 2");
    CHECK(subdomain().check().message() == "subdomain: 0 dimensions: there must be 1 to 3");
    CHECK(subdomain_of({int64(1) << 61, 8}, {8, 1}, 7, 0).first(0) == int64(7) << 58);
    d = subdomain_of({12, 8}, {4, 1}, 4, 1);
    CHECK(d.check().message() == "subdomain: part 4 of 4 along axis 0 does not exist");
    d = subdomain_of({12, 8}, {4, 1}, 3, 4);
    CHECK(d.check().message() ==
          "subdomain: 12 cells in 4 parts along axis 0 are fewer than the halo of 4 in each: use "
          "fewer parts");
    CHECK(unit::differences(line.host(), 10, [](int) { return -7.f; }) == 0);
  }
}
