// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which compiler this is, how functions are marked, and the integers that every header uses.
//
// The trap: nothing outside a function body may depend on __CUDA_ARCH__. nvcc reads every file twice, and a signature
// or a layout that differs between the two readings compiles without a word and launches the wrong kernel.
#pragma once

#if defined(_MSVC_LANG) ? _MSVC_LANG < 201703L : __cplusplus < 201703L
#error "memtile: the C++ standard must be 17 or newer: compile with -std=c++17"
#endif

// MEMTILE_FUNCTION marks a function that both machines run: functors, helpers, members of one's own types.
// MEMTILE_KERNEL marks the call operator of a kernel.
#if defined(__CUDACC__)  // nvcc (both readings), NVRTC, clang in CUDA mode
#define MEMTILE_CUDA 1
#define MEMTILE_FUNCTION __host__ __device__ __forceinline__
#else
#define MEMTILE_CUDA 0
#define MEMTILE_FUNCTION inline __attribute__((always_inline))
#endif
#define MEMTILE_KERNEL MEMTILE_FUNCTION

// Unrolls the loop that follows, or keeps it a loop. Only the device reading does either: nvcc hands the pragma on to
// g++, which does not know it, and clang warns where it cannot.
#if defined(__CUDA_ARCH__)
#define MEMTILE_UNROLL _Pragma("unroll")
#define MEMTILE_KEEP_LOOP _Pragma("unroll 1")
#else
#define MEMTILE_UNROLL
#define MEMTILE_KEEP_LOOP
#endif

// What the compiler of the device may take for granted.
#if defined(__CUDA_ARCH__)
#define MEMTILE_ASSUME(condition) __builtin_assume(condition)
#else
#define MEMTILE_ASSUME(condition) static_cast<void>(0)
#endif

// Wraps the templates that call a user's code: a functor without MEMTILE_FUNCTION is an error there. nvcc alone only
// warns, and compiles a kernel that does nothing.
#if defined(__NVCC__) && !defined(__CUDACC_RTC__)
#define MEMTILE_USER_CODE_BEGIN _Pragma("nv_diagnostic push") _Pragma("nv_diag_error 20011,20013,20014")
#define MEMTILE_USER_CODE_END _Pragma("nv_diagnostic pop")
#else
#define MEMTILE_USER_CODE_BEGIN
#define MEMTILE_USER_CODE_END
#endif

namespace memtile {

// The integers of <cstdint>, which NVRTC does not have.
#if defined(__CUDACC_RTC__)
using int8 = signed char;
using uint8 = unsigned char;
using int16 = short;
using uint16 = unsigned short;
using int32 = int;
using uint32 = unsigned int;
using int64 = long long;
using uint64 = unsigned long long;
using size_t = unsigned long long;
#else
using int8 = __INT8_TYPE__;
using uint8 = __UINT8_TYPE__;
using int16 = __INT16_TYPE__;
using uint16 = __UINT16_TYPE__;
using int32 = __INT32_TYPE__;
using uint32 = __UINT32_TYPE__;
using int64 = __INT64_TYPE__;
using uint64 = __UINT64_TYPE__;
using size_t = decltype(sizeof(0));
#endif

}  // namespace memtile
