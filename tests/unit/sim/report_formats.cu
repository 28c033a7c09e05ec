// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The report as people and programs read it: both lines of an access, advice, JSON, annotations for GitHub, and what the
// matchers say.
#include "verdict.hpp"

#include <cctype>
#include <cstdlib>

namespace {

using memtile::block;
using memtile::grid;
using memtile::matrix_view;
using memtile::shared_tile;
using memtile::vector_view;
using memtile::sim::access_kind;
using memtile::sim::space;
using verdict::fault_kind;
using verdict::says;

struct tile_through {
  static constexpr int threads = 64, line = __LINE__ + 5;
  struct storage {
    shared_tile<float, 16, 16> tile;
  };
  MEMTILE_KERNEL void operator()(block b, storage& shared, matrix_view<const float> in, matrix_view<float> out) const {
    memtile::global_to_shared(b, in, 0, 0, shared.tile);
    b.sync();
    for (int i = b.rank(); i < 256; i += threads) out.store(i / 16, i % 16, shared.tile.load(i / 16, i % 16));
  }
};

// One access of each kind of cost.
template <class Layout>
struct column_of_tile {
  static constexpr int threads = 32;
  struct storage {
    shared_tile<float, 32, 32, Layout> tile;
  };
  MEMTILE_KERNEL void operator()(block b, storage& shared, vector_view<float> out) const {
    for (int r = 0; r < 32; ++r) shared.tile.store(r, b.rank(), 1);
    b.sync();
    float sum = 0;
    for (int r = 0; r < 32; ++r) sum += shared.tile.load(b.rank(), r);
    out.store(b.rank(), sum);
  }
};
template <class T>
struct strided_copy {
  static constexpr int threads = 32;
  int stride, first;
  MEMTILE_KERNEL void operator()(block b, vector_view<const T> in, vector_view<T> out) const {
    for (int i = 0; i < 4; ++i) out.store(32 * i + b.rank(), in.load(first + stride * (32 * i + b.rank())));
  }
};

struct two_faults {
  static constexpr int threads = 32;
  struct storage {
    shared_tile<int, 1, 32> values;
  };
  MEMTILE_KERNEL void operator()(block b, storage& shared, vector_view<int> out) const {
    shared.values.store(0, b.rank(), 1);
    out.store(b.rank() + 1, shared.values.load(0, 31 - b.rank()));
  }
};

struct broadcasts_and_a_column {
  static constexpr int threads = 32;
  MEMTILE_KERNEL void operator()(block b, vector_view<const float> in, vector_view<float> out) const {
    float sum = 0;
    for (int i = 0; i < 11; ++i) sum += in.load(i < 10 ? i : 32 * b.rank());
    out.store(b.rank(), sum);
  }
};
struct count_in_shared {
  static constexpr int threads = 32;
  struct storage {
    shared_tile<int, 1, 1> count;
  };
  MEMTILE_KERNEL void operator()(block b, storage& shared) const {
    if (b.rank() == 0) shared.count.store(0, 0, 0);
    b.sync();
    shared.count.atomic_add(0, 0, 1);
  }
};

struct halo_only {
  static constexpr int threads = 64;
  struct storage {
    memtile::halo_tile<float, 16, 40, 2> tile;
  };
  MEMTILE_KERNEL void operator()(block b, storage& shared, matrix_view<const float> in) const {
    memtile::halo_to_shared(b, in, 0, 0, shared.tile, memtile::replicate{});
  }
};

// Moves past a value of JSON; false if there is none.
bool skip_json(const char*& at) {
  const auto skip = [&](char c) {
    while (*at == ' ' || *at == '\n') ++at;
    return *at == c ? ++at : nullptr;
  };
  const auto skip_list = [&](char end, auto skip_item) {
    if (skip(end) != nullptr) return true;
    do {
      if (!skip_item()) return false;
    } while (skip(',') != nullptr);
    return skip(end) != nullptr;
  };
  if (skip('{') != nullptr)
    return skip_list('}', [&] {
      while (*at == ' ' || *at == '\n') ++at;
      return *at == '"' && skip_json(at) && skip(':') != nullptr && skip_json(at);
    });
  if (skip('[') != nullptr) return skip_list(']', [&] { return skip_json(at); });
  if (skip('"') != nullptr) {
    for (; *at != '"' && *at != '\0'; ++at)
      if (*at == '\\') ++at;
    return *at == '"' && ++at != nullptr;
  }
  const char* const begin = at;
  while (std::isalnum(static_cast<unsigned char>(*at)) != 0 || *at == '-') ++at;
  return at != begin;
}

template <class Kernel, class... Arguments>
memtile::sim::report report_of(memtile::sim::machine& machine, const Kernel& kernel, const Arguments&... arguments) {
  static_cast<void>(memtile::launch(machine, grid{1}, kernel, arguments...).ok());
  return *machine.last_report();
}

}  // namespace

