// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every kernel that memtile::gemm can start for one element type: both layouts of each operand, all tiles, wide and narrow access.
#pragma once

#include <memtile/gemm.cuh>

template <class A, class B, class C>
bool start_with(memtile::stream_t stream, const A& a, const B& b, const C& c) {
  return memtile::gemm(stream, a, b, c).ok() && memtile::gemm(stream, transposed(a), b, c).ok() && memtile::gemm(stream, a, transposed(b), c).ok() &&
         memtile::gemm(stream, transposed(a), transposed(b), c).ok();
}
