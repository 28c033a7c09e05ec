// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// gemm: checks a matmul, brings it into the one form the kernel knows (c row major), chooses a tile and starts the
// kernel.
#pragma once

#include <memtile/algorithm/gemm.cuh>
#include <memtile/launch/gemm_operands.hpp>
#include <memtile/launch/gemm_place.cuh>
#include <memtile/launch/gemm_plan.hpp>
#include <memtile/launch/launch.cuh>
#include <memtile/launch/workspace.hpp>

#if !defined(__CUDACC_RTC__)

namespace memtile {

namespace detail {

/// A call whose operands have been checked. Swapped: it is the transposed problem of the one that was asked for.
template <class Policy, bool Swapped, class OperandA, class OperandB, class OperandC, class Epilogue>
struct gemm_call {
  OperandA a;
  OperandB b;
  OperandC c;
  const Epilogue& epilogue;

  using A = typename OperandA::view;
  using B = typename OperandB::view;
  using C = typename OperandC::view;

  using asked = conditional_t<is_same<Policy, automatic>, gemm_policy<>, Policy>;
  static constexpr bool has_mapped = is_mapped<A> || is_mapped<B>;
  // Mapped operands lie in shared memory as they do in memory; what their functors make of them is added up.
  using T = elements<element_in_memory<A>, element_in_memory<B>>;
  using accumulator = typename gemm_types<elements<typename A::element, typename B::element>, asked>::accumulator;
  // What gives the same bits either way round needs no swapping.
  static constexpr bool is_symmetric = is_same<typename asked::semiring, plus_times> && is_number<accumulator>;
  using semiring =
      conditional_t<Swapped && !is_symmetric, swapped_semiring<typename asked::semiring>, typename asked::semiring>;
  using adds_in = conditional_t<has_mapped, accumulator, typename asked::accumulator>;
  template <class Tile>
  using product = block_gemm<T, typename asked::template with<Tile, semiring, adds_in>>;
  using small_tile = typename gemm_tiles<accumulator>::smallest;
  using smallest = product<
      conditional_t<asked::names_tile, asked, conditional_t<has_mapped, with_free_registers<small_tile>, small_tile>>>;
  using largest = product<conditional_t<asked::names_tile, asked, typename gemm_tiles<accumulator>::largest>>;
  using flat = product<conditional_t<asked::names_tile, asked, typename gemm_tiles<accumulator>::flat>>;
  using one_warp = product<conditional_t<asked::names_tile, asked, typename gemm_tiles<accumulator>::one_warp>>;
  using two_warps = product<conditional_t<asked::names_tile, asked, typename gemm_tiles<accumulator>::two_warps>>;
  static constexpr bool has_one_warp = OperandC::is_batch && !is_same<smallest, one_warp>;
  // Whether there are several to choose from: smaller types than accumulators, mapped ones, and whole numbers of another
  // arithmetic (min_plus compares for each product) take the small tile, whose registers have room for them.
  static constexpr bool has_choice = !is_same<smallest, largest> &&
                                     sizeof(typename A::element) == sizeof(accumulator) &&
                                     sizeof(typename B::element) == sizeof(accumulator) && !has_mapped &&
                                     (is_same<typename asked::semiring, plus_times> || !is_integer<accumulator>);

  // Each tile costs the compiler time: accumulators of 8 bytes and more have no such tiles, see tiles_for.
  static constexpr bool has_flat = has_choice && !OperandC::is_batch && !is_same<smallest, flat>;
  static constexpr bool has_two_warps = has_choice && OperandC::is_batch && !is_same<one_warp, two_warps>;

  static constexpr bool has_strided = is_same<typename A::layout, strided> || is_same<typename B::layout, strided> ||
                                      is_same<typename C::layout, strided>;
  static constexpr bool may_be_wide = !has_strided && smallest::shape::allows_wide;

  // What brings one element where 16 bytes are not allowed; 0, found out in the kernel, where no asynchronous copy of its size
  // may begin wherever an element may.
  template <class Element>
  static constexpr bool copies_alone = alignof(Element) == sizeof(Element) && sizeof(Element) >= 4;
  static constexpr int bytes_of_element =
      copies_alone<typename A::element> && copies_alone<typename B::element> ? int(sizeof(accumulator)) : 0;

