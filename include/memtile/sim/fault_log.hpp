// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collects the faults of a launch. A loop of a thousand threads that does one thing wrong is one fault: it is kept
// under its source lines, and the text says which thread was first and how many followed.
#pragma once

#include <memtile/sim/report.hpp>

#include <algorithm>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace memtile::sim::detail {

struct block_place {
  std::int64_t plane = 0, row = 0, column = 0;
  bool has_planes = false;

  std::string text() const {
    const std::string plane_text = has_planes ? std::to_string(plane) + ", " : "";
    return "block (" + plane_text + std::to_string(row) + ", " + std::to_string(column) + ")";
  }
  friend bool operator==(const block_place& a, const block_place& b) {
    return a.plane == b.plane && a.row == b.row && a.column == b.column;
  }
};

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
  }
  return "fault";
}

class fault_log {
 public:
  void begin(const char* kernel, int most) {
    kernel_ = kernel;
    most_ = most;
    entries_.clear();
    left_out_ = 0;
  }

  /// A fault of one thread at one place. `other` is the second line where two take part, else the same place again.
  /// say() makes the sentence; it is asked once for each pair of places.
  template <class Say>
  void add(fault_kind kind, const block_place& block, int thread, const site& at, const site& other, Say say) {
    for (entry& e : entries_) {
      if (e.kind != kind || !same_places(e, at, other)) continue;
      if (e.block == block) e.threads.set(std::size_t(thread));
      e.elsewhere |= !(e.block == block);
      return;
    }
    if (int(entries_.size()) >= (std::max)(1, most_)) {  // the first one is always kept
      ++left_out_;
      return;
    }
    entry fresh{kind, block, at, other, say(), thread, {}, false};
    fresh.threads.set(std::size_t(thread));
    entries_.push_back(std::move(fresh));
  }
  /// A fault of a whole block.
  void add(fault_kind kind, const block_place& block, std::string sentence) {
    entries_.push_back(entry{kind, block, {"", 0}, {"", 0}, std::move(sentence), -1, {}, false});
  }

  std::vector<fault> take() {
    std::vector<fault> faults;
    for (const entry& e : entries_) faults.push_back(fault{e.kind, text(e)});
    if (left_out_ > 0 && !faults.empty())
      faults.back().text += "\n(and " + std::to_string(left_out_) + " more; machine.max_reports shows more)";
    return faults;
  }

 private:
  struct entry {
    fault_kind kind;
    block_place block;
    site at, other;
    std::string sentence;
    int thread;  // the first; -1 if the fault is the block's
    std::bitset<1024> threads;
    bool elsewhere;  // in other blocks too
  };

  // Which of two racing lines was seen first is an accident.
  static bool same_places(const entry& e, const site& at, const site& other) {
    return (same_site(e.at, at) && same_site(e.other, other)) || (same_site(e.at, other) && same_site(e.other, at));
  }

  std::string text(const entry& e) const {
    std::string result = std::string(name_of(e.kind)) + ": kernel " + kernel_ + ", " + e.block.text();
    if (e.thread < 0) return result + ": " + e.sentence;
    result += ", thread " + std::to_string(e.thread);
    const auto more = e.threads.count() - 1;
    if (more > 0) result += " and " + std::to_string(more) + " more";
    if (e.elsewhere) result += ", and in other blocks";
    return result + ", " + place(e.at) + ": " + e.sentence;
  }

  std::string kernel_;
  int most_ = 32;
  std::int64_t left_out_ = 0;
  std::vector<entry> entries_;
};

}  // namespace memtile::sim::detail
