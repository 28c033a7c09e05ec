// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Layouts are arithmetic: each element has a place of its own, and the counting functions prove at compile time what a pattern costs.
#include <memtile/core/small_float.hpp>
#include <memtile/shared/layout.hpp>
#include <memtile/sim/count.hpp>
#include <support/catch.hpp>

#include <vector>

using namespace memtile;

namespace {

// Every element has a place of its own among elements().
template <class Layout, class T, int Rows, int Columns>
bool is_injective() {
  constexpr int places = Layout::template elements<T, Rows, Columns>();
  std::vector<bool> taken(std::size_t(places), false);
  for (int r = 0; r < Rows; ++r)
    for (int c = 0; c < Columns; ++c) {
      const int place = Layout::template offset<T, Rows, Columns>(r, c);
      if (place < 0 || place >= places || taken[std::size_t(place)]) return false;
      taken[std::size_t(place)] = true;
    }
  return true;
}

// Neighbours that the layout promises to keep together are, at an aligned place.
template <class Layout, class T, int Rows, int Columns>
bool keeps_its_promise() {
  constexpr int together = Layout::template keeps_together<T, Rows, Columns>();
  if (together < 1 || Columns % together != 0 || together * int(sizeof(T)) > 16) return false;
  for (int r = 0; r < Rows; ++r)
    for (int c = 0; c < Columns; ++c) {
      const int first = Layout::template offset<T, Rows, Columns>(r, c / together * together);
      if (first % together != 0 || Layout::template offset<T, Rows, Columns>(r, c) != first + c % together)
        return false;
    }
  return true;
}

// offset_beside is offset, from row r to row r + d, wherever its preconditions hold. Returns how often they did; -1 if it is wrong.
template <int Bytes, int RowStep, int Lanes, class T, int Rows, int Columns>
int agreements() {
  using layout = xor_swizzle<Bytes, RowStep, Lanes>;
  constexpr int row_bytes = Columns * int(sizeof(T)), rows_per_line = max_of(1, 128 / row_bytes),
                step = max_of(RowStep, rows_per_line);
  constexpr int keys = max_of(1, min_of(Lanes, 128 / Bytes) * RowStep / step);
  int count = 0;
  for (int r = 0; r < Rows; r += RowStep)
    for (int d = 0; r + d < Rows; ++d) {
      if (r / step % keys != (r + d) / step % keys) continue;
      const int row_offset = layout::template offset<T, Rows, Columns>(r, 0);
      for (int c = 0; c < Columns; ++c, ++count)
        if (layout::template offset_beside<T, Rows, Columns>(row_offset, d, c) !=
            layout::template offset<T, Rows, Columns>(r + d, c))
          return -1;
    }
  return count;
}

template <class Layout, class T, int Rows, int Columns>
void check_layout() {
  CHECK(is_injective<Layout, T, Rows, Columns>());
  CHECK(keeps_its_promise<Layout, T, Rows, Columns>());
}

// What it costs when lane t loads `N` elements from (row(t), column(t)).
template <class Layout, class T, int Rows, int Columns, int N, class Row, class Column>
constexpr sim::shared_count cost(Row row, Column column, sim::access_kind kind = sim::access_kind::load) {
  sim::lane_offsets offsets{};
  for (int lane = 0; lane < 32; ++lane)
    offsets[std::size_t(lane)] = Layout::template offset<T, Rows, Columns>(row(lane), column(lane)) * int(sizeof(T));
  return sim::count_shared(kind, N * int(sizeof(T)), offsets);
}
template <int Value>
struct always {
  constexpr int operator()(int) const { return Value; }
};
struct lane_number {
  constexpr int operator()(int lane) const { return lane; }
};
struct lane_in_sixteen {
  constexpr int operator()(int lane) const { return lane % 16; }
};
struct which_sixteen {
  constexpr int operator()(int lane) const { return lane / 16; }
};
template <int Times>
struct lane_times {
  constexpr int operator()(int lane) const { return lane * Times; }
};

// A warp reads a column of 32 x 32, and two columns of 16 x 16.
template <int Pad>
constexpr int wavefronts_of_32 = cost<padded<Pad>, float, 32, 32, 1>(lane_number{}, always<5>{}).wavefronts;
template <int Pad>
constexpr int wavefronts_of_16 = cost<padded<Pad>, float, 16, 16, 1>(lane_in_sixteen{}, which_sixteen{}).wavefronts;

// Lane t stores to rows 4 (t mod 2) + J, column t / 2: what loads of four values do when they are turned around.
template <int J>
struct four_times_odd_plus {
  constexpr int operator()(int lane) const { return 4 * (lane % 2) + J; }
};
struct half_lane {
  constexpr int operator()(int lane) const { return lane / 2; }
};
template <int Pad, int J>
constexpr int wavefronts_of_turned =
    cost<padded<Pad>, float, 8, 128, 1>(four_times_odd_plus<J>{}, half_lane{}, sim::access_kind::store).wavefronts;

template <class Layout, class T, int Rows, int Columns, int N, class Row, class Column>
constexpr bool free_of_conflicts(Row row, Column column) {
  return cost<Layout, T, Rows, Columns, N>(row, column).bank_conflicts == 0 &&
         cost<Layout, T, Rows, Columns, N>(row, column, sim::access_kind::store).bank_conflicts == 0;
}

}  // namespace