  bool is_wide() const {
    if constexpr (may_be_wide) {
      constexpr int out = int(sizeof(typename C::element)) * smallest::template run<typename C::element>;
      return allows_16(a) && allows_16(b) && allows_access_of<out>(c.series.first) && c.series.step % out == 0 &&
             c.series.pointers.data == nullptr;
    }
    return false;
  }
  gemm_plan plan_of_smallest() const {
    return plan_with<smallest>(c.series.first.rows, c.series.first.cols, c.count, is_wide(), !asked::names_tile);
  }
  gemm_plan plan(int multiprocessors, bool one_tree) const {
    const auto& out = c.series.first;
    const int64 inner = view_of(a.series.first).cols;
    gemm_plan p = plan_of_smallest();
    const bool wide = p.wide;
    const auto with = [&](auto tile) {
      return plan_with<typename decltype(tile)::type>(out.rows, out.cols, c.count, wide, true);
    };
    if (asked::slices > 1) {
      p.slices = asked::slices;
      return p;
    }
    if (one_tree && reduction::is_there) return p;  // whose bits depend on the tile
    if (has_choice && may_be_wide && prefers<largest>(multiprocessors)) return with(same_type<largest>{});
    if (has_one_warp && mostly_beyond<smallest, one_warp>())
      return has_two_warps && wide && !mostly_beyond<two_warps, one_warp>() ? with(same_type<two_warps>{})
                                                                            : with(same_type<one_warp>{});
    if (has_flat && wide &&
        prefers_flat_tile(out.rows, out.cols, inner, smallest::block_m, smallest::block_n, flat::block_m, flat::block_n,
                          multiprocessors))
      p = with(same_type<flat>{});
    if (may_split && asked::slices == 0 && !one_tree && p.tiles() <= most_tickets)
      p.slices = choose_slices(p.tiles(), inner, p.block_k, multiprocessors);
    return p;
  }

  using handed_over = conditional_t<OperandC::is_batch, product_series<A, B, C>, one_product<A, B, C>>;
  // A tile whose accumulators fill the registers has none for the sums of others, unless it was told to.
  static constexpr bool may_split = asked::slices > 1 || (asked::slices == 0 && !smallest::shape::fills_registers);
  // Stands for those that may be cut into slices.
  using sliced = gemm_kernel<smallest, 0, may_split, handed_over, Epilogue>;

