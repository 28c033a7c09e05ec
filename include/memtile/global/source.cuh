// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a reduction reads: elements 0 to size - 1, in runs of `width` neighbours that one thread takes at a time.
//
// A run of an array is 16 bytes. Which thread has which run follows from the index alone; where the base is no multiple
// of 16 bytes, the run is cut out of two aligned accesses, the second of which is the next lane's first. So a sum of
// floats has the same bits whatever the alignment.
//
//   value, width, size           a source's members
//   fetch(first, lanes)          what run(fetched, first, lanes) makes a whole run of: elements first to first + width - 1.
//                                By all lanes of a warp together, each run behind that of the lane before it; several
//                                fetches may be on their way before the first run is asked for
//   has_room(first, count)       whether fetch may be called for all runs of these elements
//   load_carefully(first)        a whole run, by any thread, whether there is room or not
//   load_some(first, count)      the first `count` elements of a run, 0 to width; the rest has no meaning
//   most_fetches, one_by_one     how many fetches should be on their way at most, and whether only one load_carefully:
//                                they take registers
#pragma once

#include <memtile/core/operators.hpp>
#include <memtile/core/view.hpp>
#include <memtile/global/access.cuh>
#include <memtile/hw/warp.cuh>

namespace memtile {

/// Lanes of one warp that load neighbouring runs at once; the last one of a group has no one behind it.
struct lanes_in_step {
  uint32 mask;
  bool is_last;
};

namespace detail {

template <class T>
inline constexpr int run_width = sizeof(T) <= 16 && (sizeof(T) & (sizeof(T) - 1)) == 0
                                     ? int(16 / sizeof(T))
                                     : 1;  // else: no vector access fits

using words = vec<uint32, 4>;

// 16 bytes from byte `shift` on, 0 < shift < 16 and a multiple of Step, of two neighbouring accesses.
template <int Step>
MEMTILE_FUNCTION words cut_out(const words& low, const words& high, int shift) {
  uint32 all[8] = {low[0], low[1], low[2], low[3], high[0], high[1], high[2], high[3]};
  MEMTILE_UNROLL
  for (int i = 0; i < 6; ++i) all[i] = (shift & 8) != 0 ? all[i + 2] : all[i];
  if constexpr (Step < 8) {
    MEMTILE_UNROLL
    for (int i = 0; i < 5; ++i) all[i] = (shift & 4) != 0 ? all[i + 1] : all[i];
  }
  words cut;
  MEMTILE_UNROLL
  for (int i = 0; i < 4; ++i) cut[i] = Step < 4 ? funnel_shift_right(all[i], all[i + 1], (shift & 3) * 8) : all[i];
  return cut;
}

}  // namespace detail

/// An array. Aligned: its base is a multiple of the bytes of a run. What lies up to `before` elements in front of it and
/// `behind` elements after it may be read as well, and is not used: rows of a matrix have each other as neighbours.
template <class T, bool Aligned, int Width = detail::run_width<T>>
struct array_source {
  using value = T;
  static constexpr int width = Width;
  static constexpr bool is_cut_out = !Aligned && width * int(sizeof(T)) == 16 && sizeof(T) < 4;
  static constexpr bool one_by_one = is_cut_out;
  static constexpr int most_fetches = is_cut_out ? 2 : 8;
  const T* data;
  int64 size;
  int before = 0, behind = 0;

