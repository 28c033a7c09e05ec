// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The counting functions: proved at compile time where the answer is known by hand, and compared with what Nsight
// Compute counted.
#include <memtile/kernel.cuh>
#include <memtile/sim/count.hpp>

#include <support/catch.hpp>

#include <fstream>
#include <map>
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

// Atomic operations: lanes on one word or bank wait for each other; twice for a comparison; a loop for floats.
static_assert(count_shared(access_kind::atomic, 4, strided(4)) == shared_count{1, 0});
static_assert(count_shared(access_kind::atomic, 4, strided(0)) == shared_count{32, 31});
static_assert(count_shared(access_kind::atomic, 8, strided(0)) == shared_count{32, 30});
static_assert(count_shared(access_kind::atomic_compare, 4, strided(0)) == shared_count{64, 31});
static_assert(count_shared(access_kind::atomic_loop, 4, strided(0)).wavefronts == 96);
static_assert(count_shared(access_kind::atomic_loop, 8, strided(0)).wavefronts == 128);
static_assert(count_global(access_kind::atomic, 4, strided(0)).sectors == 32);
static_assert(count_global(access_kind::load, 4, strided(0)).sectors == 1);

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

// The kinds by the names in the tables.
const std::map<std::string, access_kind> kinds{{"ld", access_kind::load},
                                               {"st", access_kind::store},
                                               {"ldmatrix_x1", access_kind::ldmatrix_x1},
                                               {"ldmatrix_x2", access_kind::ldmatrix_x2},
                                               {"ldmatrix_x4", access_kind::ldmatrix_x4},
                                               {"ldmatrix_x4_trans", access_kind::ldmatrix_x4},
                                               {"stmatrix_x1", access_kind::stmatrix},
                                               {"stmatrix_x2", access_kind::stmatrix},
                                               {"stmatrix_x4", access_kind::stmatrix},
                                               {"atom_add", access_kind::atomic},
                                               {"red_add", access_kind::atomic},
                                               {"atom_max", access_kind::atomic},
                                               {"atom_exchange", access_kind::atomic},
                                               {"atom_cas", access_kind::atomic_compare},
                                               {"atom_add_float", access_kind::atomic_loop},
                                               {"red_add_float", access_kind::atomic_loop}};

// Returns how many patterns the table has.
int compare_with(const char* table_name) {
  const std::string here = __FILE__;
  std::ifstream table(here.substr(0, here.rfind("unit/sim/")) + "data/" + table_name);
  std::string line;
  REQUIRE(std::getline(table, line));  // the heading
  int patterns = 0;
  for (; std::getline(table, line); ++patterns) {
    CAPTURE(line);
    measured_pattern p = parsed(line);
    access_kind kind = kinds.at(p.access);
    if (p.bytes == 8 && (p.access == "atom_add" || p.access == "red_add")) kind = access_kind::atomic_loop;
    const int named = p.access == "stmatrix_x1" ? 8 : p.access == "stmatrix_x2" ? 16 : 32;
    for (int lane = named; lane < 32; ++lane) p.offsets[std::size_t(lane)] = -1;
    CHECK(memtile::sim::measured(kind));
    if (p.space == "global") {
      CHECK(count_global(kind, p.bytes, p.offsets).sectors == p.sectors);
    } else {
      CHECK(count_shared(kind, p.bytes, p.offsets).wavefronts == p.wavefronts);
      CHECK(count_shared(kind, p.bytes, p.offsets).bank_conflicts == p.bank_conflicts);
    }
  }
  return patterns;
}

}  // namespace

TEST_CASE("the counts agree with Nsight Compute on every pattern that was measured", "[sim][SIM-09][SIM-10]") {
  CHECK(compare_with("ncu_counts.csv") == 204);
}

TEST_CASE("so do those of atomic operations and of the other matrix instructions", "[sim][SIM-12]") {
  CHECK(compare_with("ncu_counts_atomic_and_matrix.csv") == 895);
}

TEST_CASE("sectors are counted in any order of the lanes", "[sim][SIM-10]") {
  lane_offsets offsets{};
  for (int lane = 0; lane < 32; ++lane) offsets[std::size_t(lane)] = (lane * 7 % 32) * 256;
  CHECK(count_global(4, offsets).sectors == 32);
  for (int lane = 0; lane < 32; ++lane) offsets[std::size_t(lane)] = lane % 2 * 64;
  CHECK(count_global(4, offsets).sectors == 2);
}
