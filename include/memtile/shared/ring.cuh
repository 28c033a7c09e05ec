// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several tiles that are filled and used in turn: while one is worked on, the next ones are on their way.
#pragma once

#include <memtile/core/std.hpp>

namespace memtile {

/// `Stages` tiles in a circle. Trivial, like the tiles in it.
template <class Tile, int Stages>
struct ring {
  static_assert(Stages >= 1, "memtile: a ring must have at least one stage");
  static constexpr int stages = Stages;
  Tile slots[Stages];

  MEMTILE_FUNCTION Tile& operator[](int slot) { return slots[slot]; }
  MEMTILE_FUNCTION const Tile& operator[](int slot) const { return slots[slot]; }
  /// The slot after this one; cheaper than a remainder.
  MEMTILE_FUNCTION static constexpr int after(int slot) { return slot + 1 == Stages ? 0 : slot + 1; }
};

}  // namespace memtile
