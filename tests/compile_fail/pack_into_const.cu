// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: memtile: the output of pack and unpack must not be a view of const elements
#include <memtile/domain.cuh>

using namespace memtile;

#if defined(FIXED)
status start(sim::processor& where, vector_view<const float> line, matrix_view<float> out) {
#else
status start(sim::processor& where, vector_view<const float> line, matrix_view<const float> out) {
#endif
  return unpack(where, line, out, region{0, 0, 2, 3});
}
