// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gemm.hpp"

using namespace memtile;

template <class T>
bool start_complex(stream_t stream, matrix_view<const complex<T>> a, matrix_view<complex<T>> c) {
  return gemm(stream, a, a, c).ok() && gemm(stream, transposed(a), transposed(a), c).ok() &&
         gemm(stream, a, a, transposed(c)).ok();
}
bool start(stream_t stream, matrix_view<const complex<float>> a, matrix_view<complex<float>> c,
           matrix_view<const complex<double>> x, matrix_view<complex<double>> z) {
  return start_complex(stream, a, c) && start_complex(stream, x, z);
}
