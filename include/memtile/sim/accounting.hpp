// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What becomes of a warp access of the block that runs: it is counted under its source line and checked against the
// shadow of shared memory, which is one for all blocks of a cluster. What concerns global memory goes on to the record of
// the launch: at once if all earlier blocks have ended, else later, from a list.
#pragma once

#include <memtile/sim/cluster_memory.hpp>
#include <memtile/sim/deferred_accesses.hpp>
#include <memtile/sim/launch_record.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace memtile::sim::detail {

class accounting {
 public:
  accounting(launch_record& launch, const machine_options& options) : launch_(launch), options_(options) {}

  void begin_launch(const std::string& kernel) {
    faults_.begin(kernel, options_.max_reports);
    static_cast<void>(table_.take_rows());
    row_in_launch_.clear();
  }
  /// `number` is the cluster's place in the order of the launch, `first` the block that runs first or alone, and
  /// `shared` the shared memory of each block.
  void begin_cluster(std::int64_t number, const block_place& first, const std::vector<unsigned char*>& shared,
                     std::size_t shared_bytes) {
    number_ = number;
    my_turn_ = false;
    faults_.clear();
    shared_.begin(shared, shared_bytes);
    shadow_.begin_scope();
    shadow_.cells.reserve(shared_.words());
    enter(0, first);
    deferred_.clear();
    barriers_ = 0;
  }
  /// Another block of the cluster goes on. Clusters run one after the other, so it is their turn; a block alone has no
  /// others.
  void next_block(int rank, const block_place& block) {
    if (shared_.is_alone()) return;
    static_cast<void>(wait_for_turn());
    shadow_.time.next_block();
    launch_.next_block(block);
    enter(rank, block);
  }
  void cluster_barrier() {
    if (shared_.is_alone()) return block_barrier();
    shadow_.time.cluster_barrier();
    launch_.cluster_barrier();
    shared_.cluster_barrier();
  }
  void block_barrier() {
    ++barriers_;
    shadow_.time.block_barrier();
    if (!options_.check_races) return;
    if (is_my_turn()) launch_.block_barrier();
    else deferred_.block_barrier();
  }
  void warp_barrier(int warp, std::uint32_t mask) {
    shadow_.time.warp_barrier(warp, mask);
    if (!options_.check_races) return;
    if (is_my_turn()) launch_.warp_barrier(warp, mask);
    else deferred_.warp_barrier(warp, mask);
  }
  /// Waits until all earlier blocks have ended, and hands over what there is so far. False if one of them could not go
  /// on.
  bool wait_for_turn() {
    launch_.turn.wait(number_);
    if (!my_turn_) take_turn();
    return !launch_.halted();
  }
  /// Does the same and hands the rest over. False if nothing further shall run.
  bool end_cluster(std::int64_t flops, bool halted);

  /// One access of a warp whose first lane is `first_thread`.
  void visit(const warp_access& a, int first_thread);

  template <class Say>
  void add_fault(fault_kind kind, int thread, const site& at, Say say) {
    faults_.add(kind, block_, thread, at, -1, at, say);
  }
  template <class Say>
  void add_fault(fault_kind kind, int thread, const site& at, int other_thread, const site& other, Say say) {
    faults_.add(kind, block_, thread, at, other_thread, other, say);
  }
  /// A block that cannot go on.
  void standstill(fault_kind kind, const site& at, std::string sentence) {
    faults_.add(kind, block_, at, std::move(sentence));
  }

 private:
  static constexpr std::int64_t idle = INT64_MIN;  // not -1: an address before the arena is a fault
  static constexpr std::size_t most_deferred = 1 << 22;

  void enter(int rank, const block_place& block) {
    block_ = block;
    shared_.enter(rank, block, shadow_.time.now());
  }
  void move_into_cluster(const warp_access& a, lane_offsets& offsets, int first_thread);
  void report_late_reaches();
  void visit_shared(const warp_access& a, int first_thread, std::uint16_t row);
  void visit_as_shared(const warp_access& a, int first_thread);
  void visit_global(const warp_access& a, int first_thread, std::uint16_t row);
  void check_in_turn(const warp_access& a, int first_thread, std::uint16_t row);
  void check_global(const warp_access& a, int first_thread, std::uint16_t row);
  void leave_out_lanes_outside(const access& a, lane_offsets& offsets, int first_thread);
  void shared_hazard(hazard h, int thread, std::uint64_t offset, const access& a, mark other, std::uint16_t row);

