// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs one cluster of blocks after another on one OS thread; without clusters, blocks alone; of a cooperative launch all as
// one cluster. The blocks of a cluster take turns: each runs until all its threads wait for the cluster, and when all blocks
// are there its barrier opens. A block that waits for another one in any other way, such as for a flag, waits for ever.
#pragma once

#include <memtile/sim/kernel_calls.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace memtile::sim::detail {

class cluster_runner {
 public:
  cluster_runner(launch_record& launch, const machine_options& options)
      : options_(options), accounting_(launch, options) {}

  /// False if there is no memory for so many stacks.
  bool has_stacks(int cluster, int threads) {
    while (int(blocks_.size()) < cluster) blocks_.push_back(std::make_unique<block_runner>(accounting_, options_));
    return std::all_of(blocks_.begin(), blocks_.begin() + cluster, [=](auto& b) { return b->has_stacks(threads); });
  }
  void begin_launch(const launch_request& request) {
    accounting_.begin_launch(request.kernel);
    shared_.clear();
    for (int b = 0; b < request.cluster; ++b) {
      block(b).begin_launch(request);
      shared_.push_back(block(b).shared_bytes());
    }
    arrange(turns_, request.cluster, options_.order, options_.seed);
    shared_bytes_ = request.shared_bytes;
  }
  /// Runs the cluster that is the `number`-th of the launch, from its first block on. False if no further one shall run.
  bool run(std::int64_t number, const block_place& first);

 private:
  block_runner& block(int b) { return *blocks_[std::size_t(b)]; }
  int size() const { return int(shared_.size()); }
  block_place place(int b) const {
    block_place p = first_;
    p.column += b;
    return p;
  }
  bool run_phase();
  void give_up_on_divergence(int waiting, int other);

  const machine_options& options_;
  accounting accounting_;
  std::vector<std::unique_ptr<block_runner>> blocks_;  // as many as any launch had in a cluster

  // Of the cluster that runs
  std::vector<unsigned char*> shared_;  // of each of its blocks
  std::size_t shared_bytes_ = 0;
  std::vector<int> turns_;
  block_place first_;
  bool halted_ = false;
};

inline bool cluster_runner::run(std::int64_t number, const block_place& first) {
  first_ = first;
  halted_ = false;
  accounting_.begin_cluster(number, first, shared_, shared_bytes_);
  for (int b = 0; b < size(); ++b) block(b).begin_block(number * size() + b, place(b), b, shared_);
  while (run_phase()) accounting_.cluster_barrier();
  std::int64_t flops = 0;
  for (int b = 0; b < size(); ++b) flops += block(b).flops;
  return accounting_.end_cluster(flops, halted_);
}

// Lets each block run to its end or the next barrier of the cluster. True if that opens.
inline bool cluster_runner::run_phase() {
  for (const int b : turns_) {
    accounting_.next_block(b, place(b));
    block(b).run_threads();
    halted_ = block(b).halted();
    if (halted_) return false;
  }
  int waiting = 0;  // the first block that has not returned
  while (waiting < size() && block(waiting).has_returned()) ++waiting;
  if (waiting == size()) return false;
  const simulated_thread& first = block(waiting).who_waits();
  for (int other = 0; other < size(); ++other)
    if (block(other).who_is_not_with(first) != nullptr) return give_up_on_divergence(waiting, other), false;
  for (int b = 0; b < size(); ++b) block(b).open_cluster_barrier();
  return true;
}

inline void cluster_runner::give_up_on_divergence(int waiting, int other) {
  const simulated_thread& first = block(waiting).who_waits();
  const bool in_one_block = block(waiting).who_is_not_with(first) != nullptr;
  accounting_.next_block(waiting, place(waiting));
  accounting_.standstill(
      fault_kind::divergent_barrier, first.where,
      in_one_block ? explain_divergent_barrier(block(waiting).threads(), block(waiting).size, first)
                   : explain_divergent_blocks(first, place(other).text(), *block(other).who_is_not_with(first)));
  halted_ = true;
}

}  // namespace memtile::sim::detail
