// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Windows of a size known at run time: means by running sums, exact whatever the window, and weights in memory.
#include <support/stencil.hpp>

#include <vector>

using namespace memtile;
using test::image;

namespace {

// The sums of all windows of an image, from the sums of all rectangles of the image with its border around.
template <class At, class Border>
std::vector<int64> box_sums(const image& shape, const sized_window& window, const At& at, const Border& border) {
  const int64 rows = shape.rows + window.rows, cols = shape.cols + window.columns;
  std::vector<int64> all(std::size_t((rows + 1) * (cols + 1)), 0);
  const auto sum = [&](int64 r, int64 c) -> int64& { return all[std::size_t(r * (cols + 1) + c)]; };
  for (int64 r = 0; r < rows; ++r)
    for (int64 c = 0; c < cols; ++c)
      sum(r + 1, c + 1) = sum(r, c + 1) + sum(r + 1, c) - sum(r, c) +
                          int64(test::with_border(at, border, r - window.up, c - window.left, shape.rows, shape.cols));
  std::vector<int64> boxes;
  for (int64 r = 0; r < shape.rows; ++r)
    for (int64 c = 0; c < shape.cols; ++c)
      boxes.push_back(sum(r + window.rows, c + window.columns) - sum(r, c + window.columns) - sum(r + window.rows, c) +
                      sum(r, c));
  return boxes;
}
// Rounded to the nearest, of two the even one.
int64 rounded(int64 sum, int64 count) {
  const int64 down = sum / count - (sum % count < 0), twice = 2 * (sum - down * count);
  return down + (twice > count || (twice == count && down % 2 != 0));
}

template <class T, class Border>
void check_box(const image& shape, const sized_window& window, const Border& border, int scale = 1) {
  for (auto& machine : testing::machines()) {
    INFO(machine.name() << ": " << window.rows << "x" << window.columns << " on " << shape.rows << "x" << shape.cols
                        << ", anchor " << window.up << ", " << window.left << ", " << sizeof(T) << " bytes");
    const bool is_signed = T(-1) < T(0);
    const auto at = [&](int64 r, int64 c) { return (test::pixel(r, c) + (is_signed ? 0 : 9)) * scale; };
    const sim::placement place{shape.cols + shape.gap, shape.offset};
    auto in = machine.buffer<T>(
        shape.rows, shape.cols, [&](int r, int c) { return T(at(r, c)); }, place);
    auto out = machine.buffer<T>(shape.rows, shape.cols, place);
    const status done = box_filter(machine, in.view(), out.view(), window, border);
    INFO(done.message());
    REQUIRE(done.ok());
    unit::check_clean_without_conflicts(machine);
    CHECK((in.untouched() && out.untouched()));
    const auto sums = box_sums(shape, window, at, border);
    CHECK(unit::differences(out.host(), shape.rows, shape.cols, [&](int r, int c) {
            return T(rounded(sums[std::size_t(r * shape.cols + c)], window.rows * window.columns));
          }) == 0);
  }
}

// Sums from the least to the greatest, and those beside every quotient and every middle of two.
template <class T>
int wrong_quotients(int64 count) {
  const auto mean = detail::quotients_of_count::of(count);
  const int64 least = int64(detail::lowest<T>()) * count, most = int64(detail::highest<T>()) * count;
  int wrong = 0;
  for (int64 twice = 2 * least; twice <= 2 * most; twice += count)
    for (int64 sum = twice / 2 - 1; sum <= twice / 2 + 1; ++sum)
      if (sum >= least && sum <= most) {
        const int32 got = count % 2 == 0 ? mean.mean<T, true>(int32(sum)) : mean.mean<T, false>(int32(sum));
        wrong += got != rounded(sum, count);
      }
  return wrong;
}

}  // namespace

