// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the simulator found: for each source line that touches memory what its accesses cost, and the faults. How it is
// printed, as tables, as JSON or for GitHub, stands in report_text.hpp and report_json.hpp; sim.cuh brings all of it.
#pragma once

#include <memtile/sim/count.hpp>
#include <memtile/sim/wording.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace memtile::sim {

enum class fault_kind : uint8 {
  out_of_bounds,
  misaligned,
  divergent_barrier,
  wrong_mask,
  deadlock,
  livelock,
  race,
  uninitialised_read,
  copy_in_flight,
  block_not_running,
  no_model,
  // Remarks: worth knowing, and no faults.
  same_value_stored,
  divergent_commit
};
constexpr bool is_remark(fault_kind kind) { return kind >= fault_kind::same_value_stored; }
inline const char* name_of(fault_kind kind) {
  switch (kind) {
  case fault_kind::out_of_bounds: return "out of bounds";
  case fault_kind::misaligned: return "misaligned";
  case fault_kind::divergent_barrier: return "divergent barrier";
  case fault_kind::wrong_mask: return "wrong mask";
  case fault_kind::deadlock: return "deadlock";
  case fault_kind::livelock: return "livelock";
  case fault_kind::race: return "race";
  case fault_kind::uninitialised_read: return "uninitialised read";
  case fault_kind::copy_in_flight: return "copy in flight";
  case fault_kind::block_not_running: return "block not running";
  case fault_kind::no_model: return "no model";
  case fault_kind::same_value_stored: return "same value stored";
  case fault_kind::divergent_commit: return "divergent commit";
  }
  return "fault";
}

struct fault {
  fault_kind kind;
  std::string text;
  site place = site::here("", 0), other = site::here("", 0);  // equal if only one line takes part
};

/// Sums over warp accesses. Wavefronts, passes and conflicts belong to shared memory, sectors to global memory.
struct access_counts {
  std::int64_t requests = 0, lanes = 0;  // warp instructions; accesses of single threads
  std::int64_t wavefronts = 0, bank_conflicts = 0;
  std::int64_t sectors = 0, ideal_sectors = 0;  // ideal: had the lanes taken part side by side
  std::int64_t excess_sectors = 0;              // what single accesses needed beyond their ideal
  std::int64_t bytes_asked = 0;

  /// The wavefronts without conflicts.
  std::int64_t passes() const { return wavefronts - bank_conflicts; }
  /// What the memory moves for it: 128 bytes a wavefront, 32 bytes a sector.
  std::int64_t bytes_moved() const { return 128 * wavefronts + 32 * sectors; }

  access_counts& operator+=(const access_counts& other) {
    requests += other.requests;
    lanes += other.lanes;
    wavefronts += other.wavefronts;
    bank_conflicts += other.bank_conflicts;
    sectors += other.sectors;
    ideal_sectors += other.ideal_sectors;
    excess_sectors += other.excess_sectors;
    bytes_asked += other.bytes_asked;
    return *this;
  }
};

/// All accesses of one kind and width that one source line makes.
struct report_row : access_counts {
  site place = site::here("", 0);
  space where = space::global;
  access_kind kind = access_kind::load;
  int bytes = 0;

  bool same_access(const report_row& other) const {
    return where == other.where && kind == other.kind && bytes == other.bytes && detail::same_site(place, other.place);
  }
  /// What a better pattern would save, in wavefronts or sectors.
  std::int64_t excess() const { return bank_conflicts + excess_sectors; }
  /// No access to global memory moved more sectors than side by side. Shared memory has nothing to coalesce.
  bool is_coalesced() const { return excess_sectors == 0; }
};

/// Of one launch, or the sum of several.
class report {
 public:
  /// No faults. Says nothing of counts.
  bool clean() const { return faults_.empty(); }
  std::int64_t bank_conflicts() const {
    return sum([](const report_row& r) { return r.where == space::shared; }).bank_conflicts;
  }

  const std::vector<fault>& faults() const { return faults_; }
  /// What is no fault, but may surprise: of kinds that are remarks.
  const std::vector<fault>& remarks() const { return remarks_; }
  /// In the order in which the lines were first met.
  const std::vector<report_row>& rows() const { return rows_; }
  access_counts total(space where) const {
    return sum([=](const report_row& r) { return r.where == where; });
  }
  /// Of one kind; `atomic` stands for all three kinds of atomic operations.
  access_counts total(space where, access_kind kind) const {
    return sum([=](const report_row& r) {
      return r.where == where && (r.kind == kind || (is_atomic(r.kind) && kind == access_kind::atomic));
    });
  }

  /// The type of the kernel; of several, separated by commas.
  std::string kernel() const;
  int launches() const { return launches_; }
  /// Block-wide barriers, each counted once for each block.
  std::int64_t barriers() const { return barriers_; }
  /// Of one block; the largest if there were several launches.
  std::size_t shared_bytes() const { return shared_bytes_; }
  /// False if a launch ran with machine.count off: then wavefronts and sectors are not known.
  bool counted() const { return counted_; }
  /// Operations of memtile's accumulators, a fused multiply-add being two.
  std::int64_t flops() const { return flops_; }

  /// Tables for shared and global memory, each with its worst line first and advice where there is some; then the
  /// faults.
  std::string to_string() const;
  /// The same for programs. Text is UTF-8; all numbers are whole.
  std::string to_json() const;
  /// Commands that make GitHub show each fault as an error at its line, and each costly line as a warning. To be printed
  /// by a job; paths are made relative to the environment variable GITHUB_WORKSPACE.
  std::string to_github_annotations() const;
  friend std::ostream& operator<<(std::ostream& out, const report& r) { return out << r.to_string(); }

  void add(const report& other);

 private:
  friend class machine;

  template <class Wanted>
  access_counts sum(Wanted wanted) const {
    access_counts total;
    for (const report_row& r : rows_)
      if (wanted(r)) total += r;
    return total;
  }

  std::vector<report_row> rows_;
  std::vector<fault> faults_, remarks_;
  std::vector<std::string> kernels_;
  int launches_ = 0;
  std::int64_t barriers_ = 0, flops_ = 0;
  bool counted_ = true;
  std::size_t shared_bytes_ = 0;
};

inline void report::add(const report& other) {
  for (const report_row& r : other.rows_) {
    const auto same =
        std::find_if(rows_.begin(), rows_.end(), [&](const report_row& mine) { return mine.same_access(r); });
    if (same != rows_.end()) *same += r;
    else rows_.push_back(r);
  }
  faults_.insert(faults_.end(), other.faults_.begin(), other.faults_.end());
  remarks_.insert(remarks_.end(), other.remarks_.begin(), other.remarks_.end());
  for (const std::string& kernel : other.kernels_)
    if (std::find(kernels_.begin(), kernels_.end(), kernel) == kernels_.end()) kernels_.push_back(kernel);
  launches_ += other.launches_;
  barriers_ += other.barriers_;
  flops_ += other.flops_;
  counted_ = counted_ && other.counted_;
  shared_bytes_ = (std::max)(shared_bytes_, other.shared_bytes_);
}

inline std::string report::kernel() const {
  std::string names;
  for (const std::string& kernel : kernels_) names += (names.empty() ? "" : ", ") + kernel;
  return names;
}

}  // namespace memtile::sim
