// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a warp holds of each step of several, and how the borders of an image are imposed on it anew: from the lines and
// lanes of the warp alone.
#pragma once

#include <memtile/algorithm/stencil_window.cuh>

namespace memtile {

MEMTILE_USER_CODE_BEGIN

namespace detail {

// Borders whose values stand in a warp's own lines and lanes, or are known. A border of a user's own may point anywhere. One
// that wraps on one side only would need a line from the other end of the image.
template <class Border>
inline constexpr bool is_wrap = is_same<Border, wrap>;
template <class Before, class After>
inline constexpr bool is_wrap<sides<Before, After>> = is_same<Before, wrap>&& is_same<After, wrap>;
template <class Side>
inline constexpr bool is_near =
    is_same<Side, replicate> || is_same<Side, reflect> || is_same<Side, reflect101> || is_same<Side, valid>;
template <class V>
inline constexpr bool is_near<constant<V>> = true;
template <class Border>
inline constexpr bool can_be_imposed = is_near<Border> || is_wrap<Border>;
template <class Before, class After>
inline constexpr bool
    can_be_imposed<sides<Before, After>> = (is_near<Before> && is_near<After>) || is_wrap<sides<Before, After>>;

// Where all elements lie inside, and nothing has to be asked.
struct all_inside {
  MEMTILE_FUNCTION static constexpr int64 index(int64 i, int64) { return i; }
};

// What stands before or behind an axis with a constant border.
template <class T, class Border>
MEMTILE_FUNCTION T constant_of(const Border&, bool) {
  return {};
}
template <class T, class V>
MEMTILE_FUNCTION T constant_of(const constant<V>& border, bool) {
  return stored_as<T>(border.value);
}
template <class T, class Before, class After>
MEMTILE_FUNCTION T constant_of(const sides<Before, After>& border, bool before) {
  return before ? constant_of<T>(border.before, true) : constant_of<T>(border.after, false);
}

// How wide a warp's segment of a line is when it makes Depth steps, and how many registers that takes.
template <class T, class Reach, int Depth>
struct fused_shape {
  static constexpr int width = 16 % int(sizeof(T)) == 0 ? min_of(4, 16 / int(sizeof(T))) : 1;  // columns of a lane
  static constexpr int margin = ceil_div(Depth * max_of(Reach::left, Reach::right), width) * width;
  static constexpr int columns = 32 * width - 2 * margin;  // that are whole after all steps
  static constexpr int lines_with_sides = Reach::is_star ? 1 : Reach::slices;
  static constexpr int words =
      ceil_div(int(sizeof(T)), 4) * Depth * (Reach::slices * width + lines_with_sides * (Reach::left + Reach::right));

  // Lines of u that are on their way. Those of a field that the steps do not change stay until the last step has seen them.
  static constexpr int slots = 8, ahead = slots - 1;
  static constexpr int lines_of_constant = slots + (Depth + 1) * Reach::front;
  static constexpr int slots_of_constant = lines_of_constant <= 16 ? 16 : 32;
  template <class C>
  using ring = line_ring<C, width, reach<0, 0, 0, 0, Reach::left, Reach::right>, 1, slots_of_constant>;
};

// The lines of one step around one place: a lane's own run of each, and what its neighbours have beside it. Of a star only
// the line in the middle has sides.
template <class T, int Width, class Reach>
struct held_lines {
  static constexpr int before = Reach::left, after = Reach::right, newest = Reach::slices - 1;
  static constexpr int seen = Reach::is_star ? Reach::front : newest;
  T lines[Reach::slices][before + Width + after];

  MEMTILE_FUNCTION T at(int slice, int, int column) const { return lines[slice + Reach::front][before + column]; }

  // A line becomes the last one, and the first one is forgotten. All lanes call; what the first and the last lane see beyond
  // the segment is nothing.
  MEMTILE_FUNCTION void enter(const warp& w, const vec<T, Width>& line, site s) {
    MEMTILE_UNROLL
    for (int z = 0; z < newest; ++z) {
      MEMTILE_UNROLL
      for (int x = 0; x < before + Width + after; ++x) lines[z][x] = lines[z + 1][x];
    }
    MEMTILE_UNROLL
    for (int j = 0; j < Width; ++j) lines[newest][before + j] = line[j];
    MEMTILE_UNROLL
    for (int x = 1; x <= before; ++x)
      lines[seen][before - x] = w.shuffle_up(lines[seen][before + (x * Width - x) % Width], ceil_div(x, Width), 32, s);
    MEMTILE_UNROLL
    for (int x = 1; x <= after; ++x)
      lines[seen][before + Width - 1 + x] =
          w.shuffle_down(lines[seen][before + (x - 1) % Width], ceil_div(x, Width), 32, s);
  }

