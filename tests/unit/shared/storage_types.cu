// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels whose shared memory holds elements of different sizes and alignments, side by side in one file, below and above 48 KiB.
#include <support/unit.hpp>

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
