// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Atomic operations: nothing is lost, and each returns what stood there before.
#include <support/unit.hpp>

#include <vector>

using namespace memtile;
using hw::memory;

namespace {

// Every thread adds 1 to one word. What it gets back is a number that no other thread gets.
template <class T>
struct take_tickets {
  int threads;
  struct storage {
    shared_tile<T, 1, 1> counter;
  };
  MEMTILE_KERNEL void operator()(block b, storage& shared, vector_view<T> global, vector_view<T> global_tickets,
                                 vector_view<T> shared_tickets) const {
    const int64 i = int64(b.grid_column()) * b.size() + b.rank();
    global_tickets.store(i, global.atomic_add(0, T(1)));
    if (b.rank() == 0) shared.counter.store(0, 0, T(5));
    b.sync();
    shared_tickets.store(i, shared.counter.atomic_add(0, 0, T(1)));
  }
};

template <class T>
void check_tickets() {
  for (auto& machine : testing::machines())
    for (int threads : {1, 33, 256}) {
      constexpr int blocks = 3;
      auto counter = machine.buffer<T>(1, [](int) { return T(10); });
      auto global = machine.buffer<T>(blocks * threads), shared = machine.buffer<T>(blocks * threads);
      REQUIRE(launch(machine, blocks, take_tickets<T>{threads}, counter.view(), global.view(), shared.view()));
      INFO(machine.name() << ", " << threads << " threads");
      CHECK(counter.host()(0) == T(10 + blocks * threads));
      const auto of_global = global.host(), of_shared = shared.host();
      std::vector<int> global_taken(std::size_t(blocks * threads)), shared_taken(std::size_t(blocks * threads));
      for (int i = 0; i < blocks * threads; ++i) {
        const int g = int(of_global(i)) - 10, s = int(of_shared(i)) - 5;
        REQUIRE((g >= 0 && g < blocks * threads && s >= 0 && s < threads));
        ++global_taken[std::size_t(g)];
        ++shared_taken[std::size_t(i / threads * threads + s)];
      }
      CHECK(std::count(global_taken.begin(), global_taken.end(), 1) == blocks * threads);
      CHECK(std::count(shared_taken.begin(), shared_taken.end(), 1) == blocks * threads);
      CHECK(counter.untouched());
      unit::check_clean(machine);
    }
}

// One thread, one operation after the other on in[0]; out holds the old values.
template <class T>
struct exchange_values {
  static constexpr int threads = 1;
  MEMTILE_KERNEL void operator()(block, vector_view<T> x, vector_view<T> old) const {
    const site s = site::here();
    T* const p = x.address(0);
    old.store(0, hw::atomic_add(memory::global, p, T(7), s));
    old.store(1, hw::atomic_exchange(memory::global, p, T(100), s));
    old.store(2, hw::atomic_compare_exchange(memory::global, p, T(99), T(1), s));
    old.store(3, hw::atomic_compare_exchange(memory::global, p, T(100), T(50), s));
    old.store(4, hw::atomic_exchange(memory::global, p, T(60), s));
  }
};
template <class T>
struct order_values {
  static constexpr int threads = 1;
  MEMTILE_KERNEL void operator()(block, vector_view<T> x, vector_view<T> old) const {
    const site s = site::here();
    T* const p = x.address(0);
    old.store(0, hw::atomic_min(memory::global, p, T(20), s));
    old.store(1, hw::atomic_min(memory::global, p, T(5), s));
    old.store(2, hw::atomic_max(memory::global, p, T(3), s));
    old.store(3, hw::atomic_max(memory::global, p, T(8), s));
    old.store(4, hw::atomic_min(memory::global, p, T(T(0) - T(1)), s));
    old.store(5, hw::atomic_max(memory::global, p, T(T(0) - T(2)), s));
  }
};

template <class T>
void check_exchanges() {
  for (auto& machine : testing::machines()) {
    auto x = machine.buffer<T>(1, [](int) { return T(10); });
    auto old = machine.buffer<T>(5);
    REQUIRE(launch(machine, 1, exchange_values<T>{}, x.view(), old.view()));
    const T expected[5] = {T(10), T(17), T(100), T(100), T(50)};
    CHECK(unit::differences(old.host(), 5, [&](int i) { return expected[i]; }) == 0);
    CHECK(x.host()(0) == T(60));
    CHECK((x.untouched() && old.untouched()));
    unit::check_clean(machine);
  }
}
template <class T>
void check_orders() {
  for (auto& machine : testing::machines()) {
    auto x = machine.buffer<T>(1, [](int) { return T(10); });
    auto old = machine.buffer<T>(6);
    REQUIRE(launch(machine, 1, order_values<T>{}, x.view(), old.view()));
    constexpr bool is_signed = T(-1) < T(0);
    const T expected[6] = {T(10), T(10), T(5), T(5), T(8), is_signed ? T(-1) : T(8)};
    CHECK(unit::differences(old.host(), 6, [&](int i) { return expected[i]; }) == 0);
    CHECK(x.host()(0) == (is_signed ? T(-1) : T(-2)));
    unit::check_clean(machine);
  }
}

// 0 and -0 are equal and have different bits.
struct exchange_zero {
  static constexpr int threads = 1;
  MEMTILE_KERNEL void operator()(block, vector_view<float> x, vector_view<float> old) const {
    old.store(0, hw::atomic_compare_exchange(memory::global, x.address(0), -0.f, 1.f, site::here()));
    old.store(1, hw::atomic_compare_exchange(memory::global, x.address(0), 0.f, 2.f, site::here()));
  }
};

// SIM-05: x[1] = atomicAdd(&x[0], 1)
struct add_and_keep {
  static constexpr int threads = 1;
  MEMTILE_KERNEL void operator()(block, vector_view<int> x) const { x.store(1, x.atomic_add(0, 1)); }
};

struct add_in_matrix {
  static constexpr int threads = 64;
  MEMTILE_KERNEL void operator()(block b, matrix_view<int, column> m) const {
    m.atomic_add(b.rank() % 3, b.rank() % 2, 1);
  }
};

}  // namespace

