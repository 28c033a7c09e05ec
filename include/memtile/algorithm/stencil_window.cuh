// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The window of a stencil in registers: how wide and how deep it is for given types, how it moves on by a slice, and how a
// functor sees it.
#pragma once

#include <memtile/block/line_ring.cuh>
#include <memtile/block/neighbours.cuh>
#include <memtile/core/window.hpp>
#include <memtile/reg/run_of_halves.cuh>

namespace memtile {

MEMTILE_USER_CODE_BEGIN

namespace detail {

// Kept: slices of the ring that are read once more when they leave the window.
template <int Kept, class Reach, class Out, class... In>
struct shape_with_kept {
  static constexpr int fields = sizeof...(In);
  static constexpr int largest = largest_of(int(sizeof(Out)), int(sizeof(In))...),
                       smallest = smallest_of(int(sizeof(In))...);
  static constexpr bool has_runs = 16 % int(sizeof(Out)) == 0 && (true && ... && (16 % int(sizeof(In)) == 0));
  // Columns of a lane: 16 bytes of the largest type, and at least the 4 of an asynchronous copy of the smallest.
  static constexpr int width = has_runs ? max_of(16 / largest, 4 / smallest) : 1;
  static constexpr int runs = ceil_div(Reach::left, width) + 1 + ceil_div(Reach::right, width);

  // Registers of the window. Of a star only the middle row of each slice is held; the rest of the slice in the middle is
  // read again from the ring, which keeps it for so long.
  static constexpr int words = (0 + ... + (max_of(4, width* int(sizeof(In))) / 4));
  static constexpr bool reads_again = Reach::is_star && Reach::slices > 1;
  static constexpr int window_words =
      reads_again ? words * (Reach::slices + Reach::rows - 1 + runs) : words * runs * Reach::rows * Reach::slices;

  static constexpr bool shares_lines = Reach::rows > 1;
  static constexpr int line_bytes = (31 + runs) * width * (0 + ... + int(sizeof(In)));
  MEMTILE_FUNCTION static constexpr int slots_of(int ahead_) { return ahead_ + 1 + (reads_again ? Reach::back : Kept); }
  MEMTILE_FUNCTION static constexpr bool has_room(int warps_, int ahead_) {
    return slots_of(ahead_) * (shares_lines ? warps_ + Reach::rows - 1 : warps_) * line_bytes <= 48 * 1024;
  }
  // Slices that are on their way: 4 KiB of them for a warp, of which 32 on a multiprocessor have 112 KiB; three where more
  // do not fit. Rather fewer warps than fewer slices, unless those share lines.
  MEMTILE_FUNCTION static constexpr int most_ahead() {
    int ahead_ = 3;
    while (ahead_ < 31 && 2 * (ahead_ + 1) * line_bytes <= 4608) ahead_ = 2 * ahead_ + 1;
    return has_room(shares_lines ? 8 : 4, ahead_) ? ahead_ : 3;
  }
  static constexpr int ahead = most_ahead(), slots = slots_of(ahead);
  static constexpr int warps = has_room(8, ahead) ? 8 : has_room(4, ahead) ? 4 : 1;
  // One warp that brings all lines of a high window for itself is slower than loads from the first-level cache.
  static constexpr bool fits = window_words <= 112 && has_room(warps, ahead) && (warps > 1 || !shares_lines);

  static constexpr int sharing = shares_lines ? warps : 1;
  template <class T>
  using ring = line_ring<T, width, Reach, sharing, slots>;
  using storage = pack<typename ring<In>::storage...>;
};
template <class Reach, class Out, class... In>
using stencil_shape = shape_with_kept<0, Reach, Out, In...>;

// Whether a functor indexes its window in loops that stay loops: registers can not be indexed so.
template <class Functor, class = void>
inline constexpr bool keeps_loops = false;
template <class Functor>
inline constexpr bool keeps_loops<Functor, enable_if_t<Functor::keeps_loops>> = true;

// How a window holds lines: as the ring has them, value by value; or by halves, which make one column of two.
template <class T, int Width, class Reach>
struct lines_of_values {
  using any_ring = line_ring<T, Width, Reach, 1, 1>;
  using line = typename any_ring::line;
  static constexpr int columns = Width, first = any_ring::first;
  MEMTILE_FUNCTION static line of(const line& from) { return from; }
};
template <class T, int Width, class Reach>
struct lines_of_halves {
  using any_ring = line_ring<T, Width, Reach, 1, 1>;
  using line = run_of_halves<T, Width, Reach::left, Reach::right>;
  static constexpr int columns = Width / 2, first = Reach::left;
  MEMTILE_FUNCTION static line of(const typename any_ring::line& from) { return line::of(from, any_ring::first); }
};

// The lines around one place, in registers.
template <class Lines, class Reach>
struct held_window {
  typename Lines::line lines[Reach::slices][Reach::rows];

