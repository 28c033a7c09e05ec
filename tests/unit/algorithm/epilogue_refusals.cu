// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an epilogue refuses, in which words: sizes, pointers, bounds, and memory that the output overlaps. Nothing is
// launched.
#include <memtile/algorithm/epilogue.cuh>

#include <support/catch.hpp>

using namespace memtile;

namespace {

float memory[10000];
const matrix_view<float> output = row_major(memory + 5000, 4, 6, 10);  // 4 rows with 4 elements of padding

template <class Epilogue, class View = matrix_view<float>>
std::string refusal(const Epilogue& epilogue, const View& out = output) {
  return detail::check_epilogue(epilogue, out).message();
}
vector_view<float> floats(float* first, int64 size) { return {first, size}; }

}  // namespace

TEST_CASE("vectors of another length are refused with both lengths", "[gemm]") {
  CHECK(refusal(bias_rows(floats(memory, 4)) | scale_columns(floats(memory, 6))) == "");
  CHECK(refusal(bias_rows(floats(memory, 6))) == "gemm: bias_rows has 6 values but the output has 4 rows");
  CHECK(refusal(bias_columns(floats(memory, 4))) == "gemm: bias_columns has 4 values but the output has 6 columns");
  CHECK(refusal(relu() | scale_rows(floats(memory, 5))) == "gemm: scale_rows has 5 values but the output has 4 rows");
  CHECK(refusal(scale_columns(floats(memory, 0)) | relu()) ==
        "gemm: scale_columns has 0 values but the output has 6 columns");
  CHECK(refusal(scale_columns(floats(memory, -1))) ==
        "gemm: scale_columns has -1 elements: sizes must not be negative");
  CHECK(refusal(bias_rows(floats(nullptr, 4))) == "gemm: bias_rows has 4 elements but its pointer is null");
  const auto misaligned = reinterpret_cast<float*>(reinterpret_cast<char*>(memory) + 2);
  CHECK(refusal(bias_rows(floats(misaligned, 4))) ==
        "gemm: the address of bias_rows must be a multiple of its element's 4 bytes");
}

TEST_CASE("matrices of another size, or without memory, are refused", "[gemm]") {
  CHECK(refusal(add_matrix(row_major(memory, 4, 6))) == "");
  CHECK(refusal(add_matrix(column_major(memory, 4, 6))) == "");
  CHECK(refusal(add_matrix(row_major(memory, 6, 4))) == "gemm: the matrix of add_matrix is 6x4 but the output is 4x6");
  CHECK(refusal(linear{1.f, 1.f, row_major(memory, 4, 7)}) == "gemm: c of linear is 4x7 but the output is 4x6");
  CHECK(refusal(linear{1.f, 0.f, row_major(memory, 4, 7)}) == "");
  CHECK(refusal(add_matrix(row_major<float>(nullptr, 4, 6))) ==
        "gemm: the matrix of add_matrix is 4x6 but its pointer is null");
  CHECK(refusal(linear{1.f, 1.f, row_major(memory, 4, -6)}) == "gemm: c of linear is 4x-6: sizes must not be negative");
  CHECK(refusal(linear{1.f, 1.f, row_major(memory, 4, 6, 5)}) ==
        "gemm: c of linear is 4x6 with a pitch of 20 bytes: it must be at least 24, the bytes of one row");
  using strided_view = matrix_view<float, strided>;
  CHECK(refusal(add_matrix(strided_view(memory, 4, 6, 0, 4))) == "");
  CHECK(refusal(add_matrix(strided_view(memory, 4, 6, -24, 4))) ==
        "gemm: the matrix of add_matrix has -24 bytes from row to row and 4 from column to column: neither may be "
        "negative");
  CHECK(refusal(add_matrix(strided_view(memory, 4, 6, 24, 6))) ==
        "gemm: the address and the pitches (24 and 6 bytes) of the matrix of add_matrix must be multiples of its "
        "element's 4 bytes");
  CHECK(refusal(add_matrix(strided_view(nullptr, 4, 6, 24, 4))) ==
        "gemm: the matrix of add_matrix is 4x6 but its pointer is null");
}

