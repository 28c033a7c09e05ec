// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether two views share memory, compared with looking at every byte of both.
#include <memtile/core/overlap.hpp>
#include <support/catch.hpp>

#include <vector>

using namespace memtile;
using detail::overlap;
using detail::rectangle;

namespace {

bool share_a_byte(const rectangle& a, const rectangle& b) {
  std::vector<bool> of_a(4096, false);
  for (int64 r = 0; r < a.rows; ++r)
    for (int64 i = 0; i < a.bytes; ++i) of_a[std::size_t(a.first + r * a.pitch + i)] = true;
  for (int64 r = 0; r < b.rows; ++r)
    for (int64 i = 0; i < b.bytes; ++i)
      if (of_a[std::size_t(b.first + r * b.pitch + i)]) return true;
  return false;
}

}  // namespace

TEST_CASE("rectangles of one pitch overlap exactly where they share a byte", "[launch]") {
  int wrong = 0, overlapping = 0, apart = 0;
  for (int64 pitch : {7, 8})
    for (int64 first = 1000; first < 1064; ++first)
      for (int64 rows : {1, 2, 5})
        for (int64 bytes : {1, 3, 7})
          for (int64 other_bytes : {1, 4, 7}) {
            const rectangle a{1030, 3, bytes, pitch}, b{first, rows, other_bytes, pitch};
            const bool expected = share_a_byte(a, b);
            wrong += overlap(a, b) != expected || overlap(b, a) != expected;
            (expected ? overlapping : apart) += 1;
          }
  CHECK(wrong == 0);
  CHECK((overlapping > 100 && apart > 100));
}

TEST_CASE("of different pitches the ranges from first to last byte are compared", "[launch]") {
  CHECK(overlap({1000, 3, 4, 8}, {1020, 2, 4, 16}) == false);
  CHECK(overlap({1000, 3, 4, 8}, {1019, 2, 4, 16}) == true);
  CHECK(overlap({1000, 3, 4, 8}, {1004, 2, 4, 16}) == true);  // no byte is shared, and no one is told so
  CHECK(overlap({1020, 2, 4, 16}, {1000, 3, 4, 8}) == false);
}

TEST_CASE("nothing overlaps an empty rectangle", "[launch]") {
  CHECK_FALSE(overlap({1000, 0, 4, 8}, {1000, 3, 4, 8}));
  CHECK_FALSE(overlap({1000, 3, 4, 8}, {1000, 3, 0, 8}));
  float memory[64] = {};
  const rectangle all = detail::extent_of(vector_view<float>(memory, 64));
  CHECK(overlap(detail::extent_of(volume_view<float>(memory, 3, 2, 5, 20, 40)), all));
  CHECK_FALSE(overlap(detail::extent_of(volume_view<float>(memory, 3, 0, 5, 20, 40)), all));
  CHECK_FALSE(overlap(detail::extent_of(volume_view<float>(memory, 3, 2, 0, 20, 40)), all));
}

TEST_CASE("a view is a rectangle of its rows or columns", "[launch]") {
  float memory[64] = {};
  const int64 first = int64(reinterpret_cast<size_t>(memory));
  const rectangle rows = detail::rectangle_of(row_major(memory, 3, 5, 8)),
                  columns = detail::rectangle_of(column_major(memory + 1, 3, 5, 8));
  CHECK((rows.first == first && rows.rows == 3 && rows.bytes == 20 && rows.pitch == 32));
  CHECK((columns.first == first + 4 && columns.rows == 5 && columns.bytes == 12 && columns.pitch == 32));
  const auto whole = row_major(memory, 8, 8);
  CHECK_FALSE(
      overlap(detail::rectangle_of(subview(whole, 0, 0, 8, 4)), detail::rectangle_of(subview(whole, 0, 4, 8, 4))));
  CHECK(overlap(detail::rectangle_of(subview(whole, 0, 0, 8, 5)), detail::rectangle_of(subview(whole, 0, 4, 8, 4))));
  CHECK_FALSE(
      overlap(detail::rectangle_of(subview(whole, 0, 0, 4, 8)), detail::rectangle_of(subview(whole, 4, 0, 4, 8))));
}
