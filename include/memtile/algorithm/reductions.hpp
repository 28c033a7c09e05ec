// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a call may want: the tags that every reducing call takes, and an operator with all its parts. Each knows, once the
// type of the elements is known, which of the reductions of algorithm/reduction.cuh it is.
#pragma once

#include <memtile/algorithm/moments.cuh>

namespace memtile {

/// A policy: a sum keeps its rounding errors. Another one is accumulate_in<T>, of core/policy.hpp.
struct compensated {};

namespace detail {

template <bool Value>
struct boolean {
  static constexpr bool value = Value;
};

struct wanted {};  // base of the tags
struct no_initial_value {};

template <class Extreme>
struct arg_wanted : wanted {
  template <class V>
  MEMTILE_FUNCTION auto over() const {
    return arg_fold<plain_type<V>, Extreme>{};
  }
};
template <class First, class Second>
struct both_wanted : wanted {
  template <class V>
  MEMTILE_FUNCTION auto over() const {
    const auto first = First{}.template over<V>();
    const auto second = Second{}.template over<V>();
    return both_folds<bare_t<decltype(first)>, bare_t<decltype(second)>>{first, second};
  }
};

// The operator, and the type it combines in, that a policy makes of what was asked.
template <class Policy, class Operator, class V>
struct combined {
  static_assert(is_same<Policy, automatic>,
                "memtile: the policy of a reduction must be accumulate_in<T>, compensated or automatic");
  using op = Operator;
  using accumulator = accumulator_t<Operator, V>;
};
template <class A, class Operator, class V>
struct combined<accumulate_in<A>, Operator, V> {
  using op = Operator;
  using accumulator = A;
};
template <class Operator, class V>
struct combined<compensated, Operator, V> {
  static_assert(is_same<Operator, plus>, "memtile: a compensated reduction must be a sum, by plus");
  static_assert(is_floating<plain_type<V>>, "memtile: a compensated sum must be of floating-point numbers");
  using op = compensated_plus;
  using accumulator = accumulator_t<compensated_plus, V>;
};

template <class Policy, class Operator, class Init, class Transform, class Keep, class Finish>
struct fold_wanted {
  Operator op;
  Init init;
  Transform transform;
  Keep keep;
  Finish finish;

  template <class V>
  MEMTILE_FUNCTION auto over() const {
    using chosen = combined<Policy, Operator, transformed_t<Transform, plain_type<V>>>;
    using A = typename chosen::accumulator;
    using op_type = typename chosen::op;
    if constexpr (is_same<Init, no_initial_value>) {
      static_assert(has_identity<op_type, A>,
                    "memtile: a reduction without an initial value must have an operator with an identity: "
                    "template <class T> static constexpr T identity()");
      return fold<op_type, A, Transform, Keep, Finish>{{}, op_type::template identity<A>(), transform, keep, finish};
    } else if constexpr (is_same<op_type, Operator>)
      return fold<Operator, A, Transform, Keep, Finish>{op, A(init), transform, keep, finish};
    else return fold<op_type, A, Transform, Keep, Finish>{op_type{}, A(init), transform, keep, finish};
  }
};
template <class Policy, class Operator, class Init, class Transform, class Keep, class Finish>
MEMTILE_FUNCTION fold_wanted<Policy, Operator, Init, Transform, Keep, Finish>
folding(const Operator& op, const Init& init, const Transform& transform, const Keep& keep, const Finish& finish) {
  return {op, init, transform, keep, finish};
}

// A tag as it is; of an operator, the fold without more.
template <class Policy, class Wanted>
MEMTILE_FUNCTION auto wanted_of(const Wanted& what) {
  if constexpr (__is_base_of(wanted, Wanted)) {
    static_assert(is_same<Policy, automatic>, "memtile: a policy must be for a reduction by an operator");
    return what;
  } else {
    return folding<Policy>(what, no_initial_value{}, identity{}, every_element{}, identity{});
  }
}

struct one_each {
  template <class V>
  MEMTILE_FUNCTION int64 operator()(const V&) const {
    return 1;
  }
};

}  // namespace detail

/// What extremes gives: .first the smallest element, .second the largest, with their places.
template <class T>
using extremes_of = both<indexed<T>, indexed<T>>;

/// The first of the smallest, or largest, elements and its index: NaN comes before all others.
struct arg_minimum : detail::arg_wanted<minimum> {};
struct arg_maximum : detail::arg_wanted<maximum> {};
/// The same among those that are numbers; index -1 if none is.
struct arg_minimum_number : detail::arg_wanted<minimum_number> {};
struct arg_maximum_number : detail::arg_wanted<maximum_number> {};
/// .first is arg_minimum's result, .second arg_maximum's.
struct extremes : detail::both_wanted<arg_minimum, arg_maximum> {};
struct extremes_of_numbers : detail::both_wanted<arg_minimum_number, arg_maximum_number> {};
/// statistics_of the elements, in double for double and else in float; with_skewness has the third power as well.
template <int Order>
struct moments_up_to : detail::wanted {
  template <class V>
  MEMTILE_FUNCTION auto over() const {
    return moments_fold<detail::conditional_t<detail::is_same<V, double>, double, float>, Order>{};
  }
};
using moments = moments_up_to<2>;
using moments_with_skewness = moments_up_to<3>;

}  // namespace memtile
