// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A square of elements in one thread's registers, transposed: so many runs of 16 bytes as a run has elements.
#pragma once

#include <memtile/core/math.hpp>
#include <memtile/core/vec.hpp>

namespace memtile::detail {

/// Run i, element j becomes run j, element i, by halves: exchanging the off-diagonal quarters of ever smaller squares.
/// Quarters of whole words only change their names; smaller ones cost one instruction for each word and step.
template <int Bytes>
MEMTILE_FUNCTION void transpose_runs(vec<uint32, 4> (&run)[16 / Bytes]) {
  constexpr int count = 16 / Bytes;
  MEMTILE_UNROLL
  for (int half = count / 2; half >= 1; half /= 2) {
    MEMTILE_UNROLL
    for (int i = 0; i < count; ++i) {
      if ((i & half) != 0) continue;
      MEMTILE_UNROLL
      for (int j = 0; j < 4; ++j) {
        const int distance = half * Bytes / 4;
        if (distance > 0) {
          if ((j & distance) != 0) continue;
          const uint32 kept = run[i][j + distance];
          run[i][j + distance] = run[i + half][j];
          run[i + half][j] = kept;
        } else {
          const uint32 a = run[i][j], b = run[i + half][j];
          const bool pairs = half * Bytes == 2;
          run[i][j] = select_bytes(a, b, pairs ? 0x5410 : 0x6240);
          run[i + half][j] = select_bytes(a, b, pairs ? 0x7632 : 0x7351);
        }
      }
    }
  }
}

}  // namespace memtile::detail
