// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Results come back when they are there, and what cannot be copied is refused.
#include <memtile/reduce.cuh>
#include <support/unit.hpp>

using namespace memtile;

TEST_CASE("a result is read back behind the work that makes it", "[launch]") {
  for (auto& machine : testing::machines()) {
    auto in = machine.template buffer<float>(100000, [](int i) { return float(i % 5); });
    auto out = machine.template buffer<double>(1);
    double total = -1;
    REQUIRE(sum<accumulate_in<double>>(machine, in.view(), out.view()));
    REQUIRE(read_back_and_wait(machine, out.view(), &total));
    CHECK(total == 200000);
  }
}

TEST_CASE("reading back from or to nowhere is refused", "[launch]") {
  for (auto& machine : testing::machines()) {
    float value = 7;
    CHECK(read_back_and_wait(machine, vector_view<const float>(nullptr, 1), &value).message() ==
          "read_back_and_wait: 1 elements from a null pointer, or to one");
    CHECK(read_back_and_wait(machine, vector_view<const float>(nullptr, 0), &value).ok());
    CHECK(value == 7);
  }
}