  bool is_my_turn() {
    if (!my_turn_ && launch_.turn.reached(number_)) take_turn();
    return my_turn_;
  }
  void take_turn();
  // Rows enter the launch's table in the order in which they were first met.
  std::uint16_t row_in_launch(std::uint16_t row) {
    for (std::size_t next = row_in_launch_.size(); next <= row; ++next)
      row_in_launch_.push_back(launch_.row_for(table_.row(next)));
    return row_in_launch_[row];
  }

  launch_record& launch_;
  const machine_options& options_;
  std::int64_t number_ = 0;
  bool my_turn_ = false;
  block_place block_;
  cluster_memory shared_;
  std::int64_t barriers_ = 0;
  site_table table_;
  std::vector<std::uint16_t> row_in_launch_;
  fault_log faults_;
  shadow<shared_cells> shadow_;
  deferred_accesses deferred_;
};

inline void accounting::visit(const warp_access& a, int first_thread) {
  const access& first = *a.first;
  if (first.kind() == fence) return check_in_turn(a, first_thread, 0);
  if (first.where() == space::global && shared_.is_of_block(first.address)) return visit_as_shared(a, first_thread);
  const std::uint16_t row_number = table_.find(first);
  if (options_.count && first.kind() != arrival) {
    report_row& row = table_.row(row_number);
    row.requests += a.active > 0 ? instructions(first.bytes) : 0;
    row.lanes += a.active;
    row.bytes_asked += std::int64_t(a.active) * first.bytes;
  }
  if (first.where() != space::global) visit_shared(a, first_thread, row_number);
  else visit_global(a, first_thread, row_number);
}

inline void accounting::visit_shared(const warp_access& a, int first_thread, std::uint16_t row) {
  const access& first = *a.first;
  const int lanes = address_lanes(first.kind()), bytes = first.bytes;
  const std::int64_t last = std::int64_t(shared_.bytes()) - bytes, own_begin = shared_.begin();
  const bool anywhere = first.where() == space::cluster;
  lane_offsets offsets;
  bool all_inside = true;
  for (int lane = 0; lane < 32; ++lane) {
    std::int64_t& offset = offsets[std::size_t(lane)];
    offset = idle;
    if (a.lane[lane] == nullptr || lane >= lanes) continue;
    const std::int64_t begin = anywhere ? shared_.begin_of(shared_.owner(*a.lane[lane])) : own_begin;
    offset = std::int64_t(a.lane[lane]->address) - begin;
    all_inside = all_inside && offset >= 0 && offset <= last;
  }
  if (!all_inside) leave_out_lanes_outside(first, offsets, first_thread);
  if (!shared_.is_alone()) move_into_cluster(a, offsets, first_thread);
  if (options_.count && first.kind() != arrival) {
    const shared_count cost = count_shared(first.kind(), bytes, offsets);
    table_.row(row).wavefronts += cost.wavefronts;
    table_.row(row).bank_conflicts += cost.bank_conflicts;
  }
  if (!options_.check_races) return;
  if (first.kind() == arrival) return shadow_.arrived(bytes, offsets, first_thread, row);
  shadow_.check(a, bytes, offsets, first_thread, row, [&](hazard h, int lane, std::uint64_t offset, mark other) {
    shared_hazard(h, first_thread + lane, offset, *a.lane[lane], other, row);
  });
}

// From offsets in blocks to those among all of the cluster.
inline void accounting::move_into_cluster(const warp_access& a, lane_offsets& offsets, int first_thread) {
  for (std::size_t lane = 0; lane < 32; ++lane) {
    if (offsets[lane] == idle) continue;
    const int owner = shared_.owner(*a.lane[lane]);
    offsets[lane] = shared_.among_all(owner, offsets[lane]);
    if (shared_.is_running(owner)) continue;
    const reach mine{first_thread + int(lane), block_, a.lane[lane]->place()};
    if (!shared_.reached(owner, mine))
      add_fault(fault_kind::block_not_running, mine.thread, mine.at,
                [&] { return words_for_block_not_running(shared_.place(owner).text(), false); });
  }
}

// No barrier of the cluster has followed: the other block may have returned.
inline void accounting::report_late_reaches() {
  for (int owner = 0; owner < shared_.size(); ++owner) {
    const reach& r = shared_.reached(owner);
    if (r.thread < 0) continue;
    faults_.add(fault_kind::block_not_running, r.block, r.thread, r.at, -1, r.at,
                [&] { return words_for_block_not_running(shared_.place(owner).text(), true); });
  }
}

