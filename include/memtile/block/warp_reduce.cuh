// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reduction of one value of each lane of a warp, or of groups of lanes, through registers alone.
//
// The trap: a lane that does not exist has no value, and a shuffle from it yields nonsense, which is zero often enough to
// pass for a sum. Here it is asked, but what it answers is left out; no identity of the operator is needed.
#pragma once

#include <memtile/block/block.cuh>
#include <memtile/core/operators.hpp>

namespace memtile {

MEMTILE_USER_CODE_BEGIN
namespace detail {
// Of the first `count` lanes, in groups. All lanes of the warp call.
template <class T, class Operator>
MEMTILE_FUNCTION T fold_lanes(const warp& w, T v, const Operator& op, int group, int count, site s) {
  MEMTILE_UNROLL
  for (int distance = 1; distance < 32; distance *= 2) {
    if (distance >= group) break;
    const T other = w.shuffle_down(v, distance, group, s);
    // past the end of its group a lane gets its own value: only lanes that nobody reads any more do
    if (count % group == 0 || w.lane() + distance < count) v = op(v, other);
  }
  return v;
}
}  // namespace detail

/// v(0) op v(1) op ... over the lanes of each group of `group` neighbours, in their order.
///
/// Callers   all lanes of the warp; the last warp of a block may be incomplete
/// Result    in the first lane of each group; the others hold parts of it
/// Requires  `group` a power of two up to 32; T trivially copyable; op associative, but not commutative
/// Cost      log2(group) shuffles for every 4 bytes of T; no memory
template <class T, class Operator>
MEMTILE_FUNCTION T warp_reduce_to_first(const warp& w, T v, const Operator& op, int group = 32, site s = site::here()) {
  if (w.size() == 32) return detail::fold_lanes(w.complete(), v, op, group, 32, s);
  return detail::fold_lanes(w, v, op, group, w.size(), s);
}

/// The same, with the result in every lane of the group, bit for bit.
template <class T, class Operator>
MEMTILE_FUNCTION T warp_reduce(const warp& w, T v, const Operator& op, int group = 32, site s = site::here()) {
  if (w.size() < 32) return w.shuffle(warp_reduce_to_first(w, v, op, group, s), 0, group, s);
  MEMTILE_UNROLL
  for (int distance = 1; distance < 32; distance *= 2) {
    if (distance >= group) break;
    const T other = w.complete().shuffle_xor(v, distance, group, s);
    v = (w.lane() & distance) != 0 ? op(other, v) : op(v, other);
  }
  return v;
}
MEMTILE_USER_CODE_END

}  // namespace memtile
