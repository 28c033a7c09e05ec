// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Interleaved channels: an image of vec<T, C> is also one of T that is C times as wide, whose neighbours of one channel lie C
// columns apart. So filters of pixels are filters of numbers, which move 16 bytes to an access whatever the channels.
#pragma once

#include <memtile/algorithm/stencil_window.cuh>

namespace memtile {

MEMTILE_USER_CODE_BEGIN

namespace detail {

template <class T>
struct channels_of {
  using scalar = T;
  static constexpr int count = 1;
};
template <class T, int Channels>
struct channels_of<vec<T, Channels>> {
  static_assert(Channels <= 4, "memtile: the pixels of a filter must have 1 to 4 channels");
  using scalar = T;
  static constexpr int count = Channels;
};
// The elements of a filter, or their channels: numbers, with which it calculates.
template <class T>
using channel_type = typename channels_of<T>::scalar;

template <class Reach, int Channels>
using reach_in_channels =
    reach<Reach::front, Reach::back, Reach::up, Reach::down, Reach::left * Channels, Reach::right * Channels>;

// The border along columns: index i is channel i % Channels of a pixel.
template <class Border, int Channels>
struct border_of_pixels {
  Border border;
  MEMTILE_FUNCTION int64 index(int64 i, int64 n) const {
    const int64 channel = modulo(i, Channels);
    return border.index((i - channel) / Channels, n / Channels) * Channels + channel;
  }
};
template <int Channels, class Border>
MEMTILE_FUNCTION constexpr border_of_pixels<Border, Channels> along_channels(const Border& border) {
  return {border};
}
template <int Channels, class T>
MEMTILE_FUNCTION constexpr constant<T> along_channels(const constant<T>& border) {
  return border;
}
template <int Channels, class T, int Count>
MEMTILE_FUNCTION constexpr constant<T> along_channels(const constant<vec<T, Count>>&) {
  static_assert(always_false<T>,
                "memtile: the constant border of a filter of pixels must be one number for all channels");
  return {};
}
template <int Channels>
MEMTILE_FUNCTION constexpr valid along_channels(const valid& border) {
  return border;
}
template <int Channels, class Before, class After>
MEMTILE_FUNCTION constexpr auto along_channels(const sides<Before, After>& border) {
  return sides{along_channels<Channels>(border.before), along_channels<Channels>(border.after)};
}

// A functor of pixels of one channel, called for each of the channels.
template <class Neighbours, int Channels>
struct neighbours_of_channel {
  const Neighbours& all;
  MEMTILE_FUNCTION auto at(int slow, int middle, int fast) const { return all.at(slow, middle, fast * Channels); }
};
template <class Values, int Channels>
struct values_of_channel {
  const Values& all;
  MEMTILE_FUNCTION auto operator()(int dx) const { return all(dx * Channels); }
};
template <class Functor, int Channels, class RowResult = typename row_pass<Functor>::result>
struct each_channel {
  static constexpr bool keeps_loops = detail::keeps_loops<Functor>, takes_halves = detail::takes_halves<Functor>;
  static constexpr int columns_to_next = detail::columns_to_next<Functor> * Channels;
  static constexpr bool adds_rows = detail::adds_rows<Functor>;
  using row_result = RowResult;
  Functor functor;

  template <class Values>
  MEMTILE_FUNCTION auto of_row(const Values& values) const {
    return functor.of_row(values_of_channel<Values, Channels>{values});
  }
  template <class Result, class Values>
  MEMTILE_FUNCTION auto next_of_row(Result before, const Values& values) const {
    return functor.next_of_row(before, values_of_channel<Values, Channels>{values});
  }
  template <class Neighbours>
  MEMTILE_FUNCTION auto operator()(const Neighbours& n) const {
    return functor(n);  // the results of rows stand above each other
  }
};
template <class Functor, int Channels>
struct each_channel<Functor, Channels, void> {
  static constexpr bool keeps_loops = detail::keeps_loops<Functor>, takes_halves = detail::takes_halves<Functor>;
  Functor functor;

  template <class Neighbours>
  MEMTILE_FUNCTION auto operator()(const Neighbours& n) const {
    return functor(neighbours_of_channel<Neighbours, Channels>{n});
  }
};

}  // namespace detail

MEMTILE_USER_CODE_END

}  // namespace memtile