  template <class Place>
  status start(const Place& place) const {
    // A query may stand for a call in the simulator too. What a reduction needs goes by the tile, and a machine with
    // fewer multiprocessors may choose the one that needs more.
    if constexpr (is_same<Place, on_query>) {
      if (status s = start_planned(place, plan(simulated_multiprocessors, false)); !s) return s;
      if constexpr (reduction::is_there)
        if (status s = start_planned(place, plan(simulated_multiprocessors, true)); !s) return s;
    }
    return start_planned(place, plan(multiprocessors_of(place), wants_one_tree(place)));
  }
  template <class Place>
  status start_planned(const Place& place, const gemm_plan& p) const {
    // Sums of slices come first, then those of rows or columns.
    const bool in_cluster = p.slices > 1 && p.slices <= most_cluster && has_clusters<sliced>(place);
    const bool in_memory = p.slices > 1 && !in_cluster;
    const int64 split_tickets = in_memory ? p.tiles() : 0, side_tickets = tiles_along(p);
    const int64 split_parts = in_memory ? p.blocks() * p.block_m * p.block_n : 0;
    if (split_tickets > most_tickets)
      return status::refused("gemm: {} tiles in {} slices each are more than the {} whose slices can be added through "
                             "memory: leave out split_k",
                             split_tickets, p.slices, most_tickets);
    if (split_tickets + side_tickets > most_tickets)
      return status::refused(
          "gemm: {} rows or columns of tiles are more than the {} that a reduction of them can serve",
          split_tickets + side_tickets, most_tickets);
    const size_t side_begin = (size_t(split_parts) * sizeof(accumulator) + 15) / 16 * 16;
    const workspace_need need{split_tickets + side_tickets, side_begin + side_bytes(p)};
    return with_workspace(place, "gemm", need, [&](uint32* tickets, void* parts) {
      const int64 steps = ceil_div(ceil_div(view_of(a.series.first).cols, p.block_k), p.slices);
      const side_memory sides{tickets + split_tickets, static_cast<unsigned char*>(parts) + side_begin};
      const gemm_split<accumulator> split{p.slices, steps * p.block_k, tickets, static_cast<accumulator*>(parts),
                                          sides};
      if constexpr (OperandC::is_batch)
        return start_kernel(place, p, handed_over{a.series, b.series, c.series, int(p.tiles_each)}, split, in_cluster);
      else
        return start_kernel(place, p, handed_over{{a.series.first, b.series.first, c.series.first}}, split, in_cluster);
    });
  }
  template <class Place, class Products>
  status start_kernel(const Place& place, const gemm_plan& p, const Products& products,
                      const gemm_split<accumulator>& split, [[maybe_unused]] bool in_cluster) const {
    const grid blocks(p.blocks());
    const auto run_slices = [&](auto kernel) {
      if constexpr (may_split)
        if (in_cluster) kernel.cluster = p.slices;
      return launch(place, blocks, kernel, products, split, epilogue);
    };
    const auto run = [&](auto kernel) { return launch(place, blocks, kernel, products, split, epilogue); };
    const auto tile_is = [&](auto kernel) { return p.block_m == kernel.block_m && p.block_n == kernel.block_n; };
    if constexpr (may_be_wide) {
      if constexpr (has_choice) {
        const gemm_kernel<largest, 16, false, Products, Epilogue> kernel{};
        if (tile_is(kernel))
          return p.wide ? run(kernel) : run(gemm_kernel<largest, bytes_of_element, false, Products, Epilogue>{});
      }
      if constexpr (has_flat) {
        const gemm_kernel<flat, 16, may_split, Products, Epilogue> kernel{};
        if (p.wide && tile_is(kernel)) return run_slices(kernel);
      }
      if constexpr (has_two_warps) {
        const gemm_kernel<two_warps, 16, false, Products, Epilogue> kernel{};
        if (p.wide && tile_is(kernel)) return run(kernel);
      }
      if constexpr (has_one_warp) {
        const gemm_kernel<one_warp, 16, false, Products, Epilogue> kernel{};
        if (p.wide && tile_is(kernel)) return run(kernel);
      }
      if (p.wide) return run_slices(gemm_kernel<smallest, 16, may_split, Products, Epilogue>{});
    }
    if constexpr (has_one_warp) {
      const gemm_kernel<one_warp, 0, false, Products, Epilogue> kernel{};
      if (tile_is(kernel)) return run(kernel);
    }
    return run_slices(gemm_kernel<smallest, 0, may_split, Products, Epilogue>{});
  }

 private:
  // What a reduction of rows or columns needs where each has several tiles: a ticket for a row of tiles, and parts.
  using reduction = reduction_in<Epilogue>;
  static_assert(!reduction::is_there || !OperandC::is_batch,
                "memtile: reduce_rows_into and reduce_columns_into must be the epilogue of a single product");
  struct side_numbers {
    int64 tickets = 0, elements = 0;
    size_t bytes = 0;
  };
  side_numbers sides_of(const gemm_plan& p) const {
    if constexpr (reduction::is_there) {
      using reduce = typename reduction::reduce;
      const auto& out = c.series.first;
      const int64 down = ceil_div(out.rows, p.block_m), across = ceil_div(out.cols, p.block_n);
      const bool rows = reduce::along == side::rows;
      const int64 sharing = rows ? across : down;
      if (sharing > 1)
        return {rows ? down : across, sharing * (rows ? out.rows : out.cols), sizeof(typename reduce::sum)};
    }
    return {};
  }
  int64 tiles_along(const gemm_plan& p) const { return sides_of(p).tickets; }
  size_t side_bytes(const gemm_plan& p) const { return size_t(sides_of(p).elements) * sides_of(p).bytes; }

