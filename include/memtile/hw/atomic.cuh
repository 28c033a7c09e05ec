// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Atomic operations on shared or global memory, relaxed, for the whole device. Each returns what stood there before.
#pragma once

#include <memtile/core/math.hpp>
#include <memtile/hw/fence.cuh>
#include <memtile/hw/hook.hpp>

namespace memtile::hw {

/// Whether an address lies in shared or in global memory; the device finds out by itself.
enum class memory { shared, global };

namespace detail {
#if !defined(__CUDACC_RTC__)
// Global memory is changed by one block at a time, but others may read it on other OS threads: the update is atomic.
template <class T, class Update>
T atomic_update(memory where, sim::access_kind kind, T* p, site s, Update update, uint64 flags = 0) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "memtile: an atomic operation must be on 4 or 8 bytes");
  using bits = memtile::detail::conditional_t<sizeof(T) == 4, uint32, uint64>;
  T old{};
  if (!sim::aligned(p, sizeof(T), s)) return old;
  const auto space = where == memory::shared ? sim::space::shared : sim::space::global;
  sim::may_change(space);
  bits* word = reinterpret_cast<bits*>(p);
  bits seen = __atomic_load_n(word, __ATOMIC_RELAXED), wanted;
  do {
    __builtin_memcpy(static_cast<void*>(&old), &seen, sizeof(T));
    const T changed = update(old);
    __builtin_memcpy(&wanted, static_cast<const void*>(&changed), sizeof(T));
  } while (!__atomic_compare_exchange_n(word, &seen, wanted, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
  sim::note(space, kind, p, sizeof(T), s, flags | (seen == wanted ? sim::access::keeps_value : 0));
  return old;
}
template <class T>
inline constexpr auto arithmetic_kind = sizeof(T) == 4 && !memtile::detail::is_floating<T>
                                            ? sim::access_kind::atomic
                                            : sim::access_kind::atomic_loop;
#endif
// CUDA's atomics take long long where memtile says int64, and add only unsigned ones.
template <class T>
using ordered_type = memtile::detail::conditional_t<
    memtile::detail::is_same<T, int64>, long long,
    memtile::detail::conditional_t<memtile::detail::is_same<T, uint64>, unsigned long long, T>>;
template <class T>
using added_type =
    memtile::detail::conditional_t<memtile::detail::is_same<T, int64>, unsigned long long, ordered_type<T>>;
// They exchange and compare bits, whatever the type.
template <class T>
using atomic_bits = memtile::detail::conditional_t<sizeof(T) == 4, uint32, unsigned long long>;
}  // namespace detail

template <class T>
MEMTILE_FUNCTION T atomic_add([[maybe_unused]] memory where, T* p, T v, [[maybe_unused]] site s) {
#if defined(__CUDA_ARCH__)
  using A = detail::added_type<T>;
  return T(::atomicAdd(reinterpret_cast<A*>(p), A(v)));
#else
  return detail::atomic_update(where, detail::arithmetic_kind<T>, p, s, [v](T old) { return add(old, v); });
#endif
}
template <class T>
MEMTILE_FUNCTION T atomic_min([[maybe_unused]] memory where, T* p, T v, [[maybe_unused]] site s) {
  static_assert(!memtile::detail::is_floating<T>, "memtile: an atomic minimum or maximum must be of integers");
#if defined(__CUDA_ARCH__)
  using A = detail::ordered_type<T>;
  return T(::atomicMin(reinterpret_cast<A*>(p), A(v)));
#else
  return detail::atomic_update(where, detail::arithmetic_kind<T>, p, s, [v](T old) { return v < old ? v : old; });
#endif
}
template <class T>
MEMTILE_FUNCTION T atomic_max([[maybe_unused]] memory where, T* p, T v, [[maybe_unused]] site s) {
  static_assert(!memtile::detail::is_floating<T>, "memtile: an atomic minimum or maximum must be of integers");
#if defined(__CUDA_ARCH__)
  using A = detail::ordered_type<T>;
  return T(::atomicMax(reinterpret_cast<A*>(p), A(v)));
#else
  return detail::atomic_update(where, detail::arithmetic_kind<T>, p, s, [v](T old) { return old < v ? v : old; });
#endif
}
/// Counts 0, 1, ... `last`, 0, ...
MEMTILE_FUNCTION uint32 atomic_increment_wrapping([[maybe_unused]] memory where, uint32* p, uint32 last,
                                                  [[maybe_unused]] site s) {
#if defined(__CUDA_ARCH__)
  return ::atomicInc(p, last);
#else
  return detail::atomic_update(where, sim::access_kind::atomic, p, s,
                               [last](uint32 old) { return old >= last ? 0 : old + 1; });
#endif
}
/// The same in global memory with a device_fence before and after it, in one instruction: 0.3 us less than three of them
/// (H200, CUDA 13.0, 2026-11).
MEMTILE_FUNCTION uint32 fenced_increment_wrapping(uint32* p, uint32 last, [[maybe_unused]] site s) {
#if defined(__CUDA_ARCH__)
  uint32 before;
  asm volatile("atom.acq_rel.gpu.inc.u32 %0, [%1], %2;" : "=r"(before) : "l"(p), "r"(last) : "memory");
  return before;
#else
  device_fence(s);
  const uint32 before = atomic_increment_wrapping(memory::global, p, last, s);
  device_fence(s);
  return before;
#endif
}
template <class T>
MEMTILE_FUNCTION T atomic_exchange([[maybe_unused]] memory where, T* p, T v, [[maybe_unused]] site s) {
#if defined(__CUDA_ARCH__)
  using A = detail::atomic_bits<T>;
  return __builtin_bit_cast(T, ::atomicExch(reinterpret_cast<A*>(p), __builtin_bit_cast(A, v)));
#else
  return detail::atomic_update(
      where, sim::access_kind::atomic, p, s, [v](T) { return v; }, sim::access::overwrites);
#endif
}
/// Stores `wanted` if the bits of `expected` stand there.
template <class T>
MEMTILE_FUNCTION T atomic_compare_exchange([[maybe_unused]] memory where, T* p, T expected, T wanted,
                                           [[maybe_unused]] site s) {
#if defined(__CUDA_ARCH__)
  using A = detail::atomic_bits<T>;
  return __builtin_bit_cast(
      T, ::atomicCAS(reinterpret_cast<A*>(p), __builtin_bit_cast(A, expected), __builtin_bit_cast(A, wanted)));
#else
  return detail::atomic_update(where, sim::access_kind::atomic_compare, p, s,
                               [=](T old) { return __builtin_memcmp(&old, &expected, sizeof(T)) == 0 ? wanted : old; });
#endif
}

}  // namespace memtile::hw
