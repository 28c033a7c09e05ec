// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Filters as functors of a stencil: weighted sums, means, the smallest, largest and middle one of a neighbourhood. They serve
// vectors, matrices and volumes.
#pragma once

#include <memtile/algorithm/stencil.cuh>
#include <memtile/core/selection.hpp>

namespace memtile {

namespace detail {

// Calls visit(value, i) for every neighbour of the window, slice by slice, row by row; written out if the window is one
// that stays in registers.
template <class Reach, bool InRegisters, class Neighbours, class Visit>
MEMTILE_FUNCTION void visit_window(const Neighbours& n, const Visit& visit) {
  if constexpr (InRegisters) {
    MEMTILE_UNROLL
    for (int i = 0; i < Reach::slices * Reach::rows * Reach::columns; ++i)
      visit(n.at(i / (Reach::rows * Reach::columns) - Reach::front, i / Reach::columns % Reach::rows - Reach::up,
                 i % Reach::columns - Reach::left),
            i);
  } else {
    int i = 0;
    MEMTILE_KEEP_LOOP
    for (int z = -Reach::front; z <= Reach::back; ++z) {
      MEMTILE_KEEP_LOOP
      for (int y = -Reach::up; y <= Reach::down; ++y) {
        MEMTILE_KEEP_LOOP
        for (int x = -Reach::left; x <= Reach::right; ++x, ++i) visit(n.at(z, y, x), i);
      }
    }
  }
}

template <class Neighbours>
using value_of = bare_t<decltype(declval<const Neighbours&>().at(0, 0, 0))>;
template <class Reach>
inline constexpr int window_size = Reach::slices* Reach::rows* Reach::columns;

template <class Weight, int Size>
struct list_of_weights {
  Weight values[Size];
};

/// The sum of weight i times neighbour i, one chain of fused multiply-adds in ascending i.
template <class Reach, bool InRegisters, class Weight>
struct weighted_sum {
  static constexpr bool keeps_loops = !InRegisters;
  list_of_weights<Weight, window_size<Reach>> weight;

  template <class Neighbours>
  MEMTILE_FUNCTION auto operator()(const Neighbours& n) const {
    using V = decltype(declval<value_of<Neighbours>>() * declval<Weight>());
    V sum = 0;
    visit_window<Reach, InRegisters>(n, [&](auto v, int i) { sum = fma(V(weight.values[i]), V(v), sum); });
    return sum;
  }
};

/// Weights across a row, and down a column: each row is summed once, and its sum is held for all windows that it is in. One
/// chain of fused multiply-adds each.
template <class Reach, class Weight, class Value>
struct separable_sum {
  using row_result = decltype(declval<Value>() * declval<Weight>());
  list_of_weights<Weight, Reach::columns> across;
  list_of_weights<Weight, Reach::slices> down;

  template <class Values>
  MEMTILE_FUNCTION row_result of_row(const Values& values) const {
    row_result sum = 0;
    MEMTILE_UNROLL
    for (int x = 0; x < Reach::columns; ++x)
      sum = fma(row_result(across.values[x]), row_result(Value(values(x - Reach::left))), sum);
    return sum;
  }
  template <class Neighbours>
  MEMTILE_FUNCTION row_result operator()(const Neighbours& n) const {
    row_result sum = 0;
    MEMTILE_UNROLL
    for (int y = 0; y < Reach::slices; ++y)
      sum = fma(row_result(down.values[y]), row_result(n.at(y - Reach::front, 0, 0)), sum);
    return sum;
  }
};
/// The same, to the bit, where not even the sums stay in registers.
template <class Reach, class Weight, class Value>
struct far_separable_sum {
  static constexpr bool keeps_loops = true;
  separable_sum<Reach, Weight, Value> weights;

