// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A random matmul as numbers of run time: sizes, where each matrix lies, alpha and beta, slices. Drawn from (seed,
// index)
// alone, so that a case can be run again by itself on any machine.
#pragma once

#include <memtile/core/std.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace test::fuzz {

using memtile::int64;

/// Numbers that are the same with every standard library.
class dice {
 public:
  explicit dice(std::uint64_t seed) : state_(seed) {}
  std::uint64_t bits() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  int below(int bound) { return int(bits() % std::uint64_t(bound)); }
  bool one_in(int times) { return below(times) == 0; }
  template <class T, std::size_t Count>
  T pick(const T (&values)[Count]) {
    return values[below(int(Count))];
  }

 private:
  std::uint64_t state_;
};

enum class lie { by_rows, by_columns, any };  // which neighbours lie side by side; any: perhaps none

/// Where `count` matrices lie in one piece of memory, in elements from its begin.
struct place {
  int rows = 0, cols = 0, count = 1;
  int64 offset = 0, down = 0, across = 0, step = 0;  // to the first element; to the next row, column, matrix
  bool by_pointers = false;                          // then matrix i lies at step * (count - 1 - i)

  int64 at(int i, int r, int c) const {
    return offset + (by_pointers ? count - 1 - i : i) * step + r * down + c * across;
  }
  int64 size() const {
    if (rows == 0 || cols == 0 || count == 0) return offset + 1;
    return offset + (count - 1) * step + (rows - 1) * down + (cols - 1) * across + 1;
  }
  std::string words() const {
    return std::to_string(rows) + "x" + std::to_string(cols) + " at " + std::to_string(offset) + " pitches " +
           std::to_string(down) + "," + std::to_string(across) +
           (count == 1 && step == 0 ? "" : " step " + std::to_string(step)) + (by_pointers ? " by pointers" : "");
  }
};

/// What of a kind of test the choice of numbers has to know.
struct limits {
  int tile_m, tile_n, tile_k, stages;
  int element_bytes;  // of the narrowest
  lie a, b, c;
  bool is_batch, is_linear, has_own_c;
};

struct problem {
  std::uint64_t seed = 0, index = 0;
  int m = 0, n = 0, k = 0, count = 1, slices = 0;
  bool one_a = false;  // a is one matrix for all products
  float alpha = 1, beta = 0;
  bool has_bias = false, has_relu = false, adds_output = false;  // adds_output: c of linear is the output itself
  place a, b, c, added;

  /// How to run it again.
  std::string words() const {
    return "MEMTILE_FUZZ_SEED=" + std::to_string(seed) + " MEMTILE_FUZZ_ONLY=" + std::to_string(index) + "   " +
           std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k) + " products " +
           std::to_string(count) + (one_a ? " of one a" : "") + " slices " + std::to_string(slices) + " alpha " +
           std::to_string(alpha) + " beta " + std::to_string(beta) + (has_bias ? " bias" : "") +
           (has_relu ? " relu" : "") + (adds_output ? " in place" : "") + "; a " + a.words() + "; b " + b.words() +
           "; c " + c.words() + "; added " + added.words();
  }
};

// Sizes meet at the edges of the tile, of warps, and of nothing.
inline int draw_size(dice& d, int tile) {
  switch (d.below(6)) {
  case 0: return (std::min)(2 * tile + 1, d.pick({0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65}));
  case 1: return tile - 1 + d.below(3);
  case 2: return 2 * tile - 1 + d.below(3);
  case 3: return 1;
  default: return 1 + d.below(tile + tile / 2);
  }
}
inline int draw_inner(dice& d, int step, int stages) {
  const int pipeline = step * stages;
  switch (d.below(4)) {
  case 0: return d.pick({0, 1, 2, 3, 4, 5, 7, 8, 9});
  case 1: return pipeline - 1 + d.below(3);
  case 2: return step * (1 + d.below(2 * stages)) - 1 + d.below(3);
  default: return 1 + d.below(2 * pipeline + 1);
  }
}