  MEMTILE_FUNCTION vec<T, Width> middle() const {
    vec<T, Width> line;
    MEMTILE_UNROLL
    for (int j = 0; j < Width; ++j) line[j] = lines[Reach::front][before + j];
    return line;
  }

  // Lines outside of the image become those that the border takes them from, which are all here: `row` is the middle one's.
  template <class Border>
  MEMTILE_FUNCTION void impose(const Border& border, int64 row, int64 rows) {
    MEMTILE_UNROLL
    for (int z = 0; z < Reach::slices; ++z) {
      int64 from = row - Reach::front + z;
      T unused;
      if ((from >= 0 && from < rows) || !comes_from_inside(border, from, rows, unused)) continue;
      const int there = int(from - row) + Reach::front;
      MEMTILE_UNROLL
      for (int other = 0; other < Reach::slices; ++other) {
        if (other != there) continue;
        MEMTILE_UNROLL
        for (int x = 0; x < before + Width + after; ++x) lines[z][x] = lines[other][x];
      }
    }
  }
};

// The lines of a field that the steps do not change, around one place; read anew by each step.
template <class C, int Width, class Reach>
struct seen_constant {
  using any_ring = line_ring<C, Width, reach<0, 0, 0, 0, Reach::left, Reach::right>, 1, 1>;
  typename any_ring::line lines[Reach::slices];

  MEMTILE_FUNCTION C at(int slice, int, int column) const {
    return lines[slice + Reach::front][any_ring::first + column];
  }
  template <class Ring>
  MEMTILE_FUNCTION void see(const Ring& ring, int middle) {
    MEMTILE_UNROLL
    for (int z = 0; z < Reach::slices; ++z) lines[z] = ring.read((middle - Reach::front + z) & (Ring::slots - 1), 0);
  }
};
MEMTILE_FUNCTION void see_constants(pack<>&, const pack<>&, int) {}
template <class Seen, class... Rest, class Ring, class... Rings>
MEMTILE_FUNCTION void see_constants(pack<Seen, Rest...>& seen, const pack<Ring, Rings...>& rings, int middle) {
  seen.first.see(rings.first, middle);
  see_constants(seen.rest, rings.rest, middle);
}

// A segment that lies within the image: where a lane's run stands, and nothing to impose.
struct inner_segment {
  int64 first;
  MEMTILE_FUNCTION int64 column(int j) const { return first + j; }
  template <class T, int Width>
  MEMTILE_FUNCTION void impose(const warp&, const vec<T, Width>&, vec<T, Width>&, site) const {}
};

// A warp's segment of the columns, and how the border of the columns is imposed on a line of it: on the few elements outside
// of the image that a window can reach.
template <class T, int Width, class Reach, class Border>
class segment {
  static constexpr int outside = Reach::left + Reach::right, places = 32 * Width;
  static constexpr int before = -1, behind = -2;  // a constant
  // What lies outside is computed like anything else, or nobody asks for it.
  static constexpr bool is_imposed_already = is_wrap<Border> || is_same<Border, valid>;

 public:
  MEMTILE_FUNCTION segment(const Border& border, int lane, int64 column0, int64 cols)
      : border_(border), column_(column0 + lane * Width), cols_(cols),
        leaves_image_(column0 < 0 || column0 + places > cols), rim_(0) {
    MEMTILE_UNROLL
    for (int j = 0; j < Width; ++j) {
      const int64 column = column_ + j;
      const bool is_rim = (is_valid_before<Border> && column < Reach::left) ||
                          (is_valid_after<Border> && column + Reach::right >= cols);
      rim_ |= uint32(is_rim) << j;
    }
    MEMTILE_UNROLL
    for (int i = 0; i < outside; ++i) {
      const bool is_before = i < Reach::left;
      int64 column = is_before ? -1 - i : cols + i - Reach::left;
      const int64 place = column - column0, own = place - lane * Width;
      to_[i] = place >= 0 && place < places && own >= 0 && own < Width ? 1u << int(own) : 0;
      T unused;
      const bool is_inside = comes_from_inside(border, column, cols, unused);
      const int from = int(column - column0) & (places - 1);
      from_lane_[i] = is_inside ? from / Width : is_before ? before : behind;
      from_[i] = 1u << from % Width;
    }
  }

