// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums that keep their rounding errors, and moments of many values in one read.
//
// Both carry more than one number through every level. The trap with the variance: the mean of the squares minus the
// square of the mean loses all its digits where the mean is large. Here the squared distances from the mean are summed,
// and two parts are joined with the distance of their means.
#pragma once

#include <memtile/algorithm/reduction.cuh>

namespace memtile {

/// A sum and what was rounded away on the way to it.
template <class T>
struct compensated_sum {
  T sum, error;
  compensated_sum() = default;
  MEMTILE_FUNCTION constexpr explicit compensated_sum(T v) : sum(v), error(0) {}
  MEMTILE_FUNCTION constexpr compensated_sum(T s, T e) : sum(s), error(e) {}
  template <class Out, class = detail::enable_if_t<detail::is_number<Out> || detail::is_small_float<Out>>>
  MEMTILE_FUNCTION constexpr explicit operator Out() const {
    return Out(sum - sum == T(0) ? sum + error : sum);  // of an infinite sum the error is NaN
  }
};

/// The sum with the errors of its additions added at the end: |error| <= 2 u |sum| + n^2 u^2 sum |v|, u = 2^-24 for float,
/// where a plain sum has about log2(n) u sum |v|.
/// Source    Knuth's two-sum and Ogita, Rump and Oishi's Sum2, with the pair carried through every level
struct compensated_plus {
  static constexpr bool commutative = true;
  template <class V>
  using accumulator = compensated_sum<detail::conditional_t<detail::is_same<V, double>, double, float>>;
  template <class T>
  MEMTILE_FUNCTION compensated_sum<T> operator()(const compensated_sum<T>& a, const compensated_sum<T>& b) const {
    const T sum = add(a.sum, b.sum), of_b = add(sum, -a.sum), of_a = add(sum, -of_b);
    const T lost = add(add(a.sum, -of_a), add(b.sum, -of_b));
    return {sum, add(add(a.error, b.error), lost)};
  }
  template <class A>
  MEMTILE_FUNCTION static constexpr A identity() {
    return A(0, 0);
  }
};

/// Count, mean, extremes, and sums of powers of the distances from the mean; cubes is 0 unless it was asked for.
template <class T>
struct statistics_of {
  int64 count;
  T mean, squares, cubes;  // squares: sum of (v - mean)^2; cubes: of (v - mean)^3
  T minimum, maximum;

  /// Of the values themselves: divided by their count.
  MEMTILE_FUNCTION T variance() const { return squares / T(count); }
  /// Of what the values are a sample of: divided by their count less one.
  MEMTILE_FUNCTION T sample_variance() const { return squares / T(count - 1); }
  MEMTILE_FUNCTION T standard_deviation() const { return sqrt(variance()); }
  MEMTILE_FUNCTION T skewness() const { return cubes / T(count) / (variance() * standard_deviation()); }
};

/// statistics_of<T> of the elements, of small floats and integers in float; Order 3 has the cubes, 2 has not. NaN
/// propagates. Of no elements: count 0, mean 0, minimum +inf, maximum -inf.
/// Source    Chan, Golub and LeVeque's join of two parts, and Pebay's for the third power; what a thread takes at a time
///           is summed in two passes in registers
template <class T, int Order>
struct moments_fold {
  static constexpr bool commutative = true;
  static constexpr bool whole_tiles = true;
  using accumulator = statistics_of<T>;

  MEMTILE_FUNCTION accumulator empty() const {
    return {0, T(0), T(0), T(0), detail::highest<T>(), detail::lowest<T>()};
  }
  MEMTILE_FUNCTION accumulator operator()(const accumulator& a, const accumulator& b) const {
    if (a.count == 0 || b.count == 0) return a.count == 0 ? b : a;  // the mean of none is none
    accumulator both = a;
    both.count = a.count + b.count;
    const T of_a = T(a.count), share = T(b.count) / T(both.count), distance = add(b.mean, -a.mean);
    const T step = multiply(distance, share), product = multiply(multiply(distance, step), of_a);
    both.mean = add(a.mean, step);
    both.squares = add(add(a.squares, b.squares), product);
    if constexpr (Order >= 3) {
      const T rest = of_a / T(both.count);
      const T skew = multiply(multiply(product, distance), add(rest, -share));
      const T cross = multiply(T(3) * distance, add(multiply(rest, b.squares), -multiply(share, a.squares)));
      both.cubes = add(add(a.cubes, b.cubes), add(skew, cross));
    }
    both.minimum = minimum{}(a.minimum, b.minimum);
    both.maximum = maximum{}(a.maximum, b.maximum);
    return both;
  }
  template <class V, int Width>
  MEMTILE_FUNCTION void enter(accumulator& part, const vec<V, Width>& run, int64) const {
    const vec<V, Width> runs[1] = {run};
    enter_tile(part, runs, 0, Width);
  }
  // One join, with its division, for all of them.
  template <class V, int Width, int Runs>
  MEMTILE_FUNCTION void enter_tile(accumulator& part, const vec<V, Width> (&runs)[Runs], int64, int) const {
    constexpr int count = Runs * Width;
    vec<T, count> v, squares, cubes;
    MEMTILE_UNROLL
    for (int i = 0; i < count; ++i) v[i] = T(runs[i / Width][i % Width]);
    vec<T, count> shares;  // each divided first, which is exact for a power of two: their sum does not overflow
    MEMTILE_UNROLL
    for (int i = 0; i < count; ++i) shares[i] = multiply(v[i], T(1) / T(count));
    accumulator mine{count, pairwise(shares, plus{}), T(0), T(0), pairwise(v, minimum{}), pairwise(v, maximum{})};
    MEMTILE_UNROLL
    for (int i = 0; i < count; ++i) {
      const T distance = add(v[i], -mine.mean);
      squares[i] = multiply(distance, distance);
      if constexpr (Order >= 3) cubes[i] = multiply(squares[i], distance);
    }
    mine.squares = pairwise(squares, plus{});
    if constexpr (Order >= 3) mine.cubes = pairwise(cubes, plus{});
    part = (*this)(part, mine);
  }
  template <class Out>
  MEMTILE_FUNCTION Out result(const accumulator& part) const {
    return Out(part);
  }
};

}  // namespace memtile
