// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operators of reductions and the transforms of elements. Each binary operator names its identity: what a missing
// element counts as. NaN in minimum and maximum propagates, wherever it stands.
#pragma once

#include <memtile/core/math.hpp>

namespace memtile {

namespace detail {
// The ends of a type's range without <limits>: infinities for floating types.
template <class T>
MEMTILE_FUNCTION constexpr T highest() {
  if constexpr (is_same<T, float>) return __builtin_huge_valf();
  else if constexpr (is_same<T, double>) return __builtin_huge_val();
  else if constexpr (T(-1) < T(0)) return T(~(T(1) << (sizeof(T) * 8 - 1)));
  else return T(~T(0));
}
template <class T>
MEMTILE_FUNCTION constexpr T lowest() {
  if constexpr (is_floating<T>) return -highest<T>();
  else return T(~highest<T>());
}
}  // namespace detail

struct plus {
  template <class T>
  MEMTILE_FUNCTION T operator()(T a, T b) const {
    return add(a, b);
  }
  template <class T>
  MEMTILE_FUNCTION static constexpr T identity() {
    return T(0);
  }
};

struct multiplies {
  template <class T>
  MEMTILE_FUNCTION T operator()(T a, T b) const {
    return multiply(a, b);
  }
  template <class T>
  MEMTILE_FUNCTION static constexpr T identity() {
    return T(1);
  }
};

struct minimum {
  template <class T>
  MEMTILE_FUNCTION T operator()(T a, T b) const {
    return b < a || b != b ? b : a;
  }
  template <class T>
  MEMTILE_FUNCTION static constexpr T identity() {
    return detail::highest<T>();
  }
};

struct maximum {
  template <class T>
  MEMTILE_FUNCTION T operator()(T a, T b) const {
    return a < b || b != b ? b : a;
  }
  template <class T>
  MEMTILE_FUNCTION static constexpr T identity() {
    return detail::lowest<T>();
  }
};

struct logical_and {
  MEMTILE_FUNCTION bool operator()(bool a, bool b) const { return a && b; }
  template <class T>
  MEMTILE_FUNCTION static constexpr T identity() {
    return T(true);
  }
};

struct logical_or {
  MEMTILE_FUNCTION bool operator()(bool a, bool b) const { return a || b; }
  template <class T>
  MEMTILE_FUNCTION static constexpr T identity() {
    return T(false);
  }
};

// Transforms: what is done to an element before it is combined.
struct identity {
  template <class T>
  MEMTILE_FUNCTION T operator()(T v) const {
    return v;
  }
};
struct square {
  template <class T>
  MEMTILE_FUNCTION T operator()(T v) const {
    return multiply(v, v);
  }
};
struct absolute {
  template <class T>
  MEMTILE_FUNCTION T operator()(T v) const {
    return abs(v);
  }
};

}  // namespace memtile
