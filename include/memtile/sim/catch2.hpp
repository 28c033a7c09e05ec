// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matchers for Catch2, version 2.13 or 3:
//
//   CHECK_THAT(*machine.last_report(), memtile::sim::IsClean());
//   CHECK_THAT(*machine.last_report(), memtile::sim::HasNoBankConflicts());
//
// A failed check prints the report: its worst line comes first, the faults last.
#pragma once

#include <memtile/sim/report.hpp>

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif

#include <string>

namespace memtile::sim {

namespace detail {
#if __has_include(<catch2/catch_all.hpp>)
using report_matcher = Catch::Matchers::MatcherBase<report>;
#else
using report_matcher = Catch::MatcherBase<report>;
#endif
}  // namespace detail

/// No fault was found.
class IsClean : public detail::report_matcher {
 public:
  bool match(const report& r) const override { return r.clean(); }
  std::string describe() const override { return "has no faults"; }
};

/// No access to shared memory took more wavefronts than its width needs.
class HasNoBankConflicts : public detail::report_matcher {
 public:
  bool match(const report& r) const override { return r.bank_conflicts() == 0; }
  std::string describe() const override { return "has no bank conflicts"; }
};

}  // namespace memtile::sim
