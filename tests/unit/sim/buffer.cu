// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Buffers of a machine: contents, placement, and the poison around them. On the GPU too.
#include <memtile/kernel.cuh>
#include <memtile/sim.cuh>

#include <support/catch.hpp>

#include <cstdint>

namespace {

using memtile::sim::placement;

// Stores one element at any distance from the beginning of the buffer, without a view that would object.
template <class T>
struct store_anywhere {
  static constexpr int threads = 1;
  MEMTILE_KERNEL void operator()(memtile::block, T* first, memtile::int64 distance, T value) const {
    memtile::hw::store_global(first + distance, value, memtile::site::here());
  }
};

template <class Machine, class T>
void store_at(Machine& machine, T* first, memtile::int64 distance, T value) {
  REQUIRE(memtile::launch(machine, memtile::grid{1}, store_anywhere<T>{}, first, distance, value));
  REQUIRE(machine.synchronize());
}

bool on_boundary(const void* p) { return reinterpret_cast<std::uintptr_t>(p) % 256 == 0; }

}  // namespace

TEST_CASE("a buffer holds what its function says", "[sim][buffer]") {
  for (auto& machine : memtile::testing::machines()) {
    INFO(machine.name());
    auto vector = machine.template buffer<int>(100, [](int i) { return 3 * i; });
    auto matrix = machine.template buffer<double>(
        7, 5, [](int r, int c) { return 10 * r + c; }, placement{9, 1});
    CHECK(vector.view().size == 100);
    CHECK(vector.host()(99) == 297);
    CHECK(matrix.view().rows == 7);
    CHECK(matrix.view().cols == 5);
    CHECK(matrix.view().pitch == 72);
    CHECK(matrix.host()(6, 4) == 64);
    matrix.write([](int r, int c) { return r - c; });
    CHECK(matrix.host()(6, 4) == 2);
    CHECK(matrix.host()(0, 3) == -3);
    CHECK(vector.untouched());
    CHECK(matrix.untouched());
  }
}

TEST_CASE("a buffer begins on a boundary of 256 bytes, or as far behind it as asked", "[sim][buffer]") {
  for (auto& machine : memtile::testing::machines()) {
    CHECK(on_boundary(machine.template buffer<float>(5).view().data));
    CHECK(on_boundary(machine.template buffer<char>(5, 5).view().data));
    auto shifted = machine.template buffer<float>(5, placement{0, 3});
    CHECK(on_boundary(shifted.view().data - 3));
    CHECK(shifted.untouched());
  }
}

TEST_CASE("a buffer that nobody fills is poison", "[sim][buffer]") {
  for (auto& machine : memtile::testing::machines()) {
    const auto number = machine.template buffer<float>(3).host()(2);
    CHECK(number != number);
    const float small = machine.template buffer<memtile::float16>(3).host()(1);
    CHECK(small != small);
    CHECK(machine.template buffer<int>(3).host()(0) == 0x7f7f7f7f);
    CHECK(machine.template buffer<memtile::uint8>(2, 3).host()(1, 2) == 0x7f);
  }
}

TEST_CASE("a store before, behind or between the rows is noticed", "[sim][buffer]") {
  for (auto& machine : memtile::testing::machines()) {
    INFO(machine.name());
    for (memtile::int64 distance : {-64, -1, 4, 5, 9, 10 * 2 + 4, 29, 29 + 64}) {
      CAPTURE(distance);
      auto matrix = machine.template buffer<float>(
          3, 4, [](int, int) { return 0; }, placement{10, 1});
      store_at(machine, matrix.view().data, distance, 1.f);
      CHECK(!matrix.untouched());
    }
    for (memtile::int64 distance : {0, 3, 10, 23}) {
      CAPTURE(distance);
      auto matrix = machine.template buffer<float>(3, 4, placement{10, 1});
      store_at(machine, matrix.view().data, distance, 1.f);
      CHECK(matrix.untouched());
    }
  }
}

TEST_CASE("a buffer may be empty", "[sim][buffer]") {
  for (auto& machine : memtile::testing::machines()) {
    CHECK(machine.template buffer<float>(0).untouched());
    CHECK(machine.template buffer<float>(0, [](int) { return 1.f; }).view().size == 0);
    CHECK(machine.template buffer<float>(0, 7).view().rows == 0);
    CHECK(machine.template buffer<float>(7, 0, placement{3, 0}).untouched());
  }
}

TEST_CASE("the memory of a buffer goes with it when it is moved", "[sim][buffer]") {
  memtile::sim::machine machine;
  auto first = machine.buffer<int>(3, [](int i) { return i; });
  auto second = std::move(first);
  CHECK(second.host()(2) == 2);
  second = machine.buffer<int>(5, [](int i) { return 2 * i; });
  CHECK(second.view().size == 5);
  CHECK(second.host()(4) == 8);
  CHECK(second.untouched());
}
