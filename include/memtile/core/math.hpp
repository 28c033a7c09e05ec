// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic that both machines spell differently, under one name.
//
// `fma`, `add`, `subtract` and `multiply` are exactly one rounding each and are never merged with their neighbours: with them the
// simulator and the GPU agree to the last bit. A plain a * b + c may become one fma on one machine and two roundings on
// the other. `sqrt` is correctly rounded too; the functions below it are as accurate as each machine's own library and
// need not agree to the bit.
#pragma once

#include <memtile/core/std.hpp>

namespace memtile {

namespace detail {
// Keeps a product a product: a compiler for a CPU with fused multiply-add may otherwise merge it with a later sum.
template <class T>
MEMTILE_FUNCTION T rounded(T v) {
#if !defined(__CUDA_ARCH__) && defined(__x86_64__) && defined(__FMA__)
  if constexpr (is_floating<T>) __asm__("" : "+x"(v));
#elif !defined(__CUDA_ARCH__) && defined(__aarch64__)
  if constexpr (is_floating<T>) __asm__("" : "+w"(v));
#endif
  return v;
}

// Integers wrap around on the card; in signed arithmetic of the host that would be undefined.
template <class T>
struct wrapping {
  using type = T;
};
template <>
struct wrapping<int32> {
  using type = uint32;
};
template <>
struct wrapping<int64> {
  using type = uint64;
};
template <class T>
using wrapping_t = typename wrapping<T>::type;
}  // namespace detail

/// a * b + c with one rounding for float and double; plain arithmetic for every other type.
template <class T>
MEMTILE_FUNCTION T fma(T a, T b, T c) {
#if defined(__CUDA_ARCH__)
  if constexpr (detail::is_same<T, float>) return __fmaf_rn(a, b, c);
  else if constexpr (detail::is_same<T, double>) return __fma_rn(a, b, c);
#else
  if constexpr (detail::is_same<T, float>) return __builtin_fmaf(a, b, c);
  else if constexpr (detail::is_same<T, double>) return __builtin_fma(a, b, c);
#endif
  else return T(detail::wrapping_t<T>(a) * detail::wrapping_t<T>(b) + detail::wrapping_t<T>(c));
}

template <class T>
MEMTILE_FUNCTION T multiply(T a, T b) {
#if defined(__CUDA_ARCH__)
  if constexpr (detail::is_same<T, float>) return __fmul_rn(a, b);
  else if constexpr (detail::is_same<T, double>) return __dmul_rn(a, b);
  else return T(detail::wrapping_t<T>(a) * detail::wrapping_t<T>(b));
#else
  return detail::rounded(T(detail::wrapping_t<T>(a) * detail::wrapping_t<T>(b)));
#endif
}

template <class T>
MEMTILE_FUNCTION T add(T a, T b) {
#if defined(__CUDA_ARCH__)
  if constexpr (detail::is_same<T, float>) return __fadd_rn(a, b);
  else if constexpr (detail::is_same<T, double>) return __dadd_rn(a, b);
  else return T(detail::wrapping_t<T>(a) + detail::wrapping_t<T>(b));
#else
  return detail::rounded(T(detail::wrapping_t<T>(a) + detail::wrapping_t<T>(b)));
#endif
}

template <class T>
MEMTILE_FUNCTION T subtract(T a, T b) {
  if constexpr (detail::is_floating<T>) return add(a, -b);
  else return T(detail::wrapping_t<T>(a) - detail::wrapping_t<T>(b));
}

// One function of one floating argument: the device's library there, the compiler's built-in here. Templates, so that
// they lose to the functions of <cmath> where a user's `using namespace memtile` makes both visible.
#if defined(__CUDA_ARCH__)
#define MEMTILE_MATH_CALL(device_float, device_double, host_float, host_double) \
  if constexpr (detail::is_same<T, float>) return device_float(x);              \
  else return device_double(x);
#else
#define MEMTILE_MATH_CALL(device_float, device_double, host_float, host_double) \
  if constexpr (detail::is_same<T, float>) return host_float(x);                \
  else return host_double(x);
#endif
#define MEMTILE_MATH_FUNCTION(name, device_float, device_double, host_float, host_double) \
  template <class T, class = detail::enable_if_t<detail::is_floating<T>>>                 \
  MEMTILE_FUNCTION T name(T x) {                                                          \
    MEMTILE_MATH_CALL(device_float, device_double, host_float, host_double)               \
  }
MEMTILE_MATH_FUNCTION(sqrt, __fsqrt_rn, __dsqrt_rn, __builtin_sqrtf, __builtin_sqrt)
MEMTILE_MATH_FUNCTION(floor, ::floorf, ::floor, __builtin_floorf, __builtin_floor)
MEMTILE_MATH_FUNCTION(round_to_even, ::rintf, ::rint, __builtin_rintf, __builtin_rint)
MEMTILE_MATH_FUNCTION(exp, ::expf, ::exp, __builtin_expf, __builtin_exp)
MEMTILE_MATH_FUNCTION(log, ::logf, ::log, __builtin_logf, __builtin_log)
MEMTILE_MATH_FUNCTION(sin, ::sinf, ::sin, __builtin_sinf, __builtin_sin)
MEMTILE_MATH_FUNCTION(cos, ::cosf, ::cos, __builtin_cosf, __builtin_cos)
MEMTILE_MATH_FUNCTION(tanh, ::tanhf, ::tanh, __builtin_tanhf, __builtin_tanh)
MEMTILE_MATH_FUNCTION(erf, ::erff, ::erf, __builtin_erff, __builtin_erf)
MEMTILE_MATH_FUNCTION(erfc, ::erfcf, ::erfc, __builtin_erfcf, __builtin_erfc)
#undef MEMTILE_MATH_FUNCTION
#undef MEMTILE_MATH_CALL

/// |x| of any signed type.
template <class T>
MEMTILE_FUNCTION T abs(T x) {
  return x < T(0) ? -x : x + T(0);  // + 0 turns -0 into 0
}

namespace detail {
template <class T>
inline constexpr bool is_integer =
    is_same<T, bool> || is_same<T, char> || is_same<T, int8> || is_same<T, uint8> || is_same<T, int16> ||
    is_same<T, uint16> || is_same<T, int32> || is_same<T, uint32> || is_same<T, int64> || is_same<T, uint64> ||
    is_same<T, long> || is_same<T, unsigned long> || is_same<T, long long> || is_same<T, unsigned long long>;
template <class T>
inline constexpr bool is_number = is_floating<T> || is_integer<T>;

// The ends of a type's range without <limits>, nor the built-ins that NVRTC lacks: infinities for floating types.
template <class T>
MEMTILE_FUNCTION constexpr T highest() {
  if constexpr (is_same<T, float>) return __builtin_bit_cast(float, uint32(0x7f800000));
  else if constexpr (is_same<T, double>) return __builtin_bit_cast(double, uint64(0x7ff) << 52);
  else if constexpr (is_same<T, bool>) return true;
  else if constexpr (T(-1) < T(0)) return T(~(T(1) << (sizeof(T) * 8 - 1)));
  else return T(~T(0));
}
template <class T>
MEMTILE_FUNCTION constexpr T lowest() {
  if constexpr (is_floating<T>) return -highest<T>();
  else if constexpr (is_same<T, bool>) return false;
  else return T(~highest<T>());
}

// The smaller, or larger, of two: of -0 and +0 the first, or second. NaN if one is NaN, or (Number) if both are.
template <bool Larger, bool Number, class T>
MEMTILE_FUNCTION T extreme(T a, T b) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  if constexpr (is_same<T, float>) {
    float v;
    if constexpr (Larger && Number) asm("max.f32 %0, %1, %2;" : "=f"(v) : "f"(a), "f"(b));
    else if constexpr (Larger) asm("max.NaN.f32 %0, %1, %2;" : "=f"(v) : "f"(a), "f"(b));
    else if constexpr (Number) asm("min.f32 %0, %1, %2;" : "=f"(v) : "f"(a), "f"(b));
    else asm("min.NaN.f32 %0, %1, %2;" : "=f"(v) : "f"(a), "f"(b));
    return v;
  }
#endif
  if constexpr (is_floating<T>) {
    using bits = conditional_t<is_same<T, float>, uint32, uint64>;
    const bits of_a = __builtin_bit_cast(bits, a), of_b = __builtin_bit_cast(bits, b);
    if (a == b) return __builtin_bit_cast(T, Larger ? of_a & of_b : of_a | of_b);  // -0 and +0 differ in their bits
    if (a != a || b != b) return (a != a) == Number ? b : a;
  }
  return (Larger ? a < b : b < a) ? b : a;
}
}  // namespace detail

