// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where an element of a view lies. No memory is touched: many of these addresses do not exist.
#include <memtile/core/view.hpp>
#include <support/catch.hpp>

#include <cstdint>
#include <type_traits>

using namespace memtile;

namespace {

template <class T>
T* pointer(std::int64_t address) {
  return reinterpret_cast<T*>(std::uintptr_t(address));
}
template <class T>
std::int64_t address_of(T* p) {
  return std::int64_t(reinterpret_cast<std::uintptr_t>(p));
}

struct forty_eight_bytes {
  int row, column;
  float rest[10];
};
static_assert(sizeof(forty_eight_bytes) == 48);

constexpr std::int64_t base = 0x10000;

}  // namespace

TEST_CASE("the offset of an element is computed in 64 bits", "[core][GEMM-16]") {
  const auto bytes = row_major(pointer<std::int8_t>(base), 65537, 32768, 32768);
  CHECK(address_of(bytes.address(65536, 32767)) - base == 2147516415);
  CHECK(address_of(row_major(pointer<double>(base), 65537, 32768).address(65536, 32767)) - base ==
        8 * INT64_C(2147516415));
  CHECK(address_of(column_major(pointer<std::int8_t>(base), 32768, 65537).address(32767, 65536)) - base == 2147516415);
  CHECK(address_of(vector_view<double>(pointer<double>(base), INT64_C(5000000000)).address(4999999999)) - base ==
        8 * INT64_C(4999999999));
  const volume_view<float> volume(pointer<float>(base), 3000, 1000, 1000, 4000, 4000000);
  CHECK(address_of(volume.slice(2999).address(999, 998)) - base == INT64_C(2999) * 4000000 + 999 * 4000 + 998 * 4);
  CHECK(address_of(subview(bytes, 65536, 1, 1, 9).data) - base == 2147483649);
}

TEST_CASE("a pitch in bytes need not be a multiple of the element", "[core][TR-06]") {
  const auto view = pitched(pointer<forty_eight_bytes>(base), 5, 7, 512);
  for (int r = 0; r < 5; ++r)
    for (int c = 0; c < 7; ++c) CHECK(address_of(view.address(r, c)) == base + r * 512 + c * 48);
  CHECK(address_of(transposed(view).address(3, 4)) == base + 4 * 512 + 3 * 48);
  CHECK(address_of(subview(view, 2, 1, 3, 4).address(2, 3)) == base + 4 * 512 + 4 * 48);
}

TEST_CASE("a leading dimension is in elements and a pitch in bytes", "[core]") {
  const auto rows = row_major(pointer<float>(base), 3, 5, 8);
  CHECK((rows.rows == 3 && rows.cols == 5 && rows.pitch == 32));
  CHECK(address_of(rows.address(2, 3)) == base + 2 * 32 + 3 * 4);
  CHECK(row_major(pointer<float>(base), 3, 5).pitch == 20);

  const auto columns = column_major(pointer<float>(base), 3, 5, 8);
  CHECK((columns.rows == 3 && columns.cols == 5 && columns.pitch == 32));
  CHECK(address_of(columns.address(2, 3)) == base + 3 * 32 + 2 * 4);
  CHECK(column_major(pointer<float>(base), 3, 5).pitch == 12);
  CHECK(pitched(pointer<float>(base), 3, 5, 33).pitch == 33);
}

TEST_CASE("transposing exchanges rows and columns and moves nothing", "[core]") {
  const auto view = row_major(pointer<float>(base), 3, 5, 8);
  const auto flipped = transposed(view);
  static_assert(std::is_same<decltype(flipped), const matrix_view<float, column>>::value);
  CHECK((flipped.rows == 5 && flipped.cols == 3));
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 5; ++c) CHECK(flipped.address(c, r) == view.address(r, c));

  const auto back = transposed(flipped);
  static_assert(std::is_same<decltype(back), const matrix_view<float, row>>::value);
  CHECK((back.data == view.data && back.rows == 3 && back.cols == 5 && back.pitch == 32));

  const auto strides = transposed(matrix_view<float, strided>(pointer<float>(base), 3, 5, 12, 36));
  CHECK((strides.rows == 5 && strides.cols == 3 && strides.row_pitch == 36 && strides.column_pitch == 12));
}

