// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What becomes of a stencil's results: they are stored in one output or in several, and a value of each may be reduced in the
// same pass.
#pragma once

#include <memtile/block/block_reduce.cuh>
#include <memtile/block/last_block.cuh>
#include <memtile/core/convert.hpp>
#include <memtile/core/pack.hpp>
#include <memtile/core/view.hpp>
#include <memtile/global/access.cuh>
#include <memtile/global/source.cuh>
#include <memtile/reg/packed_run.cuh>

namespace memtile {

/// What a functor returns for several outputs: one result for each, in their order.
template <class... T>
MEMTILE_FUNCTION constexpr auto results(const T&... each) {
  return detail::packed(each...);
}
/// What a functor returns where a value of each place is reduced: the result, or results(...), and that value.
template <class Result, class Value>
MEMTILE_FUNCTION constexpr value_pair<Result, Value> measured(const Result& result, const Value& value) {
  return {result, value};
}

namespace detail {

// Outputs of a stencil beside a single element type: several, and (around either) a reduction.
template <class... Out>
struct several_outputs {};
template <class Operator, class Total, class Out>
struct reduced_outputs {};

/// Where a run of results belongs.
struct place_of_run {
  int64 slice, row, column;
  int64 first_column, end_column;  // of all that is stored
};

// A lane's results go to `column` and the places behind it, as far as those lie in first .. last - 1. `wide`: out may be
// written run by run.
template <class T, int Width>
MEMTILE_FUNCTION void store_run(const matrix_view<T>& out, int64 row, int64 column, int64 first, int64 last, bool wide,
                                vec<T, Width> results, site s) {
  if (wide && column >= first && column + Width <= last) {
    constexpr int piece = min_of(Width, max_of(1, 16 / int(sizeof(T))));
    MEMTILE_UNROLL
    for (int j = 0; j < Width; j += piece) {
      vec<T, piece> part;
      MEMTILE_UNROLL
      for (int k = 0; k < piece; ++k) part[k] = results[j + k];
      out.store(row, column + j, part, s.inner());
    }
  } else {
    // One by one from the first register: written out, the compiler would merge these stores with the wide one, and make
    // that narrow.
    MEMTILE_KEEP_LOOP
    for (int j = 0; j < Width; ++j) {
      if (column + j >= first && column + j < last) out.store(row, column + j, results[0], s.inner());
      MEMTILE_UNROLL
      for (int k = 0; k + 1 < Width; ++k) results[k] = results[k + 1];
    }
  }
}

// The same of values of one or two bytes that lie in words already.
template <class T, int Words>
MEMTILE_FUNCTION void store_words(const matrix_view<T>& out, int64 row, int64 column, int64 first, int64 last,
                                  bool wide, vec<uint32, Words> units, site s) {
  constexpr int in_word = 4 / int(sizeof(T));
  if (wide && column >= first && column + Words * in_word <= last) {
    if (hw::inside("matrix_view", {row, column}, {out.rows, out.cols}, 1, Words * in_word, s.inner()))
      hw::store_global(reinterpret_cast<vec<uint32, Words>*>(out.address(row, column)), units,
                       s.inner().at(row, column));
  } else {
    MEMTILE_KEEP_LOOP
    for (int j = 0; j < Words * in_word; ++j) {
      const T v = __builtin_bit_cast(T, typename packing<T, Words * in_word>::bits(units[0]));
      if (column + j >= first && column + j < last) out.store(row, column + j, v, s.inner());
      MEMTILE_UNROLL
      for (int k = 0; k < Words; ++k)
        units[k] = funnel_shift_right(units[k], k + 1 < Words ? units[k + 1] : 0, 8 * int(sizeof(T)));
    }
  }
}

/// Width results of a lane.
///
///   views, largest   what they are stored in; the largest type of an element, by which runs are as long as they are
///   take(j, v, counts)   a functor's value for column j of the run; counts: it is one of those that are stored
///   store(out, wide, ...)   bit i of `wide`: output i may be written run by run
///   storage, finish  what the block does in the end
template <class Out, int Width>
struct stencil_results {
  using views = volume_view<Out>;
  using largest = Out;
  struct storage {};
  vec<Out, Width> values;

