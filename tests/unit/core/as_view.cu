// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What algorithms accept as a vector, a matrix or a volume, told by its shape: the spans and mdspans here are nobody's.
#include <memtile/core/as_view.hpp>
#include <support/catch.hpp>

#include <cstddef>
#include <type_traits>

#include <support/cuda_floats.hpp>

#if defined(__CUDACC__)
#include <cuda/std/mdspan>
#include <cuda/std/span>
#endif

using namespace memtile;

namespace {

template <class A, class B>
constexpr bool same = std::is_same<A, B>::value;

template <class T>
struct some_span {
  T* first;
  unsigned count;
  T* data() const { return first; }
  unsigned size() const { return count; }
};

constexpr std::size_t dynamic = std::size_t(-1);

template <class Index, std::size_t... E>
struct some_extents {
  static constexpr std::size_t rank() { return sizeof...(E); }
};

// Strides kept at run time, as all three layouts can: what a layout promises is in its type alone.
struct some_layout_right {
  template <class Extents>
  struct mapping {
    static constexpr bool is_always_exhaustive() { return true; }
    constexpr int operator()(int r, int c) const { return r * 3 + c; }
  };
};
struct some_layout_left {
  template <class Extents>
  struct mapping {
    static constexpr bool is_always_exhaustive() { return true; }
    constexpr int operator()(int r, int c) const { return r + 2 * c; }
  };
};
struct some_layout_stride {
  template <class Extents>
  struct mapping {
    static constexpr bool is_always_exhaustive() { return false; }
  };
};

template <class T, class Extents, class Layout>
struct some_mdspan {
  using extents_type = Extents;
  using layout_type = Layout;
  using mapping_type = typename Layout::template mapping<Extents>;
  T* first;
  int extents[3], strides[3];
  static constexpr std::size_t rank() { return Extents::rank(); }
  T* data_handle() const { return first; }
  int extent(std::size_t d) const { return extents[d]; }
  int stride(std::size_t d) const { return strides[d]; }
};
template <class T, class Layout>
using some_matrix = some_mdspan<T, some_extents<int, dynamic, dynamic>, Layout>;

float memory[120];

}  // namespace

TEST_CASE("memtile's own views are taken as they are", "[core]") {
  const vector_view<const float> vector(memory, 7);
  static_assert(same<decltype(as_view(vector)), vector_view<const float>>);
  CHECK((as_view(vector).data == memory && as_view(vector).size == 7));

  const auto matrix = column_major(memory, 3, 5, 8);
  static_assert(same<decltype(as_view(matrix)), matrix_view<float, column>>);
  CHECK((as_view(matrix).data == memory && as_view(matrix).rows == 3 && as_view(matrix).cols == 5 &&
         as_view(matrix).pitch == 32));

  const matrix_view<float, strided> strides(memory, 3, 5, 12, 36);
  static_assert(same<decltype(as_view(strides)), matrix_view<float, strided>>);
  CHECK((as_view(strides).row_pitch == 12 && as_view(strides).column_pitch == 36 && as_view(strides).cols == 5));

  const volume_view<float> volume(memory, 2, 3, 5, 20, 64);
  static_assert(same<decltype(as_view(volume)), volume_view<float>>);
  CHECK((as_view(volume).depth == 2 && as_view(volume).row_pitch == 20 && as_view(volume).slice_pitch == 64));
}

TEST_CASE("what is shaped like a span is a vector", "[core]") {
  const auto view = as_view(some_span<float>{memory + 3, 11});
  static_assert(same<decltype(view), const vector_view<float>>);
  CHECK((view.data == memory + 3 && view.size == 11));
  static_assert(same<decltype(as_view(some_span<const int>{})), vector_view<const int>>);
}

