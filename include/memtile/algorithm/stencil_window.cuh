// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The window of a stencil in registers: how wide and how deep it is for given types, how it moves on by a slice, and how a
// functor sees it.
#pragma once

#include <memtile/block/neighbours.cuh>
#include <memtile/block/line_ring.cuh>
#include <memtile/core/window.hpp>

namespace memtile {

MEMTILE_USER_CODE_BEGIN

namespace detail {

template <class Reach, class Out, class... In>
struct stencil_shape {
  static constexpr int fields = sizeof...(In);
  static constexpr int largest = largest_of(int(sizeof(Out)), int(sizeof(In))...),
                       smallest = smallest_of(int(sizeof(In))...);
  static constexpr bool has_runs = 16 % largest == 0 && 16 % smallest == 0;
  // Columns of a lane: 16 bytes of the largest type, and at least the 4 of an asynchronous copy of the smallest.
  static constexpr int width = has_runs ? max_of(16 / largest, 4 / smallest) : 1;
  static constexpr int runs = ceil_div(Reach::left, width) + 1 + ceil_div(Reach::right, width);

  // Registers of the window. A star needs all lines and neighbours of a slice only until that slice is in the middle.
  static constexpr int words = (0 + ... + (max_of(4, width* int(sizeof(In))) / 4));
  static constexpr int line_words = words * runs, cross_words = words * (Reach::rows - 1 + runs - 1);
  static constexpr int window_words = Reach::is_star ? words * Reach::slices + cross_words * (Reach::back + 1)
                                                     : line_words * Reach::rows * Reach::slices;

  static constexpr bool shares_lines = Reach::rows > 1;
  static constexpr int line_bytes = (31 + runs) * width * (0 + ... + int(sizeof(In)));
  MEMTILE_FUNCTION static constexpr int bytes_of(int warps_, int slots_) {
    return slots_ * (shares_lines ? warps_ + Reach::rows - 1 : warps_) * line_bytes;
  }
  // Warps of a block and slices that its rings hold, all but one of which are on their way: 8 warps where 48 KiB allow it,
  // and 4 KiB for each, of which 32 on a multiprocessor have 112 KiB on their way.
  static constexpr int limit = 48 * 1024;
  MEMTILE_FUNCTION static constexpr int most_slots() {
    int slots_ = 4;
    while (slots_ < 32 && 2 * slots_ * line_bytes <= 4608 && bytes_of(8, 2 * slots_) <= limit) slots_ *= 2;
    return slots_;
  }
  static constexpr int slots = most_slots();
  static constexpr int warps = bytes_of(8, slots) <= limit ? 8 : bytes_of(4, slots) <= limit ? 4 : 1;
  static constexpr bool fits = window_words <= 112 && bytes_of(warps, slots) <= limit;

  static constexpr int sharing = shares_lines ? warps : 1;
  template <class T>
  using ring = line_ring<T, width, Reach, sharing, slots>;
  using storage = pack<typename ring<In>::storage...>;
};

// Whether a functor indexes its window in loops that stay loops: registers can not be indexed so.
template <class Functor, class = void>
inline constexpr bool keeps_loops = false;
template <class Functor>
inline constexpr bool keeps_loops<Functor, enable_if_t<Functor::keeps_loops>> = true;

// The lines around one place, in registers.
template <class T, int Width, class Reach>
struct held_window {
  using any_ring = line_ring<T, Width, Reach, 1, 1>;
  typename any_ring::line lines[Reach::slices][Reach::rows];

  MEMTILE_FUNCTION T at(int slice, int row, int column) const {
    return lines[slice + Reach::front][row + Reach::up][any_ring::first + column];
  }
  template <class Ring, class Functor>
  MEMTILE_FUNCTION void enter(const Ring& ring, int slot, const Functor&) {
    MEMTILE_UNROLL
    for (int y = 0; y < Reach::rows; ++y) {
      MEMTILE_UNROLL
      for (int z = 0; z + 1 < Reach::slices; ++z) lines[z][y] = lines[z + 1][y];
      lines[Reach::slices - 1][y] = ring.read(slot, y);
    }
  }
};

// A functor of two passes: `row_result of_row(values)` makes one value of the neighbours in a line, values(dx), and only
// these are held; n.at(slice, 0, 0) is that of a slice.
template <class Functor, class = void>
struct row_pass {
  using result = void;
};
template <class Functor>
struct row_pass<Functor, void_t<typename Functor::row_result>> {
  using result = typename Functor::row_result;
};
template <class Line>
struct values_of_line {
  const Line& line;
  int first;
  MEMTILE_FUNCTION auto operator()(int dx) const { return line[first + dx]; }
};
template <class Result, int Width, class Reach>
struct held_row_results {
  static_assert(Reach::rows == 1, "memtile: a stencil of two passes must be of a matrix or a vector");
  Result results[Reach::slices][Width];