  template <class V>
  MEMTILE_FUNCTION void take(int j, const V& v, bool) {
    values[j] = stored_as<Out>(v);
  }
  MEMTILE_FUNCTION void store(const views& out, uint32 wide, const place_of_run& at, site s) const {
    const auto slice = out.slice(at.slice);
    const bool is_wide = (wide & 1) != 0;
    if constexpr (packing<Out, Width>::is_packed)
      store_words(slice, at.row, at.column, at.first_column, at.end_column, is_wide, in_words(values), s);
    else store_run(slice, at.row, at.column, at.first_column, at.end_column, is_wide, values, s);
  }
  MEMTILE_FUNCTION void finish(const block&, storage&, const views&, site) const {}
};

template <class Out, int Width>
struct stencil_results<several_outputs<Out>, Width> : stencil_results<Out, Width> {
  using views = pack<volume_view<Out>>;
  template <class V>
  MEMTILE_FUNCTION void take(int j, const pack<V>& v, bool counts) {
    stencil_results<Out, Width>::take(j, v.first, counts);
  }
  MEMTILE_FUNCTION void store(const views& out, uint32 wide, const place_of_run& at, site s) const {
    stencil_results<Out, Width>::store(out.first, wide, at, s);
  }
  MEMTILE_FUNCTION void finish(const block&, typename stencil_results<Out, Width>::storage&, const views&, site) const {
  }
};
template <class First, class Second, class... Rest, int Width>
struct stencil_results<several_outputs<First, Second, Rest...>, Width> {
  using rest_results = stencil_results<several_outputs<Second, Rest...>, Width>;
  using views = pack<volume_view<First>, volume_view<Second>, volume_view<Rest>...>;
  using largest =
      conditional_t<(sizeof(First) > sizeof(typename rest_results::largest)), First, typename rest_results::largest>;
  struct storage {};
  stencil_results<First, Width> first;
  rest_results rest;

  template <class V, class... More>
  MEMTILE_FUNCTION void take(int j, const pack<V, More...>& v, bool counts) {
    static_assert(sizeof...(More) == 1 + sizeof...(Rest),
                  "memtile: the functor must return results(...) with one for each output");
    first.take(j, v.first, counts);
    rest.take(j, v.rest, counts);
  }
  MEMTILE_FUNCTION void store(const views& out, uint32 wide, const place_of_run& at, site s) const {
    first.store(out.first, wide, at, s);
    rest.store(out.rest, wide >> 1, at, s);
  }
  MEMTILE_FUNCTION void finish(const block&, storage&, const views&, site) const {}
};

template <class Views, class A, class Total>
struct reduced_views {
  Views out;
  A* parts;  // of each block
  uint32* ticket;
  Total* total;
};
MEMTILE_USER_CODE_BEGIN

// Each thread combines its values in the order in which it computes them, a block those of its threads, and the block that
// comes last those of the blocks: the same tree on every card.
template <class Operator, class Total, class Out, int Width>
struct stencil_results<reduced_outputs<Operator, Total, Out>, Width> {
  using stored = stencil_results<Out, Width>;
  using largest = typename stored::largest;
  using A = accumulator_t<Operator, Total>;
  using fold = block_reduce<A, 256>;
  using storage = typename fold::storage;
  using views = reduced_views<typename stored::views, A, Total>;
  stored values;
  A total = Operator::template identity<A>();

  template <class Result, class V>
  MEMTILE_FUNCTION void take(int j, const value_pair<Result, V>& v, bool counts) {
    values.take(j, v.first, counts);
    if (counts) total = Operator{}(total, A(v.second));
  }
  MEMTILE_FUNCTION void store(const views& out, uint32 wide, const place_of_run& at, site s) const {
    values.store(out.out, wide, at, s);
  }
  MEMTILE_FUNCTION void finish(const block& b, storage& shared, const views& out, site s) const {
    fold whole{b, shared, s.inner()};
    const A part = whole.thread_0(total, Operator{}, s.inner());
    if (b.rank() == 0) hw::store_global(out.parts + b.grid_column(), part, s.inner().at(b.grid_column()));
    if (!block_is_last(b, out.ticket, b.grid_columns(), stored_by::thread_0, s.inner())) return;
    A all = Operator::template identity<A>();
    for (int i = b.rank(); i < b.grid_columns(); i += b.size())
      all = Operator{}(all, hw::load_global(out.parts + i, s.inner().at(i)));
    all = whole.thread_0(all, Operator{}, s.inner());
    if (b.rank() == 0) hw::store_global(out.total, stored_as<Total>(all), s.inner().at(0));
  }
};

/// Of no places.
template <class Operator, class Total>
struct empty_total_kernel {
  static constexpr const char* name = "memtile::stencil";
  static constexpr int threads = 32;
  MEMTILE_KERNEL void operator()(block b, Total* total) const {
    const site s = site::here().within("stencil");
    using A = accumulator_t<Operator, Total>;
    if (b.rank() == 0) hw::store_global(total, stored_as<Total>(Operator::template identity<A>()), s.at(0));
  }
};

MEMTILE_USER_CODE_END

}  // namespace detail
}  // namespace memtile
