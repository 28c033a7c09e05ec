// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gemm.hpp"

using namespace memtile;

using product = gemm_product<matrix_view<const float>, matrix_view<const float>, matrix_view<float>>;
bool start(stream_t stream, const std::vector<product>& products) { return gemm_list(stream, products).ok(); }
