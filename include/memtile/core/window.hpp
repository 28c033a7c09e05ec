// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which neighbours a stencil may read, as a type.
#pragma once

#include <memtile/core/config.hpp>

namespace memtile {

/// So many rows above and below, and columns to the left and right.
template <int Up, int Down, int Left, int Right>
struct window {
  static constexpr int up = Up, down = Down, left = Left, right = Right;
};
/// All neighbours up to the radius.
template <int Radius>
struct box : window<Radius, Radius, Radius, Radius> {};
/// The neighbours along the axes alone, up to the radius.
template <int Radius>
struct star : window<Radius, Radius, Radius, Radius> {};

}  // namespace memtile
