// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Epilogues of a matmul: what becomes of a product on its way from the register to memory.
//
//   linear{2.f, 1.f} | bias_columns(v) | relu()        out = max(0, 2 * product + out + v[column])
//
// Anything callable as (product, row, column) -> value is an epilogue and may stand in such a chain beside memtile's
// parts, if it is marked MEMTILE_FUNCTION. Each part rounds once per operation on both machines, so their results agree
// to the bit.
#pragma once

#include <memtile/core/as_view.hpp>
#include <memtile/core/math.hpp>
#include <memtile/core/status.hpp>
#include <memtile/global/access.cuh>

namespace memtile {

namespace detail {

struct epilogue_part {};  // base of memtile's own parts
template <class E>
inline constexpr bool is_epilogue_part = __is_base_of(epilogue_part, E);

MEMTILE_USER_CODE_BEGIN
// memtile's parts also get what stood in the output, which is 0 unless the chain reads it; a functor need not take it.
template <class E, class T>
MEMTILE_FUNCTION T apply_epilogue(const E& e, T product, int64 row, int64 column, T old) {
  if constexpr (is_epilogue_part<E>) return T(e(product, row, column, old));
  else return T(e(product, row, column));
}
MEMTILE_USER_CODE_END

// Questions to a chain, answered by the parts that care: does it read the output, does it need the product at all, do
// its vectors fit?
template <class E>
MEMTILE_FUNCTION bool reads_output(const E& e) {
  if constexpr (is_epilogue_part<E>) return e.reads_output();
  else return false;
}
template <class E>
MEMTILE_FUNCTION bool needs_product(const E& e) {
  if constexpr (is_epilogue_part<E>) return e.needs_product();
  else return true;
}
struct elementwise_part : epilogue_part {
  MEMTILE_FUNCTION bool reads_output() const { return false; }
  MEMTILE_FUNCTION bool needs_product() const { return true; }
#if !defined(__CUDACC_RTC__)
  status check(int64, int64) const { return {}; }
#endif
};
#if !defined(__CUDACC_RTC__)
template <class E>
status check_epilogue(const E& e, int64 rows, int64 columns) {
  if constexpr (is_epilogue_part<E>) return e.check(rows, columns);
  else return {};
}
inline status check_length(const char* what, int64 size, const char* sides, int64 expected) {
  if (size == expected) return {};
  return status::refused("gemm: {} has {} values but the output has {} {}", what, size, expected, sides);
}
#endif

}  // namespace detail

/// The product as it is.
struct store_product : detail::elementwise_part {
  template <class T>
  MEMTILE_FUNCTION T operator()(T product, int64, int64, T) const {
    return product;
  }
};

/// alpha * product + beta * what stood in the output. With beta = 0 the output is not read, and may be anything; with
/// alpha = 0 the inputs are not read.
template <class T>
struct linear : detail::elementwise_part {
  T alpha, beta;
  MEMTILE_FUNCTION constexpr linear(T alpha_, T beta_ = T(0)) : alpha(alpha_), beta(beta_) {}
  MEMTILE_FUNCTION bool reads_output() const { return beta != T(0); }
  MEMTILE_FUNCTION bool needs_product() const { return alpha != T(0); }
  template <class V>
  MEMTILE_FUNCTION V operator()(V product, int64, int64, V old) const {
    static_assert(!detail::is_floating<T> || detail::is_floating<V>,
                  "memtile: linear must have whole alpha and beta where the output is of whole numbers");
    return beta == T(0) ? multiply(V(alpha), product) : fma(V(alpha), product, multiply(V(beta), old));
  }
};

template <class A, class B>
linear(A, B) -> linear<decltype(A{} + B{})>;

namespace detail {
enum class side { rows, columns };
template <class T, side Side>
struct bias : elementwise_part {
  vector_view<const T> values;
  MEMTILE_FUNCTION constexpr explicit bias(vector_view<const T> v) : values(v) {}
  template <class V>
  MEMTILE_FUNCTION V operator()(V product, int64 row, int64 column, V) const {
    return add(product, V(values.load(Side == side::rows ? row : column)));
  }
#if !defined(__CUDACC_RTC__)
  status check(int64 rows, int64 columns) const {
    if constexpr (Side == side::rows) return check_length("bias_rows", values.size, "rows", rows);
    else return check_length("bias_columns", values.size, "columns", columns);
  }
#endif
};
}  // namespace detail

/// Adds values[column], or values[row], to each product.
template <class Vector>
MEMTILE_FUNCTION auto bias_columns(const Vector& values) {
  using T = typename decltype(as_view(values))::element;
  return detail::bias<T, detail::side::columns>(as_view(values));
}
template <class Vector>
MEMTILE_FUNCTION auto bias_rows(const Vector& values) {
  using T = typename decltype(as_view(values))::element;
  return detail::bias<T, detail::side::rows>(as_view(values));
}

/// max(0, v); NaN stays NaN.
struct relu : detail::elementwise_part {
  template <class T>
  MEMTILE_FUNCTION T operator()(T v, int64, int64, T) const {
    return v < T(0) ? T(0) : v;
  }
};

namespace detail {
template <class First, class Second>
struct chained : epilogue_part {
  First first;
  Second second;
  MEMTILE_FUNCTION constexpr chained(const First& f, const Second& s) : first(f), second(s) {}
  MEMTILE_FUNCTION bool reads_output() const { return detail::reads_output(first) || detail::reads_output(second); }
  MEMTILE_FUNCTION bool needs_product() const { return detail::needs_product(first); }
  template <class T>
  MEMTILE_FUNCTION T operator()(T product, int64 row, int64 column, T old) const {
    return apply_epilogue(second, apply_epilogue(first, product, row, column, old), row, column, old);
  }
#if !defined(__CUDACC_RTC__)
  status check(int64 rows, int64 columns) const {
    if (status s = check_epilogue(first, rows, columns); !s) return s;
    return check_epilogue(second, rows, columns);
  }
#endif
};

// The same chain for the transposed output.
template <class E>
struct flipped : epilogue_part {
  E epilogue;
  MEMTILE_FUNCTION constexpr explicit flipped(const E& e) : epilogue(e) {}
  MEMTILE_FUNCTION bool reads_output() const { return detail::reads_output(epilogue); }
  MEMTILE_FUNCTION bool needs_product() const { return detail::needs_product(epilogue); }
  template <class T>
  MEMTILE_FUNCTION T operator()(T product, int64 row, int64 column, T old) const {
    return apply_epilogue(epilogue, product, column, row, old);
  }
};
}  // namespace detail

/// First, then second, at least one of which is memtile's.
template <class First, class Second,
          class = detail::enable_if_t<detail::is_epilogue_part<First> || detail::is_epilogue_part<Second>>>
MEMTILE_FUNCTION constexpr detail::chained<First, Second> operator|(const First& first, const Second& second) {
  return {first, second};
}

}  // namespace memtile
