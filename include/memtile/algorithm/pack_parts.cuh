// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts of a view side by side in a line, and back.
#pragma once

#include <memtile/block/block.cuh>
#include <memtile/core/view.hpp>
#include <memtile/global/access.cuh>

namespace memtile {

namespace detail {

// A part of a volume, from element `offset` of the line on. Its blocks are those from first_block to that of the next
// part.
struct packed_part {
  int64 first[3];
  uint32 size[3];
  int first_block;
  int64 offset;
};
// In the arguments of a kernel: enough for all neighbours of a volume.
struct packed_parts {
  static constexpr int most = 26;
  int count;
  packed_part parts[most];
};

}  // namespace detail

/// Packs or unpacks: a thread moves elements that lie 256 apart in the line, `each` of them.
///
/// Grid      for each part a block for every 256 * each elements
/// Memory    every element read once and written once; the line side by side, the view as its rows lie
template <class Element, bool Packs>
struct pack_parts_kernel {
  static constexpr const char* name = Packs ? "memtile::pack" : "memtile::unpack";
  static constexpr int threads = 256, each = max_of(1, min_of(4, 64 / int(sizeof(Element))));
  using source = detail::conditional_t<Packs, const Element, Element>;
  using packed = detail::conditional_t<Packs, Element, const Element>;

  MEMTILE_KERNEL void operator()(block b, volume_view<source> view, vector_view<packed> line,
                                 detail::packed_parts all) const {
    const site s = site::here().within(Packs ? "pack" : "unpack");
    int p = 0;
    while (p + 1 < all.count && b.grid_column() >= all.parts[p + 1].first_block) ++p;
    const detail::packed_part& part = all.parts[p];
    const uint32 first = uint32(b.grid_column() - part.first_block) * uint32(threads * each) + uint32(b.rank());
    const uint32 rows = part.size[1], cols = part.size[2], count = part.size[0] * rows * cols;
    Element values[each];
    MEMTILE_UNROLL
    for (int k = 0; k < each; ++k) {  // all loads are on their way before one is waited for
      const uint32 i = first + uint32(k * threads), r = i / cols;
      if (i >= count) continue;
      if constexpr (Packs)
        values[k] = view.load(part.first[0] + r / rows, part.first[1] + r % rows, part.first[2] + i % cols, s.inner());
      else values[k] = line.load(part.offset + i, s.inner());
    }
    MEMTILE_UNROLL
    for (int k = 0; k < each; ++k) {
      const uint32 i = first + uint32(k * threads), r = i / cols;
      if (i >= count) continue;
      if constexpr (Packs) line.store(part.offset + i, values[k], s.inner());
      else
        view.store(part.first[0] + r / rows, part.first[1] + r % rows, part.first[2] + i % cols, values[k], s.inner());
    }
  }
};

}  // namespace memtile
