// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Filters that are no plain sums, as functors of a stencil: gradients, the Laplacian, means weighted by likeness, ranks.
#pragma once

#include <memtile/algorithm/filters.cuh>

namespace memtile::detail {

// In which type differences of values are taken: of small integers exactly, in 32 bits.
template <class V>
using difference_type = conditional_t<is_integer<V> && sizeof(V) < 4, int32, conditional_t<is_integer<V>, int64, V>>;

/// 1 2 1 across a central difference: down the rows of a matrix (axis 0), or along them (axis 1).
template <int Axis, class Neighbours>
MEMTILE_FUNCTION auto sobel_at(const Neighbours& n) {
  using D = difference_type<value_of<Neighbours>>;
  const auto difference = [&](int beside) {
    return Axis == 0 ? D(n.at(1, 0, beside)) - D(n.at(-1, 0, beside)) : D(n.at(beside, 0, 1)) - D(n.at(beside, 0, -1));
  };
  return add(fma(D(2), difference(0), difference(-1)), difference(1));
}
template <int Axis>
struct sobel_of_axis {
  template <class Neighbours>
  MEMTILE_FUNCTION auto operator()(const Neighbours& n) const {
    return sobel_at<Axis>(n);
  }
};
/// The length of the gradient. Squares of differences of 16 bits pass 32 bits: they are made of floats.
struct sobel_length {
  template <class Neighbours>
  MEMTILE_FUNCTION auto operator()(const Neighbours& n) const {
    using D = difference_type<value_of<Neighbours>>;
    using F = conditional_t<sizeof(D) == 8, double, float>;
    const F down = F(sobel_at<0>(n)), across = F(sobel_at<1>(n));
    return sqrt(fma(down, down, multiply(across, across)));
  }
};

/// 1 2 1 or 1 4 6 4 1 down and across, and one division by the sum of all weights: sums of bytes have 16 bits.
template <int Radius, class Value>
struct binomial_mean {
  static_assert(Radius == 1 || Radius == 2, "memtile: the radius of a binomial filter must be 1 or 2");
  static constexpr int count = 1 << 4 * Radius;
  static constexpr bool takes_halves = is_same<Value, uint8>;
  using sum_type = sum_of_mean<Value, count>;
  using row_result = conditional_t<takes_halves, uint16, sum_type>;

  template <class Values>
  MEMTILE_FUNCTION auto of_row(const Values& values) const {
    const auto sum = weighed(values);
    if constexpr (is_halves<decltype(values(0))>) return sum;
    else return row_result(sum);
  }
  template <class Neighbours>
  MEMTILE_FUNCTION auto operator()(const Neighbours& n) const {
    const auto sum = weighed([&](int y) { return n.at(y, 0, 0); });
    return quotient<count, type_of_mean<Value, count>, bare_t<decltype(sum)>>{sum};
  }

 private:
  template <class Values>
  MEMTILE_FUNCTION static auto weighed(const Values& v) {
    const auto at = [&](int i) { return as_sum<sum_type>(v(i)); };
    const auto middle = at(0), three = add(add(at(-1), at(1)), middle);
    if constexpr (Radius == 1) {
      return add(three, middle);
    } else {  // only sums, which are the same of numbers and of halves: 2 * (2 * three + middle) and the outer ones
      const auto half = add(add(three, three), middle);
      return add(add(half, half), add(at(-2), at(2)));
    }
  }
};

/// The sum of the neighbours along each axis less the place itself as often.
template <int Dimensions>
struct laplacian_at {
  template <class Neighbours>
  MEMTILE_FUNCTION auto operator()(const Neighbours& n) const {
    using D = difference_type<value_of<Neighbours>>;
    D sum = add(D(n.at(0, 0, -1)), D(n.at(0, 0, 1)));
    if constexpr (Dimensions > 2) sum = add(add(D(n.at(0, -1, 0)), D(n.at(0, 1, 0))), sum);
    if constexpr (Dimensions > 1) sum = add(add(D(n.at(-1, 0, 0)), D(n.at(1, 0, 0))), sum);
    return fma(D(-2 * Dimensions), D(n.at(0, 0, 0)), sum);
  }
};

/// The mean of a window, each value weighted by the normal distributions of how far it lies from the middle and of how far
/// it is from the value there.
template <class Reach, bool InRegisters, class F>
struct mean_of_like {
  static constexpr bool keeps_loops = !InRegisters;
  list_of_weights<F, window_size<Reach>> exponent;  // of how far it lies
  F per_difference;                                 // by its square the exponent falls

  template <class Neighbours>
  MEMTILE_FUNCTION F operator()(const Neighbours& n) const {
    const F middle = F(n.at(0, 0, 0));
    F sum = 0, weights = 0;
    visit_window<Reach, InRegisters>(n, [&](auto v, int i) {
      const F difference = F(v) - middle;
      const F scaled = multiply(difference, per_difference);
      const F weight = exp(fma(-scaled, scaled, exponent.values[i]));
      sum = fma(weight, F(v), sum), weights = add(weights, weight);
    });
    return sum / weights;
  }
};

/// The neighbour number `rank` in ascending order, from 0 on.
template <class Reach, bool InRegisters>
struct rank_of_window {
  static constexpr bool keeps_loops = !InRegisters;
  int rank;

  template <class Neighbours>
  MEMTILE_FUNCTION auto operator()(const Neighbours& n) const {
    return value_in_rank<Reach, InRegisters>(n, rank);
  }
};

}  // namespace memtile::detail
