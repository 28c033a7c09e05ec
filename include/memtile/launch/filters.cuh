// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Filters by name: correlate and convolve, box, minimum, maximum and median filters. Each is a stencil: what a call may be
// given, what it refuses and what it costs stands there. A window is box<r> or window<...>: of a star, give stencil a functor.
// Pixels of several channels, vec<uint8, 3> and the like with up to four, are filtered channel by channel, in one pass.
#pragma once

#include <memtile/algorithm/channels.cuh>
#include <memtile/algorithm/filters.cuh>
#include <memtile/core/policy.hpp>
#include <memtile/launch/any_window.cuh>
#include <memtile/launch/stencil.cuh>

#if !defined(__CUDACC_RTC__)

namespace memtile {

/// The weights of a filter, row by row: weights<float, 3> of a vector, weights<float, 3, 5> of a matrix, weights<float, 3,
/// 3, 3> of a volume. They are numbers of the host, and travel with the kernel.
template <class T, int... Extent>
struct weights {
  static_assert(sizeof...(Extent) >= 1 && sizeof...(Extent) <= 3, "memtile: weights must have 1, 2 or 3 extents");
  static constexpr int size = (1 * ... * Extent);
  T values[size];
};

namespace detail {

// The window around an anchor in the middle; of an even extent the anchor is extent / 2.
template <class Weights>
struct window_of_weights;
template <class T, int Columns>
struct window_of_weights<weights<T, Columns>> {
  using type = window<Columns / 2, (Columns - 1) / 2>;
};
template <class T, int Rows, int Columns>
struct window_of_weights<weights<T, Rows, Columns>> {
  using type = window<Rows / 2, (Rows - 1) / 2, Columns / 2, (Columns - 1) / 2>;
};
template <class T, int Slices, int Rows, int Columns>
struct window_of_weights<weights<T, Slices, Rows, Columns>> {
  using type = window<Slices / 2, (Slices - 1) / 2, Rows / 2, (Rows - 1) / 2, Columns / 2, (Columns - 1) / 2>;
};
template <class Window>
struct opposite {
  using type = Window;  // a box
};
template <int Left, int Right>
struct opposite<window<Left, Right>> {
  using type = window<Right, Left>;
};
template <int Up, int Down, int Left, int Right>
struct opposite<window<Up, Down, Left, Right>> {
  using type = window<Down, Up, Right, Left>;
};
template <int Front, int Back, int Up, int Down, int Left, int Right>
struct opposite<window<Front, Back, Up, Down, Left, Right>> {
  using type = window<Back, Front, Down, Up, Right, Left>;
};

// A view of pixels as one of their channels, which lie side by side.
template <class T>
using channel_of = conditional_t<is_const<T>, const channel_type<remove_const_t<T>>, channel_type<remove_const_t<T>>>;
template <class T>
vector_view<channel_of<T>> in_channels(const vector_view<T>& v) {
  return {reinterpret_cast<channel_of<T>*>(v.data), v.size * channels_of<remove_const_t<T>>::count};
}
template <class T>
matrix_view<channel_of<T>> in_channels(const matrix_view<T>& v) {
  return {reinterpret_cast<channel_of<T>*>(v.data), v.rows, v.cols * channels_of<remove_const_t<T>>::count, v.pitch};
}
template <class T>
volume_view<channel_of<T>> in_channels(const volume_view<T>& v) {
  return {reinterpret_cast<channel_of<T>*>(v.data),       v.depth,     v.rows,
          v.cols * channels_of<remove_const_t<T>>::count, v.row_pitch, v.slice_pitch};
}
template <class View>
View in_channels(const View& v) {
  return v;  // does not compile, in words that check_stencil has
}
// Their window and border.
template <class Reach, int Dimensions>
struct window_of_reach;
template <class Reach>
struct window_of_reach<Reach, 1> {
  using type = window<Reach::left, Reach::right>;
};
template <class Reach>
struct window_of_reach<Reach, 2> {
  using type = window<Reach::front, Reach::back, Reach::left, Reach::right>;
};
template <class Reach>
struct window_of_reach<Reach, 3> {
  using type = window<Reach::front, Reach::back, Reach::up, Reach::down, Reach::left, Reach::right>;
};
template <int Dimensions, int Channels, class Border>
auto border_in_channels(const Border& border) {
  const auto axes = of_volume<Dimensions>(border);
  const auto columns = along_channels<Channels>(axes.columns);
  if constexpr (Dimensions == 1) return columns;
  else if constexpr (Dimensions == 2) return borders{axes.slices, columns};
  else return borders{axes.slices, axes.rows, columns};
}

template <class Window, class Place, class In, class Out, class Functor, class Border>
status checked_filter(const char* name, const Place& place, const In& in, const Out& out, const Functor& functor,
                      const Border& border) {
  if (status s = check_stencil(name, packed(in), out); !s) return s;
  constexpr int channels = channels_of<typename Out::element>::count, dimensions = dimensions_of(Out());
  static_assert(channels == channels_of<typename In::element>::count,
                "memtile: the input and the output of a filter must have the same number of channels");
  if constexpr (channels == 1) {
    return stencil_of_views<Window>(place, packed(in), out, functor, border, nullptr);
  } else {
    using reach = reach_in_channels<typename reach_of<Window, dimensions>::type, channels>;
    return stencil_of_views<typename window_of_reach<reach, dimensions>::type>(
        place, packed(in_channels(in)), in_channels(out), each_channel<Functor, channels>{functor},
        border_in_channels<dimensions, channels>(border), nullptr);
  }
}

// Whether a functor of two passes, or of none, keeps its window in registers.
template <class Functor, class Reach, class In, class Out>
inline constexpr bool fits_registers =
    shape_for<Functor, reach_in_channels<Reach, channels_of<In>::count>, channel_type<Out>, channel_type<In>>::fits;

// Starts Functor<reach, written out>{data...}. It is written out where its window stays in registers and the code does not
// become too long for the compiler.
template <class Reach>
constexpr bool has_whole_window() {
  static_assert(!Reach::is_star,
                "memtile: the window of a filter must be box<r> or window<...>: of a star, give stencil "
                "a functor");
  return !Reach::is_star;
}
template <template <class, bool> class Functor, class Window, class Place, class In, class Out, class Border,
          class... Data>
status filter(const char* name, const Place& place, const In& in, const Out& out, const Border& border,
              const Data&... data) {
  using from = typename In::element;
  using to = typename Out::element;
  using reach = typename reach_of<Window, dimensions_of(Out())>::type;
  static_assert(has_whole_window<reach>());
  constexpr int width = stencil_shape<reach, channel_type<to>, channel_type<from>>::width;
  constexpr bool is_written_out =
      fits_registers<Functor<reach, true>, reach, from, to> && window_size<reach> * width <= 400;
  return checked_filter<Window>(name, place, in, out, Functor<reach, is_written_out>{data...}, border);
}

template <class Weight>
struct sums_of {
  template <class Reach, bool InRegisters>
  using functor = weighted_sum<Reach, InRegisters, Weight>;
};
template <class Operator>
struct extremes_by {
  template <class Reach, bool InRegisters>
  using functor = extreme_of_window<Reach, InRegisters, Operator>;
};

template <class Window, class Given>
using window_or = conditional_t<is_same<Window, automatic>, Given, Window>;

// The weights lie on the window, and travel as an argument.
template <class Window, class Out, class T, int... Extent>
constexpr bool fits_window(const weights<T, Extent...>*) {
  constexpr int count = sizeof...(Extent), extent[count] = {Extent...};
  static_assert(dimensions_of(Out()) == count,
                "memtile: the weights of a filter must have one extent for each dimension of the input");
  using reach = typename reach_of<Window, count>::type;
  static_assert(reach::columns == extent[count - 1] && (count == 1 || reach::slices == extent[0]) &&
                    (count < 3 || reach::rows == extent[count / 2]),
                "memtile: the window of a filter must be as large as its weights along each axis");
  static_assert(
      sizeof(T) * weights<T, Extent...>::size <= 30000,
      "memtile: the weights of a filter must not have more than 30000 bytes: they are an argument of the kernel");
  return true;
}

// Calls that other filters are made of: `name` is the one that the user called.
template <class Window = automatic, class Where, class In, class Out, class T, int... Extent, class Border>
status correlate_as(const char* name, Where&& where, const In& in, const Out& out, const weights<T, Extent...>& w,
                    Border border) {
  using window = window_or<Window, typename window_of_weights<weights<T, Extent...>>::type>;
  static_assert(fits_window<window, decltype(as_view(out))>(static_cast<const weights<T, Extent...>*>(nullptr)));
  using list = list_of_weights<T, weights<T, Extent...>::size>;
  list values{};
  for (int i = 0; i < w.size; ++i) values.values[i] = w.values[i];
  return filter<sums_of<T>::template functor, window>(name, place_of(where), as_view(in), as_view(out), border, values);
}
template <class Where, class In, class Out, class T, int Rows, int Columns, class Border>
status separable_as(const char* name, Where&& where, const In& in, const Out& out, const weights<T, Rows>& down,
                    const weights<T, Columns>& across, Border border) {
  using window = typename window_of_weights<weights<T, Rows, Columns>>::type;
  using reach = typename reach_of<window, 2>::type;
  const auto from = as_view(in);
  const auto to = as_view(out);
  using value = plain_type<channel_type<typename decltype(from)::element>>;
  using sums = separable_sum<reach, T, value>;
  sums two_passes{};
  for (int i = 0; i < Rows; ++i) two_passes.down.values[i] = down.values[i];
  for (int i = 0; i < Columns; ++i) two_passes.across.values[i] = across.values[i];
  const auto start = [&](const auto& functor) {
    return checked_filter<window>(name, place_of(where), from, to, functor, border);
  };
  if constexpr (fits_registers<sums, reach, typename decltype(from)::element, typename decltype(to)::element>)
    return start(two_passes);
  else return start(far_separable_sum<reach, T, value>{two_passes});
}
template <class Operator, class Window, class Where, class In, class Out, class Border>
status extreme_as(const char* name, Where&& where, const In& in, const Out& out, Border border) {
  return filter<extremes_by<Operator>::template functor, Window>(name, place_of(where), as_view(in), as_view(out),
                                                                 border);
}
}  // namespace detail

/// out(r, c) = the sum of w(i, j) * in(r + i - up, c + j - left): the weights lie on the image as they are written. The
/// anchor, which lies on (r, c), is the weight number extent / 2 of each axis, or what a Window says that is given:
/// correlate<window<0, 2, 0, 2>> has it at the first of 3 x 3 weights.
///
/// in, out   views of one shape, of any numbers; border as of stencil
/// Result    one chain of fused multiply-adds in the order of the weights, in the type of weight * element; integers are
///           exact as long as 32 bits hold the sum. Rounded to nearest and saturated where out has integers.
template <class Window = automatic, class Where, class In, class Out, class T, int... Extent, class Border>
status correlate(Where&& where, const In& in, const Out& out, const weights<T, Extent...>& w, Border border) {
  return detail::correlate_as<Window>("correlate", where, in, out, w, border);
}
/// out(r, c) = the sum of w(i, j) * in(r - i + up, c - j + left): correlate with the weights turned around in every axis. A
/// single 1 in a field of zeros becomes the weights as they are written.
template <class Window = automatic, class Where, class In, class Out, class T, int... Extent, class Border>
status convolve(Where&& where, const In& in, const Out& out, const weights<T, Extent...>& w, Border border) {
  using window = detail::window_or<Window, typename detail::window_of_weights<weights<T, Extent...>>::type>;
  static_assert(
      detail::fits_window<window, decltype(as_view(out))>(static_cast<const weights<T, Extent...>*>(nullptr)));
  using turned = typename detail::opposite<window>::type;
  using list = detail::list_of_weights<T, weights<T, Extent...>::size>;
  list values{};
  for (int i = 0; i < w.size; ++i) values.values[i] = w.values[w.size - 1 - i];
  return detail::filter<detail::sums_of<T>::template functor, turned>("convolve", detail::place_of(where), as_view(in),
                                                                      as_view(out), border, values);
}

/// correlate of a matrix by the weights down(i) * across(j), in one pass over memory: the weighted sum of each row is held
/// for all windows that it is in. The anchors are those of correlate.
///
/// Result    a chain of fused multiply-adds along each row, and one of the rows' sums
/// Cost      one kernel; of windows up to 20 rows (10 of doubles), as many multiply-adds as rows and columns; larger ones as
///           many as elements
template <class Where, class In, class Out, class T, int Rows, int Columns, class Border>
status separable(Where&& where, const In& in, const Out& out, const weights<T, Rows>& down,
                 const weights<T, Columns>& across, Border border) {
  return detail::separable_as("separable", where, in, out, down, across, border);
}
/// The weights of a normal distribution around the middle, of sum 1; sigma must be more than 0.
template <int Radius, class T = float>
weights<T, 2 * Radius + 1> gaussian_weights(double sigma) {
  weights<T, 2 * Radius + 1> w{};
  const auto density = [sigma](int i) {
    const double x = i / sigma;
    return exp(-x * x / 2);
  };
  double sum = 0;
  for (int i = -Radius; i <= Radius; ++i) sum += density(i);
  for (int i = -Radius; i <= Radius; ++i) w.values[i + Radius] = T(density(i) / sum);
  return w;
}

/// The mean of a window: summed, exactly for integers of up to 32 bits (those of 64 wrap around), and divided once. Of
/// matrices each row is summed once and held, as by separable; of larger windows of integers the sums run along, as by
/// box_filter(where, in, out, sized_window{rows, columns}, border).
template <class Window, class Where, class In, class Out, class Border>
status box_filter(Where&& where, const In& in, const Out& out, Border border) {
  using source = detail::bare_t<decltype(as_view(in))>;
  using target = detail::bare_t<decltype(as_view(out))>;
  constexpr int dimensions = detail::dimensions_of(target());
  using reach = typename detail::reach_of<Window, dimensions>::type;
  static_assert(detail::has_whole_window<reach>());
  using mean = detail::separable_mean<reach, detail::plain_type<detail::channel_type<typename source::element>>>;
  constexpr bool fits = detail::fits_registers<mean, reach, typename source::element, typename target::element>;
  using element = typename source::element;
  constexpr bool runs_along = dimensions == 2 && detail::is_integer<element> && sizeof(element) <= 4;
  if constexpr (dimensions == 2 && fits)
    return detail::checked_filter<Window>("box_filter", detail::place_of(where), as_view(in), as_view(out), mean{},
                                          border);
  else if constexpr (runs_along)
    return box_filter(where, in, out, sized_window{reach::slices, reach::columns, reach::front, reach::left}, border);
  else
    return detail::filter<detail::mean_of_window, Window>("box_filter", detail::place_of(where), as_view(in),
                                                          as_view(out), border);
}
/// The smallest, and the largest, element of a window: erosion and dilation by a box. NaN propagates.
template <class Window, class Where, class In, class Out, class Border>
status minimum_filter(Where&& where, const In& in, const Out& out, Border border) {
  return detail::extreme_as<minimum, Window>("minimum_filter", where, in, out, border);
}
template <class Window, class Where, class In, class Out, class Border>
status maximum_filter(Where&& where, const In& in, const Out& out, Border border) {
  return detail::extreme_as<maximum, Window>("maximum_filter", where, in, out, border);
}
/// The middle one of a window's elements in ascending order, of an even number the upper of two. Where a window has a NaN,
/// the result is one of its elements, and may be another one for another window or type.
template <class Window, class Where, class In, class Out, class Border>
status median_filter(Where&& where, const In& in, const Out& out, Border border) {
  return detail::filter<detail::median_of_window, Window>("median_filter", detail::place_of(where), as_view(in),
                                                          as_view(out), border);
}

}  // namespace memtile
#endif
