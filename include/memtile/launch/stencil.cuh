// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// stencil and iterate: check a call, bring it into the one form the kernels know (volumes), share the work among warps and
// start the kernel.
#pragma once

#include <memtile/algorithm/stencil.cuh>
#include <memtile/core/as_view.hpp>
#include <memtile/core/check.hpp>
#include <memtile/core/overlap.hpp>
#include <memtile/core/region.hpp>
#include <memtile/launch/launch.cuh>
#include <memtile/launch/stencil_outputs.cuh>

#if !defined(__CUDACC_RTC__)

namespace memtile {

namespace detail {

// Every field alike; `name` of the first.
template <class Out>
status check_fields(const char*, const pack<>&, const Out&, int) {
  return {};
}
template <class Out, class View, class... Rest>
status check_fields(const char* algorithm, const pack<View, Rest...>& in, const Out& out, int number = 0) {
  const std::string name = number == 0 ? "the input" : filled_in("field {}", number);
  static_assert(dimensions_of(View()) == dimensions_of(Out()),
                "memtile: the inputs and the output of a stencil must have the same number of dimensions");
  if (status s = check_view(algorithm, name.c_str(), in.first); !s) return s;
  if (shape_of(in.first) != shape_of(out))
    return status::refused("{}: {} is {} but the output {}", algorithm, name, shape_of(in.first), shape_of(out));
  if (overlap(extent_of(in.first), extent_of(out)))
    return status::refused("{}: the output overlaps {}: give it memory of its own", algorithm, name);
  return check_fields(algorithm, in.rest, out, number + 1);
}

// The part that is computed: of a region what the border leaves, on either side of an axis.
template <class Border>
void leave_rim(const Border& border, int64 (&first)[3], int64 (&size)[3], const int64 (&extent)[3],
               const int64 (&before)[3], const int64 (&after)[3]) {
  const auto axis = [&](int a, const auto& of_axis) {
    using border_type = bare_t<decltype(of_axis)>;
    int64 end = first[a] + size[a];
    if constexpr (is_valid_after<border_type>) end = min_of(end, extent[a] - after[a]);
    if constexpr (is_valid_before<border_type>) first[a] = max_of(first[a], before[a]);
    size[a] = max_of(end - first[a], int64(0));
  };
  axis(0, border.slices);
  axis(1, border.rows);
  axis(2, border.columns);
}

/// Steps of one walk: so few that every multiprocessor has 64 warps and a second turn of them, and no more than `most` for each
/// of the `again` slices that are read twice: in long walks too much lies between the two readings for the second-level cache.
/// (H200, of a copy's rate, walks of 8, 12, 16 and 32: 5 points 0.94, 0.92, 0.90, 0.86; 9 points and a square root 0.85,
/// 0.90, 0.90, 0.85; where warps share lines or compute 16 bytes at a time, longer ones are better.)
constexpr int64 steps_of_walk(int64 steps, int64 walks_side_by_side, int64 again, int64 most_for_each) {
  const int64 wanted = ceil_div(steps * walks_side_by_side, int64(132 * 64 * 2));
  const int64 least = max_of(int64(4), 2 * again), most = max_of(int64(6), most_for_each * again);
  return min_of(max_of(int64(1), steps), min_of(max_of(wanted, least), most));
}

template <class Target, int Dimensions, class Reach, class Place, class Out, class Border, class Functor, class... In>
status start_stencil(const Place& place, stencil_job<Out> job, const pack<volume_view<const In>...>& in,
                     const Border& border, const Functor& functor) {
  using shape = shape_for<Functor, Reach, typename stencil_results<Out, 1>::largest, In...>;
  const char* const too_many = "stencil: {} warps are too many for one launch: compute it in regions";
  if constexpr (shape::fits && !keeps_loops<Functor>) {
    using kernel = stencil_kernel<Dimensions, Reach, Border, Functor, Out, In...>;
    job.first_column = job.column0 / shape::width * shape::width;
    const int64 chunks = ceil_div(job.column0 + job.columns - job.first_column, int64(kernel::chunk_columns));
    const int64 side_by_side = kernel::walks_columns ? 1 : chunks;
    job.steps = kernel::walks_columns ? chunks : job.slices;
    const int64 again = kernel::walks_columns ? 1 : Reach::front + Reach::back;
    const int64 strip = steps_of_walk(job.steps, side_by_side * job.rows, again,
                                      kernel::shares_lines || kernel::width > 8 ? 16 : 6),
                strips = ceil_div(job.steps, strip);
    const int64 blocks = kernel::shares_lines ? strips * side_by_side * ceil_div(job.rows, int64(kernel::warps))
                                              : ceil_div(strips * side_by_side * job.rows, int64(kernel::warps));
    if (blocks * kernel::warps > highest<int32>() || job.rows > highest<int32>())
      return status::refused(too_many, blocks * kernel::warps);
    job.chunks = int(side_by_side), job.strip = int(strip), job.strips = int(strips);
    job.wide = views_with_runs(in, shape::width);
    if (shape::has_runs) job.wide |= target_of<Target>::runs(job.out, shape::width) << shape::fields;
    return with_parts(place, job, same_type<Out>(), blocks, [&](const auto& ready) {
      return launch(place, grid(blocks), kernel{}, ready, in, border, functor);
    });
  } else {
    using kernel = wide_stencil_kernel<Dimensions, Reach, Border, Functor, Out, In...>;
    const int64 chunks = ceil_div(job.columns, int64(32)),
                blocks = chunks * ceil_div(job.slices * job.rows, int64(kernel::warps));
    if (blocks > highest<int32>()) return status::refused(too_many, blocks * kernel::warps);
    job.chunks = int(chunks);
    return with_parts(place, job, same_type<Out>(), blocks, [&](const auto& ready) {
      return launch(place, grid(blocks), kernel{}, ready, in, border, functor);
    });
  }
}

// Everything that is asked of a call before anything is launched.
template <class In, class Out>
status check_stencil(const char* algorithm, const In& in, const Out& out) {
  static_assert(!is_const<typename Out::value_type>,
                "memtile: the output of a stencil must not be a view of const elements");
  if (status s = check_view(algorithm, "the output", out); !s) return s;
  if (status s = check_slices_apart(algorithm, "the output", out); !s) return s;
  return check_fields(algorithm, in, out);
}
// Of several outputs each, and that they do not overlap.
template <class Out>
status check_apart(const char*, const Out&, const pack<>&) {
  return {};
}
template <class Out, class View, class... Rest>
status check_apart(const char* algorithm, const Out& out, const pack<View, Rest...>& others) {
  if (shape_of(out) != shape_of(others.first))
    return status::refused("{}: one output is {} but another one {}", algorithm, shape_of(out), shape_of(others.first));
  if (overlap(extent_of(out), extent_of(others.first)))
    return status::refused("{}: two outputs overlap: give each memory of its own", algorithm);
  return check_apart(algorithm, out, others.rest);
}
template <class In>
status check_stencil(const char*, const In&, const several_fields<>&) {
  return {};
}
template <class In, class View, class... Rest>
status check_stencil(const char* algorithm, const In& in, const several_fields<View, Rest...>& out) {
  if (status s = check_stencil(algorithm, in, out.views.first); !s) return s;
  if (status s = check_apart(algorithm, out.views.first, out.views.rest); !s) return s;
  return check_stencil(algorithm, in, several_fields<Rest...>{out.views.rest});
}
template <class Bytes>
bool meets_any(const Bytes&, const pack<>&) {
  return false;
}
template <class Bytes, class View, class... Rest>
bool meets_any(const Bytes& bytes, const pack<View, Rest...>& views) {
  return overlap(bytes, extent_of(views.first)) || meets_any(bytes, views.rest);
}
template <class In, class Operator, class Total, class Target>
status check_stencil(const char* algorithm, const In& in, const reduced_target<Operator, Total, Target>& out) {
  if (status s = check_stencil(algorithm, in, out.target); !s) return s;
  if (status s = check_view(algorithm, "the total", out.total); !s) return s;
  if (out.total.size < 1)
    return status::refused("{}: the total has no element, but the reduction needs one", algorithm);
  const auto bytes = extent_of(vector_view<Total>(out.total.data, 1));
  if (meets_any(bytes, in) || meets_any(bytes, packed_views(out.target)))
    return status::refused("{}: the total lies in an input or an output: give it memory of its own", algorithm);
  return {};
}

template <class Window, class Place, class In, class Out, class Functor, class Border>
status stencil_of_views(const Place& place, const In& in, const Out& out, const Functor& functor, const Border& border,
                        const region* part) {
  using target = target_of<Out>;
  constexpr int dimensions = dimensions_of(typename target::view());
  using reach = typename reach_of<Window, dimensions>::type;
  const auto to = walked(target::first(out));
  const int64 extent[3] = {to.depth, to.rows, to.cols};
  int64 first[3] = {0, 0, 0}, size[3] = {to.depth, to.rows, to.cols};
  if (part != nullptr) {
    constexpr int axis[3][3] = {{2}, {0, 2}, {0, 1, 2}};
    const auto axis_of = [&](int d) { return axis[dimensions - 1][d]; };
    const auto extent_along = [&](int d) { return extent[axis_of(d)]; };
    if (status s = check_region("stencil", "the output", *part, dimensions, extent_along); !s) return s;
    for (int d = 0; d < dimensions; ++d) first[axis_of(d)] = part->first[d], size[axis_of(d)] = part->size[d];
  }
  const auto border_of_axes = of_volume<dimensions>(border);
  leave_rim(border_of_axes, first, size, extent, {reach::front, reach::up, reach::left},
            {reach::back, reach::down, reach::right});
  if (size[0] == 0 || size[1] == 0 || size[2] == 0) return write_empty_total(place, out);
  stencil_job<typename target::kind> job{};
  job.out = target::views(out);
  job.slice0 = first[0], job.row0 = first[1], job.column0 = first[2];
  job.slices = size[0], job.rows = size[1], job.columns = size[2];
  return start_stencil<Out, dimensions, reach>(place, job, walked(in), border_of_axes, functor);
}

template <class Window, class Where, class In, class Target, class Functor, class Border>
status checked_stencil(Where& where, const In& in, const Target& out, const Functor& functor, const Border& border,
                       const region* part) {
  const auto from = fields_of(in);
  if (status s = check_stencil("stencil", from, out); !s) return s;
  return stencil_of_views<Window>(place_of(where), from, out, functor, border, part);
}

struct itself {
  template <class Neighbours>
  MEMTILE_FUNCTION auto operator()(const Neighbours& n) const {
    return n.centre();
  }
};

}  // namespace detail

/// Several inputs of one shape for a stencil: n.get<0>(dy, dx) of the first, n.get<1>(dy, dx) of the second, and so on. Or
/// several outputs.
template <class... In>
auto fields(const In&... in) {
  static_assert(sizeof...(In) > 0, "memtile: a stencil must have at least one field");
  return detail::several_fields<decltype(as_view(in))...>{detail::packed(as_view(in)...)};
}

/// out(r, c) = functor(n), where n(dy, dx) is in(r + dy, c + dx) for the neighbours of the window; likewise n(dx) of
/// vectors and n(dz, dy, dx) of volumes. See block/neighbours.cuh.
///
/// Window    star<r>, box<r>, or window<...> with the reach to each side; of any size, larger than the input too
/// in, out   views or mdspans of one shape, row major, any sizes (0 and 1 too), any pitch; elements of any trivial type.
///           Of several inputs: fields(u, c). Of several outputs likewise, and then the functor returns results(a, b)
/// functor   called once or more for each output; its result is rounded to nearest and saturated where out has integers.
///           Also for places up to 511 behind the end of a row, whose results are dropped: in the middle of their windows
///           may stand the constant of a border, by which an integer must not be divided if it is 0.
///           A member `static constexpr bool keeps_loops = true` says that its loops over the window are not unrolled: then
///           the window is not kept in registers.
///           A member `static constexpr bool takes_halves = true` says that it may be called for two places at a time, which is
///           how bytes are fast: where the input and the one output are of the same integers of 8 or 16 bits, n(dy, dx)
///           may be halves<T>, of the place and of one further along the row, and so is the result. It must calculate
///           the same with them as with single values: see core/halves.hpp.
/// border    constant{v}, replicate, reflect, reflect101, wrap, or valid: then only outputs are computed whose window
///           lies inside, the others keep what they hold. borders{...}: one for each axis; sides{...}: before and behind.
///           The view is the image, whatever lies around it; part: a region{...} of it has real neighbours
/// reduction  reduce_into(total, op): a value of each output is reduced in the same pass; see launch/stencil_outputs.cuh
/// Result    each output depends on its neighbours alone: the same bits whatever the size, the alignment and the part
/// Errors    refused with words and values, with nothing launched or changed: shapes that differ, views that do not lie
///           as they must, an output that overlaps an input, a region that is not inside
/// Memory    as of stencil_kernel and wide_stencil_kernel in algorithm/stencil.cuh
/// Cost      enqueues one kernel; allocates nothing (with a reduction: see reduce_into), never synchronises, may be captured in
///           a graph
template <class Window, class Where, class In, class Out, class Functor, class Border>
status stencil(Where&& where, const In& in, const Out& out, const Functor& functor, Border border) {
  return detail::checked_stencil<Window>(where, in, detail::target(out), functor, border, nullptr);
}
template <class Window, class Where, class In, class Out, class Functor, class Border>
status stencil(Where&& where, const In& in, const Out& out, const Functor& functor, Border border, const region& part) {
  return detail::checked_stencil<Window>(where, in, detail::target(out), functor, border, &part);
}
template <class Window, class Where, class In, class Out, class Functor, class Border, class Operator, class Total>
status stencil(Where&& where, const In& in, const Out& out, const Functor& functor, Border border,
               const detail::reduction_into<Operator, Total>& reduction) {
  return detail::checked_stencil<Window>(where, in, detail::target(out, reduction), functor, border, nullptr);
}
template <class Window, class Where, class In, class Out, class Functor, class Border, class Operator, class Total>
status stencil(Where&& where, const In& in, const Out& out, const Functor& functor, Border border, const region& part,
               const detail::reduction_into<Operator, Total>& reduction) {
  return detail::checked_stencil<Window>(where, in, detail::target(out, reduction), functor, border, &part);
}

}  // namespace memtile
#endif
