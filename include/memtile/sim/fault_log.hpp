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
  /// In one cluster of that many blocks.
  bool is_beside(const block_place& b, int cluster) const {
    return plane == b.plane && row == b.row && column / cluster == b.column / cluster;
  }
  friend bool operator==(const block_place& a, const block_place& b) {
    return a.plane == b.plane && a.row == b.row && a.column == b.column;
  }
};

class fault_log {
 public:
  void begin(std::string kernel, int most) {
    kernel_ = std::move(kernel);
    most_ = (std::max)(1, most);  // the first one is always kept
    clear();
  }
  void clear() {
    entries_.clear();
    left_out_[0] = left_out_[1] = 0;
  }

  /// A fault of one thread at one place. `other` is the second line where two take part, else the same place again.
  /// say() makes the sentence; it is asked once for each pair of places. `other_thread` is -1 if only one takes part.
  template <class Say>
  void add(fault_kind kind, const block_place& block, int thread, const site& at, int other_thread, const site& other,
           Say say) {
    const bool in_one_warp = other_thread >= 0 && thread / 32 == other_thread / 32;
    if (entry* e = find(kind, at, other)) {
      ++e->times;
      e->in_one_warp &= in_one_warp;
      if (e->block == block) e->threads.set(std::size_t(thread));
      else e->elsewhere = true;
    } else if (has_room(kind)) {
      entries_.push_back(entry{kind, block, at, other, say(), thread, {}, false, in_one_warp, 1});
      entries_.back().threads.set(std::size_t(thread));
    } else {
      ++left_out_[is_remark(kind)];
    }
  }
  /// A fault of a whole block, at a place if it has one.
  void add(fault_kind kind, const block_place& block, const site& at, std::string sentence) {
    entries_.push_back(entry{kind, block, at, at, std::move(sentence), -1, {}, false, false, 1});
  }

  /// As if the faults of that block had been added here one by one.
  void merge(const fault_log& of_block) {
    for (const entry& theirs : of_block.entries_) {
      entry* const mine = theirs.thread < 0 ? nullptr : find(theirs.kind, theirs.at, theirs.other);
      if (mine != nullptr) {
        mine->times += theirs.times;
        mine->elsewhere |= !(mine->block == theirs.block);
        mine->in_one_warp &= theirs.in_one_warp;
      } else if (has_room(theirs.kind) || theirs.thread < 0) {
        entries_.push_back(theirs);
      } else {
        left_out_[is_remark(theirs.kind)] += theirs.times;
      }
    }
    for (int remark : {0, 1}) left_out_[remark] += of_block.left_out_[remark];
  }

  /// The faults, and the remarks.
  std::vector<fault> take(bool remarks) const {
    std::vector<fault> faults;
    for (const entry& e : entries_)
      if (is_remark(e.kind) == remarks) faults.push_back(fault{e.kind, text(e), e.at, e.other});
    if (left_out_[remarks] > 0 && !faults.empty())
      faults.back().text += "\n(and " + std::to_string(left_out_[remarks]) + " more; machine.max_reports shows more)";
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
    bool elsewhere;    // in other blocks too
    bool in_one_warp;  // both threads, every time
    std::int64_t times;
  };

  // Remarks take no room from faults.
  bool has_room(fault_kind kind) const {
    return std::count_if(entries_.begin(), entries_.end(),
                         [&](const entry& e) { return is_remark(e.kind) == is_remark(kind); }) < most_;
  }
  // Which of two racing lines was seen first is an accident.
  entry* find(fault_kind kind, const site& at, const site& other) {
    for (entry& e : entries_)
      if (e.kind == kind &&
          ((same_site(e.at, at) && same_site(e.other, other)) || (same_site(e.at, other) && same_site(e.other, at))))
        return &e;
    return nullptr;
  }

  std::string text(const entry& e) const {
    std::string result = std::string(name_of(e.kind)) + ": kernel " + kernel_ + ", " + e.block.text();
    if (e.thread < 0) return result + ": " + e.sentence;
    result += ", thread " + std::to_string(e.thread);
    const auto more = e.threads.count() - 1;
    if (more > 0) result += " and " + std::to_string(more) + " more";
    if (e.elsewhere) result += ", and in other blocks";
    result += ", " + place(e.at) + ": " + e.sentence;
    if (e.kind == fault_kind::race && e.in_one_warp) result += " The threads are of one warp: warp().sync() is enough.";
    return result;
  }

  std::string kernel_;
  int most_ = 32;
  std::int64_t left_out_[2] = {};  // faults, remarks
  std::vector<entry> entries_;
};

}  // namespace memtile::sim::detail
