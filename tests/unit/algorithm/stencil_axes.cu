// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stencils of vectors and of volumes: the same borders, every size, any pitch.
#include <support/stencil.hpp>

#include <vector>

using namespace memtile;

namespace {

struct taps {
  template <class Neighbours>
  MEMTILE_FUNCTION float operator()(const Neighbours& n) const {
    return n(-2) + 10 * n(-1) + 100 * n(0) + 1000 * n(1) + float(n.column());
  }
};

template <class Machine, class Border>
void check_vector(Machine& machine, int size, int offset, const Border& border) {
  INFO(machine.name() << ": " << size << " elements, offset " << offset);
  const auto value = [](int64 i) { return float(i * 7 % 13); };
  const sim::placement place{size, offset};
  auto in = machine.template buffer<float>(
      size, [&](int i) { return value(i); }, place);
  auto out = machine.template buffer<float>(size, place);
  REQUIRE(stencil<window<2, 1>>(machine, in.view(), out.view(), taps{}, border));
  const auto at = [&](int i) {
    return test::with_border([&](int64, int64 c) { return value(c); }, border, 0, i, 1, size);
  };
  CHECK(unit::differences(out.host(), size, [&](int i) {
          return float(at(i - 2) + 10 * at(i - 1) + 100 * at(i) + 1000 * at(i + 1) + i);
        }) == 0);
  CHECK((in.untouched() && out.untouched()));
  unit::check_clean_without_conflicts(machine);
}

// A sum of all 27 neighbours, or of those along the axes up to the radius, each with a weight of its own; and the place.
struct all_27 {
  template <class Neighbours>
  MEMTILE_FUNCTION float operator()(const Neighbours& n) const {
    float sum = float(n.slice() * 10000 + n.row() * 100 + n.column());
    MEMTILE_UNROLL
    for (int i = 0; i < 27; ++i) sum += float(i + 1) * n(i / 9 - 1, i / 3 % 3 - 1, i % 3 - 1);
    return sum;
  }
};
template <int Radius>
struct cross {
  template <class Neighbours>
  MEMTILE_FUNCTION float operator()(const Neighbours& n) const {
    float sum = n(0, 0, 0);
    MEMTILE_UNROLL
    for (int d = 1; d <= Radius; ++d)
      sum += n(-d, 0, 0) + 2 * n(d, 0, 0) + 3 * n(0, -d, 0) + 4 * n(0, d, 0) + 5 * n(0, 0, -d) + 6 * n(0, 0, d);
    return sum;
  }
};

struct volume {
  int depth, rows, cols, gap = 0, offset = 0;
};
int voxel(int64 z, int64 r, int64 c) { return int((z * 11 + r * 7 + c * 3 + z * r * c % 5) % 17); }

// Slices of rows + 1 rows each, the last of which is not part of the volume.
template <class Window, class Machine, class Functor, class Border, class Expected>
void check_volume(Machine& machine, const volume& v, const Functor& functor, const Border& border, Expected expected) {
  INFO(machine.name() << ": " << v.depth << "x" << v.rows << "x" << v.cols << ", gap " << v.gap);
  const sim::placement place{v.cols + v.gap, v.offset};
  const int lines = v.depth * (v.rows + 1);
  auto in = machine.template buffer<float>(
      lines, v.cols, [&](int l, int c) { return float(voxel(l / (v.rows + 1), l % (v.rows + 1), c)); }, place);
  auto out = machine.template buffer<float>(
      lines, v.cols, [](int, int) { return -1.f; }, place);
  const auto whole = [&](const matrix_view<float>& m) {
    return volume_view<float>(m.data, v.depth, v.rows, v.cols, m.pitch, m.pitch * (v.rows + 1));
  };
  REQUIRE(stencil<Window>(machine, whole(in.view()), whole(out.view()), functor, border));
  const auto at = [&](int64 z, int64 r, int64 c) {
    const int64 from_z = test::walk(border, z, v.depth), from_r = test::walk(border, r, v.rows),
                from_c = test::walk(border, c, v.cols);
    return from_z < 0 || from_r < 0 || from_c < 0 ? test::value_outside(border) : double(voxel(from_z, from_r, from_c));
  };
  CHECK(unit::differences(out.host(), lines, v.cols, [&](int l, int c) {
          const int z = l / (v.rows + 1), r = l % (v.rows + 1);
          return r == v.rows ? -1.f : float(expected(at, z, r, c));
        }) == 0);
  CHECK((in.untouched() && out.untouched()));
  unit::check_clean_without_conflicts(machine);
}

template <int Radius, class At>
double expected_cross(const At& at, int z, int r, int c) {
  double sum = at(z, r, c);
  for (int d = 1; d <= Radius; ++d)
    sum += at(z - d, r, c) + 2 * at(z + d, r, c) + 3 * at(z, r - d, c) + 4 * at(z, r + d, c) + 5 * at(z, r, c - d) +
           6 * at(z, r, c + d);
  return sum;
}

const volume volumes[] = {{1, 1, 1},   {0, 3, 4},         {2, 3, 4},        {5, 1, 7, 1, 1},
                          {3, 9, 130}, {7, 3, 264, 0, 0}, {2, 17, 33, 3, 2}};

}  // namespace

TEST_CASE("a vector has neighbours to its left and right", "[stencil][STEN-12]") {
  for (auto& machine : testing::machines())
    for (int size : {0, 1, 2, 5, 127, 128, 129, 1000, 5001})
      for (int offset : {0, 1}) {
        check_vector(machine, size, offset, constant{0.f});
        check_vector(machine, size, offset, reflect101{});
        check_vector(machine, size, offset, wrap{});
      }
}

TEST_CASE("a volume has 26 neighbours around each element", "[stencil]") {
  for (auto& machine : testing::machines())
    for (const volume& v : volumes)
      check_volume<box<1>>(machine, v, all_27{}, wrap{}, [](const auto& at, int z, int r, int c) {
        double sum = z * 10000 + r * 100 + c;
        for (int i = 0; i < 27; ++i) sum += (i + 1) * at(z + i / 9 - 1, r + i / 3 % 3 - 1, c + i % 3 - 1);
        return sum;
      });
}

TEST_CASE("stars in a volume, in registers and beyond", "[stencil]") {
  for (auto& machine : testing::machines())
    for (const volume& v : volumes) {
      check_volume<star<1>>(machine, v, cross<1>{}, constant{-3.f},
                            [](const auto& at, int z, int r, int c) { return expected_cross<1>(at, z, r, c); });
      check_volume<star<2>>(machine, v, cross<2>{}, replicate{},
                            [](const auto& at, int z, int r, int c) { return expected_cross<2>(at, z, r, c); });
      check_volume<star<4>>(machine, v, cross<4>{}, reflect{},
                            [](const auto& at, int z, int r, int c) { return expected_cross<4>(at, z, r, c); });
    }
}
