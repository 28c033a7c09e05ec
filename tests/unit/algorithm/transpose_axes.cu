// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The axes of volumes in every order, and elements that a functor changes on their way.
#include <memtile/transpose.cuh>
#include <support/unit.hpp>

using namespace memtile;
using sim::placement;

namespace {

struct size {
  int depth, rows, cols;
  int gap = 0, rows_between = 0;  // elements behind a row, rows behind a slice
};
const size sizes[] = {{1, 1, 1},     {3, 5, 7},      {33, 2, 65, 3, 1}, {2, 33, 31, 1}, {3, 40, 50},
                      {5, 64, 1, 7}, {1, 70, 40, 8}, {40, 1, 66},       {17, 16, 48},   {4, 3, 130, 2, 2}};

template <class T>
T number(int z, int r, int c) {
  return T((z * 61 + r * 13 + c) % 113);
}
template <class View>
auto volume_of(const View& v, const size& s) {
  return volume_view(v.data, s.depth, s.rows, s.cols, v.pitch, (s.rows + s.rows_between) * v.pitch);
}
int lines(const size& s) { return s.depth * (s.rows + s.rows_between); }

template <int First, int Second, int Third, class T, class R = T, class Machine, class Functor>
void check_permutation(Machine& machine, const size& from, const size& to, const Functor& functor) {
  INFO(machine.name() << ": axes " << First << Second << Third << " of " << from.depth << "x" << from.rows << "x"
                      << from.cols << ", gap " << to.gap << ", " << sizeof(T) << " bytes");
  const int between = from.rows + from.rows_between;
  auto in = machine.template buffer<T>(
      lines(from), from.cols, [&](int l, int c) { return number<T>(l / between, l % between, c); },
      placement{from.cols + from.gap});
  auto out = machine.template buffer<R>(
      lines(to), to.cols, [](int, int) { return R(99); }, placement{to.cols + to.gap});
  const status done =
      permute_axes<First, Second, Third>(machine, volume_of(in.view(), from), volume_of(out.view(), to), functor);
  INFO(done.message());
  REQUIRE(done.ok());
  unit::check_clean_without_conflicts(machine);
  CHECK((in.untouched() && out.untouched()));
  CHECK(unit::differences(out.host(), lines(to), to.cols, [&](int l, int c) {
          const int of_slice = to.rows + to.rows_between, at[3] = {l / of_slice, l % of_slice, c};
          if (at[1] >= to.rows) return R(99);
          int source[3];
          source[First] = at[0], source[Second] = at[1], source[Third] = at[2];
          const T v = number<T>(source[0], source[1], source[2]);
          if constexpr (detail::is_same<Functor, detail::as_it_is>) return v;
          else return R(functor(v));
        }) == 0);
}
template <int First, int Second, int Third, class T, class R = T, class Functor = detail::as_it_is>
void check_order(const Functor& functor = {}) {
  for (auto& machine : testing::machines())
    for (const size& from : sizes) {
      const int extent[3] = {from.depth, from.rows, from.cols};
      check_permutation<First, Second, Third, T, R>(machine, from, {extent[First], extent[Second], extent[Third]},
                                                    functor);
      check_permutation<First, Second, Third, T, R>(
          machine, from, {extent[First], extent[Second], extent[Third], (16 - extent[Third] % 16) % 16, 1}, functor);
    }
}
template <class T>
void check_orders() {
  check_order<0, 1, 2, T>();
  check_order<0, 2, 1, T>();
  check_order<1, 0, 2, T>();
  check_order<1, 2, 0, T>();
  check_order<2, 0, 1, T>();
  check_order<2, 1, 0, T>();
}
struct halved {
  template <class T>
  MEMTILE_FUNCTION float operator()(T v) const {
    return 0.5f * float(v);
  }
};
struct rgb {
  uint8 values[3];
};

}  // namespace

TEST_CASE("volumes have their axes in each of the six orders", "[transpose][TR-01][TR-02]") {
  check_orders<float>();
  check_orders<uint8>();
}

