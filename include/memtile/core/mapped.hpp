// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A matrix seen through a functor: the elements of a matmul's operand are what the functor makes of those in memory.
//
//   gemm(where, mapped(weights, dequantise{scales}), x, y);
#pragma once

#include <memtile/core/as_view.hpp>
#include <memtile/core/operators.hpp>

namespace memtile {

namespace detail {
template <class F, class V, class = void>
inline constexpr bool takes_place = false;
template <class F, class V>
inline constexpr bool takes_place<F, V, void_t<decltype(declval<const F&>()(declval<V>(), int64(), int64()))>> = true;

MEMTILE_USER_CODE_BEGIN
template <class F, class V>
MEMTILE_FUNCTION auto call_with_place(const F& f, const V& v, int64 row, int64 column) {
  if constexpr (takes_place<F, V>) return f(v, row, column);
  else return f(v);
}
MEMTILE_USER_CODE_END
}  // namespace detail

/// The functor is called as f(value) or f(value, row, column), for elements of the view alone; small floats come as float. It
/// must give the same for the same arguments: how often it is called for an element is not promised.
template <class View, class Functor>
struct mapped_view {
  using value_type = typename View::value_type;
  using layout = typename View::layout;
  using plain = detail::plain_type<typename View::element>;
  using element = detail::bare_t<decltype(detail::call_with_place(detail::declval<const Functor&>(), plain{}, 0, 0))>;
  View view;
  Functor functor;

  MEMTILE_FUNCTION element apply(plain v, int64 row, int64 column) const {
    return detail::call_with_place(functor, v, row, column);
  }
};

/// What as_view makes of `matrix`, or of a vector as a column, seen through the functor.
template <class Matrix, class Functor>
MEMTILE_FUNCTION auto mapped(const Matrix& matrix, const Functor& f) {
  using view = decltype(detail::as_matrix(as_view(matrix)));
  return mapped_view<view, Functor>{detail::as_matrix(as_view(matrix)), f};
}

namespace detail {
// The functor of a matrix, for its transpose.
template <class Functor>
struct other_way_round {
  Functor functor;
  template <class V>
  MEMTILE_FUNCTION auto operator()(const V& v, int64 row, int64 column) const {
    return call_with_place(functor, v, column, row);
  }
};
}  // namespace detail

template <class View, class Functor>
MEMTILE_FUNCTION auto transposed(const mapped_view<View, Functor>& v) {
  const auto view = transposed(v.view);
  return mapped_view<detail::bare_t<decltype(view)>, detail::other_way_round<Functor>>{view, {v.functor}};
}

}  // namespace memtile
