// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many blocks of a kernel a multiprocessor holds at one time, and what keeps it from holding more. It only counts:
// no GPU is asked, so that a test can hold a kernel to its occupancy on every card.
//
//   const auto o = memtile::occupancy(90, {256, 92});   // compute capability 9.0, 256 threads of 92 registers
//   // o.blocks == 2, o.warps == 16, o.fraction == 0.25, o.limiter == occupancy_limit::registers
//   // o.reason: "registers: a block has 8 warps of 3072, of 65536: they are granted to 4 warps at a time, 20 in all"
//
// What a block takes is rounded up: its registers to 256 a warp, its shared memory to 128 bytes and 1 KiB more for the
// system (before 8.0 to 256 bytes and nothing more).
#pragma once

#include <memtile/core/launch_limits.hpp>
#include <memtile/core/math.hpp>

#if !defined(__CUDACC_RTC__)

namespace memtile {

/// What a block needs: registers of a thread as the compiler prints them, bytes of shared memory. opts_in: whether the
/// kernel has asked for more than 48 KiB of it, as launch does.
struct block_needs {
  int threads = 0;
  int registers = 0;
  int64 static_shared = 0, dynamic_shared = 0;
  bool opts_in = true;
};

enum class occupancy_limit { threads, registers, shared_memory, blocks };

struct block_occupancy {
  int blocks = 0, warps = 0;  // of a multiprocessor; 0: no device of that kind launches such a block
  double fraction = 0;        // of all warps that it could hold
  occupancy_limit limiter = occupancy_limit::threads;
  std::string reason;  // in words, with the values
};

namespace detail {

inline constexpr int64 registers_of_multiprocessor = 65536;
struct multiprocessor {
  int warps, blocks;
  int64 shared_bytes, reserved_bytes, shared_unit;
};
// By compute capability times ten; of the nearest older one for those not listed.
constexpr multiprocessor multiprocessor_of(int architecture) {
  if (architecture >= 120) return {48, 24, 100 * 1024, 1024, 128};
  if (architecture >= 110) return {48, 24, 228 * 1024, 1024, 128};
  if (architecture >= 90) return {64, 32, 228 * 1024, 1024, 128};
  if (architecture >= 89) return {48, 24, 100 * 1024, 1024, 128};
  if (architecture >= 87) return {48, 16, 164 * 1024, 1024, 128};
  if (architecture >= 86) return {48, 16, 100 * 1024, 1024, 128};
  if (architecture >= 80) return {64, 32, 164 * 1024, 1024, 128};
  if (architecture >= 75) return {32, 16, 64 * 1024, 0, 256};
  return {64, 32, 96 * 1024, 0, 256};
}
constexpr int64 rounded_up(int64 value, int64 unit) { return ceil_div(value, unit) * unit; }

}  // namespace detail

/// The bytes of dynamic shared memory that a block may have beside its static ones; below 0 where those are too many.
constexpr int64 most_dynamic_shared(int architecture, int64 static_shared, bool opts_in = true) {
  const int64 most = int64(detail::most_shared_bytes(architecture));
  return (opts_in ? most : min_of(most, int64(detail::static_shared_limit))) - static_shared;
}

/// architecture   the compute capability times ten: 75, 80, 86, 89, 90, 100, 120; of others the nearest older one
/// Result         for a launch of enough blocks, none of them in clusters
inline block_occupancy occupancy(int architecture, const block_needs& block) {
  using detail::filled_in;
  const auto none = [](occupancy_limit limiter, const std::string& reason) {
    return block_occupancy{0, 0, 0, limiter, reason};
  };
  const detail::multiprocessor all = detail::multiprocessor_of(architecture);
  if (block.threads < 1 || block.threads > detail::most_threads)
    return none(occupancy_limit::threads,
                filled_in("threads: a block must have 1 to {}, not {}", detail::most_threads, block.threads));
  if (block.registers < 0 || block.registers > 255)
    return none(occupancy_limit::registers,
                filled_in("registers: a thread must have at most 255, not {}", block.registers));
  const int64 most = most_dynamic_shared(architecture, block.static_shared, block.opts_in);
  if (block.static_shared > int64(detail::static_shared_limit))
    return none(occupancy_limit::shared_memory,
                filled_in("shared memory: {} static bytes are more than the {} that a kernel may have",
                          block.static_shared, detail::static_shared_limit));
  if (block.static_shared < 0 || block.dynamic_shared < 0 || block.dynamic_shared > most)
    return none(occupancy_limit::shared_memory,
                filled_in("shared memory: {} static and {} dynamic bytes are more than the {} of a block{}",
                          block.static_shared, block.dynamic_shared, most + block.static_shared,
                          block.opts_in ? "" : " that has not opted in to more"));

  const int warps = ceil_div(block.threads, 32);
  const int64 of_warp = detail::rounded_up(int64(block.registers) * 32, 256);
  const int64 with_registers = of_warp == 0 ? all.warps : detail::registers_of_multiprocessor / of_warp / 4 * 4;
  const int64 shared_bytes =
      detail::rounded_up(block.static_shared + block.dynamic_shared, all.shared_unit) + all.reserved_bytes;

  struct {
    occupancy_limit limiter;
    int64 blocks;
    std::string reason;
  } const limits[] = {
      {occupancy_limit::threads, all.warps / warps,
       filled_in("threads: a block has {} warps, of {}", warps, all.warps)},
      {occupancy_limit::registers, with_registers / warps,
       filled_in("registers: a block has {} warps of {}, of {}: they are granted to 4 warps at a time, {} in all",
                 warps, of_warp, detail::registers_of_multiprocessor, with_registers)},
      {occupancy_limit::shared_memory, shared_bytes == 0 ? int64(all.blocks) : all.shared_bytes / shared_bytes,
       filled_in("shared memory: a block takes {} bytes, of {}", shared_bytes, all.shared_bytes)},
      {occupancy_limit::blocks, all.blocks, filled_in("blocks: at most {}", all.blocks)}};
  const auto* tightest = &limits[0];
  for (const auto& limit : limits)
    if (limit.blocks < tightest->blocks) tightest = &limit;
  const int blocks = int(tightest->blocks);
  return {blocks, blocks * warps, double(blocks * warps) / all.warps, tightest->limiter, tightest->reason};
}

}  // namespace memtile
#endif
