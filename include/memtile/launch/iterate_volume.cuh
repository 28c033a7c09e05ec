// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Many steps of a stencil of a volume, several to a kernel.
#pragma once

#include <memtile/algorithm/stencil_fused_volume.cuh>
#include <memtile/launch/iterate_steps.cuh>
#include <memtile/launch/multiprocessors.hpp>

#if !defined(__CUDACC_RTC__)

namespace memtile::detail {

// Whether a block may have so much shared memory there. (Cards before sm_80 give less than the tiles of a volume take.)
inline bool has_shared_memory(const on_cpu&, size_t) { return true; }
inline bool has_shared_memory(const on_query&, size_t) { return true; }
#if MEMTILE_CUDA
inline bool has_shared_memory(const on_gpu&, size_t bytes) {
  int most = 0;  // without a device, the launch that follows says so
  return !device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, most) || size_t(most) >= bytes;
}
inline bool has_shared_memory(const on_either& place, size_t bytes) {
  return place.machine != nullptr || has_shared_memory(on_gpu{place.where}, bytes);
}
#endif

// `steps` from u to u, as of a matrix: an even number of kernels, of which the last one may have nothing to do but copy.
template <int Depth, class Reach, class Place, class T, class Border, class Functor>
status enqueue_fused(const Place& place, int64 steps, const volume_view<T>& u, const volume_view<T>& scratch,
                     const pack<>& constants, const Functor& functor, const Border& border) {
  using kernel = fused_volume_kernel<Depth, Reach, Border, Functor, T>;
  using shape = typename kernel::shape;
  if (u.depth == 0 || u.rows == 0 || u.cols == 0) return {};
  constexpr int64 most = int64(1) << 30;  // of an axis, for the kernel counts in int
  if (max_of(u.depth, max_of(u.rows, u.cols)) > most || !has_shared_memory(place, sizeof(typename kernel::storage)))
    return enqueue_steps<star<1>>(place, steps, u, scratch, constants, functor, border);
  fused_volume_job<T> job{};
  job.across = int(ceil_div(u.cols, int64(shape::columns))), job.down = int(ceil_div(u.rows, int64(shape::rows)));
  job.slices = int64(job.across) * job.down * u.depth;
  // Equal shares for all multiprocessors, however few tiles there are; but of a share in one tile no more than a third of the
  // slices is computed twice.
  const int64 equal = ceil_div(job.slices, int64(multiprocessors_of(place)));
  job.share = min_of(max_of(equal, int64(4 * Depth)), int64(1) << 24);
  const auto has_runs = [](const volume_view<T>& v) {
    return 16 % int(sizeof(T)) == 0 && allows_runs(v, shape::width);
  };
  const int64 kernels = 2 * ceil_div(steps, int64(2 * Depth));
  for (int64 number = 0; number < kernels; ++number) {
    const volume_view<T>&from = number % 2 == 0 ? u : scratch, &to = number % 2 == 0 ? scratch : u;
    job.in = from, job.out = to;
    job.wide_in = has_runs(from), job.wide_out = has_runs(to);
    // The pitch of a single row or slice may be anything, and leads to places outside alone: there it must keep addresses aligned.
    if (u.rows == 1) job.in.row_pitch = 0;
    if (u.depth == 1) job.in.slice_pitch = 0;
    job.depth = int(min_of(steps, int64(Depth)));
    if (status s = launch(place, grid(ceil_div(job.slices, job.share)), kernel{}, job, border, functor); !s) return s;
    steps -= job.depth;
  }
  return {};
}

}  // namespace memtile::detail
#endif