  MEMTILE_FUNCTION auto at(int slice, int row, int column) const {
    return lines[slice + Reach::front][row + Reach::up][Lines::first + column];
  }
  // The slice in a slot becomes the last one; the first one is forgotten.
  template <class Ring, class Functor>
  MEMTILE_FUNCTION void enter(const Ring& ring, int slot, const Functor&) {
    MEMTILE_UNROLL
    for (int y = 0; y < Reach::rows; ++y) {
      MEMTILE_UNROLL
      for (int z = 0; z + 1 < Reach::slices; ++z) lines[z][y] = lines[z + 1][y];
      lines[Reach::slices - 1][y] = Lines::of(ring.read(slot, y));
    }
  }
};

// The same of a star: one run of each slice, and the lines of the slice in the middle.
template <class T, int Width, class Reach>
struct held_star {
  using any_ring = line_ring<T, Width, Reach, 1, 1>;
  packed_run<T, Width, 1> own[Reach::slices];
  typename any_ring::line middle[Reach::rows];

  MEMTILE_FUNCTION T at(int slice, int row, int column) const {
    return slice == 0 ? middle[row + Reach::up][any_ring::first + column] : own[slice + Reach::front][column];
  }
  template <class Ring, class Functor>
  MEMTILE_FUNCTION void enter(const Ring& ring, int slot, const Functor&) {
    MEMTILE_UNROLL
    for (int z = 0; z + 1 < Reach::slices; ++z) own[z] = own[z + 1];
    own[Reach::slices - 1] = ring.read_own(slot, Reach::up);
  }
  // Once the window is whole.
  template <class Ring>
  MEMTILE_FUNCTION void see_middle(const Ring& ring, int slot) {
    const int earlier = slot < Reach::back ? slot - Reach::back + Ring::slots : slot - Reach::back;
    MEMTILE_UNROLL
    for (int y = 0; y < Reach::rows; ++y) middle[y] = ring.read(earlier, y);
  }
};
template <class Window, class Ring>
MEMTILE_FUNCTION void see_middle(Window&, const Ring&, int) {}
template <class T, int Width, class Reach, class Ring>
MEMTILE_FUNCTION void see_middle(held_star<T, Width, Reach>& window, const Ring& ring, int slot) {
  window.see_middle(ring, slot);
}

// A functor of two passes: `row_result of_row(values)` makes one value of the neighbours in a line, values(dx), and only
// these are held; n.at(slice, 0, 0) is that of a slice. With `next_of_row(result, values)` it makes one of that of the column
// before. If it says `adds_rows`, only the sum of the results of all slices is held, and is n.at(0, 0, 0): what enters is
// added, what leaves taken away.
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
template <class Lines, class Functor>
using result_of_row = decltype(declval<const Functor&>().of_row(declval<values_of_line<typename Lines::line>>()));
template <class Functor, class = void>
inline constexpr int columns_to_next = 0;  // and 0 where there is no next_of_row
template <class Functor>
inline constexpr int columns_to_next<Functor, enable_if_t<(Functor::columns_to_next > 0)>> = Functor::columns_to_next;
template <class Functor, class = void>
inline constexpr bool adds_rows = false;
template <class Functor>
inline constexpr bool adds_rows<Functor, enable_if_t<Functor::adds_rows>> = true;

// The results of a line, each given to visit(j, result).
template <class Lines, class Ring, class Functor, class Visit>
MEMTILE_FUNCTION void results_of_row(const Ring& ring, int slot, const Functor& functor, const Visit& visit) {
  constexpr int next = columns_to_next<Functor>;
  const auto line = Lines::of(ring.read(slot, 0));
  result_of_row<Lines, Functor> results[Lines::columns];
  MEMTILE_UNROLL
  for (int j = 0; j < Lines::columns; ++j) {
    const values_of_line<typename Lines::line> values{line, Lines::first + j};
    if constexpr (next > 0)
      results[j] = j < next ? functor.of_row(values) : functor.next_of_row(results[j - next], values);
    else results[j] = functor.of_row(values);
    visit(j, results[j]);
  }
}
template <class Lines, class Functor, class Reach>
struct held_row_results {
  static_assert(Reach::rows == 1, "memtile: a stencil of two passes must be of a matrix or a vector");
  using result = result_of_row<Lines, Functor>;
  result results[Reach::slices][Lines::columns];

  MEMTILE_FUNCTION result at(int slice, int, int column) const { return results[slice + Reach::front][column]; }
  template <class Ring>
  MEMTILE_FUNCTION void enter(const Ring& ring, int slot, const Functor& functor) {
    results_of_row<Lines>(ring, slot, functor, [&](int j, result entering) {
      MEMTILE_UNROLL
      for (int z = 0; z + 1 < Reach::slices; ++z) results[z][j] = results[z + 1][j];
      results[Reach::slices - 1][j] = entering;
    });
  }
};
template <class Lines, class Functor, class Reach>
struct held_sum_of_rows {
  static_assert(Reach::rows == 1, "memtile: a stencil of two passes must be of a matrix or a vector");
  using result = result_of_row<Lines, Functor>;
  result sums[Lines::columns];
  int slices;  // that they are of

