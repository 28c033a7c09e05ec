// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The counting functions: proved at compile time where the answer is known by hand, and compared with what Nsight
// Compute counted.
#include <memtile/kernel.cuh>
#include <memtile/sim/count.hpp>

#include <support/catch.hpp>

#include <fstream>
#include <sstream>
#include <string>

namespace {

using memtile::sim::access_kind;
using memtile::sim::count_global;
using memtile::sim::count_shared;
using memtile::sim::lane_offsets;
using memtile::sim::shared_count;

// Lane i at i * stride + first, for the lanes below `lanes`.
constexpr lane_offsets strided(int stride, int first = 0, int lanes = 32) {
  lane_offsets offsets{};
  for (int lane = 0; lane < 32; ++lane) offsets[lane] = lane < lanes ? lane * stride + first : -1;
  return offsets;
}
constexpr shared_count load4(int stride) { return count_shared(access_kind::load, 4, strided(stride)); }

// SIM-09
static_assert(load4(4) == shared_count{1, 0});
static_assert(load4(8) == shared_count{2, 1});
static_assert(load4(12) == shared_count{1, 0});
static_assert(load4(16) == shared_count{4, 3});
static_assert(load4(24) == shared_count{2, 1});
static_assert(load4(32) == shared_count{8, 7});
static_assert(load4(64) == shared_count{16, 15});
static_assert(load4(128) == shared_count{32, 31});
static_assert(load4(132) == shared_count{1, 0});
static_assert(load4(0) == shared_count{1, 0});

constexpr lane_offsets permuted(int divide, int reverse, int flip) {
  lane_offsets offsets{};
  for (int lane = 0; lane < 32; ++lane) offsets[lane] = 4 * ((reverse != 0 ? 31 - lane : lane) / divide ^ flip);
  return offsets;
}
static_assert(count_shared(access_kind::load, 4, permuted(2, 0, 0)) == shared_count{1, 0});
static_assert(count_shared(access_kind::load, 4, permuted(1, 1, 0)) == shared_count{1, 0});
static_assert(count_shared(access_kind::load, 4, permuted(1, 0, 5)) == shared_count{1, 0});
static_assert(count_shared(access_kind::load, 4, strided(0, 64)) == shared_count{1, 0});

// SIM-10
static_assert(count_global(4, strided(4)).sectors == 4);
static_assert(count_global(4, strided(8)).sectors == 8);
static_assert(count_global(4, strided(16)).sectors == 16);
static_assert(count_global(4, strided(32)).sectors == 32);
static_assert(count_global(4, strided(4096)).sectors == 32);
static_assert(count_global(4, strided(4, 4)).sectors == 5);
static_assert(count_global(4, strided(4, 32)).sectors == 4);
static_assert(count_global(8, strided(8)).sectors == 8);
static_assert(count_global(16, strided(16)).sectors == 16);
static_assert(count_global(2, strided(2)).sectors == 2);
static_assert(count_global(1, strided(1)).sectors == 1);
static_assert(count_global(4, strided(-4, 124)).sectors == 4);
static_assert(count_global(4, strided(0, 8)).sectors == 1);

// Idle lanes cost nothing; narrow lanes share a word; a width that no instruction has is several accesses.
static_assert(count_shared(access_kind::store, 16, strided(16, 0, 8)) == shared_count{1, 0});
static_assert(count_shared(access_kind::load, 4, strided(128, 0, 3)) == shared_count{3, 2});
static_assert(count_shared(access_kind::load, 4, strided(4, 0, 0)) == shared_count{0, 0});
static_assert(count_shared(access_kind::load, 2, strided(2)) == shared_count{1, 0});
static_assert(count_shared(access_kind::load, 12, strided(12)) == shared_count{3, 0});
static_assert(count_global(12, strided(12)).sectors == 36);
static_assert(memtile::sim::instructions(12) == 3 && memtile::sim::instructions(16) == 1);
static_assert(memtile::sim::coalesced_sectors(4, 32) == 4 && memtile::sim::coalesced_sectors(4, 3) == 1);

// ldmatrix: rows 128 bytes apart lie in one group of banks; 16 more bytes cure it. stmatrix and x2, x1 are passes of
// the same kind.
static_assert(count_shared(access_kind::ldmatrix_x4, 16, strided(128)) == shared_count{32, 28});
static_assert(count_shared(access_kind::ldmatrix_x4, 16, strided(144)) == shared_count{4, 0});
static_assert(count_shared(access_kind::stmatrix, 16, strided(144)) == shared_count{4, 0});
static_assert(count_shared(access_kind::ldmatrix_x2, 16, strided(128)) == shared_count{16, 14});
static_assert(count_shared(access_kind::ldmatrix_x1, 16, strided(128)) == shared_count{8, 7});

// An asynchronous copy counts as a store: pairs of lanes do not merge. A load of the same addresses does.
static_assert(count_shared(access_kind::async_copy, 16, strided(0)) == shared_count{4, 0});
static_assert(count_shared(access_kind::load, 16, strided(0)) == shared_count{2, 0});

template <class Tile>
constexpr int wavefronts_of_column(int block_columns) {
  lane_offsets offsets{};
  for (int lane = 0; lane < 32; ++lane)
    offsets[lane] = int(sizeof(float)) * Tile::offset(lane % block_columns, lane / block_columns);
  return count_shared(access_kind::load, sizeof(float), offsets).wavefronts;
}
using memtile::padded;
using memtile::shared_tile;
static_assert(wavefronts_of_column<shared_tile<float, 32, 32>>(32) == 32);
static_assert(wavefronts_of_column<shared_tile<float, 32, 32, padded<1>>>(32) == 1);
static_assert(wavefronts_of_column<shared_tile<float, 16, 16>>(16) == 8);
static_assert(wavefronts_of_column<shared_tile<float, 16, 16, padded<1>>>(16) == 2);
static_assert(wavefronts_of_column<shared_tile<float, 16, 16, padded<2>>>(16) == 1);

struct measured_pattern {
  std::string space, access;
  int bytes = 0, wavefronts = 0, bank_conflicts = 0, sectors = 0;
  lane_offsets offsets{};
};

int number_or_zero(const std::string& text) { return text.empty() ? 0 : std::stoi(text); }

measured_pattern parsed(const std::string& line) {
  std::istringstream stream(line);
  std::string cell[38];
  for (std::string& c : cell) std::getline(stream, c, ',');
  measured_pattern p{cell[0],
                     cell[1],
                     std::stoi(cell[2]) / 8,
                     number_or_zero(cell[3]),
                     number_or_zero(cell[4]),
                     number_or_zero(cell[5]),
                     {}};
  for (std::size_t lane = 0; lane < 32; ++lane) {
    const int word = std::stoi(cell[6 + lane]);
    p.offsets[lane] = word < 0 ? -1 : 4 * word;
  }
  return p;
}

}  // namespace

