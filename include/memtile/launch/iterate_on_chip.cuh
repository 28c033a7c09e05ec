// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// iterate with all steps in one kernel, for matrices that the shared memory of the device holds.
#pragma once

#include <memtile/algorithm/stencil_on_chip.cuh>
#include <memtile/launch/device.hpp>
#include <memtile/launch/launch.cuh>
#include <memtile/launch/stencil_outputs.cuh>
#include <memtile/launch/workspace.hpp>

#if !defined(__CUDACC_RTC__)

namespace memtile::detail {

// How many blocks there are at one time, one to a multiprocessor, and how much shared memory each may have. In the simulator
// few: each of their threads has a stack.
struct chip {
  int blocks = 8;
  int64 shared_bytes = 0;
};
inline status ask_chip(const on_cpu&, chip& has) {
  has.shared_bytes = highest<int64>();  // the launch asks the machine
  return {};
}
inline status ask_chip(const on_query&, chip& has) { return has.shared_bytes = highest<int64>(), status(); }
#if MEMTILE_CUDA
inline status ask_chip(const on_gpu&, chip& has) {
  int bytes = 0;
  if (status s = device_attribute(cudaDevAttrMultiProcessorCount, has.blocks); !s) return s;
  if (status s = device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, bytes); !s) return s;
  return has.shared_bytes = bytes, status();
}
inline status ask_chip(const on_either& place, chip& has) {
  return place.machine != nullptr ? ask_chip(on_cpu{*place.machine}, has) : ask_chip(on_gpu{place.where}, has);
}
#endif

// The fewest lines of a warp with which so many tiles cover the matrix: all of the device shall work. 0: there are none.
template <class Shape>
constexpr int on_chip_lines(int64 rows, int64 tiles_across, int64 blocks) {
  for (int lines = 1; lines <= Shape::most_lines; ++lines)
    if (lines >= Shape::radius && Shape::rows(lines) > 0 &&
        ceil_div(rows, int64(Shape::rows(lines))) <= blocks / tiles_across)
      return lines;
  return 0;
}

template <int KiB, class Reach, class Place, class T, class Border, class Functor>
status enqueue_on_chip(const Place& place, int64 steps, const matrix_view<T>& u, const matrix_view<T>& scratch,
                       const Functor& functor, const Border& border) {
  using kernel = on_chip_stencil_kernel<KiB, Reach, Border, Functor, T>;
  using shape = typename kernel::shape;
  if (steps == 0 || u.rows == 0 || u.cols == 0) return {};
  chip has;
  if (status s = ask_chip(place, has); !s) return s;
  if (int64(sizeof(typename kernel::storage)) > has.shared_bytes)
    return status::refused(
        "iterate: on_chip<{}>: a block has at most {} KiB of shared memory on this device: give on_chip "
        "so many, or fewer",
        KiB, has.shared_bytes / 1024);
  const int64 across = ceil_div(u.cols, int64(shape::columns));
  const int lines = on_chip_lines<shape>(u.rows, across, has.blocks);
  if (lines == 0)
    return status::refused(
        "iterate: {} x {} elements are too many for the chip: it holds {} tiles of {} x {}, and those "
        "must cover them: leave on_chip out",
        u.rows, u.cols, has.blocks, shape::rows(shape::most_lines), shape::columns);
  const bool wide =
      16 % int(sizeof(T)) == 0 && allows_runs(walked(u), shape::width) && allows_runs(walked(scratch), shape::width);
  return with_workspace(place, "iterate", {2, 0}, [&](uint32* two_words, void*) {
    const on_chip_job<T> job{u, scratch, wide, int(across), lines, steps, {two_words, 2}};
    return launch(place, grid(across * ceil_div(u.rows, int64(shape::rows(lines)))), kernel{}, job, border, functor);
  });
}

}  // namespace memtile::detail
#endif
