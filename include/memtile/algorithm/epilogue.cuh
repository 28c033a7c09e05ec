// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Epilogues of a matmul: what becomes of a product on its way from the register to memory.
//
//   linear{2.f, 1.f} | bias_columns(v) | relu()        out = max(0, 2 * product + out + v[column])
//   scale_columns(s) | add_matrix(m) | gelu()          out = gelu(s[column] * product + m[row, column])
//
//   linear{alpha, beta, c}                             with a c other than the output, alpha and beta also in memory
//   bias_rows bias_columns scale_rows scale_columns    one value for each row or column
//   add_matrix                                         one value for each element: a residual
//   relu clamp silu gelu gelu_tanh                     activations
//
// Anything callable as (value, row, column) -> value is an epilogue too and may stand anywhere in such a chain beside
// memtile's parts, if it is marked MEMTILE_FUNCTION.
//
// Each part calculates in the type that comes in, but whole numbers become floating where they meet a floating number:
// from there on the chain is floating, and its end is rounded to the output's type. Each operation rounds once on both
// machines, so their results agree to the bit; except in silu and the gelus, where each machine has its own exp.
//
// Vectors and matrices may be of other element types than the product. They must not overlap the output, since other
// blocks write there what is still to be read; but a matrix may be the output itself, unless that is a batch: each of
// its elements is read before it is written, by the same thread. In a batch, every product gets the same vectors and
// matrices; only linear without a c of its own reads what stood in each output.
#pragma once

#include <memtile/algorithm/epilogue_values.cuh>
#include <memtile/core/convert.hpp>

