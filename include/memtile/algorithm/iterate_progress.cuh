// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How far an iteration that stops by itself has come: kept in device memory, so that the host need not be asked.
#pragma once

#include <memtile/block/warp_reduce.cuh>
#include <memtile/global/access.cuh>

namespace memtile {

/// What iterate_until leaves on the device.
struct iterate_progress {
  int64 steps;        // that were done
  int64 has_settled;  // 1: the change was small enough, and nothing was done any more
  double change;      // the largest of any element in the last step that was looked at
  double pending;     // of the step that is being looked at
};

namespace detail {

// Whether nothing is to be done any more. Of the element only this is read: another warp may be recording a change.
MEMTILE_FUNCTION bool is_settled(const vector_view<iterate_progress>& progress, site s) {
  return progress.size > 0 && hw::load_global(&progress.address(0)->has_settled, s) != 0;
}

// How much an element has changed, in a type that holds it; of what is no number that is not known.
template <class T>
inline constexpr bool has_change = is_number<plain_type<T>>;
template <class T>
using change_type = conditional_t<is_same<plain_type<T>, float>, float, double>;
template <class T>
MEMTILE_FUNCTION change_type<T> change_of(T after, T before) {
  using change = change_type<T>;
  if constexpr (is_integer<plain_type<T>> && sizeof(T) == 8) {  // of which a double does not hold all
    return change(after < before ? uint64(before) - uint64(after) : uint64(after) - uint64(before));
  } else if constexpr (has_change<T>) {
    const change difference = change(plain_type<T>(after)) - change(plain_type<T>(before));
    return difference < 0 ? -difference : difference;
  } else {
    return {};
  }
}

// The largest change that any lane has seen. Which warp comes first does not matter: a maximum is exact. Doubles that are
// not negative are ordered as their bits are, and NaN comes last.
template <class Change>
MEMTILE_FUNCTION void record_change(const vector_view<iterate_progress>& progress, const warp& w, Change change,
                                    site s) {
  const double most = double(warp_reduce_to_first(w, change, maximum{}, 32, s));
  if (w.lane() == 0)
    hw::atomic_max(hw::memory::global, reinterpret_cast<int64*>(&progress.address(0)->pending),
                   __builtin_bit_cast(int64, most) & highest<int64>(), s);
}

}  // namespace detail

/// After `steps` more: looks at the change, and stops if it is at most `enough`. Of 0 steps: begins. One thread does it.
struct note_progress_kernel {
  static constexpr const char* name = "memtile::iterate";
  static constexpr int threads = 32;

  MEMTILE_KERNEL void operator()(block b, vector_view<iterate_progress> progress, int64 steps, double enough) const {
    if (b.rank() != 0) return;
    iterate_progress p{};
    if (steps > 0) {
      p = progress.load(0);
      if (p.has_settled != 0) return;
      p = {p.steps + steps, p.pending <= enough, p.pending, 0};
    }
    progress.store(0, p);
  }
};

}  // namespace memtile
