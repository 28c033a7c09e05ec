// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Many steps of a stencil, each a kernel of its own.
#pragma once

#include <memtile/launch/stencil.cuh>

#if !defined(__CUDACC_RTC__)

namespace memtile::detail {

// A field that steps change, and those that they do not.
template <class View, class... Constant>
pack<View, Constant...> with_first(const View& first, const pack<Constant...>& rest) {
  return {first, rest};
}

// `steps` from u to u.
template <class Window, class Place, class View, class Constants, class Functor, class Border>
status enqueue_steps(const Place& place, int64 steps, const View& u, const View& scratch, const Constants& constants,
                     const Functor& functor, const Border& border) {
  const auto apply = [&](const View& from, const View& to) {
    return stencil_of_views<Window>(place, with_first(from, constants), to, functor, border, nullptr);
  };
  // An odd number begins with a copy; so does one that must find the rim in scratch too.
  if (steps % 2 == 1 || (steps > 0 && leaves_rim<Border>)) {
    if (status s = stencil_of_views<box<0>>(place, packed(u), scratch, itself{}, replicate{}, nullptr); !s) return s;
  }
  if (steps % 2 == 1) {
    if (status s = apply(scratch, u); !s) return s;
  }
  for (int64 pair = 0; pair < steps / 2; ++pair) {
    if (status s = apply(u, scratch); !s) return s;
    if (status s = apply(scratch, u); !s) return s;
  }
  return {};
}

}  // namespace memtile::detail
#endif
