// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// iterate: many steps of a stencil, several to a kernel where that pays.
#pragma once

#include <memtile/algorithm/stencil_fused.cuh>
#include <memtile/core/policy.hpp>
#include <memtile/launch/iterate_on_chip.cuh>
#include <memtile/launch/iterate_plan.hpp>
#include <memtile/launch/iterate_steps.cuh>
#include <memtile/launch/iterate_volume.cuh>

#if !defined(__CUDACC_RTC__)

namespace memtile {

namespace detail {

// Rows of one walk: such that the warps are as many as an H200 can hold twice, rather fewer than more, for of those that remain
// none shares the work. But not so few rows that those which are computed twice, `again` of them, are many.
constexpr int64 rows_of_walk(int64 rows, int64 walks_side_by_side, int64 warps_of_multiprocessor, int64 again) {
  const int64 walks = max_of(int64(1), 2 * 132 * warps_of_multiprocessor / walks_side_by_side);
  return min_of(rows, min_of(max_of(ceil_div(rows, walks), 3 * again), int64(1) << 24));
}

// `steps` from u to u. The number of kernels is even, so that the last one writes to u. If there are not enough steps for
// all, one has nothing to do but copy: the last, unless that shall measure a change.
template <int Depth, class Reach, class Place, class T, class... Constant, class Border, class Functor>
status enqueue_fused(const Place& place, int64 steps, const matrix_view<T>& u, const matrix_view<T>& scratch,
                     const pack<volume_view<const Constant>...>& constants, const Functor& functor,
                     const Border& border, const vector_view<iterate_progress>& progress = {}) {
  using kernel = fused_stencil_kernel<Depth, Reach, Border, Functor, T, Constant...>;
  using shape = typename kernel::shape;
  if (u.rows == 0 || u.cols == 0) return {};
  const int64 chunks = ceil_div(u.cols, int64(shape::columns)), again = 2 * Depth * Reach::front;
  const int64 strip = rows_of_walk(u.rows, chunks, kernel::warps * kernel::min_blocks, again);
  const int64 side_strip = min_of(u.rows, max_of(ceil_div(strip, int64(3)), 2 * again));  // they take so much longer
  const int64 side_strips = ceil_div(u.rows, side_strip);
  const int64 warps = min_of(chunks, int64(2)) * side_strips + max_of(chunks - 2, int64(0)) * ceil_div(u.rows, strip);
  const int64 blocks = ceil_div(warps, int64(kernel::warps));
  if (blocks * kernel::warps > highest<int32>())
    return status::refused("iterate: {} warps are too many for one launch", warps);

  fused_job<T> job{};
  job.progress = progress;
  job.wide_constants = views_with_runs(constants, shape::width);
  job.chunks = int(chunks), job.strip = int(strip), job.warps = int(warps);
  job.side_strip = int(side_strip), job.side_strips = int(side_strips);
  const auto has_runs = [](const matrix_view<T>& v) {
    return 16 % int(sizeof(T)) == 0 && allows_runs(walked(v), shape::width);
  };
  const int64 kernels = 2 * ceil_div(steps, int64(2 * Depth));
  for (int64 number = 0; number < kernels; ++number) {
    const matrix_view<T>&from = number % 2 == 0 ? u : scratch, &to = number % 2 == 0 ? scratch : u;
    const bool is_last = number + 1 == kernels;
    job.in = walked(from), job.out = to;
    job.wide_in = has_runs(from), job.wide_out = has_runs(to);
    job.measures = is_last && progress.size > 0;
    job.depth = int(min_of(progress.size > 0 && !is_last ? steps - 1 : steps, int64(Depth)));
    if (status s = launch(place, grid(blocks), kernel{}, job, constants, border, functor); !s) return s;
    steps -= job.depth;
  }
  return {};
}

// What the policy asks for, or the model.
template <class Policy>
inline constexpr int asked_depth = 0;
template <int Count>
inline constexpr int asked_depth<fused_steps<Count>> = Count;
template <class Policy>
inline constexpr int asked_kib = 0;
template <int KiB>
inline constexpr int asked_kib<on_chip<KiB>> = KiB;

// A call of iterate as types.
template <class Window, class Policy, class Fields, class Functor, class Border>
struct iteration;
template <class Window, class Policy, class View, class... Constant, class Functor, class Border>
struct iteration<Window, Policy, pack<View, Constant...>, Functor, Border> {
  static constexpr int dimensions = dimensions_of(View()), asked = asked_depth<Policy>;
  using T = typename View::value_type;
  using reach = typename reach_of<Window, dimensions>::type;
  using borders_of_axes = decltype(of_volume<dimensions>(declval<const Border&>()));
  static constexpr int kib = asked_kib<Policy>;  // 0: not on the chip
  static constexpr bool is_on_chip = kib > 0;
  static_assert(is_same<Policy, automatic> || asked > 0 || is_on_chip,
                "memtile: the policy of iterate must be automatic, fused_steps<Count> or on_chip<>");