TEST_CASE("a functor casts and scales on the way", "[transpose]") {
  check_order<1, 0, 2, int16, float>(halved{});
  check_order<2, 1, 0, uint8, float16>(halved{});
  for (auto& machine : testing::machines())
    for (int rows : {1, 33, 64}) {
      auto in = machine.buffer<int>(rows, 70, [](int r, int c) { return r * 100 - 2 * c; });
      auto out = machine.buffer<int16>(70, rows, placement{rows + 1});
      REQUIRE(transpose(machine, in.view(), out.view(), halved{}));
      unit::check_clean_without_conflicts(machine);
      CHECK((in.untouched() && out.untouched()));
      CHECK(unit::differences(out.host(), 70, rows, [](int c, int r) { return r * 50 - c; }) == 0);
      REQUIRE(transpose(machine, transposed(in.view()), transposed(out.view()), halved{}));
      CHECK(unit::differences(out.host(), 70, rows, [](int c, int r) { return r * 50 - c; }) == 0);
    }
}

TEST_CASE("planes become pixels and pixels planes, whole lines at a time", "[transpose][TR-08]") {
  sim::machine machine;
  auto planes = machine.buffer<float>(4 * 32, 64, [](int r, int c) { return float(r * 64 + c); });
  auto pixels = machine.buffer<float>(32 * 64, 4), back = machine.buffer<float>(4 * 32, 64);
  const volume_view<float> by_plane(planes.view().data, 4, 32, 64, 64 * 4, 32 * 64 * 4);
  const volume_view<float> by_pixel(pixels.view().data, 32, 64, 4, 4 * 4, 64 * 4 * 4);
  const volume_view<float> again(back.view().data, 4, 32, 64, 64 * 4, 32 * 64 * 4);
  REQUIRE(permute_axes<1, 2, 0>(machine, by_plane, by_pixel));
  const sim::report report = *machine.last_report();
  CHECK_THAT(report, sim::IsCoalesced());
  CHECK_THAT(report, sim::HasNoBankConflicts());
  CHECK(report.total(sim::space::global, sim::access_kind::load).bytes_moved() == 4 * 32 * 64 * 4);
  CHECK(report.total(sim::space::global, sim::access_kind::store).bytes_moved() == 4 * 32 * 64 * 4);
  CHECK(unit::differences(pixels.host(), 32 * 64, 4, [](int p, int k) { return float(k * 2048 + p); }) == 0);
  REQUIRE(permute_axes<2, 0, 1>(machine, by_pixel, again));
  unit::check_clean_without_conflicts(machine);
  CHECK(unit::differences(back.host(), 4 * 32, 64, [](int r, int c) { return float(r * 64 + c); }) == 0);
  auto colours = machine.buffer<rgb>(6, 40, [](int r, int c) { return rgb{{uint8(r), uint8(c), 7}}; });
  auto turned = machine.buffer<rgb>(80, 3);
  REQUIRE(permute_axes<2, 1, 0>(machine, volume_view(colours.view().data, 3, 2, 40, 120, 240),
                                volume_view(turned.view().data, 40, 2, 3, 9, 18)));
  unit::check_clean(machine);
  const auto got = turned.host();
  for (int i = 0; i < 240; ++i) {
    const rgb v = got(i / 3, i % 3);
    CHECK((v.values[0] == i % 3 * 2 + i / 3 % 2 && v.values[1] == i / 6 && v.values[2] == 7));
  }
}

TEST_CASE("sizes that do not match and overlaps are refused, and nothing is changed", "[transpose][TR-03]") {
  for (auto& machine : testing::machines()) {
    auto in = machine.buffer<float>(6, 4, [](int r, int c) { return float(r * 4 + c); });
    float* const data = in.view().data;
    const volume_view<float> from(data, 2, 3, 4, 16, 48), same(data, 3, 2, 4, 16, 32);
    CHECK(permute_axes<1, 2, 0>(machine, from, same).message() ==
          "permute_axes: the input is 2x3x4, so with axes 1, 2, 0 the output must be 3x4x2, but it is 3x2x4");
    CHECK(permute_axes<1, 0, 2>(machine, from, same).message() ==
          "permute_axes: the output overlaps the input: give it memory of its own");
    CHECK(transpose(machine, subview(in.view(), 0, 0, 4, 4), subview(in.view(), 0, 0, 4, 4), halved{}).message() ==
          "transpose: the output overlaps the input: give it memory of its own");
    CHECK(unit::differences(in.host(), 6, 4, [](int r, int c) { return float(r * 4 + c); }) == 0);
  }
}
