// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a block that cannot go on is explained: which threads came where, and which are missed.
#pragma once

#include <memtile/sim/simulated_thread.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace memtile::sim::detail {

inline std::string what_it_did(const simulated_thread& t) {
  switch (t.state) {
  case thread_state::returned: return "returned";
  case thread_state::at_block_barrier: return "stopped at the block barrier " + place(t.where);
  case thread_state::at_cluster_barrier: return "stopped at the cluster barrier " + place(t.where);
  case thread_state::at_grid_barrier: return "stopped at the grid barrier " + place(t.where);
  case thread_state::at_warp_operation:
    return std::string("stopped at the warp ") + (t.orders ? "barrier " : "exchange ") + place(t.where) +
           " with mask " + hexadecimal(t.mask);
  default: return "kept running at " + place(t.where);
  }
}

// The lanes of a mask as threads of their block.
inline std::vector<int> ranks_in(int first, uint32 mask) {
  std::vector<int> ranks;
  for (int lane = 0; lane < 32; ++lane)
    if ((mask >> lane & 1) != 0) ranks.push_back(first + lane);
  return ranks;
}

// "threads 1, 3, 5 .. 31 returned; threads 2, 4 stopped at the block barrier own.cu:12", leaving out those that `skip`
// names.
template <class Skip>
std::string who_did_what(const simulated_threads& all, int threads, Skip skip) {
  std::vector<std::string> deeds;
  std::vector<std::vector<int>> groups;
  for (int t = 0; t < threads; ++t) {
    if (skip(*all[std::size_t(t)])) continue;
    const std::string deed = what_it_did(*all[std::size_t(t)]);
    const auto known = std::size_t(std::find(deeds.begin(), deeds.end(), deed) - deeds.begin());
    if (known == deeds.size()) {
      deeds.push_back(deed);
      groups.emplace_back();
    }
    groups[known].push_back(t);
  }
  std::string text;
  for (std::size_t i = 0; i < deeds.size(); ++i)
    text += (i > 0 ? "; " : "") + thread_ranges(groups[i]) + " " + deeds[i];
  return text;
}

inline std::string whose_barrier(const simulated_thread& t) {
  return t.state == thread_state::at_grid_barrier      ? "grid"
         : t.state == thread_state::at_cluster_barrier ? "cluster"
                                                       : "block";
}

/// `first` waits at a barrier that not all threads of its block have reached, and nobody can run.
inline std::string explain_divergent_barrier(const simulated_threads& all, int threads, const simulated_thread& first) {
  const auto arrived = [&](const simulated_thread& t) { return t.stands_with(first); };
  std::vector<int> there;
  for (int t = 0; t < threads; ++t)
    if (arrived(*all[std::size_t(t)])) there.push_back(t);
  const std::string whose = whose_barrier(first);
  return "the " + whose + " barrier " + place(first.where) + " is reached by " + thread_ranges(there) +
         " only; of the missing, " + who_did_what(all, threads, arrived) + ". Every thread of a " + whose +
         " must reach the same barrier: take it out of the branch, and let threads without work skip the work, not the "
         "barrier.";
}

/// All threads of a block wait at a barrier of the cluster or the grid, and those of `other` have come elsewhere.
inline std::string explain_divergent_blocks(const simulated_thread& first, const std::string& other,
                                            const simulated_thread& of_other) {
  const std::string whose = whose_barrier(first);
  return "the " + whose + " barrier " + place(first.where) + " is reached by this block, but " + other + " " +
         what_it_did(of_other) + ". Every thread of a " + whose +
         " must reach the same barrier: take it out of the branch, and let blocks without "
         "work skip the work, not the barrier.";
}

/// A grid barrier where blocks need not run at one time.
inline std::string explain_grid_barrier(const site& at) {
  return "the grid barrier " + place(at) +
         " is in a kernel that is not cooperative: its blocks may run one after another, and wait for ever. Give the "
         "kernel static constexpr bool cooperative = true.";
}

/// Nobody can run, and those who wait are at warp operations.
inline std::string explain_deadlock(const simulated_threads& all, int threads) {
  return who_did_what(all, threads, [](const simulated_thread&) { return false; }) +
         ". Every lane that a mask names must reach the same call with the same mask: name only lanes that do, or take "
         "the call out of the branch.";
}

/// Somebody can run, but goes round the same addresses for ever.
inline std::string explain_spinning(const simulated_threads& all, int threads) {
  return who_did_what(all, threads, [](const simulated_thread&) { return false; }) +
         ". Those who kept running go round the same addresses and change nothing: they wait for something that no "
         "thread "
         "brings. Blocks run one after another here, and may do so on a GPU: no block may wait for a later one. "
         "(machine.max_spins says how long to look on.)";
}

/// A warp that stops again and again.
inline std::string explain_endless_loop(const simulated_threads& all, int threads, int most_stops) {
  return who_did_what(all, threads, [](const simulated_thread&) { return false; }) +
         ". A warp of the block has stopped more than " + std::to_string(most_stops) +
         " times: a loop of barriers or exchanges without an end? If it does end, raise machine.max_stops.";
}

}  // namespace memtile::sim::detail
