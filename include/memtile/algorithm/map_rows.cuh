// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows that stay in registers while a functor passes over them several times: each is read once and written once.
//
//   struct softmax {
//     template <class Row>
//     MEMTILE_FUNCTION void operator()(Row& row) const {
//       const float largest = row.reduce(memtile::maximum{});
//       row.map([=](float v) { return memtile::exp(v - largest); });
//       const float sum = row.reduce(memtile::plus{});
//       row.store([=](float e) { return e / sum; });
//     }
//   };
//
// A warp holds rows of up to 8 runs a lane, a block those of up to 4 runs a thread.
#pragma once

#include <memtile/algorithm/reduce.cuh>
#include <memtile/algorithm/reductions.hpp>

namespace memtile {

MEMTILE_USER_CODE_BEGIN

namespace detail {

// Whether runs can be stored as they are loaded.
template <class Out, int Width>
inline constexpr bool stores_runs = sizeof(Out) * Width <= 16;

// How the threads of a row reduce: a warp by shuffles; a block also through shared memory, in two halves by turns, so that
// one reduction may follow another at once.
struct warp_of_row {
  static constexpr bool is_warp = true;
  static constexpr int runs = 8, most_threads = 32, threads_of_block = 128, min_blocks = 6;
  struct storage {};
  memtile::warp warp;
  MEMTILE_FUNCTION warp_of_row(const block& b, storage&) : warp(b.warp()) {}
  MEMTILE_FUNCTION int rank() const { return warp.lane(); }
  MEMTILE_FUNCTION int size() const { return 32; }
  template <class A, class Operator>
  MEMTILE_FUNCTION A reduce(const A& v, const Operator& op, site s) {
    return warp_reduce(warp, v, op, 32, s);
  }
};
class block_of_row {
 public:
  static constexpr bool is_warp = false;
  static constexpr int runs = 4, most_threads = 1024, threads_of_block = 1024, min_blocks = 1;
  static constexpr int most_bytes = 64;  // of a value
  struct storage {
    alignas(16) unsigned char half[2][2 * most_bytes * (most_threads / 32)];
  };
  MEMTILE_FUNCTION block_of_row(const block& b, storage& shared) : block_(b), shared_(&shared) {}
  MEMTILE_FUNCTION int rank() const { return block_.rank(); }
  MEMTILE_FUNCTION int size() const { return block_.size(); }
  template <class A, class Operator>
  MEMTILE_FUNCTION A reduce(const A& v, const Operator& op, site s) {
    static_assert(sizeof(A) <= most_bytes, "memtile: a reduction in map_rows must be of at most 64 bytes");
    using reducer = block_reduce<A, most_threads>;
    turn_ ^= 1;
    return reducer{block_, *reinterpret_cast<typename reducer::storage*>(shared_->half[turn_])}.all_threads(v, op, s);
  }

 private:
  block block_;
  storage* shared_;
  int turn_ = 0;
};

// Runs that each thread holds, of at most 32 values.
template <class T, class Threads>
inline constexpr int runs_held = min_of(Threads::runs, 32 / run_width<T>);

}  // namespace detail

/// The row that the functor of map_rows gets. All threads of the row call its members, in the same order.
template <class T, class Out, class Threads, bool Aligned>
class held_row {
  static constexpr int width = detail::run_width<T>, runs = detail::runs_held<T, Threads>;

 public:
  using value = detail::plain_type<T>;  // float for small floats

  MEMTILE_FUNCTION held_row(Threads& threads, const array_source<T, Aligned>& in, const matrix_view<Out>& out,
                            int64 index, site s)
      : threads_(&threads), out_(out), index_(index), size_(int(in.size)), site_(s) {
    MEMTILE_UNROLL
    for (int r = 0; r < runs; ++r) {
      const vec<T, width> run = is_whole(r) ? in.load_carefully(first(r), s) : in.load_some(first(r), there(r), s);
      MEMTILE_UNROLL
      for (int i = 0; i < width; ++i) held_[r][i] = value(run[i]);
    }
  }

  MEMTILE_FUNCTION int64 index() const { return index_; }  // of the row
  MEMTILE_FUNCTION int size() const { return size_; }      // elements

