// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the tests of the simulator ask of a launch: which faults it found, and what they say.
#pragma once

#include <memtile/kernel.cuh>
#include <memtile/sim.cuh>
#include <memtile/sim/catch2.hpp>

#include <algorithm>
#include <string>

namespace verdict {

using memtile::sim::fault_kind;

inline int faults_of(const memtile::sim::machine& machine, fault_kind kind) {
  const auto& faults = machine.last_report()->faults();
  return int(std::count_if(faults.begin(), faults.end(), [=](const memtile::sim::fault& f) { return f.kind == kind; }));
}

/// The text of the only fault, if it is of that kind; else the whole report, for the message.
inline std::string only_fault(const memtile::sim::machine& machine, fault_kind kind) {
  const auto& faults = machine.last_report()->faults();
  return faults.size() == 1 && faults[0].kind == kind ? faults[0].text
                                                      : "NOT THE ONLY FAULT: " + machine.last_report()->to_string();
}

inline bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace verdict
