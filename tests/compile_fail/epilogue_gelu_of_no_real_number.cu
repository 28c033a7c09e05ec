// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: memtile: silu, gelu and gelu_tanh must get real numbers
#include <memtile/algorithm/epilogue.cuh>

struct residue {
  int value;
};
#if defined(FIXED)
using value = int;
#else
using value = residue;
#endif
auto stored(value v) { return memtile::detail::apply_epilogue(memtile::gelu(), v, 0, 0, v); }
