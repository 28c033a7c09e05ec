// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// To test kernels: the CPU machine with its report, the counting functions, occupancy, and the list of machines a test
// runs on. Host code; what a GPU build includes for its kernels does not contain it. <memtile/sim/catch2.hpp> adds
// matchers for Catch2.
#pragma once

#if !defined(__CUDACC_RTC__)
#include <memtile/core/occupancy.hpp>
#include <memtile/sim/count.hpp>
#include <memtile/sim/machine.hpp>
#include <memtile/sim/report_json.hpp>
#include <memtile/sim/testing.hpp>
#endif
