// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bounds, which the hardware does not check: the model compares an index with the extents and tells the listening
// machine; on the device there is nothing.
#pragma once

#include <memtile/hw/hook.hpp>

namespace memtile::hw {

/// Whether `count` elements along dimension `contiguous`, from `index` on, lie inside 0 .. extent - 1. If not, the
/// machine is told, and the access must be left out. Always true on the device.
template <int Dimensions>
MEMTILE_FUNCTION bool inside([[maybe_unused]] const char* what, [[maybe_unused]] const int64 (&index)[Dimensions],
                             [[maybe_unused]] const int64 (&extent)[Dimensions], [[maybe_unused]] int contiguous,
                             [[maybe_unused]] int count, [[maybe_unused]] site s) {
#if !defined(__CUDA_ARCH__)
  if (sim::current == nullptr) return true;
  bool all_inside = true;
  for (int d = 0; d < Dimensions; ++d)
    all_inside &= index[d] >= 0 && index[d] + (d == contiguous ? count - 1 : 0) < extent[d];
  if (!all_inside) sim::current->out_of_bounds(what, Dimensions, index, extent, s);
  return all_inside;
#else
  return true;
#endif
}

/// What a load that is left out returns: all bits set, which is NaN for floating types.
template <class V>
MEMTILE_FUNCTION V poison() {
  V v;
  for (int i = 0; i < int(sizeof(V)); ++i) reinterpret_cast<unsigned char*>(&v)[i] = 0xff;
  return v;
}

}  // namespace memtile::hw