namespace memtile {

/// The product as it is.
struct store_product : detail::elementwise_part {
  template <class V, class Old>
  MEMTILE_FUNCTION V operator()(V value, int64, int64, Old) const {
    return value;
  }
};

namespace detail {
// The incoming value joined with one from memory.
struct adds_bias : plus {
  static constexpr const char* name = "bias";
};
struct scales : multiplies {
  static constexpr const char* name = "scale";
};
struct adds_residual : plus {
  static constexpr const char* name = "the matrix of add_matrix";
};
template <class Operation, class Values>
struct joined_with : elementwise_part {
  Values values;
  MEMTILE_FUNCTION constexpr explicit joined_with(const Values& v) : values(v) {}
  template <class V, class Old>
  MEMTILE_FUNCTION auto operator()(V value, int64 row, int64 column, Old) const {
    using meeting = meeting_type<V, typename Values::element>;
    return Operation{}(meeting(value), meeting(values.load(row, column)));
  }
#if !defined(__CUDACC_RTC__)
  status check(const checked_output& output) const { return values.check(Operation::name, output); }
#endif
};
template <class Operation, side Side, class Vector>
MEMTILE_FUNCTION auto joined_with_side(const Vector& values) {
  using element = typename decltype(as_view(values))::element;
  return joined_with<Operation, values_of_side<element, Side>>({as_view(values)});
}
template <class Matrix>
MEMTILE_FUNCTION auto values_of(const Matrix& matrix) {
  using view = decltype(as_matrix(as_view(matrix)));
  return values_of_matrix<typename view::element, typename view::layout>{as_matrix(as_view(matrix))};
}
}  // namespace detail

/// Adds values[row] or values[column].
template <class Vector>
MEMTILE_FUNCTION auto bias_rows(const Vector& values) {
  return detail::joined_with_side<detail::adds_bias, detail::side::rows>(values);
}
template <class Vector>
MEMTILE_FUNCTION auto bias_columns(const Vector& values) {
  return detail::joined_with_side<detail::adds_bias, detail::side::columns>(values);
}

/// Multiplies by values[row] or values[column].
template <class Vector>
MEMTILE_FUNCTION auto scale_rows(const Vector& values) {
  return detail::joined_with_side<detail::scales, detail::side::rows>(values);
}
template <class Vector>
MEMTILE_FUNCTION auto scale_columns(const Vector& values) {
  return detail::joined_with_side<detail::scales, detail::side::columns>(values);
}

/// Adds the element of a matrix of the output's size, in any layout: a residual. It may be the output itself. A strided
/// view with a pitch of 0 repeats its row or column.
template <class Matrix>
MEMTILE_FUNCTION auto add_matrix(const Matrix& matrix) {
  const auto values = detail::values_of(matrix);
  return detail::joined_with<detail::adds_residual, detail::bare_t<decltype(values)>>(values);
}

/// alpha or beta of `linear` as a value that the kernel finds in memory when it runs: a pointer, or a view of one
/// element.
template <class T>
MEMTILE_FUNCTION auto value_at(T* p) {
  using element = detail::element_of_t<detail::remove_const_t<T>>;
  return detail::value_in_memory<element>{as_view(vector_view<T>(p, 1))};
}
template <class Vector>
MEMTILE_FUNCTION auto value_at(const Vector& v) {
  return detail::value_in_memory<typename decltype(as_view(v))::element>{as_view(v)};
}

namespace detail {
template <class S>
struct scalar_of {
  using type = S;
  static constexpr bool is_in_memory = false;
};
template <class T>
struct scalar_of<value_in_memory<T>> {
  using type = T;
  static constexpr bool is_in_memory = true;
};
template <class S>
MEMTILE_FUNCTION typename scalar_of<S>::type loaded_scalar(const S& s) {
  if constexpr (scalar_of<S>::is_in_memory) return s.value.load(0);
  else return s;
}
template <class S>
MEMTILE_FUNCTION bool is_zero(const S& s) {
  return s == S{};
}
struct old_output {};
}  // namespace detail

/// alpha * value + beta * c. Without a c of its own it is what stood in the output.
///
/// alpha, beta  numbers, or value_at(pointer): read by the kernel, so that they may be made on the card
/// c            a matrix of the output's size, in any layout and of any element type; may be the output itself
/// beta = 0     c is not read, and may be anything
/// alpha = 0    the incoming value counts as 0, even if it is NaN. a and b are not read; but if alpha is in memory they
///              are, since only the kernel finds out
/// Rounding     alpha * value + (beta * c) is one fma, after one multiplication
template <class Alpha, class Beta = Alpha, class C = detail::old_output>
struct linear : detail::elementwise_part {
  Alpha alpha;
  Beta beta;
  C c;
  MEMTILE_FUNCTION constexpr linear(Alpha alpha_, Beta beta_ = Beta(0)) : alpha(alpha_), beta(beta_), c() {}
  template <class Matrix>
  MEMTILE_FUNCTION constexpr linear(Alpha alpha_, Beta beta_, const Matrix& c_)
      : alpha(alpha_), beta(beta_), c(detail::values_of(c_)) {}

