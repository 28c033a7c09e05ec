// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// gemm_list: products of any shapes together, as few launches as the arguments of a kernel allow.
#pragma once

#include <memtile/launch/gemm.cuh>

#if !defined(__CUDACC_RTC__)
#include <algorithm>
#include <iterator>
#include <vector>

namespace memtile {

namespace detail {

// No output may share memory with another matrix of the list: blocks of all products run together.
struct list_entry {
  rectangle bytes;
  bool is_output;
  int64 product;
};
inline status check_apart(std::vector<list_entry>& entries) {
  std::sort(entries.begin(), entries.end(),
            [](const list_entry& x, const list_entry& y) { return x.bytes.first < y.bytes.first; });
  for (size_t i = 0; i < entries.size(); ++i)
    for (size_t j = i + 1; j < entries.size() && entries[j].bytes.first < entries[i].bytes.end(); ++j) {
      const list_entry &x = entries[i], &y = entries[j];
      if ((x.is_output || y.is_output) && overlap(x.bytes, y.bytes))
        return status::refused(
            "gemm_list: the output of product {} overlaps a matrix of product {}: give it memory of its own",
            x.is_output ? x.product : y.product, x.is_output ? y.product : x.product);
    }
  return {};
}

template <class Policy, bool Swapped, class Place, class A, class B, class C, class Epilogue>
status start_list(const Place& place, const std::vector<gemm_product<A, B, C>>& products, const Epilogue& epilogue) {
  static_assert(!reduction_in<Epilogue>::is_there,
                "memtile: reduce_rows_into and reduce_columns_into must be the epilogue of a single product");
  using call =
      gemm_call<Policy, Swapped, gemm_operand<A, false>, gemm_operand<B, false>, gemm_operand<C, false>, Epilogue>;
  const auto one = [&](const gemm_product<A, B, C>& p) { return call{alone(p.a), alone(p.b), alone(p.c), epilogue}; };
  gemm_plan plan = one(products.front()).plan_of_smallest();
  plan.wide = std::all_of(products.begin(), products.end(), [&](const auto& p) { return one(p).is_wide(); });
  using list = product_list<A, B, C>;
  for (size_t from = 0; from < products.size(); from += list::most) {
    list together{};
    int64 tiles = 0;
    for (int i = 0; i < list::most; ++i) {
      const bool is_there = from + size_t(i) < products.size();
      together.first_tile[i] = is_there ? int(tiles) : 0x7fffffff;
      if (!is_there) continue;
      together.products[i] = products[from + size_t(i)];
      const C& c = together.products[i].c;
      tiles += ceil_div(c.rows, plan.block_m) * ceil_div(c.cols, plan.block_n);
    }
    plan.products = 1, plan.tiles_each = tiles;
    const gemm_split<typename call::accumulator> whole{1, int64(1) << 62, nullptr, nullptr, {}};
    if (status s = one(products.front()).start_kernel(place, plan, together, whole, false); !s) return s;
  }
  return {};
}

}  // namespace detail

/// c = epilogue(a * b) for each of a list of products of any shapes, 16 to a launch. The list, a std::vector or an array of
/// gemm_product{a, b, c}, is in host memory and no longer needed when the call returns; its views are row or column major,
/// of one type for each of a, b and c. Epilogues with vectors or matrices of their own must fit every product, and overlap
/// no output.
///
/// Errors    as gemm's, and an output that overlaps a matrix of another product; nothing is launched unless all products
///           are good
/// The rest  as gemm's; k is not cut into slices, so all bits are those of single calls with split_k<1>
template <class Policy = automatic, class Where, class List, class Epilogue>
status gemm_list(Where&& where, const List& list, const Epilogue& epilogue) {
  const auto place = detail::place_of(where);
  using product = detail::bare_t<decltype(*std::begin(list))>;
  using A = decltype(as_view(product().a));
  using B = decltype(as_view(product().b));
  using C = decltype(as_view(product().c));
  static_assert(!detail::is_same<typename A::layout, strided> && !detail::is_same<typename B::layout, strided> &&
                    !detail::is_same<typename C::layout, strided>,
                "memtile: the views of a gemm_list must be row or column major");
  std::vector<gemm_product<A, B, C>> products;  // those with something to do
  std::vector<detail::list_entry> entries;
  int64 number = 0;
  const bool is_several = std::distance(std::begin(list), std::end(list)) > 1;
  for (const auto& p : list) {
    gemm_product<A, B, C> q{as_view(p.a), as_view(p.b), as_view(p.c)};
    const status s = detail::checked_gemm<Policy>(detail::alone(q.a), detail::alone(q.b), detail::alone(q.c), epilogue,
                                                  [&](const auto&) {
                                                    if (!detail::needs_product(epilogue)) q.a.cols = q.b.rows = 0;
                                                    products.push_back(q);
                                                    return status{};
                                                  });
    if (!s) return status::refused("gemm_list: product {}: {}", number, s.message());
    if (is_several)  // the output of one product may be read only by itself
      if (const status t = detail::check_epilogue(epilogue, q.c, detail::extent_of(q.c), true); !t)
        return status::refused("gemm_list: product {}: {}", number, t.message());
    entries.push_back({detail::extent_of(q.a), false, number});
    entries.push_back({detail::extent_of(q.b), false, number});
    entries.push_back({detail::extent_of(q.c), true, number});
    ++number;
  }
  if (status s = detail::check_apart(entries); !s) return s;
  if (products.empty()) return {};
  if constexpr (detail::is_same<detail::bare_t<decltype(place)>, detail::on_query>) {
    return {};  // no workspace
  } else if constexpr (detail::is_same<typename C::layout, column>) {
    using turned = gemm_product<decltype(transposed(B())), decltype(transposed(A())), decltype(transposed(C()))>;
    std::vector<turned> other_way;
    for (const auto& p : products) other_way.push_back({transposed(p.b), transposed(p.a), transposed(p.c)});
    return detail::start_list<Policy, true>(place, other_way, detail::flipped<Epilogue>(epilogue));
  } else {
    return detail::start_list<Policy, false>(place, products, epilogue);
  }
}
template <class Policy = automatic, class Where, class List>
status gemm_list(Where&& where, const List& list) {
  return gemm_list<Policy>(where, list, store_product{});
}

}  // namespace memtile
#endif