  MEMTILE_FUNCTION Result at(int slice, int, int column) const { return results[slice + Reach::front][column]; }
  template <class Ring, class Functor>
  MEMTILE_FUNCTION void enter(const Ring& ring, int slot, const Functor& functor) {
    const auto line = ring.read(slot, 0);
    MEMTILE_UNROLL
    for (int j = 0; j < Width; ++j) {
      MEMTILE_UNROLL
      for (int z = 0; z + 1 < Reach::slices; ++z) results[z][j] = results[z + 1][j];
      results[Reach::slices - 1][j] = functor.of_row(values_of_line<typename Ring::line>{line, Ring::first + j});
    }
  }
};

// How a kernel's columns, slots and windows are: of a functor of two passes by its results.
template <class Result, class Reach, class Out, class... In>
struct shape_and_windows : stencil_shape<Reach, conditional_t<(sizeof(Result) > sizeof(Out)), Result, Out>, In...> {
  using base = stencil_shape<Reach, conditional_t<(sizeof(Result) > sizeof(Out)), Result, Out>, In...>;
  static constexpr bool fits = base::width * max_of(4, int(sizeof(Result))) / 4 * Reach::slices <= 80 &&
                               base::bytes_of(base::warps, base::slots) <= base::limit;
  using windows = pack<held_row_results<Result, base::width, Reach>>;
};
template <class Reach, class Out, class... In>
struct shape_and_windows<void, Reach, Out, In...> : stencil_shape<Reach, Out, In...> {
  using windows = pack<held_window<In, stencil_shape<Reach, Out, In...>::width, Reach>...>;
};
template <class Functor, class Reach, class Out, class... In>
using shape_for = shape_and_windows<typename row_pass<Functor>::result, Reach, Out, In...>;

template <class Reach, class Windows>
struct held_neighbours {
  const Windows& windows;
  int at_column;  // of the lane's run
  int64 slice, row, column;

  template <int Field>
  MEMTILE_FUNCTION auto at(int dz, int dy, int dx, site s) const {
    using T = bare_t<decltype(element<Field>(windows).at(0, 0, 0))>;
    if (!in_window<Reach>(dz, dy, dx, s)) return T{};
    return element<Field>(windows).at(dz, dy, at_column + dx);
  }
};

// Every ring of a pack, or every ring with its window.
template <class Border>
MEMTILE_FUNCTION void fill_all(pack<>&, int, int64, const Border&) {}
template <class Border, class Ring, class... Rest>
MEMTILE_FUNCTION void fill_all(pack<Ring, Rest...>& rings, int slot, int64 slice, const Border& border) {
  rings.first.fill(slot, slice, border);
  fill_all(rings.rest, slot, slice, border);
}
MEMTILE_FUNCTION void move_all(pack<>&, int64) {}
template <class Ring, class... Rest>
MEMTILE_FUNCTION void move_all(pack<Ring, Rest...>& rings, int64 column0) {
  rings.first.move_to(column0);
  move_all(rings.rest, column0);
}
template <class Functor>
MEMTILE_FUNCTION void enter_all(pack<>&, const pack<>&, int, const Functor&) {}
template <class Window, class... Windows, class Ring, class... Rings, class Functor>
MEMTILE_FUNCTION void enter_all(pack<Window, Windows...>& windows, const pack<Ring, Rings...>& rings, int slot,
                                const Functor& functor) {
  windows.first.enter(rings.first, slot, functor);
  enter_all(windows.rest, rings.rest, slot, functor);
}
template <class Shape>
MEMTILE_FUNCTION pack<> rings_of(int, int, pack<>&, const pack<>&, int64, int64, uint32, site) {
  return {};
}
template <class Shape, class Storage, class... Storages, class T, class... Rest>
MEMTILE_FUNCTION auto rings_of(int rank, int lane, pack<Storage, Storages...>& shared,
                               const pack<volume_view<const T>, Rest...>& in, int64 row0, int64 column0, uint32 wide,
                               site s) {
  using ring = typename Shape::template ring<T>;
  const auto rest = rings_of<Shape>(rank, lane, shared.rest, in.rest, row0, column0, wide >> 1, s);
  return pack<ring, typename Shape::template ring<typename Rest::element>...>{
      ring(rank, lane, shared.first, in.first, row0, column0, (wide & 1) != 0, s), rest};
}

}  // namespace detail

MEMTILE_USER_CODE_END

}  // namespace memtile
