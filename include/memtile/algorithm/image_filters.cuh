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
