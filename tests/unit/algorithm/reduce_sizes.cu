// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of arrays of every size, at every alignment: exact where the values are integers.
#include <support/reduce.hpp>

using namespace memtile;

namespace {

// Poison lies before and behind the array: a sum that took too much of it would be NaN, or far off.
template <class T, class Machine>
void check_sum(Machine& machine, int64 n, int64 offset) {
  int64 expected = 0;
  for (int i = 0; i < n; ++i) expected += test::small_integer(i);
  auto in = machine.template buffer<T>(n, test::small_integer, {0, offset});
  INFO(machine.name() << ": " << n << " elements of " << sizeof(T) << " bytes, offset " << offset);
  CHECK(test::sum_of<double>(machine, in.view()) == double(expected));
  CHECK(in.untouched());
}
// Around n, at one alignment after the other.
template <class T, class Machine>
void check_sums_around(Machine& machine, int64 n) {
  constexpr int alignments = 16 / int(sizeof(T));
  for (int64 size = n - 1; size <= n + 1; ++size) check_sum<T>(machine, size, (size - n + 1) * 5 % alignments);
}

}  // namespace

TEST_CASE("reduce adds up each of a few elements, at every alignment", "[reduce]") {
  for (auto& machine : testing::machines())
    for (int n = 0; n <= 70; ++n)
      for (int offset = 0; offset < 4; ++offset) check_sum<float>(machine, n, offset);
}

TEST_CASE("reduce is exact around powers of two", "[reduce]") {
  for (auto& machine : testing::machines()) {
    for (int n = 1 << 7; n <= 1 << 17; n *= 2) check_sums_around<float>(machine, n);
    for (int n = 1024; n <= 1036; ++n) check_sum<float>(machine, n, n % 4);
  }
}

// 1024 elements are a stripe of a small tile, 4096 the tile, 16384 what one block takes, 8192 a chunk of many.
TEST_CASE("reduce is exact at the edges of its tiles", "[reduce]") {
  for (auto& machine : testing::machines()) {
    for (int64 n : {3072, 4096, 5120, 12288, 16384, 20480, 24576}) check_sums_around<float>(machine, n);
    for (int64 n : {16384, 65536, 81920}) check_sums_around<int8>(machine, n);
    for (int64 n : {2048, 8192, 10240}) check_sums_around<double>(machine, n);
    check_sums_around<float>(machine, 257 * 4096);  // from here on a block takes two tiles
  }
}

TEST_CASE("reduce is exact where its tiles get large", "[reduce]") {
  for (auto& machine : testing::machines()) {
    check_sum<float>(machine, 64 * 65536 - 1, 0);
    check_sum<float>(machine, 64 * 65536 + 5, 3);
  }
}

TEST_CASE("reduce adds up bytes at each of their 16 alignments", "[reduce]") {
  for (auto& machine : testing::machines())
    for (int64 n : {0, 1, 15, 16, 17, 31, 32, 33, 47, 100, 1000, 4097, 16384, 70001})
      for (int offset = 0; offset < 16; ++offset) check_sum<int8>(machine, n, offset);
}

#if MEMTILE_CUDA
TEST_CASE("reduce is exact around 2^22 and 2^24", "[reduce][large]") {
  for (auto& machine : testing::machines()) {
    if (!machine.is_gpu()) continue;
    for (int64 n : {int64(1) << 22, int64(1) << 24}) {
      check_sums_around<float>(machine, n);
      check_sums_around<int8>(machine, n);
      check_sums_around<double>(machine, n);
    }
  }
}
#endif
