// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How loads, stores and matrices are served: an access is one or several passes of lanes, and in a pass every bank
// serves one word at a time. What count.hpp is made of.
#pragma once

#include <memtile/hw/hook.hpp>

#if !defined(__CUDACC_RTC__)
#include <array>
#include <cstdint>

namespace memtile::sim {

/// One byte offset for each lane of a warp, counted from a 128-byte boundary and a multiple of the bytes accessed.
/// Negative: the lane takes no part.
using lane_offsets = std::array<std::int64_t, 32>;

struct shared_count {
  int wavefronts = 0;
  int bank_conflicts = 0;  // wavefronts beyond the one that each pass needs

  friend constexpr bool operator==(shared_count a, shared_count b) {
    return a.wavefronts == b.wavefronts && a.bank_conflicts == b.bank_conflicts;
  }
  friend constexpr bool operator!=(shared_count a, shared_count b) { return !(a == b); }
};

/// ldmatrix looks at the addresses of the first 8, 16 or 32 lanes; every other access at those of all.
constexpr int address_lanes(access_kind kind) {
  return kind == access_kind::ldmatrix_x1 ? 8 : kind == access_kind::ldmatrix_x2 ? 16 : 32;
}

namespace detail {

// One instruction moves 1, 2, 4, 8 or 16 bytes; an access of 12 bytes is three of 4.
constexpr int instruction_bytes(int bytes) {
  const int power_of_two = bytes & -bytes;
  return power_of_two < 16 ? power_of_two : 16;
}

constexpr lane_offsets shifted(const lane_offsets& offsets, int bytes) {
  lane_offsets result{};
  for (int lane = 0; lane < 32; ++lane) result[lane] = offsets[lane] < 0 ? -1 : offsets[lane] + bytes;
  return result;
}

// Every active lane asks for one aligned unit of 2^Shift bytes. Units cover whole banks and do not overlap, so the
// number of different units asked of a group of banks is the number of words asked of each bank in it. A pass has as
// many lanes as 128 bytes have units, so passes times groups of banks make 32 slots in all, whatever the width.
template <int Shift>
constexpr int units_in_pass = 128 >> Shift;

// Slow and exact: chains the different units of each slot. `first_of_pass` is a mask that maps a lane to the first one of
// its pass.
template <int Shift>
constexpr shared_count count_crowded(const lane_offsets& offsets, int first_of_pass) {
  std::uint32_t unit[32] = {};
  int newest[32] = {}, older[32] = {}, units[32] = {}, worst[32] = {};  // chains hold lane + 1; 0 ends them
  for (int lane = 0; lane < 32; ++lane) {
    if (offsets[lane] < 0) continue;
    unit[lane] = std::uint32_t(offsets[lane] >> Shift);
    const int pass = lane & first_of_pass, slot = pass | int(unit[lane] & (units_in_pass<Shift> - 1));
    int link = newest[slot];
    while (link != 0 && unit[link - 1] != unit[lane]) link = older[link - 1];
    if (link != 0) continue;
    older[lane] = newest[slot];
    newest[slot] = lane + 1;
    if (++units[slot] > worst[pass]) worst[pass] = units[slot];
  }
  shared_count sum;
  for (int wavefronts : worst) {
    sum.wavefronts += wavefronts;
    sum.bank_conflicts += wavefronts > 0 ? wavefronts - 1 : 0;
  }
  return sum;
}

// Most accesses have no conflict, and then one look at each lane is enough.
template <int Shift>
constexpr shared_count count_passes(const lane_offsets& offsets, int first_of_pass) {
  std::uint32_t owner[32] = {}, taken = 0, passes = 0;
  for (int lane = 0; lane < 32; ++lane) {
    if (offsets[lane] < 0) continue;
    const auto unit = std::uint32_t(offsets[lane] >> Shift);
    const int pass = lane & first_of_pass, slot = pass | int(unit & (units_in_pass<Shift> - 1));
    if ((taken >> slot & 1) != 0 && owner[slot] != unit) return count_crowded<Shift>(offsets, first_of_pass);
    taken |= 1u << slot;
    passes |= 1u << pass;
    owner[slot] = unit;
  }
  return {__builtin_popcount(passes), 0};
}

// Whether every lane has the address of the lane at that distance. Idle lanes agree with all.
constexpr bool lanes_agree(const lane_offsets& offsets, int distance) {
  for (int lane = 0; lane < 32; ++lane) {
    if ((lane & distance) != 0) continue;  // its partner has asked
    const std::int64_t mine = offsets[lane], other = offsets[lane | distance];
    if (mine != other && mine >= 0 && other >= 0) return false;
  }
  return true;
}

// A load of 8 bytes merges its two passes, a load of 16 bytes the two of each half-warp, where all pairs of lanes of the
// warp agree in one way: neighbours, or lanes two apart.
constexpr shared_count count_instruction(access_kind kind, int bytes, const lane_offsets& offsets) {
  if (bytes < 8) return count_passes<2>(offsets, ~31);
  const bool merges = kind == access_kind::load && (lanes_agree(offsets, 1) || lanes_agree(offsets, 2));
  if (bytes == 8) return count_passes<3>(offsets, merges ? ~31 : ~15);
  return count_passes<4>(offsets, merges ? ~15 : ~7);
}

// ldmatrix and stmatrix: each group of eight lanes holds the addresses of eight rows of 16 bytes, served in a pass of
// its own.
constexpr shared_count count_matrices(access_kind kind, const lane_offsets& offsets) {
  lane_offsets rows = offsets;
  for (int lane = address_lanes(kind); lane < 32; ++lane) rows[lane] = -1;
  return count_passes<4>(rows, ~7);
}

// The general case: insert each sector into a sorted list of those seen. Patterns come nearly sorted, so the walk is
// short.
constexpr int distinct_sectors(const lane_offsets& offsets, int bytes) {
  std::int64_t sorted[64] = {};
  int count = 0;
  for (int lane = 0; lane < 32; ++lane) {
    if (offsets[lane] < 0) continue;
    for (std::int64_t sector = offsets[lane] / 32; sector <= (offsets[lane] + bytes - 1) / 32; ++sector) {
      int place = count;
      while (place > 0 && sorted[place - 1] > sector) --place;
      if (place > 0 && sorted[place - 1] == sector) continue;
      for (int i = count; i > place; --i) sorted[i] = sorted[i - 1];
      sorted[place] = sector;
      ++count;
    }
  }
  return count;
}

constexpr int instruction_sectors(const lane_offsets& offsets, int bytes) {
  int count = 0;
  std::int64_t last = -1;
  for (int lane = 0; lane < 32; ++lane) {
    if (offsets[lane] < 0) continue;
    const std::int64_t sector = offsets[lane] / 32;
    if (sector < last || sector != (offsets[lane] + bytes - 1) / 32) return distinct_sectors(offsets, bytes);
    count += sector != last;
    last = sector;
  }
  return count;
}

}  // namespace detail

}  // namespace memtile::sim
#endif
