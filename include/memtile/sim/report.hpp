// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the simulator found: for each source line that touches memory what its accesses cost, and the faults.
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
  copy_in_flight
};

struct fault {
  fault_kind kind;
  std::string text;
};

/// Sums over warp accesses. Wavefronts and conflicts belong to shared memory, sectors to global memory.
struct access_counts {
  std::int64_t requests = 0, lanes = 0;  // warp instructions; accesses of single threads
  std::int64_t wavefronts = 0, bank_conflicts = 0;
  std::int64_t sectors = 0, ideal_sectors = 0;  // ideal: had the lanes taken part side by side

  access_counts& operator+=(const access_counts& other) {
    requests += other.requests;
    lanes += other.lanes;
    wavefronts += other.wavefronts;
    bank_conflicts += other.bank_conflicts;
    sectors += other.sectors;
    ideal_sectors += other.ideal_sectors;
    return *this;
  }
};

/// All accesses of one kind and width that one source line makes.
struct report_row : access_counts {
  site place{"", 0};
  space where = space::global;
  access_kind kind = access_kind::load;
  int bytes = 0;

  bool same_access(const report_row& other) const {
    return where == other.where && kind == other.kind && bytes == other.bytes && detail::same_site(place, other.place);
  }
  /// What a better pattern would save.
  std::int64_t excess() const { return bank_conflicts + (std::max<std::int64_t>)(0, sectors - ideal_sectors); }
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
  /// In the order in which the lines were first met.
  const std::vector<report_row>& rows() const { return rows_; }
  access_counts total(space where) const {
    return sum([=](const report_row& r) { return r.where == where; });
  }
  access_counts total(space where, access_kind kind) const {
    return sum([=](const report_row& r) { return r.where == where && r.kind == kind; });
  }

  /// The type of the kernel; of several, separated by commas.
  std::string kernel() const;
  int launches() const { return launches_; }
  /// Block-wide barriers, each counted once for each block.
  std::int64_t barriers() const { return barriers_; }
  /// Of one block; the largest if there were several launches.
  std::size_t shared_bytes() const { return shared_bytes_; }

  /// A table with the worst line first, then the faults.
  std::string to_string() const;
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
  std::vector<fault> faults_;
  std::vector<std::string> kernels_;
  int launches_ = 0;
  std::int64_t barriers_ = 0;
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
  for (const std::string& kernel : other.kernels_)
    if (std::find(kernels_.begin(), kernels_.end(), kernel) == kernels_.end()) kernels_.push_back(kernel);
  launches_ += other.launches_;
  barriers_ += other.barriers_;
  shared_bytes_ = (std::max)(shared_bytes_, other.shared_bytes_);
}

inline std::string report::kernel() const {
  std::string names;
  for (const std::string& kernel : kernels_) names += (names.empty() ? "" : ", ") + kernel;
  return names;
}

namespace detail {

inline std::string left(std::string text, std::size_t width) {
  return text.append(text.size() < width ? width - text.size() : 0, ' ');
}
inline std::string right(const std::string& text, std::size_t width) {
  return std::string(text.size() < width ? width - text.size() : 0, ' ') + text;
}
// A number of the table; a dash where the column says nothing about the access.
inline std::string cell(std::int64_t number, bool applies) { return right(applies ? std::to_string(number) : "-", 12); }

inline std::string table_line(const report_row& r, std::size_t place_width) {
  const bool shared = r.where == space::shared;
  const std::string what = std::string(name_of(r.kind)) + " " + std::to_string(r.bytes) + " B " + name_of(r.where);
  return left(place(r.place), place_width) + "  " + left(what, 26) + cell(r.requests, true) + cell(r.lanes, true) +
         cell(r.wavefronts, shared) + cell(r.bank_conflicts, shared) + cell(r.sectors, !shared) +
         cell(r.ideal_sectors, !shared) + (measured(r.kind) ? "\n" : "  model\n");
}

}  // namespace detail

inline std::string report::to_string() const {
  std::vector<report_row> sorted = rows_;
  std::stable_sort(sorted.begin(), sorted.end(), [](const report_row& a, const report_row& b) {
    return a.excess() != b.excess() ? a.excess() > b.excess() : a.requests > b.requests;
  });
  std::size_t place_width = 5;
  for (const report_row& r : sorted) place_width = (std::max)(place_width, detail::place(r.place).size());

  std::string text = kernel() + ": " + std::to_string(launches_) + (launches_ == 1 ? " launch, " : " launches, ") +
                     std::to_string(barriers_) + " block barriers, " + std::to_string(shared_bytes_) +
                     " bytes of shared memory\n";
  text += detail::left("place", place_width) + "  " + detail::left("access", 26);
  for (const char* heading : {"requests", "lanes", "wavefronts", "conflicts", "sectors", "ideal"})
    text += detail::right(heading, 12);
  text += "\n";
  for (const report_row& r : sorted) text += detail::table_line(r, place_width);
  if (faults_.empty()) return text + "no faults\n";
  for (const fault& f : faults_) text += f.text + "\n";
  return text;
}

}  // namespace memtile::sim