TEST_CASE("alpha and beta in memory are one value each", "[gemm]") {
  CHECK(refusal(linear{value_at(memory), value_at(memory + 1)}) == "");
  CHECK(refusal(linear{value_at(floats(memory, 3)), 1.f}) == "gemm: alpha of linear has 3 values: it must have 1");
  CHECK(refusal(linear{1.f, value_at(floats(memory, 2))}) == "gemm: beta of linear has 2 values: it must have 1");
  CHECK(refusal(linear{value_at(static_cast<const float*>(nullptr))}) ==
        "gemm: alpha of linear has 1 elements but its pointer is null");
}

TEST_CASE("clamp wants its bounds in order", "[gemm]") {
  CHECK(refusal(clamp(2, 2)) == "");
  CHECK(refusal(clamp(3, 1)) == "gemm: clamp has bounds of 3 and 1: the first must not be larger than the second");
  CHECK_FALSE(refusal(clamp(0.f, __builtin_nanf(""))).empty());
}

TEST_CASE("what overlaps the output is refused, except a matrix that is the output", "[gemm][GEMM-10]") {
  const std::string no_matrix = " overlaps the output: it must be the same view, or have memory of its own";
  const std::string no_vector = " overlaps the output: give it memory of its own";
  const auto next_row = row_major(output.data + 10, 4, 6, 10), beside = row_major(output.data + 6, 4, 4, 10);
  CHECK(refusal(add_matrix(output)) == "");
  CHECK(refusal(linear{1.f, 1.f, output}) == "");
  CHECK(refusal(linear{1.f, 1.f, matrix_view<float, strided>(output.data, 4, 6, 40, 4)}) == "");
  CHECK(refusal(add_matrix(next_row)) == "gemm: the matrix of add_matrix" + no_matrix);
  CHECK(refusal(linear{1.f, 1.f, next_row}) == "gemm: c of linear" + no_matrix);
  CHECK(refusal(linear{1.f, 0.f, next_row}) == "");
  CHECK(refusal(add_matrix(row_major(output.data, 4, 6, 11))) == "gemm: the matrix of add_matrix" + no_matrix);
  CHECK(refusal(add_matrix(column_major(output.data, 4, 6, 4))) == "gemm: the matrix of add_matrix" + no_matrix);
  CHECK(refusal(add_matrix(beside), subview(output, 0, 0, 4, 4)) == "");
  const auto as_halves = matrix_view<float16>(reinterpret_cast<float16*>(output.data), 4, 6, 40);
  CHECK(refusal(add_matrix(as_halves)) == "gemm: the matrix of add_matrix" + no_matrix);

  CHECK(refusal(bias_rows(floats(memory + 5014, 4))) == "gemm: bias_rows" + no_vector);
  CHECK(refusal(scale_columns(floats(memory + 4995, 6))) == "gemm: scale_columns" + no_vector);
  CHECK(refusal(bias_rows(floats(output.data + 6, 4))) == "");  // in the padding
  CHECK(refusal(linear{value_at(output.data + 35)}) == "gemm: alpha of linear" + no_vector);
  CHECK(refusal(linear{1.f, value_at(output.data)}) == "gemm: beta of linear" + no_vector);
}

TEST_CASE("what serves a whole batch must overlap none of its outputs", "[gemm][GEMM-10]") {
  const detail::rectangle three{int64(reinterpret_cast<size_t>(output.data)), 1, 3 * 160, 3 * 160};
  const auto refusal_of_three = [&](const auto& e) { return detail::check_epilogue(e, output, three, true).message(); };
  CHECK(refusal_of_three(add_matrix(output)) ==
        "gemm: the matrix of add_matrix serves the whole batch but overlaps its outputs: give it memory of its own");
  CHECK(refusal_of_three(bias_rows(floats(memory + 5119, 4))) ==
        "gemm: bias_rows overlaps the output: give it memory of its own");
  CHECK(refusal_of_three(bias_rows(floats(memory + 5120, 4)) | add_matrix(row_major(memory, 4, 6)) |
                         linear{1.f, 1.f}) == "");
}

TEST_CASE("an output of one row or column is the same however far the next would be", "[gemm][GEMM-10]") {
  CHECK(refusal(add_matrix(row_major(memory, 1, 6, 6)), row_major(memory, 1, 6, 10)) == "");
  CHECK(refusal(add_matrix(row_major(memory, 6, 1, 2)), matrix_view<float, column>(memory, 6, 1, 100)) != "");
  CHECK(refusal(add_matrix(column_major(memory, 6, 1)), row_major(memory, 6, 1, 1)) == "");
}
