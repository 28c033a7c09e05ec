// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which index each border gives for one outside of the image: the tables of the convention, and its sentences for all sizes.
#include <memtile/global/border.hpp>
#include <support/catch.hpp>

#include <array>
#include <vector>

using namespace memtile;

namespace {

using table = std::array<int, 18>;  // i = -7 .. 10, n = 4

template <class Border>
bool gives(const table& expected) {
  for (int i = -7; i <= 10; ++i)
    if (Border::index(i, 4) != expected[std::size_t(i + 7)]) return false;
  return true;
}

// A border is a walk that begins inside and makes one step for each index, to either side.
template <class Border>
bool is_a_walk(int n, int first, int last, bool repeats_edge) {
  for (int i = first; i < last; ++i) {
    const auto here = Border::index(i, n), next = Border::index(i + 1, n);
    const bool inside = here >= 0 && here < n, step = next == here + 1 || next == here - 1, stay = next == here;
    const bool edge = here == 0 || here == n - 1;
    if (!inside || !(step || (stay && edge && (repeats_edge || n == 1)))) return false;
  }
  return true;
}

template <class Border>
bool inside_is_itself(int n) {
  for (int i = 0; i < n; ++i)
    if (Border::index(i, n) != i) return false;
  return true;
}

}  // namespace

TEST_CASE("the indices of each border for an image of four pixels are those of the table", "[global][STEN-03]") {
  CHECK(gives<replicate>({0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 3, 3, 3, 3, 3, 3, 3}));
  CHECK(gives<reflect>({1, 2, 3, 3, 2, 1, 0, 0, 1, 2, 3, 3, 2, 1, 0, 0, 1, 2}));
  CHECK(gives<reflect101>({1, 0, 1, 2, 3, 2, 1, 0, 1, 2, 3, 2, 1, 0, 1, 2, 3, 2}));
  CHECK(gives<wrap>({1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2}));
}

TEST_CASE("of an image of one pixel every border gives that pixel", "[global][STEN-04]") {
  for (int i = -101; i <= 101; ++i) {
    CHECK(replicate::index(i, 1) == 0);
    CHECK(reflect::index(i, 1) == 0);
    CHECK(reflect101::index(i, 1) == 0);
    CHECK(wrap::index(i, 1) == 0);
  }
}

TEST_CASE("a pixel inside stands for itself", "[global]") {
  for (int n : {1, 2, 3, 17, 64}) {
    CHECK(inside_is_itself<replicate>(n));
    CHECK(inside_is_itself<reflect>(n));
    CHECK(inside_is_itself<reflect101>(n));
    CHECK(inside_is_itself<wrap>(n));
  }
}

TEST_CASE("reflections go to and fro however far the index is", "[global][STEN-13]") {
  for (int n : {1, 2, 3, 5, 8}) {
    CHECK(is_a_walk<reflect>(n, -100, 100, true));
    CHECK(is_a_walk<reflect101>(n, -100, 100, false));
    for (int i = -100; i <= 100; ++i) {
      CHECK(reflect::index(-1 - i, n) == reflect::index(i, n));    // the mirror lies between -1 and 0
      CHECK(reflect101::index(-i, n) == reflect101::index(i, n));  // the mirror lies in 0
      CHECK(wrap::index(i + n, n) == wrap::index(i, n));
      CHECK(replicate::index(i, n) == (i < 0 ? 0 : i < n ? i : n - 1));
    }
  }
}

TEST_CASE("sums over {10, 20} with a radius beyond the image are those of repeated reflections", "[global][STEN-13]") {
  const int x[2] = {10, 20};
  const auto sums = [&](auto border) {
    std::vector<int> out;
    for (int i = 0; i < 2; ++i) {
      int sum = 0;
      for (int d = -3; d <= 3; ++d) sum += x[border.index(i + d, 2)];
      out.push_back(sum);
    }
    return out;
  };
  CHECK(sums(replicate{}) == std::vector<int>{100, 110});
  CHECK(sums(reflect{}) == std::vector<int>{110, 100});
  CHECK(sums(reflect101{}) == std::vector<int>{110, 100});
  CHECK(sums(wrap{}) == std::vector<int>{110, 100});
}

TEST_CASE("indices of large images are computed in 64 bits", "[global]") {
  constexpr int64 n = int64(3) << 31;
  CHECK(replicate::index(n + 5, n) == n - 1);
  CHECK(reflect::index(n + 5, n) == n - 6);
  CHECK(reflect101::index(n + 5, n) == n - 7);
  CHECK(wrap::index(-1, n) == n - 1);
}

TEST_CASE("a constant border takes the type of its value", "[global]") {
  const constant seven{7};
  const constant half{0.5f};
  CHECK((seven.value == 7 && half.value == 0.5f && constant<double>{}.value == 0.));
}
