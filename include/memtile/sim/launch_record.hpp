// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a launch leaves behind: rows, faults, and the shadow of global memory, which alone goes beyond one block. Blocks
// may run on several OS threads, but enter here one after the other, in the order of the launch: so the report does not
// depend on who was faster.
#pragma once

#include <memtile/sim/fault_words.hpp>
#include <memtile/sim/options.hpp>
#include <memtile/sim/site_table.hpp>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace memtile::sim::detail {

/// Lets blocks pass one by one, by their number in the launch.
class turnstile {
 public:
  void begin() { next_ = 0; }
  bool reached(std::int64_t number) const { return next_.load(std::memory_order_acquire) == number; }
  void wait(std::int64_t number) {
    if (reached(number)) return;
    std::unique_lock<std::mutex> lock(mutex_);
    while (!reached(number)) turned_.wait(lock);
  }
  void pass() {
    const std::lock_guard<std::mutex> lock(mutex_);
    next_.fetch_add(1, std::memory_order_release);
    turned_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable turned_;
  std::atomic<std::int64_t> next_{0};
};

/// Everything but the turn is for the block whose turn it is.
class launch_record {
 public:
  turnstile turn;

  void begin(const launch_request& request, const machine_options& options) {
    turn.begin();
    cluster_ = request.cluster;
    barrier_ = request.is_cooperative ? "grid_barrier::sync()" : "cluster.sync()";
    halted_ = false;
    barriers_ = flops_ = 0;
    faults_.begin(request.kernel, options.max_reports);
    faults_of_block_.begin(request.kernel, options.max_reports);
    global_.begin_scope();
    blocks_.clear();
  }
  void begin_block(const block_place& block) {
    block_ = block;
    faults_of_block_.clear();
    blocks_.emplace_back(global_.time.begin_block(), block);
  }
  /// Another one of its cluster goes on.
  void next_block(const block_place& block) {
    block_ = block;
    blocks_.emplace_back(global_.time.next_block(), block);
  }
  void cluster_barrier() { global_.time.cluster_barrier(); }

  std::uint16_t row_for(const report_row& r) { return table_.find(r); }
  /// An access to global memory by a warp of the block that began last.
  void access_global(const warp_access&, int access_bytes, const lane_offsets&, int first_thread, std::uint16_t row);
  void fence(const warp_access& a, int first_thread) {
    for (int lane = 0; lane < 32; ++lane)
      if (a.lane[lane] != nullptr) global_.time.fence(first_thread + lane);
  }
  void block_barrier() { global_.time.block_barrier(); }
  void warp_barrier(int warp, std::uint32_t mask) { global_.time.warp_barrier(warp, mask); }

  void add_counts(std::uint16_t row, const access_counts& counts) { table_.row(row) += counts; }
  void end_block(const fault_log& faults, std::int64_t barriers, std::int64_t flops, bool halted) {
    faults_.merge(faults);
    faults_.merge(faults_of_block_);
    barriers_ += barriers;
    flops_ += flops;
    halted_ = halted;
  }
  /// A block could not go on: nothing further counts.
  bool halted() const { return halted_; }

  std::vector<report_row> take_rows() { return table_.take_rows(); }
  const fault_log& faults() const { return faults_; }
  std::int64_t barriers() const { return barriers_; }
  std::int64_t flops() const { return flops_; }

 private:
  void hazard_found(hazard, int thread, const access& a, mark other, std::uint16_t row);
  // The block that ran at that time.
  block_place block_at(std::uint32_t time) const {
    const auto later = std::upper_bound(blocks_.begin(), blocks_.end(), time,
                                        [](std::uint32_t t, const begun& b) { return t < b.time; });
    return std::prev(later)->place(block_.has_planes);
  }

  // Kept for every block of the launch, so in few bytes.
  struct begun {
    begun(std::uint32_t when, const block_place& b)
        : time(when), plane(std::uint16_t(b.plane)), row(std::uint16_t(b.row)), column(std::uint32_t(b.column)) {}
    block_place place(bool has_planes) const { return {plane, row, column, has_planes}; }
    std::uint32_t time;
    std::uint16_t plane, row;
    std::uint32_t column;
  };
  block_place block_;
  int cluster_ = 1;
  const char* barrier_ = "";  // of blocks that run together
  bool halted_ = false;
  std::int64_t barriers_ = 0, flops_ = 0;
  site_table table_;
  fault_log faults_, faults_of_block_;
  shadow<global_cells> global_;
  std::vector<begun> blocks_;
};

inline void launch_record::access_global(const warp_access& a, int access_bytes, const lane_offsets& offsets,
                                         int first_thread, std::uint16_t row) {
  global_.check(a, access_bytes, offsets, first_thread, row, [&](hazard h, int lane, std::uint64_t, mark other) {
    hazard_found(h, first_thread + lane, *a.lane[lane], other, row);
  });
  if (!global_.time.has_fences() || !is_atomic(a.first->kind())) return;
  for (int lane = 0; lane < 32; ++lane)
    if (offsets[std::size_t(lane)] >= 0)
      global_.time.atomic(first_thread + lane, std::uint64_t(offsets[std::size_t(lane)]));
}

inline void launch_record::hazard_found(hazard h, int thread, const access& a, mark other, std::uint16_t row) {
  const report_row &mine = table_.row(row), &theirs = table_.row(other.line);
  const block_place there = block_at(other.time);
  const int warp_mate = block_ == there && other.spread() < mark::several_warps ? other.thread() : -1;
  faults_of_block_.add(kind_of(h), block_, thread, mine.place, warp_mate, theirs.place, [&] {
    std::string what = element(space::global, a.index, a.dimensions());
    if (what.empty()) what = "global memory";
    const std::string block = block_ == there ? "" : there.text();
    return sentence(h,
                    {mine, theirs, what, thread, other, block, block_.is_beside(there, cluster_) ? barrier_ : nullptr});
  });
}

}  // namespace memtile::sim::detail