// unit: what offsets and pitches are multiples of, so that some cases allow wide accesses and some do not.
inline place draw_place(dice& d, int rows, int cols, int count, lie how, bool is_batch, bool is_output, int unit) {
  place p;
  p.rows = rows, p.cols = cols, p.count = count;
  const auto rounded = [&](int64 v) { return (v + unit - 1) / unit * unit; };
  p.offset = rounded(d.below(9));
  const bool by_rows = how == lie::by_rows || (how == lie::any && d.one_in(2));
  const int64 line = by_rows ? cols : rows, lines = by_rows ? rows : cols;
  const int64 apart = how == lie::any && !d.one_in(4) ? 2 + d.below(3) : 1;  // neighbours in a line
  const int64 length = line > 0 ? (line - 1) * apart + 1 : 0;
  int64 pitch = rounded(length + d.pick({0, 1, 3, 8})), step = 0;
  if (is_batch && count > 1) {
    if (d.one_in(4)) {  // side by side
      step = rounded(length + d.below(3));
      pitch = count * step + rounded(d.below(2));
    } else {
      step = rounded((std::max<int64>)(0, lines - 1) * pitch + length + d.pick({0, 1, 7}));
    }
    if (!is_output && d.one_in(5)) step = 0;
  }
  int64 between = apart;
  if (how == lie::any && !is_output && d.one_in(6)) (d.one_in(2) ? pitch : between) = 0;  // one line for all
  p.down = by_rows ? pitch : between, p.across = by_rows ? between : pitch, p.step = step;
  return p;
}

inline problem draw(std::uint64_t seed, std::uint64_t index, const limits& of) {
  dice d(seed * 0x2545f4914f6cdd1du + index);
  problem p;
  p.seed = seed, p.index = index;
  const int wide = 16 / of.element_bytes;  // elements of an access of 16 bytes
  const int unit = d.one_in(2) ? wide : d.one_in(2) ? 1 : wide / 2 > 0 ? wide / 2 : 1;
  const int size_unit = d.one_in(2) ? unit : 1;
  const auto rounded = [&](int v) { return (v + size_unit - 1) / size_unit * size_unit; };
  p.m = rounded(draw_size(d, of.tile_m)), p.n = rounded(draw_size(d, of.tile_n));
  p.k = rounded(draw_inner(d, of.tile_k, of.stages));
  p.slices = d.one_in(3) ? d.below(10) : 0;
  if (p.slices > 1 && d.one_in(2)) p.k += of.tile_k * p.slices;  // else some have nothing
  if (of.is_batch) p.count = d.pick({0, 1, 2, 2, 3, 3, 5, 7}), p.one_a = d.one_in(4), p.slices = 0;
  if (of.is_linear) {
    p.alpha = d.pick({0.f, 1.f, 1.f, -1.f, 0.5f});
    p.beta = d.pick({0.f, 0.f, 1.f, -1.f, 0.5f});
    p.has_bias = d.one_in(2), p.has_relu = d.one_in(3);
    p.adds_output = of.has_own_c && d.one_in(3);
  }
  p.a = draw_place(d, p.m, p.k, p.one_a ? 1 : p.count, of.a, of.is_batch && !p.one_a, false, unit);
  p.b = draw_place(d, p.k, p.n, p.count, of.b, of.is_batch, false, unit);
  p.c = draw_place(d, p.m, p.n, p.count, of.c, of.is_batch, true, unit);
  p.added = draw_place(d, p.m, p.n, 1, of.c, false, false, unit);
  if (of.is_batch && d.one_in(3)) p.a.by_pointers = !p.one_a, p.b.by_pointers = p.c.by_pointers = true;
  return p;
}

/// What is asked for by environment variables: `runs` cases over all kinds together, the first of them number `first`.
struct wish {
  std::uint64_t seed, first, runs;
};
inline wish wished(int kinds) {
  const auto number = [](const char* name, std::uint64_t otherwise) {
    const char* const text = std::getenv(name);
    return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
  };
  const std::uint64_t runs = number("MEMTILE_FUZZ_RUNS", 400), none = ~std::uint64_t(0);
  const std::uint64_t only = number("MEMTILE_FUZZ_ONLY", none);
  return {number("MEMTILE_FUZZ_SEED", 1), only == none ? 0 : only,
          only == none ? (runs + std::uint64_t(kinds) - 1) / std::uint64_t(kinds) : 1};
}

}  // namespace test::fuzz
