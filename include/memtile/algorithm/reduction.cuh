// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a reduction makes of elements, apart from where they lie and who reads them. Every algorithm here - arrays, rows,
// columns, segments, map_rows - takes any of these:
//
//   fold             init op transform(v0) op transform(v1) ...
//   arg_fold         the first element that is better than all others, and its index
//   both_folds       two reductions in one read
//   moments_fold     count, mean, variance, skewness, minimum and maximum
//
//   accumulator                what a part of the elements has become; trivially copyable
//   commutative                whether the parts may be joined in another order
//   empty()                    of no elements
//   enter(part, run, first)    puts the elements of a vec, with indices first, first + 1, ..., behind those of the part
//   enter_tile(part, runs, first, stripe)   optional: several runs at once, each `stripe` elements behind the one before;
//                              for a reduction that says whole_tiles: its cost is rather by call than by element
//   operator()(left, right)    joins two parts that follow each other
//   result<Out>(part)          what is stored
#pragma once

#include <memtile/core/operators.hpp>
#include <memtile/core/policy.hpp>
#include <memtile/core/vec.hpp>

namespace memtile {

MEMTILE_USER_CODE_BEGIN

namespace detail {

// A part of an operator that has no identity: no value yet, or one.
template <class A>
struct perhaps {
  A value;
  bool known;
};

/// Accepts every element.
struct every_element {
  template <class V>
  MEMTILE_FUNCTION constexpr bool operator()(const V&) const {
    return true;
  }
};

template <class F, class V, class = void>
inline constexpr bool takes_index = false;
template <class F, class V>
inline constexpr bool takes_index<F, V, void_t<decltype(declval<const F&>()(declval<V>(), int64(0)))>> = true;
// f(value), or f(value, index) where f takes one.
template <class F, class V>
MEMTILE_FUNCTION auto transformed(const F& f, const V& v, [[maybe_unused]] int64 index) {
  if constexpr (takes_index<F, V>) return f(v, index);
  else return f(v);
}
template <class F, class V>
using transformed_t = bare_t<decltype(transformed(declval<const F&>(), declval<V>(), int64(0)))>;

}  // namespace detail

/// init op transform(v0) op transform(v1) op ..., of those elements that `keep` accepts, in type A; `finish` makes the
/// result of it. Transform and keep get the value, or the value and its index.
template <class Operator, class A, class Transform = identity, class Keep = detail::every_element,
          class Finish = identity>
struct fold {
  static constexpr bool has_identity = detail::has_identity<Operator, A>;
  static constexpr bool commutative = detail::is_commutative<Operator>;
  using accumulator = detail::conditional_t<has_identity, A, detail::perhaps<A>>;
  Operator op;
  A init;
  Transform transform;
  Keep keep;
  Finish finish;

  MEMTILE_FUNCTION accumulator empty() const {
    if constexpr (has_identity) return Operator::template identity<A>();
    else return accumulator{A{}, false};
  }
  MEMTILE_FUNCTION accumulator operator()(const accumulator& left, const accumulator& right) const {
    if constexpr (has_identity) return op(left, right);
    else return !left.known ? right : !right.known ? left : accumulator{op(left.value, right.value), true};
  }
  template <class V, int Width>
  MEMTILE_FUNCTION void enter(accumulator& part, const vec<V, Width>& run, int64 first) const {
    using T = detail::transformed_t<Transform, detail::plain_type<V>>;
    if constexpr (is_sum_of_bytes<V> && Width % 4 == 0) {
      part = op(part, A(sum_of_bytes(run)));
    } else if constexpr (is_narrow_sum<T>) {
      vec<int32, Width> values;
      MEMTILE_UNROLL
      for (int i = 0; i < Width; ++i) {
        const auto element = detail::plain_type<V>(run[i]);
        const bool kept = detail::transformed(keep, element, first + i);
        values[i] = kept ? int32(detail::transformed(transform, element, first + i)) : 0;
      }
      part = op(part, A(pairwise(values, op)));
    } else {
      vec<accumulator, Width> values;
      MEMTILE_UNROLL
      for (int i = 0; i < Width; ++i) {
        const auto element = detail::plain_type<V>(run[i]);
        const bool kept = detail::transformed(keep, element, first + i);
        if constexpr (has_identity) values[i] = kept ? A(detail::transformed(transform, element, first + i)) : empty();
        else values[i] = kept ? accumulator{A(detail::transformed(transform, element, first + i)), true} : empty();
      }
      part = (*this)(part, pairwise(values, *this));
    }
  }
  template <class Out>
  MEMTILE_FUNCTION Out result(const accumulator& part) const {
    if constexpr (has_identity) return Out(finish(op(init, part)));
    else return Out(finish(part.known ? op(init, part.value) : init));
  }

