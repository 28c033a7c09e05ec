// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What unit tests of the parts ask after a launch: values, faults, and how wide the accesses were.
#pragma once

#include <memtile/kernel.cuh>
#include <memtile/sim.cuh>
#include <memtile/sim/catch2.hpp>
#include <support/catch.hpp>

#include <algorithm>
#include <vector>

namespace unit {

/// The last launch had no fault. The GPU keeps no report.
template <class Machine>
void check_clean(const Machine& machine) {
  if (const memtile::sim::report* report = machine.last_report()) CHECK_THAT(*report, memtile::sim::IsClean());
}
/// And no access to shared memory waited for another one.
template <class Machine>
void check_clean_without_conflicts(const Machine& machine) {
  check_clean(machine);
  if (const memtile::sim::report* report = machine.last_report())
    CHECK_THAT(*report, memtile::sim::HasNoBankConflicts());
}

/// How many elements of the copy are not expected(i), or expected(r, c).
template <class T, class F>
int differences(const memtile::sim::host_copy<T>& copy, int size, F expected) {
  int different = 0;
  for (int i = 0; i < size; ++i) different += !(copy(i) == expected(i));
  return different;
}
template <class T, class F>
int differences(const memtile::sim::host_copy<T>& copy, int rows, int cols, F expected) {
  int different = 0;
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < cols; ++c) different += !(copy(r, c) == expected(r, c));
  return different;
}

/// Whether the machine runs clusters of blocks; the simulator does.
template <class Machine>
bool has_clusters([[maybe_unused]] const Machine& machine) {
#if defined(__CUDACC__)
  int major = 0;
  if (machine.is_gpu()) return cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0) == 0 && major >= 9;
#endif
  return true;
}

/// All widths in bytes of one kind of access, ascending.
inline std::vector<int> widths(const memtile::sim::report& report, memtile::sim::space where,
                               memtile::sim::access_kind kind) {
  std::vector<int> found;
  for (const memtile::sim::report_row& row : report.rows())
    if (row.where == where && row.kind == kind && row.lanes > 0) found.push_back(row.bytes);
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace unit