TEST_CASE("no addition is lost and each thread gets the value before its own", "[hw][SIM-05]") {
  check_tickets<int>();
  check_tickets<unsigned>();
  check_tickets<float>();
  check_tickets<double>();
  check_tickets<int64>();
}

TEST_CASE("an atomic addition returns the old value", "[hw][SIM-05]") {
  for (auto& machine : testing::machines()) {
    auto x = machine.buffer<int>(2, [](int i) { return i == 0 ? 10 : 0; });
    REQUIRE(launch(machine, 1, add_and_keep{}, x.view()));
    CHECK((x.host()(0) == 11 && x.host()(1) == 10));
    unit::check_clean(machine);
  }
}

TEST_CASE("exchange stores always, compare-and-exchange where it finds what it expects", "[hw][SIM-05]") {
  check_exchanges<int>();
  check_exchanges<float>();
  check_exchanges<double>();
  check_exchanges<int64>();
}

TEST_CASE("compare-and-exchange compares bits", "[hw]") {
  for (auto& machine : testing::machines()) {
    auto x = machine.buffer<float>(1, [](int) { return 0.f; });
    auto old = machine.buffer<float>(2);
    REQUIRE(launch(machine, 1, exchange_zero{}, x.view(), old.view()));
    CHECK((old.host()(0) == 0.f && old.host()(1) == 0.f && x.host()(0) == 2.f));
  }
}

TEST_CASE("atomic minimum and maximum keep the smaller and the larger, with or without a sign", "[hw][SIM-05]") {
  check_orders<int>();
  check_orders<unsigned>();
  check_orders<int64>();
}

TEST_CASE("a view adds to the element that its layout names", "[hw]") {
  for (auto& machine : testing::machines()) {
    auto memory_of_columns = machine.buffer<int>(2, 3, [](int, int) { return 0; }, {5, 0});
    REQUIRE(launch(machine, 1, add_in_matrix{}, transposed(memory_of_columns.view())));
    const auto got = memory_of_columns.host();
    int total = 0;
    for (int c = 0; c < 2; ++c)
      for (int r = 0; r < 3; ++r) {
        int expected = 0;
        for (int t = 0; t < 64; ++t) expected += t % 3 == r && t % 2 == c;
        CHECK(got(c, r) == expected);
        total += got(c, r);
      }
    CHECK(total == 64);
    CHECK(memory_of_columns.untouched());
    unit::check_clean(machine);
  }
}