  template <class Neighbours>
  MEMTILE_FUNCTION auto operator()(const Neighbours& n) const {
    using V = typename separable_sum<Reach, Weight, Value>::row_result;
    V sum = 0;
    MEMTILE_KEEP_LOOP
    for (int y = 0; y < Reach::slices; ++y) {
      V of_row = 0;
      MEMTILE_KEEP_LOOP
      for (int x = 0; x < Reach::columns; ++x)
        of_row = fma(V(weights.across.values[x]), V(n.at(y - Reach::front, 0, x - Reach::left)), of_row);
      sum = fma(V(weights.down.values[y]), of_row, sum);
    }
    return sum;
  }
};

// In which types a mean of so many is summed and divided: integers in 32 bits as long as these hold every sum, else in 64.
template <class V, int Count>
inline constexpr bool has_short_sum = sizeof(V) < 4 && int64(Count) << 8 * min_of(int(sizeof(V)), 4) <= int64(1) << 31;
template <class V, int Count>
using sum_of_mean = conditional_t<is_integer<V>, conditional_t<has_short_sum<V, Count>, int32, int64>, V>;
template <class V, int Count>
using type_of_mean = conditional_t<is_integer<V>, conditional_t<has_short_sum<V, Count>, float, double>, V>;

// A value, or two, as what sums are made of.
template <class Sum, class V>
MEMTILE_FUNCTION auto as_sum(V v) {
  if constexpr (is_halves<V>) return halves<int>{v.both};
  else return Sum(v);
}

/// The mean of a window in two passes: sums of rows are held. Those of a few bytes in 16 bits, which makes runs longer. Those of
/// integers are exact however they came about: along a row each is made of the one before, and of many rows their sum is
/// held.
template <class Reach, class Value>
struct separable_mean {
  static constexpr int count = window_size<Reach>;
  static constexpr int columns_to_next = is_integer<Value> ? 1 : 0;
  static constexpr bool adds_rows = is_integer<Value> && Reach::slices >= 7;
  static constexpr bool takes_halves = is_same<Value, uint8> && divides_halves<count>;
  static constexpr bool is_short = takes_halves || (is_same<Value, uint8> && Reach::columns <= 257 && !adds_rows);
  using sum_type = sum_of_mean<Value, count>;
  using row_result = conditional_t<is_short, uint16, sum_type>;

  template <class Values>
  MEMTILE_FUNCTION auto of_row(const Values& values) const {
    auto sum = as_sum<sum_type>(values(-Reach::left));
    MEMTILE_UNROLL
    for (int x = 1 - Reach::left; x <= Reach::right; ++x) sum = add(sum, as_sum<sum_type>(values(x)));
    return as_held(sum);
  }
  template <class Result, class Values>
  MEMTILE_FUNCTION auto next_of_row(Result before, const Values& values) const {
    const auto entering = as_sum<sum_type>(values(Reach::right)), leaving = as_sum<sum_type>(values(-Reach::left - 1));
    return as_held(subtract(add(as_sum<sum_type>(before), entering), leaving));
  }
  template <class Neighbours>
  MEMTILE_FUNCTION auto operator()(const Neighbours& n) const {
    constexpr int front = adds_rows ? 0 : Reach::front, back = adds_rows ? 0 : Reach::back;
    auto sum = as_sum<sum_type>(n.at(-front, 0, 0));
    MEMTILE_UNROLL
    for (int y = 1 - front; y <= back; ++y) sum = add(sum, as_sum<sum_type>(n.at(y, 0, 0)));
    return quotient<count, type_of_mean<Value, count>, decltype(sum)>{sum};
  }

