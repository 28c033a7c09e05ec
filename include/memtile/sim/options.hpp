// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What one may choose about the CPU machine.
#pragma once

#include <memtile/core/config.hpp>

#include <cstdint>
#include <utility>
#include <vector>

namespace memtile::sim {

/// In which order blocks, and warps between two waits, get their turn. A kernel without a race has the same results,
/// faults and counts in all of them.
enum class order { forward, reverse, random };

/// When asynchronous copies arrive: as late as the rules allow, when they are waited for; as early, when they are
/// issued; or each by chance. Reading a copy that was not waited for is a fault in every case.
enum class arrive { latest, earliest, random };

/// The public members of a machine; they hold for the launches that follow.
struct machine_options {
  bool count = true;        // wavefronts and sectors
  bool check_races = true;  // races in shared and global memory, uninitialised reads, copies in flight
  int max_reports = 32;     // faults of one launch; further ones are only counted
  /// A kernel that does not end is stopped after so many full traces of the same few addresses and no change of memory,
  /// while no other thread does anything.
  int max_spins = 2048;
  /// And after so many barriers and exchanges of one warp in one block.
  int max_stops = 1 << 23;
  /// The compute capability times ten, which decides how much shared memory a block may have and whether there are
  /// clusters.
  int architecture = 90;

  sim::order order = sim::order::forward;
  arrive copies = arrive::latest;
  /// Of everything that is random: the same seed makes the same run.
  std::uint64_t seed = 1;
  /// OS threads that run blocks. A block that changes global memory waits until all earlier ones have ended, so blocks
  /// overlap up to their first store; clusters run one after the other. Results and report are the same for any number,
  /// unless a block reads what an earlier one writes: then the race is reported, but values, and what follows from them,
  /// may differ.
  int jobs = 1;
};

namespace detail {

/// The same numbers with every standard library.
class random_numbers {
 public:
  explicit random_numbers(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {  // splitmix64
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
  }
  std::uint64_t below(std::uint64_t n) { return next() % n; }

 private:
  std::uint64_t state_;
};

/// 0 .. count - 1 in the order asked for.
template <class Number>
void arrange(std::vector<Number>& numbers, Number count, order o, std::uint64_t seed) {
  numbers.resize(std::size_t(count));
  for (Number i = 0; i < count; ++i) numbers[std::size_t(i)] = o == order::reverse ? count - 1 - i : i;
  if (o != order::random) return;
  random_numbers random(seed);
  for (std::size_t i = numbers.size(); i > 1; --i) std::swap(numbers[i - 1], numbers[random.below(i)]);
}

}  // namespace detail
}  // namespace memtile::sim