  MEMTILE_FUNCTION bool has_room(int64 first, int count) const {
    if constexpr (is_cut_out)
      return first + before >= width && first + count + width <= size + behind;  // two accesses stay inside
    else return true;
  }
  struct two_words {
    detail::words low, high;
  };
  using fetched = detail::conditional_t<is_cut_out, two_words, vec<T, width>>;
  MEMTILE_FUNCTION fetched fetch(int64 first, const lanes_in_step& lanes, site s = site::here()) const {
    if constexpr (is_cut_out) {
      two_words w{hw::load_global(word_before(first), s.at(first)), {}};
      if (lanes.is_last) w.high = hw::load_global(word_before(first) + 1, s.at(first));
      return w;
    } else {
      return load_carefully(first, s);
    }
  }
  MEMTILE_FUNCTION vec<T, width> run(const fetched& f, int64 first, const lanes_in_step& lanes,
                                     site s = site::here()) const {
    if constexpr (is_cut_out) {
      detail::words high = hw::shuffle(hw::shuffle_kind::down, lanes.mask, f.low, 1, 32, s);
      MEMTILE_UNROLL
      for (int i = 0; i < 4; ++i) high[i] = lanes.is_last ? f.high[i] : high[i];  // word by word: they are registers
      return cut(f.low, high, first);
    } else {
      return f;
    }
  }
  MEMTILE_FUNCTION vec<T, width> load_carefully(int64 first, site s = site::here()) const {
    if constexpr (Aligned || width == 1) {
      return hw::load_global(reinterpret_cast<const vec<T, width>*>(data + first), s.at(first));
    } else {
      if (!is_cut_out || !has_room(first, width)) return load_some(first, width, s);
      const detail::words low = hw::load_global(word_before(first), s.at(first));
      return cut(low, hw::load_global(word_before(first) + 1, s.at(first)), first);
    }
  }
  MEMTILE_FUNCTION vec<T, width> load_some(int64 first, int count, site s = site::here()) const {
    vec<T, width> run{};
    if constexpr (width * int(sizeof(T)) == 16 && sizeof(T) < 4) {  // word by word, or each byte takes a register
      using bits = detail::conditional_t<sizeof(T) == 1, uint8, uint16>;
      detail::words w{};
      MEMTILE_UNROLL
      for (int i = 0; i < width; ++i) {
        const int bit = i * int(sizeof(T)) * 8;
        if (i >= count) continue;
        const T element = hw::load_global(data + first + i, s.at(first + i));
        w[bit / 32] |= uint32(__builtin_bit_cast(bits, element)) << bit % 32;
      }
      detail::copy_bytes(&run, &w, sizeof(run));
    } else {
      MEMTILE_UNROLL
      for (int i = 0; i < width; ++i)
        if (i < count) run[i] = hw::load_global(data + first + i, s.at(first + i));
    }
    return run;
  }

 private:
  MEMTILE_FUNCTION int shift(int64 first) const { return int(reinterpret_cast<size_t>(data + first) % 16); }
  MEMTILE_FUNCTION const detail::words* word_before(int64 first) const {
    return reinterpret_cast<const detail::words*>(reinterpret_cast<size_t>(data + first) / 16 * 16);
  }
  MEMTILE_FUNCTION vec<T, width> cut(const detail::words& low, const detail::words& high, int64 first) const {
    const detail::words w = detail::cut_out<int(alignof(T))>(low, high, shift(first));
    vec<T, width> run;
    detail::copy_bytes(&run, &w, sizeof(run));
    return run;
  }
};

/// Rows of elements, a pitch apart, one after the other.
template <class T>
struct pitched_source {
  using value = T;
  static constexpr int width = detail::run_width<T>;
  static constexpr bool one_by_one = true;
  static constexpr int most_fetches = 4;
  matrix_view<const T> rows;
  int64 size;

  MEMTILE_FUNCTION bool has_room(int64, int) const { return true; }
  using fetched = vec<T, width>;
  MEMTILE_FUNCTION fetched fetch(int64 first, const lanes_in_step&, site s = site::here()) const {
    return load_some(first, width, s);
  }
  MEMTILE_FUNCTION fetched run(const fetched& whole, int64, const lanes_in_step&, site = site::here()) const {
    return whole;
  }
  MEMTILE_FUNCTION vec<T, width> load_carefully(int64 first, site s = site::here()) const {
    return load_some(first, width, s);
  }
  MEMTILE_FUNCTION vec<T, width> load_some(int64 first, int count, site s = site::here()) const {
    int64 r = (first | rows.cols) >> 31 == 0 ? int(first) / int(rows.cols) : first / rows.cols;
    int64 c = first - r * rows.cols;
    if (count == width && c + width <= rows.cols)
      return array_source<T, false>{rows.address(r, 0), rows.cols, 0, 0}.load_carefully(c, s);
    vec<T, width> run{};
    MEMTILE_UNROLL
    for (int i = 0; i < width; ++i) {
      if (i < count) run[i] = hw::load_global(rows.address(r, c), s.at(r, c));
      if (++c == rows.cols) c = 0, ++r;
    }
    return run;
  }
};

/// f(0), f(1), ... f(size - 1): no memory is read.
template <class Function>
struct generated_source {
  using value = decltype(detail::declval<const Function&>()(int64(0)));
  static constexpr int width = 4;
  static constexpr bool one_by_one = true;
  static constexpr int most_fetches = 4;
  int64 size;
  Function f;