  MEMTILE_FUNCTION bool leaves_image() const { return leaves_image_; }

  /// The column in the image of a lane's element j; that of the last element inside for those outside.
  MEMTILE_FUNCTION int64 column(int j) const {
    if (!leaves_image_) return column_ + j;
    if constexpr (is_wrap<Border>) return modulo(column_ + j, cols_);
    else return replicate::index(column_ + j, cols_);
  }

  /// Gives the results of a step what the border says: the rim stays as it was before, and what lies outside is made anew.
  /// All lanes call.
  MEMTILE_FUNCTION void impose(const warp& w, const vec<T, Width>& was, vec<T, Width>& line, site s) const {
    if ((is_imposed_already && !leaves_rim<Border>) || !leaves_image_) return;
    if constexpr (leaves_rim<Border>) {
      MEMTILE_UNROLL
      for (int j = 0; j < Width; ++j) line[j] = (rim_ >> j & 1) != 0 ? T(was[j]) : T(line[j]);
    }
    if constexpr (!is_imposed_already) {
      MEMTILE_UNROLL
      for (int i = 0; i < outside; ++i) {
        T v = line[0];
        MEMTILE_UNROLL
        for (int j = 1; j < Width; ++j) v = (from_[i] >> j & 1) != 0 ? T(line[j]) : T(v);
        v = w.shuffle(v, from_lane_[i], 32, s);
        if (from_lane_[i] < 0) v = constant_of<T>(border_, from_lane_[i] == before);
        MEMTILE_UNROLL
        for (int j = 0; j < Width; ++j) line[j] = (to_[i] >> j & 1) != 0 ? T(v) : T(line[j]);
      }
    }
  }

 private:
  const Border& border_;
  int64 column_, cols_;
  bool leaves_image_;
  // Of this lane's elements by bits, and not by numbers: from a comparison of numbers the compiler would make an index, for which
  // registers have to go to memory.
  uint32 rim_;                         // those that a step leaves as they are
  uint32 to_[max_of(1, outside)];      // the one that lies there, if one does
  uint32 from_[max_of(1, outside)];    // the one that its value comes from
  int from_lane_[max_of(1, outside)];  // of this lane; or a constant
};

// The results of a step for a lane's run of a line. The windows, of which the first one is held_lines, stand around it.
template <class T, class Reach, class Windows, class Ends, class Functor>
MEMTILE_FUNCTION auto results_of_line(const warp& w, const Windows& windows, int64 row, const Ends& of_segment,
                                      const Functor& functor, site s) {
  auto values = windows.first.middle();
  MEMTILE_UNROLL
  for (int j = 0; j < values.size; ++j) {
    const held_neighbours<Reach, Windows> around{windows, j, row, 0, of_segment.column(j)};
    values[j] = stored_as<T>(functor(neighbours<2, held_neighbours<Reach, Windows>>(around)));
  }
  of_segment.impose(w, windows.first.middle(), values, s);
  return values;
}
// The same of a line near the first or the last one of the image, or outside.
template <class T, class Reach, class Windows, class Ends, class Border, class Functor>
MEMTILE_FUNCTION auto results_at_edge(const warp& w, Windows& windows, int64 row, int64 rows, const Border& border,
                                      const Ends& of_segment, const Functor& functor, site s) {
  constexpr int radius = Reach::front;
  auto values = windows.first.middle();
  if constexpr (is_wrap<Border>) {
    values = results_of_line<T, Reach>(w, windows, modulo(row, rows), of_segment, functor, s);
  } else if (row < 0 || row >= rows) {  // a constant, or what impose() replaces in the next window
    MEMTILE_UNROLL
    for (int j = 0; j < values.size; ++j) values[j] = constant_of<T>(border, row < 0);
  } else if (!(is_valid_before<Border> && row < radius) && !(is_valid_after<Border> && row + radius >= rows)) {
    if (row < radius || row + radius >= rows) windows.first.impose(border, row, rows);
    values = results_of_line<T, Reach>(w, windows, row, of_segment, functor, s);
  }
  return values;
}

}  // namespace detail

MEMTILE_USER_CODE_END

}  // namespace memtile