// A view of shared memory says global; the addresses know better.
inline void accounting::visit_as_shared(const warp_access& a, int first_thread) {
  access lanes[32];
  warp_access changed{nullptr, {}, a.active};
  for (int lane = 0; lane < 32; ++lane) {
    if (a.lane[lane] == nullptr) continue;
    lanes[lane] = *a.lane[lane];
    lanes[lane].what = packed_what(space::shared, a.first->kind(), a.first->dimensions());
    changed.lane[lane] = &lanes[lane];
    if (a.lane[lane] == a.first) changed.first = &lanes[lane];
  }
  visit(changed, first_thread);
}

inline lane_offsets global_offsets(const warp_access& a) {
  lane_offsets offsets;
  for (std::size_t lane = 0; lane < 32; ++lane) {
    const access* const mine = a.lane[lane];
    offsets[lane] = mine != nullptr && mine->address != nullptr ? std::int64_t(mine->address) : -1;
  }
  return offsets;
}

inline void accounting::visit_global(const warp_access& a, int first_thread, std::uint16_t row) {
  const int bytes = a.first->bytes;
  if (options_.count) {
    const int sectors = count_global(a.first->kind(), bytes, global_offsets(a)).sectors;
    const int ideal = coalesced_sectors(bytes, a.active);
    table_.row(row).sectors += sectors;
    table_.row(row).ideal_sectors += ideal;
    table_.row(row).excess_sectors += (std::max)(0, sectors - ideal);
  }
  check_in_turn(a, first_thread, row);
}

inline void accounting::check_in_turn(const warp_access& a, int first_thread, std::uint16_t row) {
  if (!options_.check_races) return;
  if (is_my_turn()) return check_global(a, first_thread, row);
  deferred_.access(a, first_thread, row);
  if (deferred_.size() >= most_deferred) static_cast<void>(wait_for_turn());
}

inline void accounting::check_global(const warp_access& a, int first_thread, std::uint16_t row) {
  if (launch_.halted()) return;
  if (a.first->kind() == fence) return launch_.fence(a, first_thread);
  launch_.access_global(a, a.first->bytes, global_offsets(a), first_thread, row_in_launch(row));
}

inline void accounting::take_turn() {
  my_turn_ = true;
  if (launch_.halted()) return deferred_.clear();
  launch_.begin_block(block_);
  deferred_.replay(
      [&](const warp_access& a, int first_thread, std::uint16_t row) { check_global(a, first_thread, row); },
      [&] { launch_.block_barrier(); }, [&](int warp, std::uint32_t mask) { launch_.warp_barrier(warp, mask); });
}

inline bool accounting::end_cluster(std::int64_t flops, bool halted) {
  if (!halted) report_late_reaches();
  if (wait_for_turn()) {
    if (table_.size() > 0) static_cast<void>(row_in_launch(std::uint16_t(table_.size() - 1)));
    for (std::size_t row = 0; row < table_.size(); ++row) {
      launch_.add_counts(row_in_launch_[row], table_.row(row));
      static_cast<access_counts&>(table_.row(row)) = access_counts();
    }
    launch_.end_block(faults_, barriers_, flops, halted);
  }
  const bool go_on = !launch_.halted();
  launch_.turn.pass();
  return go_on;
}

// Tiles check their indices; this finds the address arithmetic of those who go around them.
inline void accounting::leave_out_lanes_outside(const access& a, lane_offsets& offsets, int first_thread) {
  const std::int64_t last = std::int64_t(shared_.bytes()) - a.bytes;
  for (std::size_t lane = 0; lane < 32; ++lane) {
    std::int64_t& offset = offsets[lane];
    if (offset == idle || (offset >= 0 && offset <= last)) continue;
    add_fault(fault_kind::out_of_bounds, first_thread + int(lane), a.place(),
              [&] { return words_for_outside_storage(a.bytes, offset, shared_.bytes()); });
    offset = idle;
  }
}

inline void accounting::shared_hazard(hazard h, int thread, std::uint64_t offset, const access& a, mark other,
                                      std::uint16_t row) {
  const report_row &mine = table_.row(row), &theirs = table_.row(other.line);
  const block_place& there = shared_.block_at(other.time);
  const int warp_mate = block_ == there && other.spread() < mark::several_warps ? other.thread() : -1;
  add_fault(kind_of(h), thread, mine.place, warp_mate, theirs.place, [&] {
    std::string what = element(space::shared, a.index, a.dimensions());
    if (what.empty()) what = "shared byte " + std::to_string(shared_.in_block(offset));
    if (const block_place owner = shared_.block_of(offset); !(owner == block_)) what += " of " + owner.text();
    return sentence(h, {mine, theirs, what, thread, other, block_ == there ? "" : there.text(), "cluster.sync()"});
  });
}

}  // namespace memtile::sim::detail