  MEMTILE_FUNCTION bool has_room(int64, int) const { return true; }
  using fetched = vec<value, width>;
  MEMTILE_FUNCTION fetched fetch(int64 first, const lanes_in_step&, site = site::here()) const {
    return load_some(first, width);
  }
  MEMTILE_FUNCTION fetched run(const fetched& whole, int64, const lanes_in_step&, site = site::here()) const {
    return whole;
  }
  MEMTILE_FUNCTION vec<value, width> load_carefully(int64 first, site = site::here()) const {
    return load_some(first, width);
  }
  MEMTILE_FUNCTION vec<value, width> load_some(int64 first, int count, site = site::here()) const {
    vec<value, width> run{};
    MEMTILE_UNROLL
    for (int i = 0; i < width; ++i)
      if (i < count) run[i] = f(first + i);
    return run;
  }
};

template <class First, class Second>
struct value_pair {
  First first;
  Second second;
};
/// first * second, as dot sums them.
struct product_of_pair {
  template <class First, class Second>
  MEMTILE_FUNCTION auto operator()(const value_pair<First, Second>& v) const {
    using first = detail::wide_type<First>;
    using second = detail::wide_type<Second>;
    using wide = detail::conditional_t<detail::is_integer<first> && detail::is_integer<second> &&
                                           !detail::is_same<first, second>,
                                       int64, decltype(first() * second())>;
    return multiply(wide(v.first), wide(v.second));
  }
};
/// Elements i of two arrays of one size, as pairs.
template <class First, class Second, bool Aligned>
struct pair_source {
  using value = value_pair<First, Second>;
  static constexpr int width = min_of(detail::run_width<First>, detail::run_width<Second>);
  array_source<First, Aligned, width> firsts;
  array_source<Second, Aligned, width> seconds;
  static constexpr bool one_by_one = decltype(firsts)::one_by_one || decltype(seconds)::one_by_one;
  static constexpr int most_fetches = 4;
  int64 size;

  MEMTILE_FUNCTION bool has_room(int64 first, int count) const {
    return firsts.has_room(first, count) && seconds.has_room(first, count);
  }
  struct fetched {
    typename array_source<First, Aligned, width>::fetched first;
    typename array_source<Second, Aligned, width>::fetched second;
  };
  MEMTILE_FUNCTION fetched fetch(int64 first, const lanes_in_step& lanes, site s = site::here()) const {
    return {firsts.fetch(first, lanes, s), seconds.fetch(first, lanes, s)};
  }
  MEMTILE_FUNCTION vec<value, width> run(const fetched& f, int64 first, const lanes_in_step& lanes,
                                         site s = site::here()) const {
    return paired(firsts.run(f.first, first, lanes, s), seconds.run(f.second, first, lanes, s));
  }
  MEMTILE_FUNCTION vec<value, width> load_carefully(int64 first, site s = site::here()) const {
    return paired(firsts.load_carefully(first, s), seconds.load_carefully(first, s));
  }
  MEMTILE_FUNCTION vec<value, width> load_some(int64 first, int count, site s = site::here()) const {
    return paired(firsts.load_some(first, count, s), seconds.load_some(first, count, s));
  }

 private:
  MEMTILE_FUNCTION static vec<value, width> paired(const vec<First, width>& a, const vec<Second, width>& b) {
    vec<value, width> run;
    MEMTILE_UNROLL
    for (int i = 0; i < width; ++i) run[i] = {a[i], b[i]};
    return run;
  }
};

}  // namespace memtile