  /// v(0) op v(1) op ..., in every thread. op is an operator, or a tag such as arg_maximum or moments, whose result is its
  /// accumulator.
  template <class Operator>
  MEMTILE_FUNCTION auto reduce(const Operator& op) {
    return reduce(op, identity{});
  }
  /// Of f(value), or f(value, column).
  template <class Operator, class F>
  MEMTILE_FUNCTION auto reduce(const Operator& op, const F& f) {
    if constexpr (__is_base_of(detail::wanted, Operator)) {
      return whole(op.template over<value>());
    } else {
      using A = accumulator_t<Operator, detail::transformed_t<F, value>>;
      const fold<Operator, A, F> way{op, A{}, f, {}, {}};
      if constexpr (fold<Operator, A, F>::has_identity) return whole(way);
      else return whole(way).value;
    }
  }

  /// v = f(v), or f(v, column), for every element.
  template <class F>
  MEMTILE_FUNCTION void map(const F& f) {
    MEMTILE_UNROLL
    for (int r = 0; r < runs; ++r) {
      MEMTILE_UNROLL
      for (int i = 0; i < width; ++i)
        if (is_there(r, i)) held_[r][i] = value(detail::transformed(f, held_[r][i], first(r) + i));
    }
  }

  /// Writes the row, or f of it, to the output.
  MEMTILE_FUNCTION void store() { store(identity{}); }
  template <class F>
  MEMTILE_FUNCTION void store(const F& f) {
    MEMTILE_UNROLL
    for (int r = 0; r < runs; ++r) {
      const int at = first(r), count = there(r);
      vec<Out, width> run;
      MEMTILE_UNROLL
      for (int i = 0; i < width; ++i)
        if (is_there(r, i)) run[i] = Out(detail::transformed(f, held_[r][i], at + i));
      if constexpr (Aligned && detail::stores_runs<Out, width>) {
        if (is_whole(r)) {
          out_.store(index_, at, run, site_);
          continue;
        }
      }
      MEMTILE_UNROLL
      for (int i = 0; i < width; ++i)
        if (i < count) out_.store(index_, at + i, run[i], site_);
    }
  }

 private:
  MEMTILE_FUNCTION int first(int r) const { return (r * threads_->size() + threads_->rank()) * width; }
  // Not there(r) == width: of max(0, min(width, x)) == width ptxas 13.0 makes a predicate that is true for x = 0 as well.
  MEMTILE_FUNCTION bool is_whole(int r) const { return first(r) + width <= size_; }
  MEMTILE_FUNCTION bool is_there(int r, int i) const { return is_whole(r) || first(r) + i < size_; }
  MEMTILE_FUNCTION int there(int r) const { return min_of(width, size_ - first(r)); }  // less than 1: none

  template <class Reduction>
  MEMTILE_FUNCTION auto whole(const Reduction& way) {
    auto total = way.empty();
    MEMTILE_UNROLL
    for (int r = 0; r < runs; ++r) {
      auto part = way.empty();
      if (is_whole(r)) way.enter(part, held_[r], first(r));
      else detail::enter_some(way, part, held_[r], first(r), there(r));
      if constexpr (Reduction::commutative) total = way(total, part);
      else total = way(total, threads_->reduce(part, way, site_));  // a stripe in order, then the next
    }
    if constexpr (Reduction::commutative) return threads_->reduce(total, way, site_);
    else return total;
  }

  Threads* threads_;
  matrix_view<Out> out_;
  int64 index_;
  int size_;
  site site_;
  vec<value, width> held_[runs];
};

/// Grid: a block for each row, or for each 4 rows where a warp holds one.
template <class T, class Out, class Functor, class Threads, bool Aligned>
struct map_rows_kernel {
  static constexpr const char* name = "memtile::map_rows";
  static constexpr int max_threads = Threads::threads_of_block, min_blocks = Threads::min_blocks;
  using storage = typename Threads::storage;
  int threads;

  MEMTILE_KERNEL void operator()(block b, storage& shared, volume_rows<T, Aligned> in, matrix_view<Out> out,
                                 Functor functor) const {
    const site s = site::here().within("map_rows");
    const int64 index =
        Threads::is_warp ? int64(b.grid_column()) * (threads / 32) + b.warp().rank() : int64(b.grid_column());
    if (index >= out.rows) return;  // of a whole warp: the others do not wait for it
    Threads of_row(b, shared);
    held_row<T, Out, Threads, Aligned> row(of_row, in.row(index), out, index, s.inner());
    functor(row);
  }
};

MEMTILE_USER_CODE_END

}  // namespace memtile
