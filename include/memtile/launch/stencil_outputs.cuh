// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a stencil's call may be given: views of 1 to 3 dimensions, brought into the form of its kernels, which is volumes; one
// output or several, and a reduction beside them.
#pragma once

#include <memtile/algorithm/stencil_results.cuh>
#include <memtile/core/as_view.hpp>
#include <memtile/core/check.hpp>
#include <memtile/core/overlap.hpp>
#include <memtile/launch/launch.cuh>
#include <memtile/launch/workspace.hpp>

#if !defined(__CUDACC_RTC__)

namespace memtile {

namespace detail {

template <class... View>
struct several_fields {
  pack<View...> views;
};
template <class V>
inline constexpr bool is_several = false;
template <class... View>
inline constexpr bool is_several<several_fields<View...>> = true;

template <class In>
auto fields_of(const In& in) {
  if constexpr (is_several<In>) return in.views;
  else return packed(as_view(in));
}

// How many dimensions a view has, and the volume whose slowest axis a stencil walks along.
template <class T>
constexpr int dimensions_of(const vector_view<T>&) {
  return 1;
}
template <class T>
constexpr int dimensions_of(const matrix_view<T>&) {
  return 2;
}
template <class T>
constexpr int dimensions_of(const volume_view<T>&) {
  return 3;
}
template <class T, class Layout>
constexpr int dimensions_of(const matrix_view<T, Layout>&) {
  static_assert(always_false<T>, "memtile: a stencil must have row-major matrices; of column-major ones pass "
                                 "transposed(...), and a functor with rows and columns exchanged");
  return 2;
}
template <class T>
volume_view<T> walked(const vector_view<T>& v) {
  return {v.data, 1, 1, v.size, 0, 0};
}
template <class T>
volume_view<T> walked(const matrix_view<T>& v) {
  return {v.data, v.rows, 1, v.cols, 0, v.pitch};
}
template <class T>
volume_view<T> walked(const volume_view<T>& v) {
  return v;
}
template <class T, class Layout>
volume_view<T> walked(const matrix_view<T, Layout>&) {
  return {};  // has been refused in words
}
inline pack<> walked(const pack<>&) { return {}; }
template <class View, class... Rest>
auto walked(const pack<View, Rest...>& views) {
  using T = typename View::element;
  const auto rest = walked(views.rest);
  return pack<volume_view<const T>, volume_view<const typename Rest::element>...>{walked(views.first), rest};
}

template <class T>
bool allows_runs(const volume_view<T>& v, int width) {
  return begins_rows_at(v, min_of(16, width * int(sizeof(T))));
}
// Bit i: whether view i may be read or written run by run.
inline uint32 views_with_runs(const pack<>&, int) { return 0; }
template <class View, class... Rest>
uint32 views_with_runs(const pack<View, Rest...>& views, int width) {
  return uint32(allows_runs(views.first, width)) | views_with_runs(views.rest, width) << 1;
}

template <class Operator, class Total>
struct reduction_into {
  vector_view<Total> total;
};
// Outputs, and a reduction into `total`.
template <class Operator, class Total, class Target>
struct reduced_target {
  Target target;
  vector_view<Total> total;
};

// What the kernels are given for an output, or for all of them.
inline pack<> written(const pack<>&) { return {}; }
template <class View, class... Rest>
pack<volume_view<typename View::element>, volume_view<typename Rest::element>...>
written(const pack<View, Rest...>& views) {
  return {walked(views.first), written(views.rest)};
}
template <class Out>
auto target(const Out& out) {
  if constexpr (is_several<Out>) return out;
  else return as_view(out);
}
template <class Out, class Operator, class Total>
auto target(const Out& out, const reduction_into<Operator, Total>& reduction) {
  const auto stored = target(out);
  return reduced_target<Operator, Total, bare_t<decltype(stored)>>{stored, reduction.total};
}
template <class Target>
auto packed_views(const Target& out) {
  if constexpr (is_several<Target>) return out.views;
  else return packed(out);
}

// kind: as of stencil_results; first: the output whose shape is that of all.
template <class Target>
struct target_of {
  using kind = typename Target::element;
  using view = Target;
  static const view& first(const Target& out) { return out; }
  static volume_view<kind> views(const Target& out) { return walked(out); }
  static uint32 runs(const volume_view<kind>& out, int width) { return uint32(allows_runs(out, width)); }
};
template <class View, class... Rest>
struct target_of<several_fields<View, Rest...>> {
  using kind = several_outputs<typename View::element, typename Rest::element...>;
  using view = View;
  using target = several_fields<View, Rest...>;
  using all = typename stencil_results<kind, 1>::views;
  static const view& first(const target& out) { return out.views.first; }
  static all views(const target& out) { return written(out.views); }
  static uint32 runs(const all& out, int width) { return views_with_runs(out, width); }
};
template <class Operator, class Total, class Target>
struct target_of<reduced_target<Operator, Total, Target>> {
  using stored = target_of<Target>;
  using kind = reduced_outputs<Operator, Total, typename stored::kind>;
  using view = typename stored::view;
  using target = reduced_target<Operator, Total, Target>;
  using all = typename stencil_results<kind, 1>::views;
  static const view& first(const target& out) { return stored::first(out.target); }
  static all views(const target& out) { return {stored::views(out.target), nullptr, nullptr, out.total.data}; }
  static uint32 runs(const all& out, int width) { return stored::runs(out.out, width); }
};

// go(job) with what its blocks need to share.
template <class Place, class Job, class Out, class Go>
status with_parts(const Place&, const Job& job, const same_type<Out>&, int64, const Go& go) {
  return go(job);
}
template <class Place, class Job, class Operator, class Total, class Out, class Go>
status with_parts(const Place& place, const Job& job, const same_type<reduced_outputs<Operator, Total, Out>>&,
                  int64 blocks, const Go& go) {
  using A = accumulator_t<Operator, Total>;
  const workspace_need need{1, size_t(blocks) * sizeof(A)};
  return with_workspace(place, "stencil", need, [&](uint32* ticket, void* parts) {
    Job ready = job;
    ready.out.ticket = ticket, ready.out.parts = static_cast<A*>(parts);
    return go(ready);
  });
}
// Of no places a reduction has a result all the same.
template <class Place, class Target>
status write_empty_total(const Place&, const Target&) {
  return {};
}
template <class Place, class Operator, class Total, class Target>
status write_empty_total(const Place& place, const reduced_target<Operator, Total, Target>& out) {
  return launch(place, grid(1), empty_total_kernel<Operator, Total>{}, out.total.data);
}

}  // namespace detail

/// A further argument of stencil: total(0) = op of the values that the functor has measured, of all places that are stored,
/// in the same pass. The functor returns measured(result, value).
///
/// total    a vector whose first element is written, on the machine; it stays there
/// op       commutative and associative, with an identity: plus, maximum, ... (of no places that is the result)
/// Result   in accumulator_t<op, element of total>, always in the same tree: the same bits on every card
/// Memory   a workspace of one part for each block (launch/workspace.hpp), or a stream-ordered allocation without one
template <class Total, class Operator>
auto reduce_into(const Total& total, Operator) {
  const auto to = as_view(total);
  using R = typename decltype(to)::value_type;
  static_assert(__is_empty(Operator), "memtile: what a stencil reduces by must have no state");
  static_assert(!detail::is_const<R>, "memtile: what a stencil reduces into must not be a view of const elements");
  static_assert(detail::is_commutative<Operator> && detail::has_identity<Operator, accumulator_t<Operator, R>>,
                "memtile: what a stencil reduces by must be commutative, and have an identity");
  return detail::reduction_into<Operator, R>{to};
}

}  // namespace memtile
#endif
