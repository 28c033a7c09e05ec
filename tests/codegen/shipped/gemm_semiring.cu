// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gemm.hpp"

using namespace memtile;

bool start(stream_t stream, matrix_view<const float> a, matrix_view<float> c, matrix_view<const int32> x,
           matrix_view<int32> z, matrix_view<const uint8> reached, matrix_view<uint8> out) {
  using shortest = gemm_policy<semiring<min_plus>>;
  return gemm<shortest>(stream, a, a, c).ok() && gemm<shortest>(stream, transposed(a), transposed(a), c).ok() &&
         gemm<shortest>(stream, x, x, z).ok() &&
         gemm<gemm_policy<semiring<or_and>>>(stream, reached, reached, out).ok();
}
