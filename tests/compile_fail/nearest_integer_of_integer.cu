// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: memtile: nearest_integer must make an integer of a float or double
#include <memtile/core/math.hpp>

#if defined(FIXED)
using value = float;
#else
using value = long;
#endif
int nearest(value v) { return memtile::nearest_integer<int>(v); }
