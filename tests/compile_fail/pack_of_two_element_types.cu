// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: memtile: the view and the line of pack and unpack must have one element type
#include <memtile/domain.cuh>

using namespace memtile;

#if defined(FIXED)
using element = float;
#else
using element = double;
#endif
status start(sim::processor& where, matrix_view<const float> in, vector_view<element> line) {
  return pack(where, in, region{0, 0, 2, 3}, line);
}
