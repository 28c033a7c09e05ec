// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the choice of a matmul's kernel must know of the place where it runs.
#pragma once

#include <memtile/launch/launch.cuh>
#include <memtile/launch/multiprocessors.hpp>

#if !defined(__CUDACC_RTC__)

namespace memtile::detail {

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