TEST_CASE("the counts agree with Nsight Compute on every pattern that was measured", "[sim][SIM-09][SIM-10]") {
  const std::string here = __FILE__;
  std::ifstream table(here.substr(0, here.rfind("unit/sim/")) + "data/ncu_counts.csv");
  std::string line;
  REQUIRE(std::getline(table, line));  // the heading
  int patterns = 0;
  for (; std::getline(table, line); ++patterns) {
    CAPTURE(line);
    const measured_pattern p = parsed(line);
    if (p.space == "global") {
      CHECK(count_global(p.bytes, p.offsets).sectors == p.sectors);
      continue;
    }
    const access_kind kind = p.access == "ld"   ? access_kind::load
                             : p.access == "st" ? access_kind::store
                                                : access_kind::ldmatrix_x4;
    CHECK(memtile::sim::measured(kind));
    CHECK(count_shared(kind, p.bytes, p.offsets).wavefronts == p.wavefronts);
    CHECK(count_shared(kind, p.bytes, p.offsets).bank_conflicts == p.bank_conflicts);
  }
  CHECK(patterns == 204);
}

TEST_CASE("sectors are counted in any order of the lanes", "[sim][SIM-10]") {
  lane_offsets offsets{};
  for (int lane = 0; lane < 32; ++lane) offsets[std::size_t(lane)] = (lane * 7 % 32) * 256;
  CHECK(count_global(4, offsets).sectors == 32);
  for (int lane = 0; lane < 32; ++lane) offsets[std::size_t(lane)] = lane % 2 * 64;
  CHECK(count_global(4, offsets).sectors == 2);
}
