// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// float16, bfloat16 and float8_e4m3: storage types with CUDA's bits, one type under one name on both machines.
//
// To float is exact and implicit, so arithmetic happens in float. From float rounds to nearest even, so it is explicit.
// To CUDA's own type goes through the named function cuda(): a conversion operator beside the one to float would make a
// + b ambiguous once cuda_fp16.h is included.
#pragma once

#include <memtile/core/math.hpp>
#include <memtile/core/std.hpp>

// Known by name alone: the conversions work whichever header comes first, and without any of CUDA's.
struct __half;
struct __nv_bfloat16;
struct __nv_fp8_e4m3;

namespace memtile {

namespace detail {

MEMTILE_FUNCTION uint32 bits_of(float f) { return __builtin_bit_cast(uint32, f); }
MEMTILE_FUNCTION float float_of(uint32 u) { return __builtin_bit_cast(float, u); }

// Rounds to `Mantissa` fraction bits and rebiases to `Exponent` exponent bits, to nearest even: the bits without the
// sign. Values that are too small for a normal number are rounded by the adder: adding 2^k leaves exactly the fraction
// bits that remain.
template <int Exponent, int Mantissa>
MEMTILE_FUNCTION uint32 narrowed(uint32 magnitude) {
  constexpr int bias = (1 << (Exponent - 1)) - 1, drop = 23 - Mantissa;
  constexpr uint32 smallest_normal = uint32(127 - bias + 1) << 23;
  if (magnitude < smallest_normal) {
    constexpr uint32 unit = uint32(127 - bias + 1 + drop)
                            << 23;  // the power of two whose last place is the subnormal step
    return bits_of(float_of(magnitude) + float_of(unit)) - unit;
  }
  magnitude += (1u << (drop - 1)) - 1 + ((magnitude >> drop) & 1u);
  return (magnitude - (uint32(127 - bias) << 23)) >> drop;
}
// The inverse: exact, for finite values.
template <int Exponent, int Mantissa>
MEMTILE_FUNCTION float widened(uint32 magnitude) {
  constexpr int bias = (1 << (Exponent - 1)) - 1, drop = 23 - Mantissa;
  if (magnitude >> Mantissa == 0) {
    constexpr uint32 smallest_normal = uint32(127 - bias + 1) << 23;
    return float_of(smallest_normal | magnitude << drop) - float_of(smallest_normal);
  }
  return float_of((magnitude << drop) + (uint32(127 - bias) << 23));
}

MEMTILE_FUNCTION uint16 float16_bits(float f) {
  if (uint16 bits = 0; converted_by_card<5, 10>(f, bits)) return bits;
  const uint32 u = bits_of(f), sign = (u >> 16) & 0x8000u, magnitude = u & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return 0x7fff;                   // NaN
  if (magnitude >= 0x477ff000u) return uint16(sign | 0x7c00u);  // rounds to infinity
  return uint16(sign | narrowed<5, 10>(magnitude));
}
MEMTILE_FUNCTION float float16_value(uint16 h) {
  if (float f = 0; converted_by_card<5, 10>(h, f)) return f;
  const uint32 sign = uint32(h & 0x8000u) << 16, magnitude = h & 0x7fffu;
  if (magnitude > 0x7c00u) return float_of(0x7fffffffu);  // NaN
  if (magnitude == 0x7c00u) return float_of(sign | 0x7f800000u);
  return float_of(sign | bits_of(widened<5, 10>(magnitude)));
}

MEMTILE_FUNCTION uint16 bfloat16_bits(float f) {
  if (uint16 bits = 0; converted_by_card<8, 7>(f, bits)) return bits;
  const uint32 u = bits_of(f);
  if ((u & 0x7fffffffu) > 0x7f800000u) return 0x7fff;
  return uint16((u + 0x7fffu + ((u >> 16) & 1u)) >> 16);
}
MEMTILE_FUNCTION float bfloat16_value(uint16 b) { return float_of(uint32(b) << 16); }

// e4m3 has no infinity; what is too large becomes the largest finite value, 448, as in CUDA's saturating conversion.
MEMTILE_FUNCTION uint8 float8_e4m3_bits(float f) {
  if (uint16 bits = 0; converted_by_card<4, 3>(f, bits)) return uint8(bits);
  const uint32 u = bits_of(f), sign = (u >> 24) & 0x80u, magnitude = u & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return 0x7f;                  // NaN
  if (magnitude >= 0x43e00000u) return uint8(sign | 0x7eu);  // 448 and above
  return uint8(sign | narrowed<4, 3>(magnitude));
}
MEMTILE_FUNCTION float float8_e4m3_value(uint8 b) {
  const uint32 sign = uint32(b & 0x80u) << 24, magnitude = b & 0x7fu;
  if (magnitude == 0x7fu) return float_of(sign | 0x7fc00000u);
  return float_of(sign | bits_of(widened<4, 3>(magnitude)));
}

}  // namespace detail

#define MEMTILE_SMALL_FLOAT(name, storage, cuda_type)                                \
  struct name {                                                                      \
    storage bits;                                                                    \
    name() = default;                                                                \
    MEMTILE_FUNCTION explicit name(float f) : bits(detail::name##_bits(f)) {}        \
    MEMTILE_FUNCTION operator float() const { return detail::name##_value(bits); }   \
    template <class C, class = detail::enable_if_t<detail::is_same<C, ::cuda_type>>> \
    MEMTILE_FUNCTION name(const C& c) : bits(__builtin_bit_cast(storage, c)) {}      \
    template <class C = ::cuda_type>                                                 \
    MEMTILE_FUNCTION C cuda() const {                                                \
      return __builtin_bit_cast(C, bits);                                            \
    }                                                                                \
  };
/// IEEE binary16: 5 exponent bits, 10 fraction bits, largest value 65504.
MEMTILE_SMALL_FLOAT(float16, uint16, __half)
/// The upper half of a float: 8 exponent bits, 7 fraction bits.
MEMTILE_SMALL_FLOAT(bfloat16, uint16, __nv_bfloat16)
/// 4 exponent bits, 3 fraction bits, largest value 448, no infinity.
MEMTILE_SMALL_FLOAT(float8_e4m3, uint8, __nv_fp8_e4m3)
#undef MEMTILE_SMALL_FLOAT

}  // namespace memtile
