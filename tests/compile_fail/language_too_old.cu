// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PKG-09
// expect: memtile: the C\+\+ standard must be 17 or newer
// flags: -std=c++14
#include <memtile/core/view.hpp>
