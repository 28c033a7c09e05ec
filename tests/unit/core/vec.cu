// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vectors that one instruction moves, and the small arithmetic of sizes.
#include <memtile/core/small_float.hpp>
#include <memtile/core/vec.hpp>
#include <support/catch.hpp>

using namespace memtile;

namespace {

struct three_bytes {
  unsigned char values[3];
};
struct twelve_bytes {
  float x, y, z;
};
struct alignas(32) wide_element {
  float values[8];
};

}  // namespace

TEST_CASE("a vec is aligned as the hardware wants an access of its size", "[core]") {
  static_assert(alignof(vec<uint8, 1>) == 1 && alignof(vec<uint8, 2>) == 2 && alignof(vec<uint8, 4>) == 4 &&
                alignof(vec<uint8, 16>) == 16);
  static_assert(alignof(vec<float16, 1>) == 2 && alignof(vec<float16, 2>) == 4 && alignof(vec<float16, 8>) == 16);
  static_assert(alignof(vec<float, 1>) == 4 && alignof(vec<float, 2>) == 8 && alignof(vec<float, 4>) == 16);
  static_assert(alignof(vec<double, 1>) == 8 && alignof(vec<double, 2>) == 16);
  static_assert(alignof(vec<float, 8>) == 16 && alignof(vec<double, 8>) == 16,
                "no instruction moves more than 16 bytes");
  static_assert(alignof(vec<float, 3>) == 4 && alignof(vec<double, 3>) == 8 && alignof(vec<uint8, 3>) == 1,
                "several instructions");
  static_assert(alignof(vec<twelve_bytes, 1>) == 4 && alignof(vec<three_bytes, 4>) == 1);
  static_assert(alignof(vec<wide_element, 1>) == 32, "never less than the element's own");
  static_assert(sizeof(vec<float, 3>) == 12 && sizeof(vec<float, 4>) == 16 && sizeof(vec<wide_element, 2>) == 64);

  vec<int, 3> v{{1, 2, 3}};
  v[1] += 40;
  const vec<int, 3> copy = v;
  CHECK((copy[0] == 1 && copy[1] == 42 && copy[2] == 3 && copy.size == 3));
}

TEST_CASE("the widest access divides the row and has at most 16 bytes", "[core]") {
  static_assert(widest<float>(4) == 4 && widest<float>(8) == 4 && widest<float>(6) == 2 && widest<float>(33) == 1 &&
                widest<float>(1) == 1);
  static_assert(widest<double>(2) == 2 && widest<double>(4) == 2 && widest<double>(3) == 1);
  static_assert(widest<float16>(8) == 8 && widest<float16>(16) == 8 && widest<float16>(12) == 4 &&
                widest<float16>(7) == 1);
  static_assert(widest<uint8>(16) == 16 && widest<uint8>(64) == 16 && widest<uint8>(24) == 8);
  static_assert(widest<twelve_bytes>(64) == 1 && widest<wide_element>(64) == 1);
  static_assert(widest<three_bytes>(64) == 4, "12 bytes; 24 would be too many");
  for (int n = 1; n < 300; ++n) {
    const int width = widest<float>(n);
    CHECK((n % width == 0 && (width == 4 || n % (2 * width) != 0)));
  }
}

TEST_CASE("ceil_div does not overflow where adding the piece would", "[core][TR-07]") {
  static_assert(ceil_div(2147483647, 32) == 67108864);
  static_assert(ceil_div(int64(2147483648), 32) == 67108864 && ceil_div(int64(2147483649), 32) == 67108865);
  static_assert(ceil_div(9223372036854775807, 2) == 4611686018427387904);
  static_assert(ceil_div(4294967295u, 2u) == 2147483648u);
  static_assert(ceil_div(0, 32) == 0 && ceil_div(1, 32) == 1 && ceil_div(31, 32) == 1 && ceil_div(32, 32) == 1 &&
                ceil_div(33, 32) == 2);
  for (int n = 0; n < 200; ++n)
    for (int piece = 1; piece < 20; ++piece) {
      const int count = ceil_div(n, piece);
      CHECK((count * piece >= n && (count - 1) * piece < n));
    }
}

TEST_CASE("min_of and max_of take the smaller and the larger", "[core]") {
  static_assert(min_of(2, 3) == 2 && min_of(3, 2) == 2 && min_of(-1, 0) == -1);
  static_assert(max_of(2, 3) == 3 && max_of(3, 2) == 3 && max_of(-1, 0) == 0);
  CHECK((min_of(2.5f, 2.25f) == 2.25f && max_of(2.5f, 2.25f) == 2.5f));
}