TEST_CASE("each element of a layout has its own place, and neighbours stay together", "[shared]") {
  check_layout<dense, float, 32, 32>();
  check_layout<dense, float, 7, 13>();
  check_layout<dense, float16, 5, 12>();
  check_layout<dense, double, 3, 5>();
  check_layout<padded<1>, float, 32, 32>();
  check_layout<padded<4>, float, 16, 64>();
  check_layout<padded<2>, double, 9, 6>();
  check_layout<padded<8>, uint8, 5, 40>();
  check_layout<xor_swizzle<>, float, 32, 32>();
  check_layout<xor_swizzle<>, float, 8, 96>();
  check_layout<xor_swizzle<>, float, 13, 8>();
  check_layout<xor_swizzle<16, 4, 8>, float, 64, 16>();
  check_layout<xor_swizzle<16, 8, 4>, float, 128, 8>();
  check_layout<xor_swizzle<16, 1, 2>, float, 20, 64>();
  check_layout<xor_swizzle<16, 8>, double, 64, 16>();
  check_layout<xor_swizzle<16, 2>, double, 10, 4>();
  check_layout<xor_swizzle<16>, float16, 16, 64>();
  check_layout<xor_swizzle<8>, float, 17, 32>();
  check_layout<xor_swizzle<4>, float, 32, 32>();
}

TEST_CASE("padding and swizzles keep together what an access of 16 bytes wants", "[shared]") {
  static_assert(dense::keeps_together<float, 4, 32>() == 4 && dense::keeps_together<float16, 4, 32>() == 8);
  static_assert(dense::keeps_together<float, 4, 33>() == 1 && dense::keeps_together<float, 4, 6>() == 2);
  static_assert(padded<1>::keeps_together<float, 4, 32>() == 1 && padded<4>::keeps_together<float, 4, 32>() == 4);
  static_assert(padded<1>::keeps_together<float, 4, 31>() == 1,
                "33 rows of 32 are aligned, but a row of 31 has no whole pieces");
  static_assert(xor_swizzle<>::keeps_together<float, 4, 32>() == 4 &&
                xor_swizzle<8>::keeps_together<double, 4, 32>() == 1);
  static_assert(padded<3>::elements<float, 5, 7>() == 50 && xor_swizzle<>::elements<float, 5, 8>() == 64,
                "whole lines of 128 bytes");
  SUCCEED();
}