 private:
  // Sums of small integers cannot leave 32 bits within a run: only their sum is widened.
  template <class T>
  static constexpr bool
      is_narrow_sum = detail::is_same<Operator, plus>&& detail::is_integer<T>&& detail::is_integer<A> &&
                      sizeof(T) <= 2 && sizeof(A) > 4;
  template <class V>
  static constexpr bool is_sum_of_bytes =
      is_narrow_sum<V> &&
      sizeof(V) == 1 && detail::is_same<Transform, identity>&& detail::is_same<Keep, detail::every_element>;
  template <class V, int Width>
  MEMTILE_FUNCTION static int32 sum_of_bytes(const vec<V, Width>& run) {
    vec<uint32, Width / 4> words;
    detail::copy_bytes(&words, &run, sizeof(words));
    int32 sum = 0;
    MEMTILE_UNROLL
    for (int i = 0; i < Width / 4; ++i) sum = add_bytes<V>(words[i], sum);
    return sum;
  }
};

/// A value and where it stands; index -1: there is none.
template <class T>
struct indexed {
  T value;
  int64 index;
};

/// The first of the elements that Extreme - minimum, maximum, minimum_number or maximum_number - takes. Its index where Out
/// is an integer, else an indexed<T>. Of no elements, or of none that is a number where that is asked: index -1.
template <class T, class Extreme>
struct arg_fold {
  static constexpr bool commutative = true;  // the index settles every tie
  static constexpr bool whole_tiles = true;
  using accumulator = indexed<T>;
  Extreme extreme;

  MEMTILE_FUNCTION accumulator empty() const { return {missing(), -1}; }
  MEMTILE_FUNCTION accumulator operator()(const accumulator& left, const accumulator& right) const {
    if (left.index < 0 || right.index < 0) return left.index < 0 ? right : left;
    if (is_as(right.value, left.value)) return right.index < left.index ? right : left;
    return is_as(extreme(left.value, right.value), right.value) ? right : left;
  }
  template <class V, int Width>
  MEMTILE_FUNCTION void enter(accumulator& part, const vec<V, Width>& run, int64 first) const {
    const vec<V, Width> runs[1] = {run};
    enter_tile(part, runs, first, Width);
  }
  // The best value first; where it stands is asked only if it is better than all before.
  template <class V, int Width, int Runs>
  MEMTILE_FUNCTION void enter_tile(accumulator& part, const vec<V, Width> (&runs)[Runs], int64 first,
                                   int stripe) const {
    vec<T, Runs * Width> values;
    MEMTILE_UNROLL
    for (int i = 0; i < Runs * Width; ++i) values[i] = T(runs[i / Width][i % Width]);
    const T best = pairwise(values, extreme);
    const bool is_number = !detail::is_nan(best);
    if (ignores_nan && !is_number) return;
    if (part.index >= 0 && is_as(extreme(part.value, best), part.value)) return;
    int at = 0;
    MEMTILE_UNROLL
    for (int i = Runs * Width - 1; i >= 0; --i)
      if (is_number ? values[i] == best : detail::is_nan(values[i])) at = i / Width * stripe + i % Width;
    T value = best;
    if (best == T(0)) {  // it may be the other zero
      MEMTILE_UNROLL
      for (int i = 0; i < Runs * Width; ++i)
        if (at == i / Width * stripe + i % Width) value = values[i];
    }
    part = {value, first + at};
  }
  template <class Out>
  MEMTILE_FUNCTION Out result(const accumulator& part) const {
    if constexpr (detail::is_integer<Out>) {
      static_assert(sizeof(Out) >= 4 && Out(-1) < Out(0),
                    "memtile: the place of an extreme must go to int32, int64 or indexed<T>: -1 stands for none");
      return Out(part.index);
    } else {
      return Out{decltype(Out::value)(part.value), part.index};
    }
  }