  static constexpr bool has_own_c = !detail::is_same<C, detail::old_output>;
  MEMTILE_FUNCTION bool reads_output() const { return !has_own_c && !detail::is_zero(detail::loaded_scalar(beta)); }
  MEMTILE_FUNCTION bool needs_product() const {
    if constexpr (detail::scalar_of<Alpha>::is_in_memory) return true;
    else return !detail::is_zero(alpha);
  }
  template <class V, class Old>
  MEMTILE_FUNCTION auto operator()(V value, int64 row, int64 column, Old old) const {
    using meeting = detail::meeting_type<detail::meeting_type<V, typename detail::scalar_of<Alpha>::type>,
                                         typename detail::scalar_of<Beta>::type>;
    const meeting by = meeting(detail::loaded_scalar(alpha)), by_c = meeting(detail::loaded_scalar(beta));
    meeting from_c{};
    if (!detail::is_zero(by_c)) {
      if constexpr (has_own_c) from_c = multiply(by_c, meeting(c.load(row, column)));
      else from_c = multiply(by_c, meeting(old));
    }
    if (detail::is_zero(by)) return from_c;
    return detail::is_zero(by_c) ? multiply(by, meeting(value)) : fma(by, meeting(value), from_c);
  }
#if !defined(__CUDACC_RTC__)
  status check(const detail::checked_output& output) const {
    if constexpr (detail::scalar_of<Alpha>::is_in_memory)
      if (status s = alpha.check("alpha of linear", output); !s) return s;
    if constexpr (detail::scalar_of<Beta>::is_in_memory) {
      if (status s = beta.check("beta of linear", output); !s) return s;
    } else if (detail::is_zero(beta)) {
      return {};  // whatever c is, it is not read
    }
    if constexpr (has_own_c) return c.check("c of linear", output);
    else return {};
  }
#endif
};
template <class Alpha>
linear(Alpha) -> linear<Alpha, typename detail::scalar_of<Alpha>::type>;
template <class Alpha, class Beta>
linear(Alpha, Beta) -> linear<Alpha, Beta>;
template <class Alpha, class Beta, class Matrix>
linear(Alpha, Beta, const Matrix&)
    -> linear<Alpha, Beta, decltype(detail::values_of(detail::declval<const Matrix&>()))>;

/// max(0, v); NaN stays NaN.
struct relu : detail::elementwise_part {
  template <class V, class Old>
  MEMTILE_FUNCTION auto operator()(V value, int64, int64, Old) const {
    using T = detail::plain_type<V>;
    return maximum{}(T(value), T(0));
  }
};

/// v, or the bound that it passes; NaN stays NaN. Whole bounds may lie beyond the range of a whole v.
template <class Bound>
struct clamp : detail::elementwise_part {
  Bound lowest, highest;
  MEMTILE_FUNCTION constexpr clamp(Bound lo, Bound hi) : lowest(lo), highest(hi) {}
  template <class V, class Old>
  MEMTILE_FUNCTION auto operator()(V value, int64, int64, Old) const {
    using T = detail::meeting_type<V, Bound>;
    return minimum{}(maximum{}(T(value), detail::stored_as<T>(lowest)), detail::stored_as<T>(highest));
  }
#if !defined(__CUDACC_RTC__)
  status check(const detail::checked_output&) const {
    if (lowest <= highest) return {};
    return status::refused("gemm: clamp has bounds of {} and {}: the first must not be larger than the second", lowest,
                           highest);
  }
#endif
};
template <class Lowest, class Highest>
clamp(Lowest, Highest) -> clamp<decltype(Lowest{} + Highest{})>;

namespace detail {
template <class V>
MEMTILE_FUNCTION auto real_number(V v) {
  static_assert(is_number<plain_type<V>>, "memtile: silu, gelu and gelu_tanh must get real numbers");
  return meeting_type<V, float>(v);
}
// v / (1 + exp(-x)): v times the logistic function of x.
template <class T>
MEMTILE_FUNCTION T times_logistic(T v, T x) {
  return v / add(T(1), exp(-x));
}
}  // namespace detail

/// v / (1 + exp(-v)), also called swish.
struct silu : detail::elementwise_part {
  template <class V, class Old>
  MEMTILE_FUNCTION auto operator()(V value, int64, int64, Old) const {
    const auto v = detail::real_number(value);
    return detail::times_logistic(v, v);
  }
};

/// v times the normal distribution's share below v: v / 2 * erfc(-v / sqrt(2)), which is accurate for negative v too.
struct gelu : detail::elementwise_part {
  template <class V, class Old>
  MEMTILE_FUNCTION auto operator()(V value, int64, int64, Old) const {
    const auto v = detail::real_number(value);
    using T = detail::remove_const_t<decltype(v)>;
    return multiply(multiply(T(0.5), v), erfc(multiply(T(-0.70710678118654752440), v)));
  }
};

/// The older approximation v / 2 * (1 + tanh(sqrt(2 / pi) * (v + 0.044715 * v^3))), up to 0.0005 from gelu. As
/// 1 + tanh(x) is 2 / (1 + exp(-2 * x)), one exp does.
struct gelu_tanh : detail::elementwise_part {
  template <class V, class Old>
  MEMTILE_FUNCTION auto operator()(V value, int64, int64, Old) const {
    const auto v = detail::real_number(value);
    using T = detail::remove_const_t<decltype(v)>;
    constexpr T linear_term = T(1.59576912160573071176), cubic_term = T(1.59576912160573071176 * 0.044715);
    return detail::times_logistic(v, multiply(v, fma(cubic_term, multiply(v, v), linear_term)));
  }
};

}  // namespace memtile
