// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many multiprocessors a call has, for the choice of its kernel.
#pragma once

#include <memtile/launch/device.hpp>
#include <memtile/launch/where.hpp>

#if !defined(__CUDACC_RTC__)

namespace memtile::detail {

// The multiprocessors of the machine a call runs on; the simulator counts as an H200.
inline constexpr int simulated_multiprocessors = 132;
inline int multiprocessors_of(const on_cpu&) { return simulated_multiprocessors; }
#if MEMTILE_CUDA
inline int multiprocessors_of(const on_gpu&) {
  int count = 1;  // without a device, the launch that follows says so
  return device_attribute(cudaDevAttrMultiProcessorCount, count) ? count : 1;
}
inline int multiprocessors_of(const on_either& place) {
  return place.machine != nullptr ? multiprocessors_of(on_cpu{*place.machine})
                                  : multiprocessors_of(on_gpu{place.where});
}
inline int multiprocessors_of(const on_query&) {
  int count = 0;
  return device_attribute(cudaDevAttrMultiProcessorCount, count) ? count : simulated_multiprocessors;
}
#else
inline int multiprocessors_of(const on_query&) { return simulated_multiprocessors; }
#endif

}  // namespace memtile::detail
#endif