 private:
  static constexpr bool ignores_nan =
      detail::is_same<Extreme, minimum_number> || detail::is_same<Extreme, maximum_number>;
  MEMTILE_FUNCTION static bool is_as(T a, T b) { return a == b || (detail::is_nan(a) && detail::is_nan(b)); }
  MEMTILE_FUNCTION static T missing() {
    if constexpr (detail::is_floating<T>) return detail::not_a_number<T>();
    else return T{};
  }
};

namespace detail {
template <class Reduction, class = void>
inline constexpr bool takes_tiles = false;
template <class Reduction>
inline constexpr bool takes_tiles<Reduction, void_t<decltype(Reduction::whole_tiles)>> = Reduction::whole_tiles;
// One by one, where the reduction has no way of its own.
template <class Reduction, class A, class V, int Width, int Runs>
MEMTILE_FUNCTION void enter_tile(const Reduction& reduction, A& part, const vec<V, Width> (&runs)[Runs], int64 first,
                                 int stripe) {
  if constexpr (takes_tiles<Reduction>) {
    reduction.enter_tile(part, runs, first, stripe);
  } else {
    MEMTILE_UNROLL
    for (int i = 0; i < Runs; ++i) reduction.enter(part, runs[i], first + i * stripe);
  }
}
}  // namespace detail

/// The results of two reductions of one array.
template <class First, class Second>
struct both {
  First first;
  Second second;
};

/// Two reductions in one read.
template <class First, class Second>
struct both_folds {
  static constexpr bool commutative = First::commutative && Second::commutative;
  static constexpr bool whole_tiles = detail::takes_tiles<First> || detail::takes_tiles<Second>;
  using accumulator = both<typename First::accumulator, typename Second::accumulator>;
  First first;
  Second second;

  MEMTILE_FUNCTION accumulator empty() const { return {first.empty(), second.empty()}; }
  MEMTILE_FUNCTION accumulator operator()(const accumulator& left, const accumulator& right) const {
    return {first(left.first, right.first), second(left.second, right.second)};
  }
  template <class V, int Width>
  MEMTILE_FUNCTION void enter(accumulator& part, const vec<V, Width>& run, int64 index) const {
    first.enter(part.first, run, index);
    second.enter(part.second, run, index);
  }
  template <class V, int Width, int Runs>
  MEMTILE_FUNCTION void enter_tile(accumulator& part, const vec<V, Width> (&runs)[Runs], int64 index,
                                   int stripe) const {
    detail::enter_tile(first, part.first, runs, index, stripe);
    detail::enter_tile(second, part.second, runs, index, stripe);
  }
  template <class Out>
  MEMTILE_FUNCTION Out result(const accumulator& part) const {
    return {first.template result<decltype(Out::first)>(part.first),
            second.template result<decltype(Out::second)>(part.second)};
  }
};

/// The parts of an array, joined: elements of type accumulator, each of which stands for many.
template <class Reduction>
struct joined_parts {
  static constexpr bool commutative = Reduction::commutative;
  static constexpr bool whole_tiles = true;  // parts may be large: one is enough
  using accumulator = typename Reduction::accumulator;
  Reduction reduction;

  MEMTILE_FUNCTION accumulator empty() const { return reduction.empty(); }
  MEMTILE_FUNCTION accumulator operator()(const accumulator& left, const accumulator& right) const {
    return reduction(left, right);
  }
  template <int Width>
  MEMTILE_FUNCTION void enter(accumulator& part, const vec<accumulator, Width>& run, int64) const {
    part = reduction(part, pairwise(run, reduction));
  }
  template <int Width, int Runs>
  MEMTILE_FUNCTION void enter_tile(accumulator& part, const vec<accumulator, Width> (&runs)[Runs], int64, int) const {
    vec<accumulator, Runs> each;
    MEMTILE_UNROLL
    for (int i = 0; i < Runs; ++i) each[i] = pairwise(runs[i], reduction);
    part = reduction(part, pairwise(each, reduction));
  }
};

MEMTILE_USER_CODE_END

}  // namespace memtile
