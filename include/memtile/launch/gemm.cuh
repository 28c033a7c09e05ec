// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// gemm: checks a matmul, brings it into the one form the kernel knows (c row major), chooses a tile and starts the
// kernel.
#pragma once

#include <memtile/algorithm/gemm.cuh>
#include <memtile/launch/check.hpp>
#include <memtile/launch/launch.cuh>
#include <memtile/launch/overlap.hpp>

#if !defined(__CUDACC_RTC__)

namespace memtile {

/// The tiles among which `automatic` chooses. The large one reads least of a and b for each result, and wants operands that
/// allow 16-byte accesses; the small one gives every multiprocessor work where the matrices are small, and serves the
/// rest.
/// H200, CUDA 13.0, 2026-11, float, cuBLAS's time over theirs: largest 0.95 at 4096^3, smallest 1.10 at 1024^3; the
/// whole list is in tests/benchmark/RESULTS.md.
template <class T>
struct gemm_tiles {
  using largest = gemm_policy<block_tile<128, 256, 32>, thread_tile<16, 8>, stages<2>>;
  using smallest = gemm_policy<block_tile<64, 64, 32>, thread_tile<8, 4>, stages<3>>;
};
template <>
struct gemm_tiles<double> {
  using largest = gemm_policy<block_tile<64, 128, 16>, thread_tile<8, 8>, stages<3>>;
  using smallest = gemm_policy<block_tile<32, 64, 16>, thread_tile<4, 4>, stages<3>>;
};

/// Which of two tiles finishes an m x n output sooner: the larger, if the busiest multiprocessor has no more elements
/// to make with it. A small tile works at `small_efficiency` of the large one's speed
/// (H200, 2026-11, float, 4096^3: 0.90 to 0.96 of it).
constexpr bool prefers_larger_tile(int64 m, int64 n, int64 large_m, int64 large_n, int64 small_m, int64 small_n,
                                   int multiprocessors, double small_efficiency = 0.9) {
  const int64 large = ceil_div(ceil_div(m, large_m) * ceil_div(n, large_n), multiprocessors) * large_m * large_n;
  const int64 smallest = ceil_div(ceil_div(m, small_m) * ceil_div(n, small_n), multiprocessors) * small_m * small_n;
  return double(large) * small_efficiency <= double(smallest);
}

namespace detail {

// The multiprocessors of the machine a call runs on; the simulator counts as an H200.
inline int multiprocessors_of(const on_cpu&) { return 132; }
#if MEMTILE_CUDA
inline int multiprocessors_of(const on_gpu&) {
  int count = 1;  // without a device, the launch that follows says so
  return device_attribute(cudaDevAttrMultiProcessorCount, count) ? count : 1;
}
inline int multiprocessors_of(const on_either& place) {
  return place.machine != nullptr ? multiprocessors_of(on_cpu{*place.machine})
                                  : multiprocessors_of(on_gpu{place.where});
}
#endif

template <class Policy, class Operands, class Place, class A, class B, class T, class Epilogue>
status start_gemm_with(const Place& place, const A& a, const B& b, const matrix_view<T>& c, const Epilogue& epilogue) {
  using kernel = gemm_kernel<T, Policy, Operands, Epilogue>;
  return launch(place, grid(ceil_div(c.rows, kernel::block_m) * ceil_div(c.cols, kernel::block_n)), kernel{}, a, b, c,
                epilogue);
}

// 16 bytes at a time where all of a, b and c allow it, else one element.
template <class Policy, class Place, class T, class LayoutA, class LayoutB, class Epilogue>
status start_gemm(const Place& place, const matrix_view<const T, LayoutA>& a, const matrix_view<const T, LayoutB>& b,
                  const matrix_view<T>& c, const Epilogue& epilogue) {
  using by_16_bytes = gemm_operands<LayoutA, LayoutB, 16>;
  using by_element = gemm_operands<LayoutA, LayoutB, int(sizeof(T))>;
  const bool wide = allows_access_of<16>(a) && allows_access_of<16>(b) && allows_access_of<16>(c);
  if constexpr (is_same<Policy, automatic>) {
    using largest = typename gemm_tiles<T>::largest;
    using smallest = typename gemm_tiles<T>::smallest;
    if (!wide) return start_gemm_with<smallest, by_element>(place, a, b, c, epilogue);
    if (prefers_larger_tile(c.rows, c.cols, largest::block::m, largest::block::n, smallest::block::m,
                            smallest::block::n, multiprocessors_of(place)))
      return start_gemm_with<largest, by_16_bytes>(place, a, b, c, epilogue);
    return start_gemm_with<smallest, by_16_bytes>(place, a, b, c, epilogue);
  } else {
    if (wide) return start_gemm_with<Policy, by_16_bytes>(place, a, b, c, epilogue);
    return start_gemm_with<Policy, by_element>(place, a, b, c, epilogue);
  }
}

// A column major c is the transposed problem: c^T = b^T a^T, and the epilogue's coordinates change places.
template <class Policy, class Place, class T, class LayoutA, class LayoutB, class LayoutC, class Epilogue>
status gemm_of_views(const Place& place, const matrix_view<const T, LayoutA>& a, const matrix_view<const T, LayoutB>& b,
                     const matrix_view<T, LayoutC>& c, const Epilogue& epilogue) {
  if constexpr (is_same<LayoutC, column>) {
    if constexpr (is_same<Epilogue, store_product>)
      return start_gemm<Policy>(place, transposed(b), transposed(a), transposed(c), epilogue);
    else return start_gemm<Policy>(place, transposed(b), transposed(a), transposed(c), flipped<Epilogue>(epilogue));
  } else {
    return start_gemm<Policy>(place, a, b, c, epilogue);
  }
}

// Calls `go` with the view as a row or column major one; a view without a unit stride is refused.
template <class T, class Layout, class Go>
status with_unit_stride(const char*, const matrix_view<T, Layout>& v, const Go& go) {
  return go(v);
}
template <class T, class Go>
status with_unit_stride(const char* name, const matrix_view<T, strided>& v, const Go& go) {
  constexpr int64 bytes = sizeof(T);
  if (v.column_pitch == bytes || v.cols <= 1) return go(matrix_view<T, row>(v.data, v.rows, v.cols, v.row_pitch));
  if (v.row_pitch == bytes || v.rows <= 1) return go(matrix_view<T, column>(v.data, v.rows, v.cols, v.column_pitch));
  return status::refused("gemm: {} is {}x{} with {} bytes from row to row and {} from column to column: one of the two "
                         "must be {}, one element",
                         name, v.rows, v.cols, v.row_pitch, v.column_pitch, bytes);
}

template <class Policy, class Place, class T, class LayoutA, class LayoutB, class LayoutC, class Epilogue>
status checked_gemm(const Place& place, matrix_view<const T, LayoutA> a, matrix_view<const T, LayoutB> b,
                    const matrix_view<T, LayoutC>& c, const Epilogue& epilogue) {
  if (status s = check_view("gemm", "a", a); !s) return s;
  if (status s = check_view("gemm", "b", b); !s) return s;
  if (status s = check_view("gemm", "the output", c); !s) return s;
  if (a.cols != b.rows)
    return status::refused("gemm: a is {}x{} but b is {}x{}: inner sizes differ", a.rows, a.cols, b.rows, b.cols);
  if (c.rows != a.rows || c.cols != b.cols)
    return status::refused("gemm: a is {}x{} and b is {}x{}, so the output must be {}x{}, but it is {}x{}", a.rows,
                           a.cols, b.rows, b.cols, a.rows, b.cols, c.rows, c.cols);
  if (overlap(rectangle_of(c), rectangle_of(a)))
    return status::refused("gemm: the output overlaps a: give it memory of its own");
  if (overlap(rectangle_of(c), rectangle_of(b)))
    return status::refused("gemm: the output overlaps b: give it memory of its own");
  if (status s = check_epilogue(epilogue, c.rows, c.cols); !s) return s;
  if (c.rows == 0 || c.cols == 0) return {};
  if (!needs_product(epilogue)) a.cols = b.rows = 0;  // an empty sum: neither is read
  return gemm_of_views<Policy>(place, a, b, c, epilogue);
}

}  // namespace detail

/// out = epilogue(a * b): a is M x K, b is K x N, out is M x N, of float, double or int32.
///
/// Where     a stream, a context, a simulator, or a testing machine
/// a, b, out views, or mdspans, of memory that the machine can reach; each row or column major, any sizes (0 and 1
///           too), any pitch
/// epilogue  (product, row, column) -> value; see algorithm/epilogue.cuh. Default: the product as it is.
/// Policy    `automatic`, or a gemm_policy
/// Result    each element is one chain of fused multiply-adds in ascending k, in the element's own type: the same bits
///           whatever the tile, the layouts, the card, and in the simulator
/// Errors    refused with words and values, with nothing launched or changed: sizes that do not match, a pitch shorter
///           than a row, a null or misaligned pointer, an output that overlaps an input, a vector of the epilogue that
///           does not fit
/// Memory    16-byte accesses where base, pitch and row length of all three are multiples of 16 bytes, else one element
///           at a time
/// Cost      enqueues one kernel; allocates nothing, never synchronises, may be captured in a graph
template <class Policy = automatic, class Where, class A, class B, class C, class Epilogue>
status gemm(Where&& where, const A& a, const B& b, const C& out, const Epilogue& epilogue) {
  using T = typename decltype(as_view(out))::value_type;
  static_assert(!detail::is_const<T>, "memtile: the output of gemm must not be a view of const elements");
  static_assert(detail::is_same<T, float> || detail::is_same<T, double> || detail::is_same<T, int32>,
                "memtile: gemm must have elements of float, double or int32");
  static_assert(detail::is_same<typename decltype(as_view(a))::element, T> &&
                    detail::is_same<typename decltype(as_view(b))::element, T>,
                "memtile: a, b and the output of gemm must have one element type");
  const auto place = detail::place_of(where);
  return detail::with_unit_stride("a", as_view(a), [&](const auto& a_view) {
    return detail::with_unit_stride("b", as_view(b), [&](const auto& b_view) {
      return detail::with_unit_stride("the output", as_view(out), [&](const auto& c_view) {
        using layout_a = typename detail::bare_t<decltype(a_view)>::layout;
        using layout_b = typename detail::bare_t<decltype(b_view)>::layout;
        return detail::checked_gemm<Policy, decltype(place), T, layout_a, layout_b>(place, a_view, b_view, c_view,
                                                                                    epilogue);
      });
    });
  });
}
template <class Policy = automatic, class Where, class A, class B, class C>
status gemm(Where&& where, const A& a, const B& b, const C& out) {
  return gemm<Policy>(where, a, b, out, store_product{});
}

}  // namespace memtile
#endif