  MEMTILE_FUNCTION result at(int, int, int column) const { return sums[column]; }
  template <class Ring>
  MEMTILE_FUNCTION void enter(const Ring& ring, int slot, const Functor& functor) {
    results_of_row<Lines>(ring, slot, functor, [&](int j, result entering) { sums[j] = add(sums[j], entering); });
    if (slices < Reach::slices) {
      ++slices;
    } else {
      const int leaving = slot < Reach::slices ? slot - Reach::slices + Ring::slots : slot - Reach::slices;
      results_of_row<Lines>(ring, leaving, functor, [&](int j, result left) { sums[j] = subtract(sums[j], left); });
    }
  }
};

// A functor that says `takes_halves` sees two columns at a time where it stands for one input of small integers, and one output
// of the same type: n(dy, dx), and its result, are halves<T> then.
template <class Functor, class = void>
inline constexpr bool takes_halves = false;
template <class Functor>
inline constexpr bool takes_halves<Functor, enable_if_t<Functor::takes_halves>> = true;

template <class Functor, class Reach, int Width, class Out, class... In>
inline constexpr bool works_on_halves = false;
template <class Functor, class Reach, int Width, class T>
inline constexpr bool works_on_halves<Functor, Reach, Width, T, T> =
    takes_halves<Functor>&& has_halves<T, Width>&& has_extremes_of_halves<8 * int(sizeof(T))>() &&
    (!is_same<typename row_pass<Functor>::result, void> ||
     (Reach::left + Width / 2 + Reach::right) * Reach::rows * Reach::slices <= 112);

// What a lane holds, in the lines that Functor works on.
template <class Functor, class Lines, class Reach, class Result = typename row_pass<Functor>::result>
struct window_of {
  using type = conditional_t<adds_rows<Functor>, held_sum_of_rows<Lines, Functor, Reach>,
                             held_row_results<Lines, Functor, Reach>>;
};
template <class Functor, class Lines, class Reach>
struct window_of<Functor, Lines, Reach, void> {
  using type = held_window<Lines, Reach>;
};
template <class Functor, class Base, class Reach, class Out, class... In>
struct windows_of {
  static constexpr bool by_halves = works_on_halves<Functor, Reach, Base::width, Out, In...>;
  template <class T>
  using lines =
      conditional_t<by_halves, lines_of_halves<T, Base::width, Reach>, lines_of_values<T, Base::width, Reach>>;
  template <class T>
  using window = conditional_t<Base::reads_again && !by_halves, same_type<held_star<T, Base::width, Reach>>,
                               window_of<Functor, lines<T>, Reach>>;
  using type = pack<typename window<In>::type...>;
};

// How many columns, slots and windows a kernel has. Of a functor of two passes results are held: as many columns as its elements
// allow, but of many slices fewer.
template <class Functor, class Result, class Reach, class Out, class... In>
struct columns_and_fit {
  static constexpr int held_slices = adds_rows<Functor> ? 1 : Reach::slices;
  static constexpr int column_bytes =
      held_slices * (takes_halves<Functor> ? int(sizeof(Result)) : max_of(4, int(sizeof(Result))));
  MEMTILE_FUNCTION static constexpr int element_bytes() {
    int bytes = int(sizeof(Out));
    while (bytes < int(sizeof(Result)) && 16 / bytes * column_bytes > 192) bytes *= 2;
    return bytes;
  }
  using base = shape_with_kept<adds_rows<Functor> ? Reach::slices : 0, Reach, vec<uint8, element_bytes()>, In...>;
  static constexpr bool fits = base::width * column_bytes <= 320 && base::has_room(base::warps, base::ahead) &&
                               (base::warps > 1 || !adds_rows<Functor>);
};
template <class Functor, class Reach, class Out, class... In>
struct columns_and_fit<Functor, void, Reach, Out, In...> {
  using base = stencil_shape<Reach, Out, In...>;
  static constexpr bool fits = base::fits;
};
template <class Functor, class Reach, class Out, class... In>
struct shape_for : columns_and_fit<Functor, typename row_pass<Functor>::result, Reach, Out, In...>::base {
  using sized = columns_and_fit<Functor, typename row_pass<Functor>::result, Reach, Out, In...>;
  using held = windows_of<Functor, typename sized::base, Reach, Out, In...>;
  using windows = typename held::type;
  static constexpr bool fits = sized::fits, by_halves = held::by_halves;
};

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
MEMTILE_FUNCTION void see_all(pack<>&, const pack<>&, int) {}
template <class Window, class... Windows, class Ring, class... Rings>
MEMTILE_FUNCTION void see_all(pack<Window, Windows...>& windows, const pack<Ring, Rings...>& rings, int slot) {
  see_middle(windows.first, rings.first, slot);
  see_all(windows.rest, rings.rest, slot);
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