TEST_CASE("sums are divided exactly by a product, up to the largest that have 32 bits", "[stencil][STEN-10]") {
  for (int64 count : {1, 2, 3, 4, 7, 9, 224, 225, 226, 10201, 16383, 16384}) {
    CHECK((wrong_quotients<uint8>(count) == 0 && wrong_quotients<int8>(count) == 0));
    CHECK((wrong_quotients<uint16>(count) == 0 && wrong_quotients<int16>(count) == 0));
  }
  for (int64 count : {(1 << 22) - 3, (1 << 22) - 1, 1 << 22})
    CHECK((wrong_quotients<uint8>(count) == 0 && wrong_quotients<int8>(count) == 0));
}

TEST_CASE("the means of boxes of bytes run along, whatever the window and the image", "[stencil][STEN-10][STEN-13]") {
  const sized_window windows[] = {{1, 1}, {15, 15}, {4, 6}, {3, 17, 0, 16}, {5, 33, 4, 0}, {41, 101}};
  for (const auto& window : windows) {
    check_box<uint8>({1, 1}, window, reflect{}, 6);
    check_box<uint8>({50, 528}, window, reflect{}, 6);
    check_box<uint8>({33, 1009, 2, 3}, window, reflect{}, 6);
  }
  check_box<uint8>({7, 40}, {3, 900}, reflect{});  // so wide that every place adds up its own window
  check_box<uint8>({7, 40}, {900, 3}, reflect{});
}

TEST_CASE("boxes see every border, and `valid` leaves a rim", "[stencil][STEN-03][STEN-14]") {
  const auto borders_of = [](const auto& border) { check_box<int16>({21, 131, 5}, {6, 9}, border, 900); };
  borders_of(constant{-5});
  borders_of(reflect101{});
  borders_of(wrap{});
  for (auto& machine : testing::machines()) {
    auto in = machine.buffer<uint8>(20, 64, [](int r, int c) { return uint8(test::pixel(r, c) + 9); });
    auto out = machine.buffer<uint8>(20, 64, [](int, int) { return uint8(99); });
    REQUIRE(box_filter(machine, in.view(), out.view(), sized_window{3, 6}, valid{}));
    const auto sums = box_sums(
        {20, 64}, {3, 6}, [](int64 r, int64 c) { return test::pixel(r, c) + 9; }, replicate{});
    CHECK(unit::differences(out.host(), 20, 64, [&](int r, int c) {
            return r < 1 || r > 18 || c < 3 || c > 61 ? 99 : rounded(sums[std::size_t(r * 64 + c)], 18);
          }) == 0);
  }
}

TEST_CASE("sums that pass 32 bits, and large integers, are exact", "[stencil][STEN-10]") {
  check_box<uint16>({9, 30}, {401, 45}, replicate{}, 2100);
  check_box<int32>({30, 70, 1}, {9, 12}, wrap{}, 60000000);
  check_box<uint8>({20, 50}, {3001, 301}, replicate{}, 8);  // 900,000 bytes, in 32 bits
}

TEST_CASE("boxes of bytes read each row as it enters and as it leaves, 16 bytes at a time", "[stencil]") {
  sim::machine machine;
  auto in = machine.buffer<uint8>(64, 960, test::pixel), out = machine.buffer<uint8>(64, 960);
  REQUIRE(box_filter(machine, in.view(), out.view(), sized_window{15, 15}, constant{0}));
  const sim::report& report = *machine.last_report();
  CHECK_THAT(report, sim::HasNoBankConflicts());
  // Three strips, whose first windows have 14 rows more; of two chunks the outer lanes read nothing.
  CHECK_THAT(report, sim::IsCoalesced());
  const auto loads = report.total(sim::space::global, sim::access_kind::load);
  CHECK(loads.bytes_asked <= (2 * 64 + 3 * 14) * 2 * 31 * 16);
  CHECK(report.total(sim::space::global, sim::access_kind::store).bytes_asked == 64 * 960);
  // So does one whose size is known before, where its rows do not stay in registers.
  REQUIRE(box_filter<box<15>>(machine, in.view(), out.view(), constant{0}));
  CHECK(machine.last_report()->total(sim::space::global, sim::access_kind::load).bytes_asked <=
        (2 * 64 + 2 * 30) * 2 * 31 * 16);
  CHECK(unit::widths(report, sim::space::global, sim::access_kind::load) == std::vector<int>{16});
  CHECK(unit::widths(report, sim::space::global, sim::access_kind::store) == std::vector<int>{16});
}

