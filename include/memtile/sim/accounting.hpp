// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What becomes of a warp access of the block that runs: it is counted under its source line and checked against the
// shadow of shared memory. What concerns global memory goes on to the record of the launch: at once if all earlier
// blocks have ended, else later, from a list.
#pragma once

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
  /// `number` is the block's place in the order of the launch.
  void begin_block(std::int64_t number, const block_place& block, const void* shared, std::size_t shared_bytes) {
    number_ = number;
    my_turn_ = false;
    block_ = block;
    faults_.clear();
    shared_ = std::int64_t(shared);
    shared_bytes_ = shared_bytes;
    shadow_.begin_scope();
    shadow_.cells.reserve((shared_bytes + 3) / 4);
    deferred_.clear();
    barriers_ = 0;
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
  bool end_block(std::int64_t flops, bool halted);

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

  void visit_shared(const warp_access& a, int first_thread, std::uint16_t row);
  void visit_as_shared(const warp_access& a, int first_thread);
  bool is_of_shared(const void* address) const {
    return std::uint64_t(std::int64_t(address) - shared_) < std::uint64_t(shared_bytes_);
  }
  void visit_global(const warp_access& a, int first_thread, std::uint16_t row);
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
  std::int64_t shared_ = 0;
  std::size_t shared_bytes_ = 0;
  std::int64_t barriers_ = 0;
  site_table table_;
  std::vector<std::uint16_t> row_in_launch_;
  fault_log faults_;
  shadow<shared_cells> shadow_;
  deferred_accesses deferred_;
};

inline void accounting::visit(const warp_access& a, int first_thread) {
  const access& first = *a.first;
  if (first.where() == space::global && is_of_shared(first.address)) return visit_as_shared(a, first_thread);
  const std::uint16_t row_number = table_.find(first);
  if (options_.count && first.kind() != arrival) {
    report_row& row = table_.row(row_number);
    row.requests += a.active > 0 ? instructions(first.bytes) : 0;
    row.lanes += a.active;
    row.bytes_asked += std::int64_t(a.active) * first.bytes;
  }
  if (first.where() == space::shared) visit_shared(a, first_thread, row_number);
  else visit_global(a, first_thread, row_number);
}

inline void accounting::visit_shared(const warp_access& a, int first_thread, std::uint16_t row) {
  const access& first = *a.first;
  const int lanes = address_lanes(first.kind()), bytes = first.bytes;
  const std::int64_t last = std::int64_t(shared_bytes_) - bytes;
  lane_offsets offsets;
  bool all_inside = true;
  for (int lane = 0; lane < 32; ++lane) {
    std::int64_t& offset = offsets[std::size_t(lane)];
    offset = idle;
    if (a.lane[lane] == nullptr || lane >= lanes) continue;
    offset = std::int64_t(a.lane[lane]->address) - shared_;
    all_inside = all_inside && offset >= 0 && offset <= last;
  }
  if (!all_inside) leave_out_lanes_outside(first, offsets, first_thread);
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
  if (!options_.check_races) return;
  if (is_my_turn()) return check_global(a, first_thread, row);
  deferred_.access(a, first_thread, row);
  if (deferred_.size() >= most_deferred) static_cast<void>(wait_for_turn());
}

inline void accounting::check_global(const warp_access& a, int first_thread, std::uint16_t row) {
  if (launch_.halted()) return;
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

inline bool accounting::end_block(std::int64_t flops, bool halted) {
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
  const std::int64_t last = std::int64_t(shared_bytes_) - a.bytes;
  for (std::size_t lane = 0; lane < 32; ++lane) {
    std::int64_t& offset = offsets[lane];
    if (offset == idle || (offset >= 0 && offset <= last)) continue;
    add_fault(fault_kind::out_of_bounds, first_thread + int(lane), a.place(),
              [&] { return words_for_outside_storage(a.bytes, offset, shared_bytes_); });
    offset = idle;
  }
}

inline void accounting::shared_hazard(hazard h, int thread, std::uint64_t offset, const access& a, mark other,
                                      std::uint16_t row) {
  const report_row &mine = table_.row(row), &theirs = table_.row(other.line);
  const int warp_mate = other.spread() < mark::several_warps ? other.thread() : -1;
  add_fault(kind_of(h), thread, mine.place, warp_mate, theirs.place, [&] {
    std::string what = element(space::shared, a.index, a.dimensions());
    if (what.empty()) what = "shared byte " + std::to_string(offset);
    return sentence(h, {mine, theirs, what, thread, other, ""});
  });
}

}  // namespace memtile::sim::detail