/// The integer nearest to x, of two equally near ones the even one; the end of T's range for what lies beyond it, and 0
/// for NaN. One instruction on the card, where a double or 64 bits take another one for NaN.
template <class T, class F>
MEMTILE_FUNCTION T nearest_integer(F x) {
  static_assert(detail::is_integer<T> && !detail::is_same<T, bool> && detail::is_floating<F>,
                "memtile: nearest_integer must make an integer of a float or double");
  [[maybe_unused]] constexpr bool is_signed = detail::lowest<T>() != 0;
#if defined(__CUDA_ARCH__)
#define MEMTILE_CONVERT(integer, letter)                                                                          \
  {                                                                                                               \
    if constexpr (detail::is_same<F, float>) asm("cvt.rni.sat." integer ".f32 %0, %1;" : "=" letter(v) : "f"(x)); \
    else asm("cvt.rni.sat." integer ".f64 %0, %1;" : "=" letter(v) : "d"(x));                                     \
  }
  detail::conditional_t<sizeof(T) == 8, int64, int32> v;
  if constexpr (sizeof(T) == 8 && is_signed) MEMTILE_CONVERT("s64", "l")
  else if constexpr (sizeof(T) == 8) MEMTILE_CONVERT("u64", "l")
  else if constexpr (sizeof(T) == 4 && is_signed) MEMTILE_CONVERT("s32", "r")
  else if constexpr (sizeof(T) == 4) MEMTILE_CONVERT("u32", "r")
  else if constexpr (sizeof(T) == 2 && is_signed) MEMTILE_CONVERT("s16", "r")
  else if constexpr (sizeof(T) == 2) MEMTILE_CONVERT("u16", "r")
  else if constexpr (is_signed) MEMTILE_CONVERT("s8", "r")
  else MEMTILE_CONVERT("u8", "r")
#undef MEMTILE_CONVERT
  if constexpr (!is_signed && sizeof(T) < 4) MEMTILE_ASSUME(v >= 0 && v <= int32(detail::highest<T>()));
  constexpr bool makes_nan_zero = detail::is_same<F, float> && sizeof(T) < 8;
  return makes_nan_zero || x == x ? T(v) : T(0);
#else
  const F whole = round_to_even(x), end = F(detail::highest<T>() / 2 + 1) * 2;  // the first integer beyond the range
  if (whole >= end) return detail::highest<T>();
  if (whole <= (is_signed ? -end : F(0))) return detail::lowest<T>();
  return x == x ? T(whole) : T(0);
#endif
}