TEST_CASE("floats are averaged one by one", "[stencil]") {
  for (auto& machine : testing::machines()) {
    auto in = machine.buffer<float>(9, 40, test::pixel), out = machine.buffer<float>(9, 40);
    REQUIRE(box_filter(machine, in.view(), out.view(), sized_window{4, 5}, wrap{}));
    unit::check_clean(machine);
    const auto sums = box_sums({9, 40}, {4, 5}, test::pixel, wrap{});
    CHECK(unit::differences(out.host(), 9, 40,
                            [&](int r, int c) { return float(sums[std::size_t(r * 40 + c)]) / 20; }) == 0);
  }
}

TEST_CASE("weights in memory lie on the image as they are written", "[stencil][STEN-05][STEN-12]") {
  for (auto& machine : testing::machines())
    for (const auto& size : {image{1, 1}, image{3, 3}, image{4, 2, 1}, image{19, 23}}) {
      auto in = machine.buffer<uint8>(12, 70, [](int r, int c) { return uint8(test::pixel(r, c) + 9); });
      auto w = machine.buffer<float>(size.rows, size.cols, test::pixel, sim::placement{size.cols + size.gap});
      auto out = machine.buffer<float>(12, 70);
      const auto check = [&](int up, int left) {
        unit::check_clean(machine);
        CHECK(unit::differences(out.host(), 12, 70, [&](int r, int c) {
                double sum = 0;
                for (int i = 0; i < size.rows; ++i)
                  for (int j = 0; j < size.cols; ++j)
                    sum += test::pixel(i, j) * test::with_border([](int64 y, int64 x) { return test::pixel(y, x) + 9; },
                                                                 reflect101{}, r + i - up, c + j - left, 12, 70);
                return float(sum);
              }) == 0);
      };
      REQUIRE(correlate(machine, in.view(), out.view(), loaded_weights{w.view()}, reflect101{}));
      check(size.rows / 2, size.cols / 2);
      REQUIRE(correlate(machine, in.view(), out.view(), loaded_weights{w.view(), size.rows - 1, 0}, reflect101{}));
      check(size.rows - 1, 0);
    }
}

TEST_CASE("windows that can not be are refused, and nothing is changed", "[stencil]") {
  for (auto& machine : testing::machines()) {
    auto in = machine.buffer<uint8>(5, 6, [](int, int) { return uint8(1); });
    auto out = machine.buffer<uint8>(5, 6, [](int, int) { return uint8(7); });
    const auto refused = [&](const sized_window& window) {
      return box_filter(machine, in.view(), out.view(), window, wrap{}).message();
    };
    CHECK(refused({0, 3}) == "box_filter: the window is 0x3: each must be from 1 to 16777216");
    CHECK(refused({3, -1}) == "box_filter: the window is 3x-1: each must be from 1 to 16777216");
    CHECK(refused({3, 3, 3, 0}) == "box_filter: the anchor is row 3 and column 0 of the window, which is 3x3");
    CHECK(correlate(machine, in.view(), out.view(), loaded_weights{subview(in.view(), 0, 0, 0, 0)}, wrap{}).message() ==
          "correlate: the window is 0x0: each must be from 1 to 16777216");
    CHECK(
        correlate(machine, in.view(), out.view(), loaded_weights{subview(out.view(), 1, 1, 2, 2)}, wrap{}).message() ==
        "correlate: the output overlaps the weights: give it memory of its own");
    CHECK(unit::differences(out.host(), 5, 6, [](int, int) { return 7; }) == 0);
  }
}
