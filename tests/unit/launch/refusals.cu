// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What cannot run is refused before anything has changed, in words with the limit, and the next launch is as if nothing had been.
#include <support/unit.hpp>

#include <string>

using namespace memtile;

namespace {

struct fill {
  int threads;
  MEMTILE_KERNEL void operator()(block b, vector_view<int> out) const {
    if (out.inside(b.rank())) out.store(b.rank(), 1);
  }
};

// Exactly so many bytes of shared memory, of which the first and the last are used.
template <int Bytes>
struct needs_shared {
  static constexpr int threads = 32;
  struct storage {
    vec<uint8, 1> bytes[Bytes];
  };
  static_assert(sizeof(storage) == Bytes, "no padding");
  MEMTILE_KERNEL void operator()(block b, storage& shared, vector_view<int> out) const {
    const site s = site::here();
    if (b.rank() == 0) hw::store_shared(&shared.bytes[0], vec<uint8, 1>{{11}}, s);
    if (b.rank() == 1) hw::store_shared(&shared.bytes[Bytes - 1], vec<uint8, 1>{{22}}, s);
    b.sync();
    if (b.rank() == 2)
      out.store(0, hw::load_shared(&shared.bytes[0], s)[0] + hw::load_shared(&shared.bytes[Bytes - 1], s)[0]);
  }
};

constexpr int simulated_limit = 232448;  // 227 KiB, as on sm_90

template <class Machine>
int shared_limit([[maybe_unused]] Machine& machine) {
#if defined(__CUDACC__)
  int limit = 0;
  if (machine.is_gpu() && cudaDeviceGetAttribute(&limit, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0) == cudaSuccess)
    return limit;
#endif
  return simulated_limit;
}

bool says(const status& s, const std::string& part) { return s.message().find(part) != std::string::npos; }

// A valid launch runs, and no error is left over.
template <class Machine>
void check_still_working(Machine& machine) {
  auto out = machine.template buffer<int>(32);
  REQUIRE(launch(machine, 1, fill{32}, out.view()));
  CHECK(unit::differences(out.host(), 32, [](int) { return 1; }) == 0);
  CHECK(machine.synchronize().ok());
#if defined(__CUDACC__)
  if (machine.is_gpu()) CHECK(cudaPeekAtLastError() == cudaSuccess);
#endif
}

// Refused with these words, and the output is as before.
template <class Machine>
void check_refused(Machine& machine, const grid& blocks, int threads, const char* limit, const char* value) {
  auto out = machine.template buffer<int>(64, [](int i) { return i; });
  const status result = launch(machine, blocks, fill{threads}, out.view());
  INFO(machine.name() << ": " << result.message());
  CHECK(result.code() == status::invalid_configuration);
  CHECK(says(result, limit));
  CHECK(says(result, value));
  CHECK(says(result, "fill"));  // the kernel's name
  CHECK(unit::differences(out.host(), 64, [](int i) { return i; }) == 0);
  check_still_working(machine);
}

template <int Bytes, class Machine>
void check_runs(Machine& machine) {
  auto out = machine.template buffer<int>(1, [](int) { return 0; });
  const status result = launch(machine, 1, needs_shared<Bytes>{}, out.view());
  INFO(machine.name() << ", " << Bytes << " bytes: " << result.message());
  REQUIRE(result.ok());
  CHECK(out.host()(0) == 33);
  unit::check_clean(machine);
  if (const auto* report = machine.last_report()) CHECK(report->shared_bytes() == std::size_t(Bytes));
}

}  // namespace

TEST_CASE("a block of no threads, or of more than 1024, is refused", "[launch][PRIM-07]") {
  for (auto& machine : testing::machines()) {
    check_refused(machine, 1, 0, "1 to 1024 threads", "not 0");
    check_refused(machine, 1, 1500, "1 to 1024 threads", "not 1500");
    check_refused(machine, 1, 1025, "1 to 1024 threads", "not 1025");
    check_refused(machine, 1, -32, "1 to 1024 threads", "not -32");
  }
}

TEST_CASE("a grid that the hardware cannot number is refused, with the way round it", "[launch][PRIM-07]") {
  for (auto& machine : testing::machines()) {
    check_refused(machine, grid{65536, 1}, 32, "65535 rows", "65536");
    check_refused(machine, grid{65536, 1, 1}, 32, "65535 planes", "65536");
    check_refused(machine, grid{2147483648}, 32, "2147483647 columns", "2147483648");
    check_refused(machine, grid{-1}, 32, "2147483647 columns", "-1");
    check_refused(machine, grid{70000, 1}, 32, "70000", "number the blocks along the columns");
  }
}

TEST_CASE("shared memory just below, at and above 48 KiB runs", "[launch][PRIM-05]") {
  for (auto& machine : testing::machines()) {
    check_runs<49151>(machine);
    check_runs<49152>(machine);
    check_runs<49153>(machine);
  }
}

TEST_CASE("one byte of shared memory too many is refused, and spoils nothing", "[launch][PRIM-06]") {
  for (auto& machine : testing::machines()) {
    const int limit = shared_limit(machine);
    auto out = machine.buffer<int>(1, [](int) { return -7; });
    for (int attempt = 0; attempt < 2; ++attempt) {
      const status result = launch(machine, 1, needs_shared<simulated_limit + 1>{}, out.view());
      INFO(machine.name() << ": " << result.message());
      CHECK(result.code() == status::invalid_configuration);
      CHECK(says(result, std::to_string(limit)));
      CHECK(says(result, std::to_string(simulated_limit + 1)));
      CHECK(out.host()(0) == -7);
      check_still_working(machine);
    }
    check_runs<49153>(machine);
    if (limit >= simulated_limit) check_runs<simulated_limit>(machine);
  }
}
