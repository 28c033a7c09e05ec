// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels whose shared memory holds elements of different sizes and alignments, side by side in one file, below and above 48 KiB.
#include <support/unit.hpp>

#include <cstddef>

using namespace memtile;

namespace {

struct alignas(32) wide_element {
  int values[8];
  friend bool operator==(const wide_element& a, const wide_element& b) {
    return a.values[0] == b.values[0] && a.values[7] == b.values[7];
  }
};

// Exact in every type here.
template <class T>
MEMTILE_FUNCTION T element(int i) {
  if constexpr (detail::is_same<T, wide_element>) return T{{i, 0, 0, 0, 0, 0, 0, -i}};
  else return T(float(i % 2048));
}

template <class T, int Count>
struct reverse {
  static constexpr int threads = 96;
  struct storage {
    shared_tile<T, 1, Count> tile;
  };
  MEMTILE_KERNEL void operator()(block b, storage& shared, vector_view<T> out) const {
    for (int i = b.rank(); i < Count; i += threads) shared.tile.store(0, i, element<T>(i));
    b.sync();
    for (int i = b.rank(); i < Count; i += threads) out.store(i, shared.tile.load(0, Count - 1 - i));
  }
};

template <class T, int Count>
void check_reverse() {
  for (auto& machine : testing::machines()) {
    auto out = machine.buffer<T>(Count);
    const status result = launch(machine, 1, reverse<T, Count>{}, out.view());
    INFO(machine.name() << ": " << Count << " elements of " << sizeof(T) << " bytes. " << result.message());
    REQUIRE(result.ok());
    CHECK(unit::differences(out.host(), Count, [](int i) { return element<T>(Count - 1 - i); }) == 0);
    CHECK(out.untouched());
    unit::check_clean(machine);
    if (const auto* report = machine.last_report())
      CHECK(report->shared_bytes() == sizeof(typename reverse<T, Count>::storage));
  }
}

// Parts of different types in one storage: the compiler places them, the kernel cannot.
struct several_types {
  static constexpr int threads = 32;
  struct storage {
    shared_tile<unsigned char, 1, 3> bytes;
    shared_tile<double, 1, 4> doubles;
    shared_tile<float16, 1, 5> halves;
    shared_tile<wide_element, 1, 2> wide;
  };
  MEMTILE_KERNEL void operator()(block b, storage& shared, vector_view<double> out) const {
    if (b.rank() < 3) shared.bytes.store(0, b.rank(), static_cast<unsigned char>(b.rank() + 1));
    if (b.rank() < 4) shared.doubles.store(0, b.rank(), b.rank() + 0.25);
    if (b.rank() < 5) shared.halves.store(0, b.rank(), float16(float(b.rank())));
    if (b.rank() < 2) shared.wide.store(0, b.rank(), element<wide_element>(b.rank() + 7));
    b.sync();
    if (b.rank() >= 2) return;
    const int i = b.rank();
    out.store(i, shared.bytes.load(0, i) + shared.doubles.load(0, 3 - i) + shared.halves.load(0, 4 - i) +
                     shared.wide.load(0, 1 - i).values[0]);
  }
};

}  // namespace

TEST_CASE("shared memory of several element types lives in one file", "[shared][PRIM-04]") {
  check_reverse<float, 1000>();
  check_reverse<double, 500>();
  check_reverse<float16, 777>();
  check_reverse<wide_element, 100>();
}

TEST_CASE("so does shared memory above 48 KiB", "[shared][PRIM-04]") {
  check_reverse<float, 13000>();
  check_reverse<double, 7000>();
  check_reverse<float16, 25001>();
  check_reverse<wide_element, 1600>();
}

TEST_CASE("parts of different alignments keep out of each other's way", "[shared][PRIM-03]") {
  static_assert(alignof(several_types::storage) == 32 && sizeof(several_types::storage) == 16 + 32 + 16 + 64);
  for (auto& machine : testing::machines()) {
    auto out = machine.buffer<double>(2);
    REQUIRE(launch(machine, 1, several_types{}, out.view()));
    CHECK((out.host()(0) == 1 + 3.25 + 4 + 8 && out.host()(1) == 2 + 2.25 + 3 + 7));
    unit::check_clean(machine);
  }
}

namespace {

// What one would carve by hand out of one buffer is a struct here: the host and the device have one layout of it.
struct four_parts {
  char letters[3];
  double numbers[4];
  float16 halves[5];
  vec<float, 4> vectors[2];
};
struct parts_in_another_order {
  float numbers[5];
  vec<float, 4> vector;
  char letter;
  double number;
};
static_assert(offsetof(four_parts, letters) == 0 && offsetof(four_parts, numbers) == 8 &&
                  offsetof(four_parts, halves) == 40 && offsetof(four_parts, vectors) == 64 && sizeof(four_parts) == 96,
              "");
static_assert(offsetof(parts_in_another_order, numbers) == 0 && offsetof(parts_in_another_order, vector) == 32 &&
                  offsetof(parts_in_another_order, letter) == 48 && offsetof(parts_in_another_order, number) == 56 &&
                  sizeof(parts_in_another_order) == 64,
              "");

struct use_parts {
  static constexpr int threads = 32;
  using storage = four_parts;
  MEMTILE_KERNEL void operator()(block b, storage& shared, vector_view<double> out) const {
    const site s = site::here();
    const int i = b.rank();
    if (i < 3) hw::store_shared(&shared.letters[i], char('a' + i), s);
    if (i < 4) hw::store_shared(&shared.numbers[i], i + 0.5, s);
    if (i < 5) hw::store_shared(&shared.halves[i], float16(float(i)), s);
    if (i < 2) hw::store_shared(&shared.vectors[i], vec<float, 4>{{1, 2, 3, float(i)}}, s);
    b.sync();
    if (i == 0)
      out.store(0, hw::load_shared(&shared.letters[2], s) + hw::load_shared(&shared.numbers[3], s) +
                       hw::load_shared(&shared.halves[4], s) + hw::load_shared(&shared.vectors[1], s)[3]);
  }
};

}  // namespace

TEST_CASE("parts of one storage keep their own alignment", "[shared][PRIM-03]") {
  for (auto& machine : testing::machines()) {
    auto out = machine.template buffer<double>(1);
    REQUIRE(launch(machine, 1, use_parts{}, out.view()));
    CHECK(out.host()(0) == 'c' + 3.5 + 4 + 1);
    unit::check_clean(machine);
    if (const auto* report = machine.last_report()) CHECK(report->shared_bytes() == 96);
  }
}
