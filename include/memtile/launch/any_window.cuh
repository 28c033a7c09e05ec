// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Filters of matrices by a window of any size, known at run time: correlate with weights in memory, and box_filter.
#pragma once

#include <memtile/algorithm/any_window.cuh>
#include <memtile/algorithm/channels.cuh>
#include <memtile/launch/stencil.cuh>

#if !defined(__CUDACC_RTC__)

namespace memtile {

/// Weights that lie in the machine's memory, for correlate: their anchor is in the middle, of an even extent extent / 2, or
/// where it is said: loaded_weights{w, up, left} has so many rows above it, and columns to its left.
template <class T>
struct loaded_weights {
  matrix_view<const T> values;
  sized_window window;
  template <class W>
  explicit loaded_weights(const W& w) : values(as_view(w)), window(values.rows, values.cols) {}
  template <class W>
  loaded_weights(const W& w, int64 up, int64 left) : values(as_view(w)), window(values.rows, values.cols, up, left) {}
};
template <class W>
explicit loaded_weights(const W&) -> loaded_weights<typename decltype(as_view(detail::declval<const W&>()))::element>;
template <class W>
loaded_weights(const W&, int64, int64)
    -> loaded_weights<typename decltype(as_view(detail::declval<const W&>()))::element>;

namespace detail {

inline constexpr int64 longest_window = int64(1) << 24;  // of one axis, and so many elements with all its borders

template <class In, class Out>
status check_any_window(const char* name, const In& in, const Out& out, const sized_window& window) {
  static_assert(dimensions_of(Out()) == 2, "memtile: a window of a size known at run time must be one of a matrix");
  static_assert(channels_of<typename Out::element>::count == 1 && channels_of<typename In::element>::count == 1,
                "memtile: the elements must be numbers; of pixels of several channels give a window as a type");
  if (status s = check_stencil(name, packed(in), out); !s) return s;
  const bool has_size =
      window.rows >= 1 && window.rows <= longest_window && window.columns >= 1 && window.columns <= longest_window;
  if (!has_size)
    return status::refused("{}: the window is {}x{}: each must be from 1 to {}", name, window.rows, window.columns,
                           longest_window);
  if (window.up < 0 || window.up >= window.rows || window.left < 0 || window.left >= window.columns)
    return status::refused("{}: the anchor is row {} and column {} of the window, which is {}x{}", name, window.up,
                           window.left, window.rows, window.columns);
  return {};
}
// The job of a call that has been checked, without how warps share it.
template <class Out, class Border>
any_window_job<Out> job_of_any_window(const matrix_view<Out>& out, const sized_window& window, const Border& border) {
  const int64 extent[3] = {out.rows, 1, out.cols};
  int64 first[3] = {0, 0, 0}, size[3] = {out.rows, 1, out.cols};
  leave_rim(border, first, size, extent, {window.up, 0, window.left},
            {window.rows - 1 - window.up, 0, window.columns - 1 - window.left});
  any_window_job<Out> job{out, first[0], first[2], size[0], size[2], window, 0, 0, 0, 0, false, {}};
  if (job.rows == 0) job.columns = 0;
  return job;
}

template <class Place, class In, class Out, class Border, class Sum>
status start_any_window(const char* name, const Place& place, any_window_job<Out> job, const matrix_view<In>& in,
                        const Border& border, const Sum& sum) {
  using kernel = any_window_kernel<Sum, Border, Out, remove_const_t<In>>;
  const int64 chunks = ceil_div(job.columns, int64(32)), blocks = chunks * ceil_div(job.rows, int64(kernel::warps));
  if (blocks > highest<int32>())
    return status::refused("{}: {} blocks are too many for one launch: at most {}", name, blocks, highest<int32>());
  job.chunks = int(chunks);
  return launch(place, grid(blocks), kernel{}, job, in, border, sum);
}
template <class Sum, class Place, class In, class Out, class Border>
status start_box(const Place& place, any_window_job<Out> job, const matrix_view<In>& in, const Border& border) {
  using element = remove_const_t<In>;
  if constexpr (is_integer<element>) {
    using kernel = running_box_kernel<Sum, Border, Out, element>;
    constexpr int64 width = kernel::width;
    const int64 before = job.window.left / width + 1, after = ceil_div(job.window.columns - 1 - job.window.left, width),
                lanes = 32 - before - after;
    if (lanes >= 8) {
      const int64 chunks = ceil_div(job.column0 % width + job.columns, lanes * width);
      const int64 enough = ceil_div(job.rows * chunks, int64(132 * 48)), least = max_of(int64(16), 2 * job.window.rows);
      const int64 strip = min_of(max_of(enough, least), job.rows), warps = ceil_div(job.rows, strip) * chunks;
      if (warps > highest<int32>() - kernel::warps)
        return status::refused("box_filter: {} warps are too many for one launch", warps);
      job.chunks = int(chunks), job.strip = int(strip), job.lanes_before = int(before), job.lanes = int(lanes);
      if constexpr (sizeof(Sum) == 4) job.mean = quotients_of_count::of(job.window.rows * job.window.columns);
      job.wide = allows_runs(walked(in), kernel::width) && allows_runs(walked(job.out), kernel::width);
      return launch(place, grid(ceil_div(warps, int64(kernel::warps))), kernel{}, job, in, border);
    }
  }
  const Sum count = Sum(job.window.rows * job.window.columns);
  return start_any_window("box_filter", place, job, in, border, mean_of_any<Sum>{count, Sum(0)});
}

}  // namespace detail

/// correlate of a matrix by a matrix of weights in the machine's memory, of any size.
///
/// Result    as of correlate: one chain of fused multiply-adds in the order of the weights
/// Errors    as of stencil; weights that overlap the output, or have no element; an anchor that is not one of them
/// Cost      one kernel, two loads for each weight and result: where the weights are known to the host, and their number to
///           the compiler, correlate by weights<...> is faster
template <class Where, class In, class Out, class T, class Border>
status correlate(Where&& where, const In& in, const Out& out, const loaded_weights<T>& w, Border border) {
  const auto from = as_view(in);
  const auto to = as_view(out);
  if (status s = detail::check_view("correlate", "the weights", w.values); !s) return s;
  if (status s = detail::check_any_window("correlate", from, to, w.window); !s) return s;
  if (detail::overlap(detail::extent_of(w.values), detail::extent_of(to)))
    return status::refused("correlate: the output overlaps the weights: give it memory of its own");
  const auto axes = detail::of_volume<2>(border);
  const auto job = detail::job_of_any_window(to, w.window, axes);
  if (job.columns == 0) return {};
  using V = decltype(detail::plain_type<typename decltype(from)::element>() * detail::plain_type<T>());
  return detail::start_any_window("correlate", detail::place_of(where), job, from, axes,
                                  detail::sum_by_loaded_weights<V, T>{w.values, V(0)});
}

/// The mean of a window of any size: box_filter(where, in, out, sized_window{15, 15}, border).
///
/// Result    of integers of up to 32 bits the exact sum divided by their number (into float by a division of floats); floats are added one by one, row by row
/// Cost      one kernel. Of integers the sums run along with the window: the cost does not grow with its rows, and up to
///           about 350 bytes of columns little with those; beyond, and of floats, it is one load for each element of the
///           window and result
template <class Where, class In, class Out, class Border>
status box_filter(Where&& where, const In& in, const Out& out, const sized_window& window, Border border) {
  const auto from = as_view(in);
  const auto to = as_view(out);
  using element = typename decltype(from)::element;
  static_assert(!detail::is_integer<element> || sizeof(element) <= 4,
                "memtile: sums of integers of 64 bits do not fit anywhere: convert them to double");
  if (status s = detail::check_any_window("box_filter", from, to, window); !s) return s;
  const auto axes = detail::of_volume<2>(border);
  const auto job = detail::job_of_any_window(to, window, axes);
  if (job.columns == 0) return {};
  const auto place = detail::place_of(where);
  if constexpr (!detail::is_integer<element>) {
    return detail::start_box<detail::plain_type<element>>(place, job, from, axes);
  } else {
    if (detail::sums_fit_32_bits<element>(window.rows * window.columns))
      return detail::start_box<int32>(place, job, from, axes);
    return detail::start_box<int64>(place, job, from, axes);
  }
}

}  // namespace memtile
#endif