TEST_CASE("a row says the user's line and the one inside the collective", "[sim]") {
  memtile::sim::machine machine;
  auto in = machine.buffer<float>(16, 16, [](int r, int c) { return float(r + c); });
  auto out = machine.buffer<float>(16, 16);
  const auto report = report_of(machine, tile_through{}, in.view(), out.view());
  REQUIRE(report.rows().size() == 4);
  for (int i : {0, 1}) {
    const memtile::site place = report.rows()[std::size_t(i)].place;
    CHECK(place.line == tile_through::line);
    CHECK(std::string(place.operation) == "global_to_shared");
    CHECK(says(place.inner_file, "block/global_to_shared.cuh"));
  }
  CHECK(report.rows()[0].place.inner_line + 1 == report.rows()[1].place.inner_line);  // the load, then the store
  CHECK(says(report.to_string(),
             "report_formats.cu:" + std::to_string(tile_through::line) + " (global_to_shared, global_to_shared.cuh:"));
}

TEST_CASE("bytes asked and moved, passes and lanes are counted", "[sim]") {
  memtile::sim::machine machine;
  auto in = machine.buffer<float>(128 * 4, [](int i) { return float(i); });
  auto out = machine.buffer<float>(128);
  const auto report = report_of(machine, strided_copy<float>{4, 0}, in.view(), out.view());
  const auto load = report.total(space::global, access_kind::load);
  CHECK(load.requests == 4);
  CHECK(load.lanes == 128);
  CHECK(load.bytes_asked == 512);
  CHECK(load.sectors == 64);
  CHECK(load.ideal_sectors == 16);
  CHECK(load.bytes_moved() == 2048);
  const auto tile = report_of(machine, column_of_tile<memtile::dense>{}, out.view()).total(space::shared);
  CHECK(tile.wavefronts == 32 + 32 * 32);
  CHECK(tile.passes() == 64);
  CHECK(tile.bytes_moved() == 128 * (32 + 32 * 32));
}

TEST_CASE("advice names what to change, and a good line gets none", "[sim]") {
  memtile::sim::machine machine;
  auto in = machine.buffer<float>(128 * 32 + 1, [](int i) { return float(i); });
  auto out = machine.buffer<float>(128);
  const auto advice_of = [&](const memtile::sim::report& r) {
    const std::string text = r.to_string();
    const auto begin = text.find("    ^ ");
    return begin == std::string::npos ? std::string() : text.substr(begin + 6, text.find('\n', begin) - begin - 6);
  };
  CHECK(says(advice_of(report_of(machine, column_of_tile<memtile::dense>{}, out.view())),
             "32 wavefronts where 1 would do: pad each row of the tile by one word (padded<1>)"));
  CHECK(advice_of(report_of(machine, column_of_tile<memtile::padded<1>>{}, out.view())) == "");
  const auto strided = [&](int stride, int first) {
    return advice_of(report_of(machine, strided_copy<float>{stride, first}, in.view(), out.view()));
  };
  CHECK(strided(1, 0) == "");
  CHECK(says(strided(1, 1), "begin rows, and the lanes' first element, at a multiple of 32 bytes"));
  CHECK(says(strided(4, 0), "4 times the sectors needed"));
  CHECK(says(strided(4, 0), "load four at once"));
  CHECK(says(strided(32, 0), "8 times the sectors needed"));
  CHECK(says(strided(32, 0), "swap the loop order"));
  CHECK(says(advice_of(report_of(machine, count_in_shared{})), "sum up within the warp first"));
  auto bytes = machine.buffer<memtile::uint8>(128, [](int i) { return i; });
  auto bytes_out = machine.buffer<memtile::uint8>(128);
  CHECK(says(advice_of(report_of(machine, strided_copy<memtile::uint8>{1, 0}, bytes.view(), bytes_out.view())),
             "load four at once"));
}

TEST_CASE("the report as JSON", "[sim]") {
  memtile::sim::machine machine;
  auto out = machine.buffer<int>(32);
  const std::string json = report_of(machine, two_faults{}, out.view()).to_json();
  CAPTURE(json);
  CHECK(says(json, "\"launches\": 1"));
  CHECK(says(json, "\"space\": \"shared\", \"kind\": \"load\", \"bytes\": 4, \"measured\": true, \"requests\": 1"));
  CHECK(says(json, "{\"kind\": \"out of bounds\", \"text\": \"out of bounds: kernel "));
  CHECK(says(json, "{\"kind\": \"race\", "));
  const char* at = json.c_str();
  CHECK(skip_json(at));
  CHECK(std::string(at) == "\n");
  for (const char* wrong : {"{\"a\": 1,}", "{\"a\" 1}", "[1 2]", "{\"a\": 1", "\"a", "{a: 1}"})
    CHECK(!skip_json(wrong));
  CHECK(memtile::sim::detail::json_text("a\"b\\c\n") == "\"a\\\"b\\\\c\\u000a\"");
}

