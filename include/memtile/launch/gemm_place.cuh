// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the choice of a matmul's kernel must know of the place where it runs.
#pragma once

#include <memtile/launch/launch.cuh>

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
// Whether slices can be a cluster there: the device, and the code of the kernel that it runs, must know them.
template <class Kernel>
bool has_clusters(const on_cpu&) {
  return true;
}
#if MEMTILE_CUDA
template <class Kernel>
bool has_clusters(const on_gpu&) {
  return launcher_of<Kernel>::knows_clusters();
}
template <class Kernel>
bool has_clusters(const on_either& place) {
  return place.machine != nullptr || has_clusters<Kernel>(on_gpu{place.where});
}
template <class Kernel>
bool has_clusters(const on_query&) {
  return has_clusters<Kernel>(on_gpu{});
}
#else
template <class Kernel>
bool has_clusters(const on_query&) {
  return true;
}
#endif
// Cards differ in how they would cut up k, and the bits with it.
template <class Place>
bool wants_one_tree(const Place&) {
  return false;
}
#if MEMTILE_CUDA
inline bool wants_one_tree(const on_gpu& place) { return place.where.determinism == determinism::fixed_tree; }
#endif

}  // namespace memtile::detail
#endif
