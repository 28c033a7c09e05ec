// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where in the source an access stands. The last parameter of everything that touches memory or waits; a collective
// forwards the one of its caller, so that the report speaks of the user's line. On the device nobody reads it and the
// compiler drops it.
#pragma once

#include <memtile/core/config.hpp>

namespace memtile {

struct site {
  const char* file;
  int line;
  const char* operation = "";  // the collective that makes the access, empty for a plain one

  MEMTILE_FUNCTION static constexpr site here(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    return site{file, line, ""};
  }
  /// The same line, seen from inside a collective. The outermost name stays.
  MEMTILE_FUNCTION constexpr site within(const char* collective) const {
    return site{file, line, operation[0] == '\0' ? collective : operation};
  }
};

}  // namespace memtile
