// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// 16 bytes of a row at a time, as words whatever the element: the whole of them by one access, what is left at the end of a
// row element by element. The elements of the last run are shifted through the words, in a loop: written out, each would
// be an instruction of its own for every place.
#pragma once

#include <memtile/core/math.hpp>
#include <memtile/global/access.cuh>

namespace memtile::detail {

using run_of_words = vec<uint32, 4>;

// All words moved up, or down, by the bytes of an element; what comes in is `element`, or is lost.
template <class Element>
MEMTILE_FUNCTION void shift_in(run_of_words& w, Element element) {
  constexpr int bytes = int(sizeof(Element)), whole = max_of(1, bytes / 4);
  if constexpr (bytes < 4) {
    MEMTILE_UNROLL
    for (int i = 3; i > 0; --i) w[i] = w[i] << 8 * bytes | w[i - 1] >> (32 - 8 * bytes);
    w[0] = w[0] << 8 * bytes | uint32(element);
  } else {
    MEMTILE_UNROLL
    for (int i = 3; i >= whole; --i) w[i] = w[i - whole];
    copy_bytes(&w, &element, sizeof(Element));
  }
}
template <class Element>
MEMTILE_FUNCTION Element shift_out(run_of_words& w) {
  constexpr int bytes = int(sizeof(Element)), whole = max_of(1, bytes / 4);
  Element element;
  if constexpr (bytes < 4) {
    element = Element(w[0]);
    MEMTILE_UNROLL
    for (int i = 0; i < 3; ++i) w[i] = w[i] >> 8 * bytes | w[i + 1] << (32 - 8 * bytes);
    w[3] >>= 8 * bytes;
  } else {
    copy_bytes(&element, &w, sizeof(Element));
    MEMTILE_UNROLL
    for (int i = 0; i + whole < 4; ++i) w[i] = w[i + whole];
  }
  return element;
}

/// The 16 bytes from (r, c) on; beyond the view zeros. Whole: they all lie inside.
///
/// Requires  r, c >= 0, c a multiple of a run, and rows that begin at multiples of 16 bytes
template <bool Whole, class Element>
MEMTILE_FUNCTION run_of_words load_run(const matrix_view<const Element>& in, int64 r, int64 c, site s) {
  constexpr int width = 16 / int(sizeof(Element));
  if constexpr (Whole) {
    if (!hw::inside("matrix_view", {r, c}, {in.rows, in.cols}, 1, width, s)) return {};
    return hw::load_global(reinterpret_cast<const run_of_words*>(in.address(r, c)), s.at(r, c));
  } else {
    if (r < in.rows && c + width <= in.cols) return load_run<true>(in, r, c, s);
    run_of_words w{};
    MEMTILE_KEEP_LOOP
    for (int64 i = r < in.rows ? in.cols - 1 : -1; i >= c; --i) shift_in(w, in.load(r, i, s));
    return w;
  }
}
template <bool Whole, class Element>
MEMTILE_FUNCTION void store_run(const matrix_view<Element>& out, int64 r, int64 c, run_of_words w, site s) {
  constexpr int width = 16 / int(sizeof(Element));
  if constexpr (Whole) {
    if (!hw::inside("matrix_view", {r, c}, {out.rows, out.cols}, 1, width, s)) return;
    hw::store_global(reinterpret_cast<run_of_words*>(out.address(r, c)), w, s.at(r, c));
  } else {
    if (r < out.rows && c + width <= out.cols) return store_run<true>(out, r, c, w, s);
    MEMTILE_KEEP_LOOP
    for (int64 i = r < out.rows ? c : out.cols; i < out.cols; ++i) out.store(r, i, shift_out<Element>(w), s);
  }
}

}  // namespace memtile::detail