  template <class Operand>
  static bool allows_16(const Operand& operand) {
    return allows_access_of<16>(view_of(operand.series.first)) && operand.series.step % 16 == 0 &&
           operand.series.pointers.data == nullptr;
  }
  template <class Tile>
  bool prefers(int multiprocessors) const {
    const auto& out = c.series.first;
    return prefers_larger_tile(out.rows, out.cols, Tile::block_m, Tile::block_n, smallest::block_m, smallest::block_n,
                               multiprocessors, 0.9, c.count);
  }
  template <class Tile, class Smaller>
  bool mostly_beyond() const {
    const auto& out = c.series.first;
    return prefers_smaller_tile(out.rows, out.cols, Tile::block_m, Tile::block_n, Smaller::block_m, Smaller::block_n);
  }
};

// Calls go(call) with the call in the form that kernels know: a column major c is the transposed problem, c^T = b^T a^T, and
// the epilogue's coordinates change places.
template <class Policy, class A, class B, class C, class Epilogue, class Go>
status with_row_major_output(const A& a, const B& b, const C& c, const Epilogue& epilogue, const Go& go) {
  if constexpr (is_same<typename C::view::layout, column>) {
    const auto turn = [](const auto& v) { return transposed(v); };
    const auto a_turned = each_seen(a, turn);
    const auto b_turned = each_seen(b, turn);
    const auto c_turned = each_seen(c, turn);
    const auto call = [&](const auto& e) {
      return go(gemm_call<Policy, true, bare_t<decltype(b_turned)>, bare_t<decltype(a_turned)>,
                          bare_t<decltype(c_turned)>, bare_t<decltype(e)>>{b_turned, a_turned, c_turned, e});
    };
    if constexpr (is_same<Epilogue, store_product>) return call(epilogue);
    else return call(flipped<Epilogue>(epilogue));
  } else {
    return go(gemm_call<Policy, false, A, B, C, Epilogue>{a, b, c, epilogue});
  }
}

template <class Policy, class A, class B, class C, class Epilogue, class Go>
status with_unit_strides(const A& a, const B& b, const C& c, const Epilogue& epilogue, const Go& go) {
  constexpr bool any_strided = is_same<typename A::view::layout, strided> ||
                               is_same<typename B::view::layout, strided> || is_same<typename C::view::layout, strided>;
  if constexpr (any_strided) {
    const bool all_unit = has_unit_stride(view_of(a.series.first)) && has_unit_stride(view_of(b.series.first)) &&
                          has_unit_stride(c.series.first);
    const auto see = [](const auto& v) { return as_strided(v); };
    if (!all_unit)
      return with_row_major_output<Policy>(each_seen(a, see), each_seen(b, see), each_seen(c, see), epilogue, go);
  }
  const auto as = [](const auto& view) { return [&view](const auto&) { return view; }; };
  return with_layout(a.series.first, [&](const auto& a_view) {
    return with_layout(b.series.first, [&](const auto& b_view) {
      return with_layout(c.series.first, [&](const auto& c_view) {
        return with_row_major_output<Policy>(each_seen(a, as(a_view)), each_seen(b, as(b_view)),
                                             each_seen(c, as(c_view)), epilogue, go);
      });
    });
  });
}

template <class Policy, class A, class B, class C, class Epilogue, class Go>
status checked_gemm(A a, B b, const C& c, const Epilogue& epilogue, const Go& go) {
  static_assert(!is_mapped<typename C::view>, "memtile: the output of gemm must be a view and not mapped");
  static_assert(C::is_batch || !(A::is_batch || B::is_batch),
                "memtile: the output of gemm must be a batch where an input is one");
  static_assert(!is_const<typename C::view::value_type>,
                "memtile: the output of gemm must not be a view of const elements");
  const auto a_view = view_of(a.series.first);
  const auto b_view = view_of(b.series.first);  // not of the same type
  const auto& c_view = c.series.first;
  if (status s = check_operand("a", a); !s) return s;
  if (status s = check_operand("b", b); !s) return s;
  if (status s = check_operand("the output", c); !s) return s;
  if (a_view.cols != b_view.rows)
    return status::refused("gemm: a is {}x{} but b is {}x{}: inner sizes differ", a_view.rows, a_view.cols, b_view.rows,
                           b_view.cols);
  if (c_view.rows != a_view.rows || c_view.cols != b_view.cols)
    return status::refused("gemm: a is {}x{} and b is {}x{}, so the output must be {}x{}, but it is {}x{}", a_view.rows,
                           a_view.cols, b_view.rows, b_view.cols, a_view.rows, b_view.cols, c_view.rows, c_view.cols);
  if (A::is_batch && a.count != c.count)
    return status::refused("gemm: a has {} matrices but the output {}: they must be as many", a.count, c.count);
  if (B::is_batch && b.count != c.count)
    return status::refused("gemm: b has {} matrices but the output {}: they must be as many", b.count, c.count);
  if (overlap(bytes_of(c), bytes_of(a)))
    return status::refused("gemm: the output overlaps a: give it memory of its own");
  if (overlap(bytes_of(c), bytes_of(b)))
    return status::refused("gemm: the output overlaps b: give it memory of its own");
  if (status s = check_output(c); !s) return s;
  checked_output output{places_of(c_view), bytes_of(c), C::is_batch};
  if constexpr (reduction_in<Epilogue>::is_there) output.reduced = reduction_in<Epilogue>::of(epilogue).memory();
  if (status s = check_epilogue(epilogue, output); !s) return s;
  if (overlap(output.reduced, bytes_of(a)) || overlap(output.reduced, bytes_of(b)))
    return status::refused(
        "gemm: the rows or columns are reduced into memory of an input: give them memory of their own");
  if (c_view.rows == 0 || c_view.cols == 0 || c.count == 0) return {};
  if (!needs_product(epilogue)) without_steps(a, b);  // an empty sum; neither is read
  return with_unit_strides<Policy>(a, b, c, epilogue, go);
}

}  // namespace detail

/// out = epilogue(a * b): a is M x K, b is K x N, out is M x N.
///
/// Where     a stream, a context, a simulator, a testing machine, or a workspace_query
/// a, b, out views, or mdspans, of memory that the machine can reach, any sizes (0 and 1 too), any pitch, any strides of
///           0 and more; a vector is a column. a and b may be mapped(view, functor). For several products in one launch all
///           of them, or the output and one more, are batches: a volume_view, a matrix_batch or a pointer_batch; a single
///           matrix then serves all products. The addresses in a pointer_batch are not checked, see core/batch.hpp.
/// types     a, b and out may differ: numbers, small floats, complex, or types of one's own with a semiring; what is added
///           up is float for small floats, int32 for int8 and uint8, int64 for int16 and uint16, else the type of the
///           elements, or accumulate_in<T> of the policy. What is stored is rounded to nearest even and saturated.
/// epilogue  (accumulated, row, column) -> value; see algorithm/epilogue.cuh. Default: the product as it is.
/// Policy    `automatic`, or a gemm_policy
/// Result    each element is one chain of fused multiply-adds in ascending k: the same bits whatever the tile, the layouts,
///           the card, and in the simulator. Where the tiles are few and k is long, k is cut into slices whose chains are
///           added in their order: then the bits go by the number of multiprocessors. With split_k<1>, or determinism
///           fixed_tree of a context, that never happens. A zero to which a sum underflowed may have either sign: steps of k
///           beyond the last one, which tiles differ in, add +0.
/// Errors    refused with words and values, with nothing launched or changed: sizes that do not match, a pitch shorter
///           than a row, a negative stride, a null or misaligned pointer, an output that overlaps an input or itself, a
///           vector of the epilogue that does not fit; and, for want of tickets, more than 16,384 rows or columns of tiles
///           that are reduced
/// Memory    16-byte accesses where base, pitch and row length of all three are multiples of 16 bytes, else the widest that
///           each operand allows, or in large outputs one element
/// Cost      enqueues one kernel, never synchronises, may be captured in a graph. A call that is cut into more than 8 slices
///           (by code for architectures before sm_90, into any) needs a workspace, or takes one from the stream's pool; see
///           launch/workspace.hpp.
template <class Policy = automatic, class Where, class A, class B, class C, class Epilogue>
status gemm(Where&& where, const A& a, const B& b, const C& out, const Epilogue& epilogue) {
  const auto place = detail::place_of(where);
  return detail::checked_gemm<Policy>(detail::operand_of(a), detail::operand_of(b), detail::operand_of(out), epilogue,
                                      [&](const auto& call) { return call.start(place); });
}
template <class Policy = automatic, class Where, class A, class B, class C>
status gemm(Where&& where, const A& a, const B& b, const C& out) {
  return gemm<Policy>(where, a, b, out, store_product{});
}

/// Which kernel gemm<Policy>(where, a, b, out) would run and why, in words; or why it would be refused. Nothing runs.
template <class Policy = automatic, class Where, class A, class B, class C>
std::string explain_gemm(Where&& where, const A& a, const B& b, const C& out) {
  const auto place = detail::place_of(where);
  std::string words = "gemm: the output is empty: nothing runs";
  const status s = detail::checked_gemm<Policy>(
      detail::operand_of(a), detail::operand_of(b), detail::operand_of(out), store_product{}, [&](const auto& call) {
        words = explained(call.plan(detail::multiprocessors_of(place), detail::wants_one_tree(place)));
        return status{};
      });
  return s ? words : s.message();
}

}  // namespace memtile
#endif