  static constexpr const char* against() {
    return reason_against_fusing<dimensions, reach, T, borders_of_axes, Functor, sizeof...(Constant)>();
  }
  static_assert(!is_on_chip || (dimensions == 2 && sizeof...(Constant) == 0),
                "memtile: steps on the chip must be of one field, a matrix: leave on_chip out");
  static_assert(
      (asked <= 1 && !is_on_chip) || against() == nullptr,
      "memtile: fused steps must be of a matrix, with a window that reaches equally far to opposite sides, or of a "
      "volume, with a star of radius 1 and one field; and have a border of memtile's that does not wrap on one side "
      "only: leave the policy out");
  static constexpr iterate_plan plan() {
    if constexpr (against() != nullptr || asked == 1 || is_on_chip) return {1, 1};
    else if constexpr (asked > 1) return {asked, gain_of<asked, reach, T, typename Constant::element...>()};
    else return choose_depth<reach, T, typename Constant::element...>();
  }
};

template <class View, class... Constant>
status check_iterate(int64 steps, const pack<View, Constant...>& fields, const View& scratch) {
  if (status s = check_stencil("iterate", with_first(scratch, fields.rest), fields.first); !s) return s;
  if (status s = check_slices_apart("iterate", "scratch", scratch); !s) return s;
  if (status s = check_fields("iterate", fields.rest, scratch, 1); !s) return s;
  if (steps < 0) return status::refused("iterate: {} steps: there must be 0 or more", steps);
  return {};
}

}  // namespace detail

/// `steps` applications of the stencil, one after the other; the result is in u, and scratch is written over.
///
/// u           a view; or fields(u, c...), of which the steps change the first one alone: n.get<1>(dy, dx) is the same in all
/// scratch     of the same shape and type as u, which it must not overlap. With `valid` the rim of u stays as it is.
/// Policy      fused_steps<Count>: so many steps to a kernel; on_chip<>: one kernel. Left out, a model chooses between the numbers of
///             steps, and explain_iterate says what
/// functor     called for places outside of u as well, whose results are dropped
/// Result      the same bits whatever the policy
/// Errors      what stencil refuses; with on_chip<> also a matrix or a device that is too large, or too small, for it
/// Cost        fused steps take the time of one, or of their arithmetic if that is longer; else each step is a kernel, as are those
///             of a volume with other fields or a window that is no star of radius 1. An even number of kernels, of which one may
///             only copy, and a copy before them where a border leaves the rim. Only enqueues; may be captured in a graph;
///             allocates nothing, but that on_chip<> takes 64 KiB of workspace from the stream's pool where the context has none.
template <class Window, class Policy = automatic, class Where, class U, class Scratch, class Functor, class Border>
status iterate(Where&& where, int64 steps, const U& u, const Scratch& scratch, const Functor& functor, Border border) {
  const auto from = detail::fields_of(u);
  const auto other = as_view(scratch);
  static_assert(detail::is_same<decltype(from.first), detail::bare_t<decltype(other)>>,
                "memtile: u and scratch must be views of one type");
  if (status s = detail::check_iterate(steps, from, other); !s) return s;
  using call = detail::iteration<Window, Policy, detail::bare_t<decltype(from)>, Functor, Border>;
  constexpr int depth = call::plan().depth;
  const auto place = detail::place_of(where);
  if constexpr (call::is_on_chip)
    return detail::enqueue_on_chip<call::kib, typename call::reach>(place, steps, from.first, other, functor,
                                                                    detail::of_volume<2>(border));
  else if constexpr (depth > 1)
    return detail::enqueue_fused<depth, typename call::reach>(place, steps, from.first, other,
                                                              detail::walked(from.rest), functor,
                                                              detail::of_volume<call::dimensions>(border));
  else return detail::enqueue_steps<Window>(place, steps, from.first, other, from.rest, functor, border);
}

/// When iterate_until stops: after a step that has changed no element by more than `change`. Only each step number `every`
/// is looked at; at most `most` are done.
struct until_settled {
  double change;
  int64 every, most;
};

/// Like iterate, until the result has settled. What that takes is found out on the device: nothing waits for the host.
///
/// progress    one element, written over: how many steps were done, whether the result has settled, the last change
/// Requires    a matrix, and a window and a border whose steps can be fused, as explain_iterate says
/// Result      the same bits as of iterate with so many steps
/// Cost        as iterate of `every` steps, most / every times, and a small kernel each time: let `every` be a multiple of twice
///             the steps of a kernel. Kernels after the last step end at once, which takes about 2 us each. A look costs no
///             pass of its own through memory, but the kernel that takes it computes as slowly as those at an edge
template <class Window, class Policy = automatic, class Where, class U, class Scratch, class Functor, class Border>
status iterate_until(Where&& where, const until_settled& end, const U& u, const Scratch& scratch,
                     const vector_view<iterate_progress>& progress, const Functor& functor, Border border) {
  const auto from = detail::fields_of(u);
  const auto other = as_view(scratch);
  static_assert(detail::is_same<decltype(from.first), detail::bare_t<decltype(other)>>,
                "memtile: u and scratch must be views of one type");
  if (status s = detail::check_iterate(end.most, from, other); !s) return s;
  if (status s = detail::check_view("iterate", "progress", progress); !s) return s;
  if (progress.size != 1) return status::refused("iterate: progress has {} elements: it must have one", progress.size);
  const auto bytes = detail::extent_of(progress);
  if (detail::meets_any(bytes, from) || detail::overlap(bytes, detail::extent_of(other)))
    return status::refused("iterate: progress lies in u, scratch or a field: give it memory of its own");
  if (end.every < 1) return status::refused("iterate: a look every {} steps: that must be 1 or more", end.every);
  if (!(end.change >= 0)) return status::refused("iterate: the change is {}: it must be 0 or more", end.change);
  using call = detail::iteration<Window, Policy, detail::bare_t<decltype(from)>, Functor, Border>;
  static_assert(!call::is_on_chip, "memtile: iterate_until must have the policy automatic or fused_steps<Count>");
  static_assert(call::dimensions != 3, "memtile: iterate_until must be of a matrix: of a volume call iterate");
  static_assert(call::against() == nullptr,
                "memtile: iterate_until must have steps that can be fused: explain_iterate says why these can not");
  static_assert(detail::has_change<typename call::T>, "memtile: iterate_until must have elements that are numbers");
  const auto place = detail::place_of(where);
  const auto note = [&](int64 steps) {
    return launch(place, grid(1), note_progress_kernel{}, progress, steps, end.change);
  };
  status s = note(0);
  for (int64 done = 0; s && done < end.most; done += end.every) {
    const int64 steps = min_of(end.every, end.most - done);
    s = detail::enqueue_fused<call::plan().depth, typename call::reach>(
        place, steps, from.first, other, detail::walked(from.rest), functor, detail::of_volume<2>(border), progress);
    if (s) s = note(steps);
  }
  return s;
}

/// How iterate<Window, Policy>(where, steps, u, scratch, functor, border) would go about it and why, in words; or why it would
/// be refused. Nothing runs.
template <class Window, class Policy = automatic, class U, class Scratch, class Functor, class Border>
std::string explain_iterate(int64 steps, const U& u, const Scratch& scratch, const Functor&, const Border&) {
  const auto from = detail::fields_of(u);
  if (status s = detail::check_iterate(steps, from, as_view(scratch)); !s) return s.message();
  using call = detail::iteration<Window, Policy, detail::bare_t<decltype(from)>, Functor, Border>;
  constexpr iterate_plan plan = call::plan();
  std::string words = "iterate: " + std::to_string(steps) + " steps, ";
  if constexpr (call::is_on_chip)
    return words + "all in one kernel, which keeps u on the chip if it fits there: so the policy wants it";
  if constexpr (plan.depth > 1) {
    const int tenths = int(plan.gain * 10 + 0.5);
    words += std::to_string(plan.depth) + " to a kernel, " +
             std::to_string(2 * ceil_div(steps, int64(2 * plan.depth))) + " kernels";
    if (call::asked > 0) words += "; the number is the policy's";
    if (tenths > 0)
      words += "; expected: " + std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) +
               " steps in the time of one";
  } else {
    words += "each a kernel of its own: ";
    words += call::asked == 1 ? "so the policy wants it"
             : call::against() != nullptr
                 ? call::against()
                 : "several would take more registers, or longer for arithmetic, than they save of memory";
  }
  return words;
}

}  // namespace memtile
#endif
