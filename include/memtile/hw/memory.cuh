// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads and stores of one register or one vector. On the device the bare access; on the CPU the access and a note of
// it.
//
// The width of the access is the size of V, and V's own alignment is what the address must have. With no machine
// listening the model does not look at the alignment: __builtin_memcpy takes any address.
#pragma once

#include <memtile/hw/hook.hpp>

namespace memtile::hw {

namespace detail {
#if !defined(__CUDACC_RTC__)
template <class V>
inline __attribute__((always_inline)) V read(sim::space where, const V* p, site s) {
  static_assert(sizeof(V) < 256, "memtile: one access must be of less than 256 bytes");
  V v;
  if (!sim::aligned(p, alignof(V), s)) {
    __builtin_memset(static_cast<void*>(&v), 0xff, sizeof(V));
    return v;
  }
  sim::note(where, sim::access_kind::load, p, sizeof(V), s);
  __builtin_memcpy(static_cast<void*>(&v), static_cast<const void*>(p), sizeof(V));
  return v;
}
// Whether a store changes anything is noted too: threads that store one value in one place do not disturb each other.
template <class V>
inline __attribute__((always_inline)) void write(sim::space where, V* p, const V& v, site s) {
  if (!sim::aligned(p, alignof(V), s)) return;
  static_assert(sizeof(V) < 256, "memtile: one access must be of less than 256 bytes");
  sim::may_change(where);
  const bool same = sim::current != nullptr && __builtin_memcmp(static_cast<const void*>(p), &v, sizeof(V)) == 0;
  sim::note(where, sim::access_kind::store, p, sizeof(V), s, same ? sim::access::keeps_value : 0);
  __builtin_memcpy(static_cast<void*>(p), static_cast<const void*>(&v), sizeof(V));
}
#endif
}  // namespace detail

template <class V>
MEMTILE_FUNCTION V load_shared(const V* p, [[maybe_unused]] site s) {
#if defined(__CUDA_ARCH__)
  return *p;
#else
  return detail::read(sim::space::shared, p, s);
#endif
}
template <class V>
MEMTILE_FUNCTION void store_shared(V* p, const V& v, [[maybe_unused]] site s) {
#if defined(__CUDA_ARCH__)
  *p = v;
#else
  detail::write(sim::space::shared, p, v, s);
#endif
}
template <class V>
MEMTILE_FUNCTION V load_global(const V* p, [[maybe_unused]] site s) {
#if defined(__CUDA_ARCH__)
  return *p;
#else
  return detail::read(sim::space::global, p, s);
#endif
}
template <class V>
MEMTILE_FUNCTION void store_global(V* p, const V& v, [[maybe_unused]] site s) {
#if defined(__CUDA_ARCH__)
  *p = v;
#else
  detail::write(sim::space::global, p, v, s);
#endif
}

}  // namespace memtile::hw
