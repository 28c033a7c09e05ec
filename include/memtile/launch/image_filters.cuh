// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// More filters by name, as launch/filters.cuh has them: gaussian, binomial, sobel, laplacian, unsharp, bilateral, rank, dilate,
// erode.
#pragma once

#include <memtile/algorithm/image_filters.cuh>
#include <memtile/launch/filters.cuh>

#if !defined(__CUDACC_RTC__)

namespace memtile {

namespace detail {

// A functor of a filter of matrices.
template <class Window, class Where, class In, class Out, class Functor, class Border>
status filter_of_matrix(const char* name, Where& where, const In& in, const Out& out, const Functor& functor,
                        const Border& border) {
  static_assert(dimensions_of(decltype(as_view(out))()) == 2, "memtile: a gradient must be one of a matrix");
  return checked_filter<Window>(name, place_of(where), as_view(in), as_view(out), functor, border);
}
inline status check_width(const char* name, const char* what, double sigma) {
  if (sigma >= 1e-15) return {};  // whose square, and one over it, a float can hold
  return status::refused("{}: {} is {}: it must be at least 1e-15", name, what, sigma);
}

// Weights are floats; of elements of 8 bytes doubles.
template <class In>
using weight_for =
    conditional_t<sizeof(plain_type<channel_type<typename decltype(as_view(declval<const In&>()))::element>>) == 8,
                  double, float>;

template <class F>
struct means_of_like {
  template <class Reach, bool InRegisters>
  using functor = mean_of_like<Reach, InRegisters, F>;
};

}  // namespace detail

/// A normal distribution of a standard deviation of `sigma` pixels, cut off Radius pixels from the middle: separable with
/// gaussian_weights<Radius>(sigma), for elements of 8 bytes doubles, of a vector correlate. Radius = 3 * sigma leaves 0.3 % out, and the rest is scaled to a
/// sum of 1.
template <int Radius, class Where, class In, class Out, class Border>
status gaussian_filter(Where&& where, const In& in, const Out& out, double sigma, Border border) {
  if (status s = detail::check_width("gaussian_filter", "sigma", sigma); !s) return s;
  const auto w = gaussian_weights<Radius, detail::weight_for<In>>(sigma);
  if constexpr (detail::dimensions_of(decltype(as_view(out))()) == 1)
    return detail::correlate_as("gaussian_filter", where, in, out, w, border);
  else return detail::separable_as("gaussian_filter", where, in, out, w, w, border);
}

/// The mean of a matrix weighted by 1 2 1 (Radius 1) or 1 4 6 4 1 (Radius 2) down and across: near a normal distribution of
/// a standard deviation of 0.7 or 1 pixels, and of bytes the fastest one.
///
/// Result   of integers of up to 32 bits the exact sum divided once, and into integers rounded to nearest, of two to the even
///          one; of floats from sums in one order
template <int Radius, class Where, class In, class Out, class Border>
status binomial_filter(Where&& where, const In& in, const Out& out, Border border) {
  static_assert(detail::dimensions_of(decltype(as_view(out))()) == 2,
                "memtile: a binomial filter must be one of a matrix");
  using element = detail::plain_type<detail::channel_type<typename decltype(as_view(in))::element>>;
  return detail::checked_filter<box<Radius>>("binomial_filter", detail::place_of(where), as_view(in), as_view(out),
                                             detail::binomial_mean<Radius, element>{}, border);
}

/// The derivative of a matrix by Sobel: 1 2 1 across the central difference 1 0 -1, of 8 times the slope. Axis 0: down the
/// rows, what lies below less what lies above; axis 1: along them, right less left.
///
/// Result   exact for integers of up to 32 bits; of floats six additions, in one order
template <int Axis, class Where, class In, class Out, class Border>
status sobel_filter(Where&& where, const In& in, const Out& out, Border border) {
  static_assert(Axis == 0 || Axis == 1, "memtile: sobel_filter must be along axis 0 (down) or 1 (across)");
  return detail::filter_of_matrix<box<1>>("sobel_filter", where, in, out, detail::sobel_of_axis<Axis>{}, border);
}
/// The length of the gradient: the square root of the sum of the squares of both.
template <class Where, class In, class Out, class Border>
status sobel_magnitude(Where&& where, const In& in, const Out& out, Border border) {
  return detail::filter_of_matrix<box<1>>("sobel_magnitude", where, in, out, detail::sobel_length{}, border);
}
/// The sum of the second differences along each axis: 1 -2 1 of vectors; 4 neighbours of matrices, 6 of volumes. Exact for
/// integers of up to 32 bits.
template <class Where, class In, class Out, class Border>
status laplacian_filter(Where&& where, const In& in, const Out& out, Border border) {
  constexpr int dimensions = detail::dimensions_of(decltype(as_view(out))());
  return detail::checked_filter<star<1>>("laplacian_filter", detail::place_of(where), as_view(in), as_view(out),
                                         detail::laplacian_at<dimensions>{}, border);
}

/// out = in + amount * (in - gaussian of in): makes edges of about `sigma` pixels stand out. One correlation by the (2 *
/// Radius + 1)^2 weights of all of it together.
template <int Radius, class Where, class In, class Out, class Border>
status unsharp_filter(Where&& where, const In& in, const Out& out, double sigma, double amount, Border border) {
  if (status s = detail::check_width("unsharp_filter", "sigma", sigma); !s) return s;
  if (!(amount >= -1e30 && amount <= 1e30))
    return status::refused("unsharp_filter: the amount is {}: it must be from -1e30 to 1e30", amount);
  constexpr int side = 2 * Radius + 1;
  using F = detail::weight_for<In>;
  const auto g = gaussian_weights<Radius, double>(sigma);
  detail::list_of_weights<F, side * side> w{};
  for (int i = 0; i < side * side; ++i)
    w.values[i] = F((i == side * side / 2) * (1 + amount) - amount * g.values[i / side] * g.values[i % side]);
  return detail::filter<detail::sums_of<F>::template functor, box<Radius>>("unsharp_filter", detail::place_of(where),
                                                                           as_view(in), as_view(out), border, w);
}

/// A mean that keeps edges: the weight of a neighbour is exp(-distance^2 / (2 sigma_space^2) - difference^2 /
/// (2 sigma_value^2)), the difference being that of its value and the one in the middle, channel by channel.
///
/// Result   in float, of doubles in double, from products and sums in one order; exp is each machine's own, so that the
///          last bits may differ between them. With N weights |error| <= (N + 20) * 2^-23 times the largest |value|. A NaN
///          or an infinity makes every window that it is in NaN
/// Cost     an exp for each neighbour, which limits it beyond 3 x 3
template <int Radius, class Where, class In, class Out, class Border>
status bilateral_filter(Where&& where, const In& in, const Out& out, double sigma_space, double sigma_value,
                        Border border) {
  if (status s = detail::check_width("bilateral_filter", "sigma_space", sigma_space); !s) return s;
  if (status s = detail::check_width("bilateral_filter", "sigma_value", sigma_value); !s) return s;
  using F = detail::weight_for<In>;
  constexpr int dimensions = detail::dimensions_of(decltype(as_view(out))()), side = 2 * Radius + 1;
  using reach = typename detail::reach_of<box<Radius>, dimensions>::type;
  detail::list_of_weights<F, detail::window_size<reach>> exponents{};
  for (int i = 0; i < detail::window_size<reach>; ++i) {
    double square = 0;
    for (int rest = i, axis = 0; axis < dimensions; ++axis, rest /= side) {
      const double distance = rest % side - Radius;
      square += distance * distance;
    }
    exponents.values[i] = F(-square / (2 * sigma_space * sigma_space));
  }
  return detail::filter<detail::means_of_like<F>::template functor, box<Radius>>(
      "bilateral_filter", detail::place_of(where), as_view(in), as_view(out), border, exponents,
      F(1 / (sqrt(2.) * sigma_value)));
}

/// The element number `rank` of a window in ascending order, from 0 (minimum_filter) to the number of its elements less 1
/// (maximum_filter): a percentile. Where a window has a NaN, it counts as larger than all numbers, or smaller if its sign
/// is set.
///
/// Cost   each element is counted once for each of its bits; median_filter of a small window is faster
template <class Window, class Where, class In, class Out, class Border>
status rank_filter(Where&& where, const In& in, const Out& out, int rank, Border border) {
  using reach = typename detail::reach_of<Window, detail::dimensions_of(decltype(as_view(out))())>::type;
  if (rank < 0 || rank >= detail::window_size<reach>)
    return status::refused("rank_filter: the rank is {}, but the window has {} elements: it must be from 0 to {}", rank,
                           detail::window_size<reach>, detail::window_size<reach> - 1);
  return detail::filter<detail::rank_of_window, Window>("rank_filter", detail::place_of(where), as_view(in),
                                                        as_view(out), border, rank);
}

/// What morphology calls the smallest and the largest element of a window.
template <class Window, class Where, class In, class Out, class Border>
status erode(Where&& where, const In& in, const Out& out, Border border) {
  return detail::extreme_as<minimum, Window>("erode", where, in, out, border);
}
template <class Window, class Where, class In, class Out, class Border>
status dilate(Where&& where, const In& in, const Out& out, Border border) {
  return detail::extreme_as<maximum, Window>("dilate", where, in, out, border);
}

}  // namespace memtile
#endif