 private:
  MEMTILE_FUNCTION static row_result as_held(sum_type sum) { return row_result(sum); }
  MEMTILE_FUNCTION static halves<int> as_held(halves<int> sum) { return sum; }
};

/// The sum of all neighbours, divided once.
template <class Reach, bool InRegisters>
struct mean_of_window {
  static constexpr bool keeps_loops = !InRegisters;
  template <class Neighbours>
  MEMTILE_FUNCTION auto operator()(const Neighbours& n) const {
    using V = value_of<Neighbours>;
    constexpr int size = window_size<Reach>;
    using sum_type = sum_of_mean<V, size>;
    sum_type sum = 0;
    visit_window<Reach, InRegisters>(n, [&](V v, int) { sum = add(sum, sum_type(v)); });
    return quotient<size, type_of_mean<V, size>, sum_type>{sum};
  }
};

/// The neighbours under an operator, in ascending order.
template <class Reach, bool InRegisters, class Operator>
struct extreme_of_window {
  static constexpr bool keeps_loops = !InRegisters, takes_halves = InRegisters;
  template <class Neighbours>
  MEMTILE_FUNCTION auto operator()(const Neighbours& n) const {
    auto best = n.at(-Reach::front, -Reach::up, -Reach::left);
    visit_window<Reach, InRegisters>(n, [&](auto v, int) { best = Operator{}(best, v); });
    return best;
  }
};

/// Numbers that are in the order of the values, without a sign.
template <class T>
MEMTILE_FUNCTION auto order_of(T v) {
  using bits = conditional_t<sizeof(T) == 1, uint8,
                             conditional_t<sizeof(T) == 2, uint16, conditional_t<sizeof(T) == 4, uint32, uint64>>>;
  constexpr bits top = bits(bits(1) << (8 * sizeof(T) - 1));
  const bits all = __builtin_bit_cast(bits, v);
  if constexpr (is_floating<T>) return bits((all & top) != 0 ? ~all : all | top);
  else return T(-1) < T(0) ? bits(all ^ top) : all;
}
template <class T, class Bits>
MEMTILE_FUNCTION T value_in_order(Bits order) {
  constexpr Bits top = Bits(Bits(1) << (8 * sizeof(T) - 1));
  if constexpr (is_floating<T>) return __builtin_bit_cast(T, Bits((order & top) != 0 ? order ^ top : ~order));
  else return __builtin_bit_cast(T, T(-1) < T(0) ? Bits(order ^ top) : order);
}

/// The neighbour number `rank` in ascending order: the largest number that at most `rank` neighbours are less than.
///
/// Cost   the neighbours are counted once for each bit of an element
template <class Reach, bool InRegisters, class Neighbours>
MEMTILE_FUNCTION value_of<Neighbours> value_in_rank(const Neighbours& n, int rank) {
  using V = value_of<Neighbours>;
  using bits = decltype(order_of(V()));
  bits found = 0;
  MEMTILE_KEEP_LOOP
  for (int bit = 8 * int(sizeof(bits)) - 1; bit >= 0; --bit) {
    const bits higher = bits(found | bits(1) << bit);
    int less = 0;
    visit_window<Reach, InRegisters>(n, [&](V v, int) { less += order_of(v) < higher; });
    if (less <= rank) found = higher;
  }
  return value_in_order<V>(found);
}

/// The neighbour in the middle of their order, of an even number the upper one of two.
///
/// Cost   of 3 x 3 as of median_by_columns; in registers as of median_of; else as of value_in_rank
template <class Reach, bool InRegisters>
struct median_of_window {
  static constexpr bool keeps_loops = !InRegisters, takes_halves = InRegisters && window_size<Reach> % 2 == 1;
  template <class Neighbours>
  MEMTILE_FUNCTION auto operator()(const Neighbours& n) const {
    using V = value_of<Neighbours>;
    constexpr int size = window_size<Reach>;
    if constexpr (InRegisters && Reach::slices == 3 && Reach::rows == 1 && Reach::columns == 3) {
      return median_by_columns<V>([&](int y, int x) { return n.at(y - Reach::front, 0, x - Reach::left); });
    } else if constexpr (InRegisters) {
      return median_of<V, size>([&](int i) {
        return n.at(i / (Reach::rows * Reach::columns) - Reach::front, i / Reach::columns % Reach::rows - Reach::up,
                    i % Reach::columns - Reach::left);
      });
    } else {
      return value_in_rank<Reach, false>(n, size / 2);
    }
  }
};

}  // namespace detail
}  // namespace memtile