namespace detail {
// The bits of f as a small float of so many exponent and fraction bits, from one instruction: rounded to nearest even,
// and of a NaN all but the sign. False where there is no such instruction: core/small_float.hpp calculates the same.
template <int Exponent, int Fraction>
MEMTILE_FUNCTION bool converted_by_card([[maybe_unused]] float f, [[maybe_unused]] uint16& bits) {
#if defined(__CUDA_ARCH__)
  if constexpr (Exponent == 5 && Fraction == 10) {
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(f));
    return true;
  }
#if __CUDA_ARCH__ >= 800
  if constexpr (Exponent == 8 && Fraction == 7) {
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(f));
    return true;
  }
#endif
#if __CUDA_ARCH__ >= 890
  if constexpr (Exponent == 4 && Fraction == 3) {
    asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(bits) : "f"(0.f), "f"(f));
    return true;
  }
#endif
#endif
  return false;
}
// The float that a small float of these bits is, likewise: of all NaNs 0x7fffffff.
template <int Exponent, int Fraction>
MEMTILE_FUNCTION bool converted_by_card([[maybe_unused]] uint16 bits, [[maybe_unused]] float& f) {
#if defined(__CUDA_ARCH__)
  if constexpr (Exponent == 5 && Fraction == 10) {
    asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(bits));
    return true;
  }
#endif
  return false;
}
}  // namespace detail