TEST_CASE("the place beside a place is the one that offset gives", "[shared]") {
  CHECK(agreements<16, 1, 8, float, 32, 32>() > 0);
  CHECK(agreements<16, 1, 8, float, 32, 64>() > 0);
  CHECK(agreements<16, 4, 8, float, 128, 16>() > 0);
  CHECK(agreements<16, 8, 4, float, 64, 8>() > 0);
  CHECK(agreements<16, 4, 8, float, 64, 4>() > 0);
  CHECK(agreements<16, 1, 8, float, 16, 8>() > 0);
  CHECK(agreements<16, 2, 2, double, 64, 16>() > 0);
  CHECK(agreements<8, 1, 16, float, 64, 32>() > 0);
  CHECK(agreements<16, 8, 8, float16, 128, 32>() > 0);
  for (int r = 0; r < 9; ++r)
    for (int d = -r; d < 9 - r; ++d)
      for (int c = 0; c < 7; ++c) {
        const int row_offset = padded<3>::offset<float, 9, 7>(r, 0);
        CHECK(padded<3>::offset_beside<float, 9, 7>(row_offset, d, c) == padded<3>::offset<float, 9, 7>(r + d, c));
      }
}

TEST_CASE("a column costs what the row stride makes it cost", "[shared][TR-05]") {
  static_assert(wavefronts_of_32<0> == 32 && wavefronts_of_32<1> == 1);
  static_assert(wavefronts_of_16<0> == 8 && wavefronts_of_16<1> == 2 && wavefronts_of_16<2> == 1);
  SUCCEED();
}

TEST_CASE("a padded column and a swizzled piece of every row meet no conflict", "[shared][TR-05]") {
  static_assert(free_of_conflicts<padded<1>, float, 32, 32, 1>(lane_number{}, always<0>{}));
  static_assert(free_of_conflicts<padded<1>, float, 32, 32, 1>(always<7>{}, lane_number{}));
  static_assert(free_of_conflicts<padded<1>, float, 64, 64, 1>(lane_number{}, always<63>{}));
  // 16 bytes of each of 32 rows: in each pass eight rows with eight different keys
  static_assert(free_of_conflicts<xor_swizzle<>, float, 32, 32, 4>(lane_number{}, always<0>{}));
  static_assert(free_of_conflicts<xor_swizzle<>, float, 32, 64, 4>(lane_number{}, always<20>{}));
  static_assert(free_of_conflicts<xor_swizzle<>, double, 32, 16, 2>(lane_number{}, always<6>{}));
  static_assert(free_of_conflicts<xor_swizzle<>, float16, 32, 64, 8>(lane_number{}, always<8>{}));
  // rows four apart, as a thread that owns four rows reads them
  static_assert(free_of_conflicts<xor_swizzle<16, 4>, float, 128, 16, 4>(lane_times<4>{}, always<12>{}));
  static_assert(free_of_conflicts<xor_swizzle<16, 8>, float, 256, 32, 4>(lane_times<8>{}, always<28>{}));
  // 4-byte columns want pieces of 4 bytes
  static_assert(free_of_conflicts<xor_swizzle<4>, float, 32, 32, 1>(lane_number{}, always<9>{}));
  static_assert(cost<xor_swizzle<16>, float, 32, 32, 1>(lane_number{}, always<9>{}).wavefronts == 4);
  static_assert(cost<dense, float, 32, 32, 4>(lane_number{}, always<0>{}).bank_conflicts == 28,
                "eight lanes of each pass in one place");
  SUCCEED();
}

TEST_CASE("only padding by four elements cures a turned store of loads of four", "[shared][PRIM-13]") {
  static_assert(wavefronts_of_turned<0, 0> == 2 && wavefronts_of_turned<1, 0> == 2 && wavefronts_of_turned<2, 0> == 2);
  static_assert(wavefronts_of_turned<8, 0> == 2 && wavefronts_of_turned<8, 3> == 2 && wavefronts_of_turned<1, 2> == 2);
  static_assert(wavefronts_of_turned<4, 0> == 1 && wavefronts_of_turned<4, 1> == 1 && wavefronts_of_turned<4, 2> == 1 &&
                wavefronts_of_turned<4, 3> == 1);
  static_assert(padded<4>::offset<float, 8, 128>(1, 0) * sizeof(float) == 528, "rows stay aligned for 16 bytes");
  SUCCEED();
}
