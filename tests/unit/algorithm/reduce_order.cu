// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An operator that is not commutative combines the elements in their order, with an identity and without one, and the
// initial value once and first.
#include <support/reduce.hpp>

using namespace memtile;

namespace {

constexpr test::affine first_of_all{3, 5};

template <class Operator, class Machine>
void check_order(Machine& machine, int64 n, int64 offset) {
  test::affine expected = first_of_all;
  for (int i = 0; i < n; ++i) expected = Operator{}(expected, test::affine_of(i));
  auto in = machine.template buffer<test::affine>(n, test::affine_of, {0, offset});
  INFO(machine.name() << ": " << n << " elements, offset " << offset);
  CHECK((test::reduced<test::affine>(machine, in.view(), Operator{}, first_of_all) == expected));
  CHECK(in.untouched());
}

}  // namespace

// 2 elements a thread: 8192 are what one block takes, 2048 a chunk of many.
TEST_CASE("reduce combines the elements in their order", "[reduce]") {
  for (auto& machine : testing::machines()) {
    for (int n : {0, 1, 2, 3, 31, 32, 33, 63, 64, 65, 127, 129, 255, 256, 257, 511, 512, 513, 1000, 2047, 2048, 2049})
      for (int offset : {0, 1}) check_order<test::compose>(machine, n, offset);
    for (int n : {8191, 8192, 8193, 10239, 10240, 10241, 70001}) check_order<test::compose>(machine, n, n % 2);
  }
}

TEST_CASE("reduce combines the elements in their order without an identity", "[reduce]") {
  for (auto& machine : testing::machines())
    for (int n : {0, 1, 2, 33, 64, 500, 513, 8192, 8193, 20001})
      for (int offset : {0, 1}) check_order<test::compose_without_identity>(machine, n, offset);
}

#if MEMTILE_CUDA
TEST_CASE("reduce combines millions of elements in their order", "[reduce][large]") {
  for (auto& machine : testing::machines())
    if (machine.is_gpu())
      for (int offset : {0, 1}) check_order<test::compose>(machine, 64 * 32768 + 77, offset);
}
#endif
