// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where in the source an access stands, and which element it is of. The last parameter of everything that touches
// memory or waits; a collective forwards the one of its caller, so that the report speaks of the user's line and of the
// collective's. On the device nobody reads it and the compiler drops it.
//
//   s = s.within("halo_to_shared");     once, at the top of a collective
//   in.load(r, c, s.inner());           at each of its accesses
#pragma once

#include <memtile/core/config.hpp>

namespace memtile {

struct site {
  const char* file;
  int line;
  const char* operation = "";  // the outermost collective that makes the access, empty for a plain one
  const char* inner_file = "";
  int inner_line = 0;  // of the access inside the collective
  uint64 index = 0;    // of the element in its tile or view, packed: see at()
  int dimensions = 0;

  MEMTILE_FUNCTION static constexpr site here(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    site s{};
    s.file = file, s.line = line, s.operation = "", s.inner_file = "";
    return s;
  }
  /// The same line, seen from inside a collective. The outermost name stays.
  MEMTILE_FUNCTION constexpr site within(const char* collective, const char* inner = __builtin_FILE(),
                                         int line_inside = __builtin_LINE()) const {
    site s = inner_at(inner, line_inside);
    if (operation[0] == '\0') s.operation = collective;
    return s;
  }
  /// The line of the call of inner() as well, if this is inside a collective.
  MEMTILE_FUNCTION constexpr site inner(const char* inner = __builtin_FILE(),
                                        int line_inside = __builtin_LINE()) const {
    return operation[0] == '\0' ? *this : inner_at(inner, line_inside);
  }

  /// The element that is accessed; what was said before stays. Packed with the sign, below two bits that stay free:
  /// 30 bits of a row and 32 of a column, or 20 of a slice and 21 each of a row and a column.
  MEMTILE_FUNCTION constexpr site at(int64 i) const { return with_index(uint64(i), 1); }
  MEMTILE_FUNCTION constexpr site at(int64 r, int64 c) const {
    return with_index(uint64(r) << 32 | (uint64(c) & 0xffffffffu), 2);
  }
  MEMTILE_FUNCTION constexpr site at(int64 z, int64 r, int64 c) const {
    return with_index(uint64(z) << 42 | (uint64(r) & 0x1fffff) << 21 | (uint64(c) & 0x1fffff), 3);
  }

 private:
  MEMTILE_FUNCTION constexpr site inner_at(const char* inner, int line_inside) const {
    site s = *this;
    s.inner_file = inner, s.inner_line = line_inside;
    return s;
  }
  MEMTILE_FUNCTION constexpr site with_index(uint64 packed, int count) const {
    site s = *this;
    if (dimensions != 0) return s;
    s.index = packed & 0x3fffffffffffffff, s.dimensions = count;
    return s;
  }
};

}  // namespace memtile
