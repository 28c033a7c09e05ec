// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// reduce: a whole array in one launch.
#pragma once

#include <memtile/algorithm/moments.cuh>
#include <memtile/algorithm/reduce.cuh>
#include <memtile/algorithm/reductions.hpp>
#include <memtile/core/as_view.hpp>
#include <memtile/core/check.hpp>
#include <memtile/core/overlap.hpp>
#include <memtile/launch/launch.cuh>
#include <memtile/launch/workspace.hpp>

#if !defined(__CUDACC_RTC__)

namespace memtile {

/// n values f(0), f(1), ... as an input: nothing is stored anywhere.
template <class Function>
generated_source<Function> generated(int64 n, const Function& f) {
  return {n, f};
}

namespace detail {

// --- what a call may be given, as a source ---

template <class T>
bool is_aligned(const T* p, int64 bytes) {
  return int64(reinterpret_cast<size_t>(p)) % bytes == 0;
}

template <class T, class Go>
status with_source(const vector_view<T>& v, const Go& go) {
  using element = remove_const_t<T>;
  if (status s = check_view("reduce", "the input", v); !s) return s;
  if (is_aligned(v.data, run_width<element> * int64(sizeof(T))))
    return go(array_source<element, true>{v.data, v.size, 0, 0});
  return go(array_source<element, run_width<element> == 1>{v.data, v.size, 0, 0});
}
template <class Function, class Go>
status with_source(const generated_source<Function>& f, const Go& go) {
  constexpr int64 most = int64(1) << 44;  // what a block takes of them is counted in 32 bits
  if (f.size < 0) return status::refused("reduce: the input has {} elements: sizes must not be negative", f.size);
  if (f.size > most)
    return status::refused("reduce: {} generated elements are more than the {} of one call", f.size, most);
  return go(f);
}
template <class T, class Go>
status with_source(const matrix_view<T>& v, const Go& go) {
  using element = remove_const_t<T>;
  if (status s = check_view("reduce", "the input", v); !s) return s;
  if (v.rows <= 1 || v.pitch == v.cols * int64(sizeof(T)))
    return with_source(vector_view<T>(v.data, v.rows * v.cols), go);
  return go(pitched_source<element>{v, v.rows * v.cols});
}
template <class T, class Go>
status with_source(const matrix_view<T, column>& v, const Go& go) {
  return with_source(transposed(v), go);
}
template <class T, class Go>
status with_source(const matrix_view<T, strided>& v, const Go& go) {
  if (v.column_pitch == int64(sizeof(T)) || v.cols <= 1)
    return with_source(matrix_view<T>(v.data, v.rows, v.cols, v.row_pitch), go);
  if (v.row_pitch == int64(sizeof(T)) || v.rows <= 1)
    return with_source(matrix_view<T>(v.data, v.cols, v.rows, v.column_pitch), go);
  return status::refused(
      "reduce: the input is {}x{} with {} bytes from row to row and {} from column to column: one of the "
      "two must be {}, one element; reduce_rows and reduce_columns take any",
      v.rows, v.cols, v.row_pitch, v.column_pitch, sizeof(T));
}
template <class T, class Go>
status with_source(const volume_view<T>& v, const Go& go) {
  if (status s = check_view("reduce", "the input", v); !s) return s;
  if (v.depth > 1 && v.rows > 1 && v.slice_pitch != v.rows * v.row_pitch)
    return status::refused(
        "reduce: the input has slices of {} rows of {} bytes each, {} bytes apart: they must be {} bytes "
        "apart, or be reduced one by one",
        v.rows, v.row_pitch, v.slice_pitch, v.rows * v.row_pitch);
  const int64 pitch = v.rows > 1 ? v.row_pitch : v.slice_pitch;
  return with_source(matrix_view<T>(v.data, v.depth * v.rows, v.cols, pitch), go);
}
template <class V>
inline constexpr bool is_vector = false;
template <class T>
inline constexpr bool is_vector<const vector_view<T>> = true;
template <class First, class Second>
struct zipped {
  vector_view<const First> first;
  vector_view<const Second> second;
};
template <class First, class Second, class Go>
status with_source(const zipped<First, Second>& v, const Go& go) {
  if (status s = check_view("reduce", "the first input", v.first); !s) return s;
  if (status s = check_view("reduce", "the second input", v.second); !s) return s;
  if (v.first.size != v.second.size)
    return status::refused("reduce: the first input has {} elements but the second {}", v.first.size, v.second.size);
  constexpr int width = pair_source<First, Second, true>::width;
  const auto paired = [&](auto aligned) {
    using source = pair_source<First, Second, decltype(aligned)::value>;
    return go(source{{v.first.data, v.first.size, 0, 0}, {v.second.data, v.second.size, 0, 0}, v.first.size});
  };
  if (is_aligned(v.first.data, width * int64(sizeof(First))) &&
      is_aligned(v.second.data, width * int64(sizeof(Second))))
    return paired(boolean<true>{});
  return paired(boolean<false>{});
}

// What inputs are, once seen as views. Those that a call can be given beside views stay what they are.
template <class In>
auto input_of(const In& in) {
  return as_view(in);
}
template <class Function>
generated_source<Function> input_of(const generated_source<Function>& in) {
  return in;
}
template <class First, class Second>
zipped<First, Second> input_of(const zipped<First, Second>& in) {
  return in;
}

// Whether any of it lies in an input.
template <class In>
bool meets(const rectangle& bytes, const In& in) {
  return overlap(bytes, extent_of(in));
}
template <class Function>
bool meets(const rectangle&, const generated_source<Function>&) {
  return false;
}
template <class First, class Second>
bool meets(const rectangle& bytes, const zipped<First, Second>& in) {
  return meets(bytes, in.first) || meets(bytes, in.second);
}

/// Starts a kernel on `count` rows of `size` elements, which have been checked; out has one element for each row.
template <class Place, class Rows, class Out, class Reduction>
status start_reduce(const Place& place, const Rows& rows, int64 count, int64 size, const matrix_view<Out>& out,
                    const Reduction& reduction) {
  using A = typename Reduction::accumulator;
  const reduce_plan plan = plan_reduce(size, count, Rows::source::width);
  workspace_need need;
  if (plan.chunks > 1) need = {count, size_t(count * plan.parts_a_row) * sizeof(A)};
  return with_workspace(place, "reduce", need, [&](uint32* tickets, void* parts) {
    const grid blocks(count * plan.chunks);
    const parts_between_blocks<A> between{static_cast<A*>(parts), tickets};
    if (plan.chunks == 1)
      return launch(place, blocks, reduce_rows_kernel<Rows, Out, Reduction, small_reduce_tile>{}, rows, int(size), out,
                    reduction);
    if (plan.large)
      return launch(place, blocks, reduce_chunks_kernel<Rows, Out, Reduction, large_reduce_tile<A>>{}, rows, plan,
                    between, out, reduction);
    return launch(place, blocks, reduce_chunks_kernel<Rows, Out, Reduction, small_reduce_tile>{}, rows, plan, between,
                  out, reduction);
  });
}

template <class Where, class In, class Out, class Wanted>
status reduce_with(Where& where, const In& in, const Out& out, const Wanted& wanted) {
  const auto place = place_of(where);
  const auto to = as_view(out);
  using R = typename decltype(to)::value_type;
  static_assert(!is_const<R>, "memtile: the output of reduce must not be a view of const elements");
  if (status s = check_view("reduce", "the output", to); !s) return s;
  if (to.size < 1) return status::refused("reduce: the output has no element, but the result needs one");
  const auto from = input_of(in);
  const rectangle result{int64(reinterpret_cast<size_t>(to.data)), 1, int64(sizeof(R)), int64(sizeof(R))};
  if (meets(result, from)) return status::refused("reduce: the output lies in the input");
  return with_source(from, [&](const auto& source) {
    using V = typename bare_t<decltype(source)>::value;
    const auto reduction = wanted.template over<V>();
    return start_reduce(place, single_row<bare_t<decltype(source)>>{source}, 1, source.size,
                        matrix_view<R>(to.data, 1, 1, int64(sizeof(R))), reduction);
  });
}

}  // namespace detail

/// out(0) = init op transform(in(0)) op transform(in(1)) op ..., of the elements that `keep` accepts.
///
/// Where      a stream, a context, a simulator, a testing machine, or a workspace_query
/// in         a view of any shape, in the order in which it lies in memory; or generated(n, f), or zip(a, b)
/// out        a view whose first element becomes the result, converted to its type
/// op         an associative functor; see core/operators.hpp for what it may say of itself. One that does not say that it is
///            commutative is applied to the elements in their order. NaN: as the operator says.
/// transform  f(value) or f(value, index), and keep likewise; half, bfloat16 and float8 come as float
/// Policy     accumulate_in<T>: combines in type T, e.g. double for floats; compensated: keeps the rounding errors of a
///            sum. Else accumulator_t<op, value>; the type of init has no say.
/// Result     the same bits at every call, on every card, at every alignment, and in the simulator (fixed_tree), as long as
///            op and transform are: the tree follows from the number of elements and the size of one. No elements: init.
///            Sums of floats: |error| <= (log2(n) + 32) * 2^-24 * sum |v|
/// Errors     refused in words, nothing launched or changed: null or misaligned pointers, an output in the input, sizes
///            that do not match, a workspace too small
/// Memory     every element read once, 16 bytes at a time whatever the type and the alignment
/// Cost       one kernel. Up to 64 KiB one block and no workspace; above it a workspace (see launch/workspace.hpp), or a
///            stream-ordered allocation and a memset without one. Never synchronises; may be captured in a graph.
template <class Policy = automatic, class Where, class In, class Out, class Operator, class T,
          class Transform = identity, class Keep = detail::every_element>
status reduce(Where&& where, const In& in, const Out& out, Operator op, T init, Transform transform = {},
              Keep keep = {}) {
  return detail::reduce_with(where, in, out, detail::folding<Policy>(op, init, transform, keep, identity{}));
}

/// One of the reductions that are not a single operator - arg_minimum{}, extremes{}, moments{}, ...; see
/// algorithm/reductions.hpp - or an operator that has an identity, which is then the initial value.
template <class Policy = automatic, class Where, class In, class Out, class Wanted>
status reduce(Where&& where, const In& in, const Out& out, const Wanted& wanted) {
  return detail::reduce_with(where, in, out, detail::wanted_of<Policy>(wanted));
}

// Named ones. Each is one call of reduce, and keeps its promises.

/// The sum of all elements; 0 of none.
template <class Policy = automatic, class Where, class In, class Out>
status sum(Where&& where, const In& in, const Out& out) {
  return reduce<Policy>(where, in, out, plus{}, 0);
}
/// How many elements `keep` accepts.
template <class Where, class In, class Out, class Keep>
status count_if(Where&& where, const In& in, const Out& out, const Keep& keep) {
  return reduce<accumulate_in<int64>>(where, in, out, plus{}, 0, detail::one_each{}, keep);
}
/// Two vectors of one size, as an input whose elements are pairs: .first and .second.
template <class A, class B>
auto zip(const A& a, const B& b) {
  const auto first = as_view(a);
  const auto second = as_view(b);
  static_assert(detail::is_vector<decltype(first)> && detail::is_vector<decltype(second)>,
                "memtile: zip and dot must have vectors: vector_view(pointer, size)");
  using First = typename decltype(first)::element;
  using Second = typename decltype(second)::element;
  return detail::zipped<First, Second>{first, second};
}
/// The sum of a(i) * b(i).
template <class Policy = automatic, class Where, class A, class B, class Out>
status dot(Where&& where, const A& a, const B& b, const Out& out) {
  return reduce<Policy>(where, zip(a, b), out, plus{}, 0, product_of_pair{});
}
/// The square root of the sum of squares.
template <class Policy = automatic, class Where, class In, class Out>
status norm(Where&& where, const In& in, const Out& out) {
  return detail::reduce_with(where, in, out,
                             detail::folding<Policy>(plus{}, 0, square{}, detail::every_element{}, square_root{}));
}
/// The sum of absolute values, and the largest of them.
template <class Policy = automatic, class Where, class In, class Out>
status norm_1(Where&& where, const In& in, const Out& out) {
  return reduce<Policy>(where, in, out, plus{}, 0, absolute{});
}
template <class Where, class In, class Out>
status norm_infinity(Where&& where, const In& in, const Out& out) {
  return reduce(where, in, out, maximum{}, 0, absolute{});
}
/// The first of the smallest, or largest, elements: out is of integers (its index; -1 of none) or of indexed<T>.
template <class Where, class In, class Out>
status argmin(Where&& where, const In& in, const Out& out) {
  return reduce(where, in, out, arg_minimum{});
}
template <class Where, class In, class Out>
status argmax(Where&& where, const In& in, const Out& out) {
  return reduce(where, in, out, arg_maximum{});
}
/// Both of them: out is of extremes_of<T>.
template <class Where, class In, class Out>
status minmax(Where&& where, const In& in, const Out& out) {
  return reduce(where, in, out, extremes{});
}
/// Count, mean, variance, skewness, minimum and maximum in one read: out is of statistics_of<float>, or of double.
template <class Where, class In, class Out>
status statistics(Where&& where, const In& in, const Out& out) {
  return reduce(where, in, out, moments{});
}

}  // namespace memtile
#endif
