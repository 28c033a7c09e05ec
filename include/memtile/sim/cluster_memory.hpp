// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The shared memory of the blocks of a cluster, or of a block alone: side by side for their shadow, with the block that
// runs; and who reached into another block's, which is there from that block's first to its last instruction only.
#pragma once

#include <memtile/sim/fault_log.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

namespace memtile::sim::detail {

/// An access by a thread of one block to the shared memory of another one.
struct reach {
  int thread = -1;  // no access
  block_place block{};
  site at = site::here("", 0);
};

class cluster_memory {
 public:
  /// A cluster begins: where the memory of each of its blocks is, and how large.
  void begin(const std::vector<unsigned char*>& blocks, std::size_t bytes) {
    memory_ = &blocks;
    bytes_ = bytes;
    stride_ = std::int64_t(bytes + 127) / 128 * 128;
    ran_.clear();
    begin_phase(true);
  }
  /// A block goes on, at that time of the shadow.
  void enter(int rank, const block_place& block, std::uint32_t time) {
    rank_ = rank;
    begin_ = begin_of(rank);
    ran_.emplace_back(time, block);
  }
  /// All blocks have met.
  void cluster_barrier() { begin_phase(false); }

  bool is_alone() const { return memory_->size() == 1; }
  std::size_t words() const { return std::size_t(stride_) / 4 * memory_->size(); }
  std::size_t bytes() const { return bytes_; }
  std::int64_t begin() const { return begin_; }  // of the block that runs
  std::int64_t begin_of(int rank) const { return std::int64_t((*memory_)[std::size_t(rank)]); }
  bool is_of_block(const void* address) const { return is_inside(address, begin_); }

  /// The block whose memory that is; the one that runs, if the access says nothing of the cluster.
  int owner(const access& a) const {
    if (a.where() != space::cluster) return rank_;
    int rank = 0;
    while (!is_inside(a.address, begin_of(rank))) ++rank;
    return rank;
  }
  bool is_running(int rank) const { return rank == rank_; }
  /// From an offset in a block's memory to one among all, and back. Each block begins on the same bank.
  std::int64_t among_all(int rank, std::int64_t offset) const { return rank * stride_ + offset; }
  std::int64_t in_block(std::uint64_t offset_among_all) const { return std::int64_t(offset_among_all) % stride_; }
  block_place block_of(std::uint64_t offset_among_all) const {
    return place(int(std::int64_t(offset_among_all) / stride_));
  }
  block_place place(int rank) const {
    block_place p = ran_.back().second;
    p.column += rank - rank_;
    return p;
  }
  /// The block that ran at that time.
  const block_place& block_at(std::uint32_t time) const {
    const auto later = std::upper_bound(ran_.begin(), ran_.end(), time,
                                        [](std::uint32_t t, const auto& ran) { return t < ran.first; });
    return std::prev(later)->second;
  }

  /// Remembers the first access to each block since the last barrier of the cluster: none may follow the last one. False
  /// if there was no barrier yet, so that the other block may not have begun.
  bool reached(int rank, const reach& r) {
    if (reached_[std::size_t(rank)].thread < 0) reached_[std::size_t(rank)] = r;
    return !is_first_phase_;
  }
  const reach& reached(int rank) const { return reached_[std::size_t(rank)]; }
  int size() const { return int(memory_->size()); }

 private:
  void begin_phase(bool first) {
    is_first_phase_ = first;
    reached_.assign(memory_->size(), reach());
  }
  bool is_inside(const void* address, std::int64_t begin) const {
    return std::uint64_t(std::int64_t(address) - begin) < std::uint64_t(bytes_);
  }

  const std::vector<unsigned char*>* memory_ = nullptr;
  std::size_t bytes_ = 0;
  std::int64_t stride_ = 0;                                 // from one block to the next in the shadow
  int rank_ = 0;                                            // of the block that runs
  std::int64_t begin_ = 0;                                  // of its memory
  std::vector<std::pair<std::uint32_t, block_place>> ran_;  // from which time on which block did
  std::vector<reach> reached_;                              // into each block
  bool is_first_phase_ = true;
};

}  // namespace memtile::sim::detail