TEST_CASE("an mdspan of two dimensions keeps the unit stride that its layout promises", "[core]") {
  const auto right = as_view(some_matrix<float, some_layout_right>{memory, {4, 6}, {6, 1}});
  static_assert(same<decltype(right), const matrix_view<float, row>>);
  CHECK((right.data == memory && right.rows == 4 && right.cols == 6 && right.pitch == 24));

  const auto left = as_view(some_matrix<const float, some_layout_left>{memory, {4, 6}, {1, 4}});
  static_assert(same<decltype(left), const matrix_view<const float, column>>);
  CHECK((left.rows == 4 && left.cols == 6 && left.pitch == 16));

  const auto strides = as_view(some_matrix<float, some_layout_stride>{memory, {3, 2}, {3, 9}});
  static_assert(same<decltype(strides), const matrix_view<float, strided>>);
  CHECK((strides.rows == 3 && strides.cols == 2 && strides.row_pitch == 12 && strides.column_pitch == 36));

  // extents known at compile time promise no less
  static_assert(same<decltype(as_view(some_mdspan<float, some_extents<int, 1, 6>, some_layout_right>{})),
                     matrix_view<float, row>>);
  static_assert(same<decltype(as_view(some_mdspan<float, some_extents<int, 4, 1>, some_layout_left>{})),
                     matrix_view<float, column>>);
}

TEST_CASE("mdspans of one and of three dimensions are vectors and volumes", "[core]") {
  const auto vector = as_view(some_mdspan<float, some_extents<int, dynamic>, some_layout_right>{memory, {9}, {1}});
  static_assert(same<decltype(vector), const vector_view<float>>);
  CHECK((vector.data == memory && vector.size == 9));

  using cube = some_extents<int, dynamic, dynamic, dynamic>;
  const auto volume = as_view(some_mdspan<const float, cube, some_layout_right>{memory, {2, 3, 4}, {12, 4, 1}});
  static_assert(same<decltype(volume), const volume_view<const float>>);
  CHECK((volume.depth == 2 && volume.rows == 3 && volume.cols == 4 && volume.row_pitch == 16 &&
         volume.slice_pitch == 48));
}

TEST_CASE("CUDA's small floats become memtile's with the same bits", "[core]") {
  const auto matrix = as_view(row_major(reinterpret_cast<__half*>(memory), 3, 5, 8));
  static_assert(same<decltype(matrix), const matrix_view<float16, row>>);
  CHECK((static_cast<void*>(matrix.data) == memory && matrix.rows == 3 && matrix.cols == 5 && matrix.pitch == 16));

  static_assert(same<decltype(as_view(vector_view<__half>())), vector_view<float16>>);
  static_assert(same<decltype(as_view(vector_view<const __half>())), vector_view<const float16>>);
  static_assert(same<decltype(as_view(vector_view<__nv_bfloat16>())), vector_view<bfloat16>>);
  static_assert(same<decltype(as_view(vector_view<const __nv_fp8_e4m3>())), vector_view<const float8_e4m3>>);
  static_assert(
      same<decltype(as_view(matrix_view<const __nv_bfloat16, column>())), matrix_view<const bfloat16, column>>);
  static_assert(same<decltype(as_view(matrix_view<__half, strided>())), matrix_view<float16, strided>>);
  static_assert(same<decltype(as_view(volume_view<const __half>())), volume_view<const float16>>);
  static_assert(same<decltype(as_view(some_span<__half>{})), vector_view<float16>>);
  static_assert(
      same<decltype(as_view(some_matrix<const __half, some_layout_left>{})), matrix_view<const float16, column>>);
}

#if defined(__CUDACC__)
TEST_CASE("CUDA's own span and mdspan are accepted", "[core]") {
  static_assert(same<decltype(as_view(cuda::std::span<const float>(memory, 8))), vector_view<const float>>);
  const auto small = as_view(cuda::std::span<float>(memory, 8));
  CHECK((small.data == memory && small.size == 8));

  using extents = cuda::std::dextents<int, 2>;
  const auto right = as_view(cuda::std::mdspan<float, extents>(memory, 4, 6));
  static_assert(same<decltype(right), const matrix_view<float, row>>);
  CHECK((right.rows == 4 && right.cols == 6 && right.pitch == 24));
  const auto left = as_view(cuda::std::mdspan<float, extents, cuda::std::layout_left>(memory, 4, 6));
  static_assert(same<decltype(left), const matrix_view<float, column>>);
  CHECK((left.rows == 4 && left.cols == 6 && left.pitch == 16));
  using mapping = cuda::std::layout_stride::mapping<extents>;
  const mapping strides(extents(3, 2), cuda::std::array<int, 2>{3, 9});
  const auto stepping = as_view(cuda::std::mdspan<float, extents, cuda::std::layout_stride>(memory, strides));
  static_assert(same<decltype(stepping), const matrix_view<float, strided>>);
  CHECK((stepping.row_pitch == 12 && stepping.column_pitch == 36));
}
#endif
