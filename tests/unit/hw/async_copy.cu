// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Asynchronous copies from global to shared memory: their widths, the zeros of what is outside, and groups that are waited for one by one.
// And the accesses of hw/ where no machine listens.
#include <support/unit.hpp>

#include <cstring>

using namespace memtile;

namespace {

constexpr int pieces = 100;

// Copies pieces of Bytes bytes, of which the first `existing` are inside, and stores them from the last to the first.
template <int Bytes>
struct copy_pieces {
  static constexpr int threads = 64, words = Bytes / 4;
  struct storage {
    shared_tile<int, pieces, words> tile;
  };
  MEMTILE_KERNEL void operator()(block b, storage& shared, vector_view<const int> in, int existing,
                                 vector_view<int> out) const {
    const site s = site::here();
    for (int p = b.rank(); p < pieces; p += threads)
      hw::async_copy<Bytes>(shared.tile.address(p, 0), in.address(int64(p) * words), p < existing, s);
    hw::async_commit(s);
    hw::async_wait<0>(s);
    b.sync();
    for (int i = b.rank(); i < pieces * words; i += threads)
      out.store(i, shared.tile.load(pieces - 1 - i / words, i % words));
  }
};

template <int Bytes>
void check_copies() {
  constexpr int words = Bytes / 4;
  for (auto& machine : testing::machines())
    for (int existing : {0, 1, 63, 64, 65, 99, pieces}) {
      // the source of a copy that is left out lies beyond the buffer
      auto in = machine.buffer<int>(existing * words, [](int i) { return 7 * i + 1; });
      auto out = machine.buffer<int>(pieces * words);
      REQUIRE(launch(machine, 1, copy_pieces<Bytes>{}, in.view(), existing, out.view()));
      INFO(machine.name() << ": " << existing << " pieces of " << Bytes << " bytes");
      CHECK(unit::differences(out.host(), pieces * words, [=](int i) {
              const int piece = pieces - 1 - i / words;
              return piece < existing ? 7 * (piece * words + i % words) + 1 : 0;
            }) == 0);
      CHECK(out.untouched());
      unit::check_clean(machine);
      if (const auto* report = machine.last_report()) {
        const auto read = report->total(sim::space::global, sim::access_kind::async_copy);
        CHECK(read.lanes == existing);  // nothing else was read
        if (existing > 0)
          CHECK(unit::widths(*report, sim::space::global, sim::access_kind::async_copy) == std::vector<int>{Bytes});
      }
    }
}

// Three copies of each thread in three groups. Each is used as soon as its own group has arrived, while the later ones may still be on
// their way.
struct three_groups {
  static constexpr int threads = 96;
  struct storage {
    shared_tile<float, 3, threads> rows;
  };
  MEMTILE_KERNEL void operator()(block b, storage& shared, matrix_view<const float> in, matrix_view<float> out) const {
    const site s = site::here();
    for (int r = 0; r < 3; ++r) {
      hw::async_copy<4>(shared.rows.address(r, b.rank()), in.address(r, b.rank()), true, s);
      hw::async_commit(s);
    }
    const int other = threads - 1 - b.rank();
    hw::async_wait<2>(s);
    b.sync();
    out.store(0, b.rank(), shared.rows.load(0, other));
    hw::async_wait<1>(s);
    b.sync();
    out.store(1, b.rank(), shared.rows.load(1, other));
    hw::async_wait<0>(s);
    b.sync();
    out.store(2, b.rank(), shared.rows.load(2, other));
  }
};

// An empty group counts as one: the count of groups stays the count of steps.
struct empty_groups {
  static constexpr int threads = 32;
  struct storage {
    shared_tile<float, 1, threads> row;
  };
  MEMTILE_KERNEL void operator()(block b, storage& shared, vector_view<const float> in, vector_view<float> out) const {
    const site s = site::here();
    hw::async_copy<4>(shared.row.address(0, b.rank()), in.address(b.rank()), true, s);
    hw::async_commit(s);
    hw::async_commit(s);
    hw::async_commit(s);
    hw::async_wait<2>(s);
    b.sync();
    out.store(b.rank(), shared.row.load(0, threads - 1 - b.rank()));
  }
};

}  // namespace

TEST_CASE("an asynchronous copy moves 4, 8 or 16 bytes, or writes zeros and reads nothing", "[hw]") {
  check_copies<4>();
  check_copies<8>();
  check_copies<16>();
}

TEST_CASE("groups of copies can be waited for one after the other", "[hw]") {
  for (auto& machine : testing::machines()) {
    constexpr int n = three_groups::threads;
    auto in = machine.buffer<float>(3, n, [](int r, int c) { return float(1000 * r + c); });
    auto out = machine.buffer<float>(3, n);
    REQUIRE(launch(machine, 1, three_groups{}, in.view(), out.view()));
    CHECK(unit::differences(out.host(), 3, n, [](int r, int c) { return float(1000 * r + n - 1 - c); }) == 0);
    unit::check_clean(machine);
  }
}

TEST_CASE("a group without copies counts as one", "[hw]") {
  for (auto& machine : testing::machines()) {
    auto in = machine.buffer<float>(32, [](int i) { return float(i); });
    auto out = machine.buffer<float>(32);
    REQUIRE(launch(machine, 1, empty_groups{}, in.view(), out.view()));
    CHECK(unit::differences(out.host(), 32, [](int i) { return float(31 - i); }) == 0);
    unit::check_clean(machine);
  }
}

TEST_CASE("outside of a kernel the models do the bare access", "[hw]") {
  const site s = site::here();
  alignas(16) unsigned char bytes[48] = {};
  for (int i = 0; i < 48; ++i) bytes[i] = static_cast<unsigned char>(i);

  int word = 0;
  std::memcpy(&word, bytes + 5, 4);
  CHECK(hw::load_global(reinterpret_cast<const int*>(bytes + 5), s) ==
        word);  // any address: there is no machine to complain
  hw::store_shared(reinterpret_cast<int*>(bytes + 9), word, s);
  CHECK(std::memcmp(bytes + 9, bytes + 5, 4) == 0);

  hw::async_copy<16>(bytes + 16, bytes, true, s);
  CHECK(std::memcmp(bytes + 16, bytes, 16) == 0);
  hw::async_copy<8>(bytes + 16, nullptr, false, s);
  CHECK((bytes[16] == 0 && bytes[23] == 0 && bytes[24] == bytes[8]));
  hw::async_commit(s);
  hw::async_wait<0>(s);

  int counter = 4;
  CHECK((hw::atomic_add(hw::memory::global, &counter, 3, s) == 4 && counter == 7));
  CHECK((hw::atomic_exchange(hw::memory::shared, &counter, -1, s) == 7 && counter == -1));
  CHECK(hw::ballot(0xffu, true, s) == 0xffu);
  CHECK(this_block().warp().shuffle_down(5, 1) == 5);
}
