// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matchers for Catch2, version 2.13 or 3:
//
//   REQUIRE(memtile::launch(machine, grid, kernel, in.view(), out.view()));
//   CHECK_THAT(*machine.last_report(), memtile::sim::IsClean());
//   CHECK_THAT(*machine.last_report(), memtile::sim::HasNoBankConflicts());
//   CHECK_THAT(*machine.last_report(), memtile::sim::IsCoalesced());
//   CHECK_THAT(*machine.last_report(), memtile::sim::MovesAtMost(2 * n * sizeof(float)));
//
// A failed check names the faults or the lines that break it, and prints the report; a failed REQUIRE of a launch
// prints the message of its status.
#pragma once

#include <memtile/sim/report_json.hpp>

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace Catch {
template <>
struct StringMaker<memtile::status> {
  static std::string convert(const memtile::status& s) { return s.ok() ? "success" : s.message(); }
};
}  // namespace Catch

namespace memtile::sim {

namespace detail {
#if __has_include(<catch2/catch_all.hpp>)
using report_matcher = Catch::Matchers::MatcherBase<report>;
#else
using report_matcher = Catch::MatcherBase<report>;
#endif

// Catch2 asks for the description after the match: it holds what broke it.
class row_matcher : public report_matcher {
 public:
  std::string describe() const override { return what_ + found_; }

 protected:
  explicit row_matcher(std::string what) : what_(std::move(what)) {}
  template <class Breaks>
  bool no_row(const report& r, Breaks breaks) const {
    std::vector<report_row> rows;
    for (const report_row& row : worst_first(r.rows()))
      if (breaks(row)) rows.push_back(row);
    found_ = !r.counted()   ? "; but nothing was counted: machine.count is off"
             : rows.empty() ? ""
                            : "; these lines break it:\n" + tables(rows);
    return r.counted() && rows.empty();
  }

  std::string what_;
  mutable std::string found_;
};
}  // namespace detail

/// No fault was found.
class IsClean : public detail::report_matcher {
 public:
  bool match(const report& r) const override {
    faults_ = "";
    for (const fault& f : r.faults()) faults_ += "\n" + f.text;
    return r.clean();
  }
  std::string describe() const override { return "has no faults" + (faults_.empty() ? "" : "; it has:" + faults_); }

 private:
  mutable std::string faults_;
};

/// No access to shared memory took more wavefronts than its width needs.
class HasNoBankConflicts : public detail::row_matcher {
 public:
  HasNoBankConflicts() : row_matcher("has no bank conflicts") {}
  bool match(const report& r) const override {
    return no_row(r, [](const report_row& row) { return row.bank_conflicts > 0; });
  }
};

/// No access to global memory moved more sectors than its lanes would need side by side.
class IsCoalesced : public detail::row_matcher {
 public:
  IsCoalesced() : row_matcher("moves no sector in vain") {}
  bool match(const report& r) const override {
    return no_row(r, [](const report_row& row) { return !row.is_coalesced(); });
  }
};

/// All accesses to global memory together moved so many bytes, in whole sectors of 32.
class MovesAtMost : public detail::row_matcher {
 public:
  explicit MovesAtMost(std::int64_t bytes)
      : row_matcher("moves at most " + std::to_string(bytes) + " bytes of global memory"), bytes_(bytes) {}
  bool match(const report& r) const override {
    const std::int64_t moved = r.total(space::global).bytes_moved();
    const bool good = no_row(r, [&](const report_row& row) { return moved > bytes_ && row.where == space::global; });
    if (moved > bytes_) found_ = "; it moves " + std::to_string(moved) + found_;
    return good;
  }

 private:
  std::int64_t bytes_;
};

}  // namespace memtile::sim
