// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// More blocks than a grid's row axis holds, and offsets beyond 32 bits. The real sizes run on a GPU; each has a small
// host twin.
#include <support/gemm.hpp>

using namespace memtile;

#if defined(__CUDACC__)
#include <cuda_runtime.h>

namespace {

// Device memory without a host copy of it all: these matrices are larger than a test should hold twice.
template <class T>
struct device_array {
  T* data = nullptr;
  explicit device_array(size_t count) { REQUIRE(cudaMalloc(&data, count * sizeof(T)) == cudaSuccess); }
  device_array(const device_array&) = delete;
  ~device_array() { cudaFree(data); }
};

struct fill_modulo {
  static constexpr int threads = 256;
  MEMTILE_KERNEL void operator()(block block, vector_view<int> v, int modulus) const {
    const int64 i = int64(block.grid_column()) * threads + block.rank();
    if (v.inside(i)) v.store(i, int(i % modulus));
  }
};
// Counts the elements of c that are not (row % p) * (column % q).
struct count_wrong {
  static constexpr int threads = 256;
  MEMTILE_KERNEL void operator()(block block, matrix_view<const int> c, int p, int q, vector_view<int> wrong) const {
    const int64 row = block.grid_column();
    int mine = 0;
    for (int64 column = block.rank(); column < c.cols; column += threads)
      mine += c.load(row, column) != int(row % p) * int(column % q);
    if (mine != 0) wrong.atomic_add(0, mine);
  }
};

void check_outer_product(int64 rows, int64 columns, int p, int q) {
  cudaStream_t stream = nullptr;
  const device_array<int> a{size_t(rows)}, b{size_t(columns)}, c{size_t(rows * columns)}, wrong{1};
  REQUIRE(cudaMemset(wrong.data, 0, sizeof(int)) == cudaSuccess);
  REQUIRE(launch(stream, grid(ceil_div(rows, 256)), fill_modulo{}, vector_view(a.data, rows), p));
  REQUIRE(launch(stream, grid(ceil_div(columns, 256)), fill_modulo{}, vector_view(b.data, columns), q));
  REQUIRE(gemm(stream, row_major(a.data, rows, 1), row_major(b.data, 1, columns), row_major(c.data, rows, columns)));
  REQUIRE(
      launch(stream, grid(rows), count_wrong{}, row_major(c.data, rows, columns), p, q, vector_view(wrong.data, 1)));
  int result = -1;
  REQUIRE(cudaMemcpy(&result, wrong.data, sizeof(int), cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(result == 0);
}

}  // namespace

TEST_CASE("gemm has more row blocks than a grid's y axis", "[gemm][large][GEMM-15]") {
  check_outer_product(65535 * 128 + 1, 1, 5, 1);
}
TEST_CASE("gemm has more column blocks than a grid's y axis", "[gemm][large][GEMM-15]") {
  check_outer_product(1, 65535 * 128 + 1, 1, 5);
}
TEST_CASE("gemm writes beyond 2^31 elements", "[gemm][large][GEMM-16]") { check_outer_product(65537, 32768, 3, 5); }
#endif

TEST_CASE("the offset of an element is computed in 64 bits", "[gemm][GEMM-16]") {
  const auto base = reinterpret_cast<const int8*>(size_t(1) << 40);  // an address to reckon with; nothing is there
  const matrix_view<const int8> c(base, 65537, 32768, 32768);
  CHECK(c.address(65536, 32767) - base == 2147516415);
}

TEST_CASE("tiles of a tall and of a wide matrix number along one axis", "[gemm][GEMM-15]") {
  // 65,536 row blocks: the last block's tile is the last row of tiles, whichever way the matrix lies
  constexpr int tiles = 65536;
  CHECK((banded(tiles - 1, tiles, 1, 8).row == tiles - 1 && banded(tiles - 1, tiles, 1, 8).column == 0));
  CHECK((banded(tiles - 1, 1, tiles, 8).row == 0 && banded(tiles - 1, 1, tiles, 8).column == tiles - 1));
}

TEST_CASE("gemm's tall and wide forms agree with the outer product", "[gemm][GEMM-15]") {
  for (auto& machine : testing::machines()) {
    test::check_integers<int>(machine, 1025, 1, 1);
    test::check_integers<int>(machine, 1, 1025, 1);
  }
}