TEST_CASE("the report as annotations of the source", "[sim]") {
  memtile::sim::machine machine;
  auto out = machine.buffer<int>(32);
  auto sums = machine.buffer<float>(32);
  const std::string folder = std::string(__FILE__).substr(0, std::string(__FILE__).find("unit/sim/"));
  setenv("GITHUB_WORKSPACE", folder.substr(0, folder.size() - 1).c_str(), 1);
  const std::string faults = report_of(machine, two_faults{}, out.view()).to_github_annotations();
  const std::string costs = report_of(machine, column_of_tile<memtile::dense>{}, sums.view()).to_github_annotations();
  unsetenv("GITHUB_WORKSPACE");
  CAPTURE(faults, costs);
  CHECK(says(faults, "::error file=unit/sim/report_formats.cu,line="));
  CHECK(says(faults, ",title=memtile%3A race::race: kernel "));
  CHECK(says(costs, "::warning file=unit/sim/report_formats.cu,line="));
  CHECK(says(costs, "pad each row"));
  CHECK(memtile::sim::detail::escaped("100%\n", false) == "100%25%0A");
}

TEST_CASE("matchers say which lines break them", "[sim]") {
  memtile::sim::machine machine;
  auto in = machine.buffer<float>(128 * 4, [](int i) { return float(i); });
  auto out = machine.buffer<float>(128);
  const auto report = report_of(machine, strided_copy<float>{4, 0}, in.view(), out.view());
  CHECK_THAT(report, memtile::sim::IsClean());
  CHECK_THAT(report, memtile::sim::HasNoBankConflicts());
  memtile::sim::IsCoalesced coalesced;
  CHECK(!coalesced.match(report));
  CHECK(says(coalesced.describe(), "moves no sector in vain; these lines break it:\nglobal memory "));
  CHECK(says(coalesced.describe(), " load 4 B "));
  CHECK(!says(coalesced.describe(), " store 4 B "));
  CHECK_THAT(report, memtile::sim::MovesAtMost(2048 + 512));
  memtile::sim::MovesAtMost less(2048 + 511);
  CHECK(!less.match(report));
  CHECK(says(less.describe(), "moves at most 2559 bytes of global memory; it moves 2560"));
  CHECK_THAT(report_of(machine, strided_copy<float>{1, 0}, in.view(), out.view()), memtile::sim::IsCoalesced());

  memtile::sim::HasNoBankConflicts no_conflicts;
  CHECK(!no_conflicts.match(report_of(machine, column_of_tile<memtile::dense>{}, out.view())));
  CHECK(says(no_conflicts.describe(), "\nshared memory "));
  auto ints = machine.buffer<int>(32);
  memtile::sim::IsClean clean;
  CHECK(!clean.match(report_of(machine, two_faults{}, ints.view())));
  CHECK(says(clean.describe(), "has no faults; it has:\n"));
}

TEST_CASE("one good access does not pay for a bad one, and what was not counted is not good", "[sim]") {
  memtile::sim::machine machine;
  auto in = machine.buffer<float>(1024, [](int i) { return float(i); });
  auto out = machine.buffer<float>(32);
  const auto report = report_of(machine, broadcasts_and_a_column{}, in.view(), out.view());
  CHECK(report.total(space::global, access_kind::load).sectors <
        report.total(space::global, access_kind::load).ideal_sectors);
  CHECK(report.total(space::global, access_kind::load).excess_sectors == 28);
  CHECK_THAT(report, !memtile::sim::IsCoalesced());

  machine.count = false;
  auto sums = machine.buffer<float>(32);
  memtile::sim::HasNoBankConflicts no_conflicts;
  CHECK(!no_conflicts.match(report_of(machine, column_of_tile<memtile::dense>{}, sums.view())));
  CHECK(says(no_conflicts.describe(), "nothing was counted"));
  CHECK_THAT(*machine.last_report(), !memtile::sim::MovesAtMost(1 << 30));
}

TEST_CASE("a status that failed prints its message", "[sim]") {
  memtile::sim::machine machine;
  auto out = machine.buffer<int>(32);
  const memtile::status status = memtile::launch(machine, grid{1}, two_faults{}, out.view());
  CHECK(Catch::Detail::stringify(status) == status.message());
}

TEST_CASE("rows of a halo wider than a warp are accesses of their own", "[sim]") {
  memtile::sim::machine machine;
  auto in = machine.buffer<float>(30, 60, [](int r, int c) { return float(r + c); });
  const auto report = report_of(machine, halo_only{}, in.view());
  const auto store = report.total(space::shared, access_kind::store);
  CHECK(store.requests == 20 * 2);  // 44 columns are two accesses a row
  CHECK(store.bank_conflicts == 0);
  CHECK(report.total(space::global, access_kind::load).requests == 20 * 2);
}
