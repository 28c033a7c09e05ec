// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several values of different types side by side, as an argument of a kernel: what std::tuple is on the host.
#pragma once

#include <memtile/core/std.hpp>

namespace memtile::detail {

template <class... T>
struct pack {
  static constexpr int size = 0;
};
template <class First, class... Rest>
struct pack<First, Rest...> {
  static constexpr int size = 1 + sizeof...(Rest);
  First first;
  pack<Rest...> rest;
};

template <int Index, class Pack>
MEMTILE_FUNCTION constexpr auto& element(Pack& p) {
  static_assert(Index >= 0 && Index < Pack::size, "memtile: the field must be one of those that were given");
  if constexpr (Index == 0) return p.first;
  else return element<Index - 1>(p.rest);
}

MEMTILE_FUNCTION constexpr pack<> packed() { return {}; }
template <class First, class... Rest>
MEMTILE_FUNCTION constexpr pack<First, Rest...> packed(const First& first, const Rest&... rest) {
  return {first, packed(rest...)};
}

// The largest and the smallest of some numbers.
MEMTILE_FUNCTION constexpr int largest_of(int a) { return a; }
template <class... Rest>
MEMTILE_FUNCTION constexpr int largest_of(int a, Rest... rest) {
  return max_of(a, largest_of(rest...));
}
MEMTILE_FUNCTION constexpr int smallest_of(int a) { return a; }
template <class... Rest>
MEMTILE_FUNCTION constexpr int smallest_of(int a, Rest... rest) {
  return min_of(a, smallest_of(rest...));
}

}  // namespace memtile::detail
