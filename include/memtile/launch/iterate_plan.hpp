// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many steps of a stencil one kernel makes: what a caller may say about it, and the choice as a pure function of
// numbers.
#pragma once

#include <memtile/algorithm/stencil_fused_slices.cuh>

#if !defined(__CUDACC_RTC__)
#include <string>

namespace memtile {

/// A kernel makes Count steps; with 1 each step is a kernel of its own. iterate<Window, fused_steps<4>>(...) says so; left out,
/// memtile chooses.
template <int Count>
struct fused_steps {
  static_assert(Count >= 1 && Count <= 8, "memtile: fused_steps must be 1 to 8");
};

/// One kernel makes all steps, and keeps the matrix in the shared memory of the device: iterate<Window, on_chip<>>(...). On each
/// multiprocessor one block takes so many KiB, as many as a block may have there or fewer. For matrices that fit: of floats an
/// H200 holds 132 tiles of 440 x 120 elements for a star of radius 1. A larger one is refused with the numbers. The blocks
/// wait for each other, and until all of them have room.
template <int KiB = 224>
struct on_chip {
  static_assert(KiB >= 16 && KiB <= 227, "memtile: on_chip must have 16 to 227 KiB: 224 for compute capability 9.0 and "
                                         "10.0, 160 for 8.0 and 8.7, 96 for 8.6, 8.9 "
                                         "and 12.0, 64 for 7.5");
};

/// What one kernel of several steps costs, in the time of a copy of the same elements: the greater of what memory takes, which
/// reads the margins of a segment twice, and what arithmetic takes. Points is how many elements a window has; the fields that
/// the steps do not change have so many bytes for each element.
///
/// While an H200 copies 4 bytes it can issue 55 instructions, of which 7 in 10 are taken to be reached. For each element a step
/// takes one for every point and one more, coming and going takes 10 (counted in the machine code); 8 bytes take twice as long.
constexpr double fused_cost(int depth, int points, int element_bytes, int segment, int columns,
                            int constant_bytes = 0) {
  const double again = double(segment) / columns;
  const double memory = (again * (element_bytes + constant_bytes) / element_bytes + 1) / 2;
  const double instructions = 10 + depth * (points + 1) * (element_bytes == 8 ? 2 : 1);
  const double arithmetic = again * instructions / (0.7 * 55 * element_bytes / 4);
  return memory > arithmetic ? memory : arithmetic;
}

/// What iterate does, and what the model expects of it: so many steps in the time of one.
struct iterate_plan {
  int depth;  // steps of one kernel; 1: each has its own
  double gain;
};

namespace detail {

template <int Depth, class Reach, class T, class... Constant>
constexpr double gain_in_matrices() {
  using shape = fused_shape<T, Reach, Depth>;
  constexpr int across = Reach::left + Reach::right, bytes = int(sizeof(T)), more = (0 + ... + int(sizeof(Constant)));
  constexpr int points = Reach::is_star ? Reach::slices + across : Reach::slices * (across + 1);
  constexpr bool has_slots = sizeof...(Constant) == 0 || shape::lines_of_constant <= shape::slots_of_constant;
  // registers; half of it twice
  if constexpr (shape::words > 88 || shape::columns < 16 * shape::width || !has_slots) return 0;
  else
    return Depth * (2. * bytes + more) / (2. * bytes) /
           fused_cost(Depth, points + int(sizeof...(Constant)), bytes, 32 * shape::width, shape::columns, more);
}
// A volume's tile has a rim above and below as well, and its steps pass rows on to other warps: one instruction more for each
// element.
template <int Depth, class Reach, class T>
constexpr double gain_in_volumes() {
  using shape = fused_volume_shape<T, Reach, Depth>;
  constexpr int points = Reach::slices + Reach::up + Reach::down + Reach::left + Reach::right;
  if constexpr (!shape::fits) return 0;
  else
    return Depth / fused_cost(Depth, points + 1, int(sizeof(T)), 32 * shape::width * shape::tile_rows,
                              shape::columns * shape::rows);
}
template <int Depth, class Reach, class T, class... Constant>
constexpr double gain_of() {
  if constexpr (Reach::rows > 1) return gain_in_volumes<Depth, Reach, T>();
  else return gain_in_matrices<Depth, Reach, T, Constant...>();
}
// The fewest steps with nearly the best gain: fewer take fewer registers.
template <class Reach, class T, class... Constant>
constexpr iterate_plan choose_depth() {
  constexpr double gains[] = {0,
                              1,
                              gain_of<2, Reach, T, Constant...>(),
                              gain_of<3, Reach, T, Constant...>(),
                              gain_of<4, Reach, T, Constant...>(),
                              gain_of<5, Reach, T, Constant...>(),
                              gain_of<6, Reach, T, Constant...>(),
                              gain_of<7, Reach, T, Constant...>(),
                              gain_of<8, Reach, T, Constant...>()};
  double best = 0;
  for (double gain : gains) best = gain > best ? gain : best;
  if (best < 1.2) return {1, 1};
  int depth = 1;
  while (gains[depth] < 0.97 * best) ++depth;
  return {depth, gains[depth]};
}

// Why the steps of a stencil can not be fused; null: they can be.
template <int Dimensions, class Reach, class T, class Border, class Functor, int Constants>
constexpr const char* reason_against_fusing() {
  using of_slices = bare_t<decltype(Border::slices)>;
  using of_columns = bare_t<decltype(Border::columns)>;
  if (Dimensions == 1) return "only those of matrices and volumes can be fused";
  if (Reach::front != Reach::back || Reach::left != Reach::right) return "the window reaches further to one side";
  if (Dimensions == 3 && !(Reach::is_star && Reach::front == 1 && Reach::up == 1))
    return "those of a volume can be fused where the window is a star of radius 1";
  if (Dimensions == 3 && Constants > 0) return "those of a volume can be fused where there are no other fields";
  if (!can_be_imposed<of_slices> || !can_be_imposed<bare_t<decltype(Border::rows)>> || !can_be_imposed<of_columns>)
    return "the border is one of the caller's own, or wraps on one side only";
  if (keeps_loops<Functor>) return "the functor keeps its loops";
  if (!is_same<typename row_pass<Functor>::result, void>) return "the functor has two passes";
  if (sizeof(T) > 16) return "the elements have more than 16 bytes";
  return nullptr;
}

}  // namespace detail
}  // namespace memtile
#endif