TEST_CASE("a subview is a matrix of its own on the same memory", "[core]") {
  const auto rows = subview(row_major(pointer<float>(base), 9, 8), 2, 3, 4, 5);
  CHECK((rows.rows == 4 && rows.cols == 5 && rows.pitch == 32));
  CHECK(address_of(rows.address(1, 1)) == base + 3 * 32 + 4 * 4);
  const auto columns = subview(column_major(pointer<float>(base), 8, 9), 3, 2, 5, 4);
  CHECK((columns.rows == 5 && columns.cols == 4 && columns.pitch == 32));
  CHECK(address_of(columns.address(1, 1)) == base + 3 * 32 + 4 * 4);
  const auto vector = subview(vector_view<double>(pointer<double>(base), 10), 4, 3);
  CHECK((vector.size == 3 && address_of(vector.data) == base + 32));
}

TEST_CASE("only indices from 0 to the extent are inside", "[core]") {
  const vector_view<float> vector(nullptr, 3);
  for (int i = -2; i < 6; ++i) CHECK(vector.inside(i) == (i >= 0 && i < 3));
  CHECK_FALSE(vector_view<float>().inside(0));
  CHECK_FALSE(vector.inside(INT64_C(1) << 32));

  const auto matrix = row_major(pointer<float>(base), 2, 3, 9);
  const matrix_view<float, column> tall(pointer<float>(base), 2, 3, 64);
  const volume_view<float> volume(pointer<float>(base), 2, 2, 3, 12, 24);
  for (int r = -1; r < 4; ++r)
    for (int c = -1; c < 5; ++c) {
      const bool expected = r >= 0 && r < 2 && c >= 0 && c < 3;
      CHECK(matrix.inside(r, c) == expected);
      CHECK(tall.inside(r, c) == expected);
      CHECK(volume.inside(1, r, c) == expected);
      CHECK_FALSE(volume.inside(2, r, c));
      CHECK_FALSE(volume.inside(-1, r, c));
    }
}

TEST_CASE("a view of mutable elements becomes one of const elements and never the reverse", "[core]") {
  static_assert(std::is_convertible<vector_view<float>, vector_view<const float>>::value);
  static_assert(!std::is_convertible<vector_view<const float>, vector_view<float>>::value);
  static_assert(!std::is_convertible<vector_view<float>, vector_view<const double>>::value);
  static_assert(std::is_convertible<matrix_view<float>, matrix_view<const float>>::value);
  static_assert(!std::is_convertible<matrix_view<const float>, matrix_view<float>>::value);
  static_assert(!std::is_convertible<matrix_view<float, row>, matrix_view<const float, column>>::value);
  static_assert(std::is_convertible<matrix_view<float, strided>, matrix_view<const float, strided>>::value);
  static_assert(std::is_convertible<volume_view<float>, volume_view<const float>>::value);
  static_assert(!std::is_convertible<volume_view<const float>, volume_view<float>>::value);

  const vector_view<const float> vector = vector_view<float>(pointer<float>(base), 7);
  CHECK((address_of(vector.data) == base && vector.size == 7));
  const matrix_view<const float, column> matrix = column_major(pointer<float>(base), 3, 5, 8);
  CHECK((matrix.rows == 3 && matrix.cols == 5 && matrix.pitch == 32 &&
         address_of(matrix.address(1, 2)) == base + 2 * 32 + 4));
  const matrix_view<const float, strided> strides = matrix_view<float, strided>(pointer<float>(base), 3, 5, 12, 36);
  CHECK((strides.rows == 3 && strides.cols == 5 && strides.row_pitch == 12 && strides.column_pitch == 36));
  const volume_view<const float> volume = volume_view<float>(pointer<float>(base), 2, 3, 5, 20, 64);
  CHECK((volume.depth == 2 && volume.rows == 3 && volume.cols == 5 && volume.row_pitch == 20 &&
         volume.slice_pitch == 64));
  CHECK(address_of(volume.slice(1).address(2, 3)) == base + 64 + 40 + 12);
}

TEST_CASE("views can be passed to a kernel", "[core]") {
  static_assert(std::is_trivially_copyable<vector_view<float>>::value &&
                std::is_trivially_copyable<matrix_view<float>>::value);
  static_assert(std::is_trivially_copyable<matrix_view<float, strided>>::value &&
                std::is_trivially_copyable<volume_view<float>>::value);
  static_assert(std::is_same<matrix_view<const float>::element, float>::value &&
                std::is_same<matrix_view<const float>::value_type, const float>::value);
  const matrix_view<float> none;
  CHECK((none.data == nullptr && none.rows == 0 && none.cols == 0 && none.pitch == 0));
}