/// The sum of four bytes, signed or not as T is, and v.
template <class T>
MEMTILE_FUNCTION int32 add_bytes(uint32 four, int32 v) {
  constexpr bool is_signed = T(-1) < T(0);
#if defined(__CUDA_ARCH__)
  if constexpr (is_signed) return __dp4a(int(four), 0x01010101, v);
  else return int32(__dp4a(four, 0x01010101u, uint32(v)));
#else
  for (int i = 0; i < 4; ++i) v += is_signed ? int32(int8(four >> 8 * i)) : int32(uint8(four >> 8 * i));
  return v;
#endif
}

/// 1 / sqrt(x), two roundings on both machines.
template <class T>
MEMTILE_FUNCTION T rsqrt(T x) {
  return T(1) / sqrt(x);
}

namespace detail {
// Whether the smaller and larger of two numbers in either half of 32 bits take few instructions: of 16 bits each, or of 8.
template <int Bits>
MEMTILE_FUNCTION constexpr bool has_extremes_of_halves() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
  return Bits == 8;
#else
  return true;
#endif
}
// Those of the unsigned numbers in the halves of a and b. Numbers of 8 bits are in the order of the small floats whose bits
// they are; without an instruction for these either, bit 8 of 256 + a - b says which is larger.
template <bool Larger, int Bits>
MEMTILE_FUNCTION uint32 extremes_of_halves(uint32 a, uint32 b) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  uint32 v;
  if constexpr (Larger) asm("max.u16x2 %0, %1, %2;" : "=r"(v) : "r"(a), "r"(b));
  else asm("min.u16x2 %0, %1, %2;" : "=r"(v) : "r"(a), "r"(b));
  return v;
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  if constexpr (Bits == 8) {
    uint32 v;
    if constexpr (Larger) asm("max.f16x2 %0, %1, %2;" : "=r"(v) : "r"(a), "r"(b));
    else asm("min.f16x2 %0, %1, %2;" : "=r"(v) : "r"(a), "r"(b));
    return v;
  }
#endif
  if constexpr (Bits == 8) {
    const uint32 a_wins = (((Larger ? a - b : b - a) + 0x01000100u) >> 8 & 0x00010001u) * 0xffu;
    return (a & a_wins) | (b & ~a_wins);
  } else {
    const uint32 low = ((a & 0xffff) < (b & 0xffff)) != Larger ? a : b, high = (a >> 16 < b >> 16) != Larger ? a : b;
    return (low & 0xffff) | (high & 0xffff0000);
  }
}
}  // namespace detail

/// The number of bits set, of zero bits above the highest one (32 for 0), and the index of the lowest one (-1 for 0).
MEMTILE_FUNCTION int popc(uint32 x) {
#if defined(__CUDA_ARCH__)
  return __popc(x);
#else
  return __builtin_popcount(x);
#endif
}
MEMTILE_FUNCTION int leading_zeros(uint32 x) {
#if defined(__CUDA_ARCH__)
  return __clz(int(x));
#else
  return x == 0 ? 32 : __builtin_clz(x);
#endif
}
/// The lower 32 bits of the 64 bits (high, low) shifted right by 0 to 31.
MEMTILE_FUNCTION uint32 funnel_shift_right(uint32 low, uint32 high, int bits) {
#if defined(__CUDA_ARCH__)
  return __funnelshift_r(low, high, uint32(bits));
#else
  return uint32((uint64(high) << 32 | low) >> bits);
#endif
}
/// Four of the eight bytes of a (0 to 3) and b (4 to 7): the lowest digit of the selector says which becomes the lowest.
MEMTILE_FUNCTION uint32 select_bytes(uint32 a, uint32 b, uint32 selector) {
#if defined(__CUDA_ARCH__)
  return __byte_perm(a, b, selector);
#else
  const uint64 both = uint64(b) << 32 | a;
  uint32 selected = 0;
  for (int i = 0; i < 4; ++i) selected |= uint32(both >> (selector >> 4 * i & 7) * 8 & 0xff) << 8 * i;
  return selected;
#endif
}
MEMTILE_FUNCTION int lowest_bit(uint32 x) {
#if defined(__CUDA_ARCH__)
  return __ffs(int(x)) - 1;
#else
  return __builtin_ffs(int(x)) - 1;
#endif
}

}  // namespace memtile
