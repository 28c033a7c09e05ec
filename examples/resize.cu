// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// resize: bilinear resizing through a tile in shared memory, as a kernel of one's own.
//
//   resize [IN.pgm OUT.pgm ROWS COLUMNS]      without arguments: tests/data/camera.pgm to some sizes, compared with a plain loop
//
// The middle of pixel i of n lies at (i + 1/2) / n of an axis. There the old picture is read: between two of its pixels, by
// how near the place is to each. Neighbouring results read the same four pixels, or the next ones, at distances that are no
// whole numbers; so a block brings the rectangle that its results need into shared memory, along its rows, and reads it
// there in any order. Places are ratios of whole numbers: floor and rest are exact, on both machines.
#include <memtile/kernel.cuh>
#include <memtile/sim.cuh>

#include "pictures.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>

using namespace memtile;

// Where result i of `to` lies among `from` pixels: between `first` and the next one, by `part` of the way.
struct place {
  int64 first;
  float part;
};
MEMTILE_FUNCTION place place_of(int64 i, int64 from, int64 to) {
  const int64 twice = (2 * i + 1) * from - to, whole = 2 * to;  // (i + 1/2) * from / to - 1/2 is twice / whole
  const int64 first = (twice + whole) / whole - 1;  // rounded down: twice may be negative, but not below -whole
  return {first, float(twice - first * whole) / float(whole)};
}

struct resize_kernel {
  static constexpr int rows = 16, columns = 32, threads = 256;  // results of a block
  static constexpr int most = 2;                                // pixels for a result along an axis
  struct storage {
    shared_tile<uint8, most * rows + 2, most * columns + 32> pixels;
  };

  MEMTILE_KERNEL void operator()(block block, storage& shared, matrix_view<const uint8> in,
                                 matrix_view<uint8> out) const {
    const int64 row0 = int64(block.grid_row()) * rows, column0 = int64(block.grid_column()) * columns;
    const int64 last_row = min_of(row0 + rows, out.rows) - 1, last_column = min_of(column0 + columns, out.cols) - 1;
    const int64 from_row = place_of(row0, in.rows, out.rows).first,
                from_column = place_of(column0, in.cols, out.cols).first;
    const int height = int(place_of(last_row, in.rows, out.rows).first - from_row) + 2,
              width = int(place_of(last_column, in.cols, out.cols).first - from_column) + 2;
    for (int r = block.warp().rank(); r < height; r += threads / 32) {
      const int64 row = replicate::index(from_row + r, in.rows);
      for (int c = block.warp().lane(); c < width; c += 32)
        shared.pixels.store(r, c, in.load(row, replicate::index(from_column + c, in.cols)));
      block.warp().meet();
    }
    block.sync();
    for (int i = block.rank(); i < rows * columns; i += threads) {
      const int64 row = row0 + i / columns, column = column0 + i % columns;
      if (!out.inside(row, column)) continue;
      const place down = place_of(row, in.rows, out.rows), across = place_of(column, in.cols, out.cols);
      const int r = int(down.first - from_row), c = int(across.first - from_column);
      const auto between = [&](float a, float b, float part) { return fma(part, b - a, a); };
      const auto in_row = [&](int y) {
        return between(float(shared.pixels.load(y, c)), float(shared.pixels.load(y, c + 1)), across.part);
      };
      out.store(row, column, nearest_integer<uint8>(between(in_row(r), in_row(r + 1), down.part)));
    }
  }
};

status resize(testing::machine& machine, matrix_view<const uint8> in, matrix_view<uint8> out) {
  if (in.rows > resize_kernel::most * out.rows || in.cols > resize_kernel::most * out.cols)
    return status::refused("resize: {}x{} from {}x{} leaves pixels out: take a mean first", out.rows, out.cols, in.rows,
                           in.cols);
  return launch(machine, grid_for(out.rows, out.cols, resize_kernel::rows, resize_kernel::columns), resize_kernel{}, in,
                out);
}

// How many pixels are further from those of a plain loop than rounding can be.
template <class Result>
int differences(const picture& p, const Result& result, int rows, int columns) {
  int different = 0;
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c) {
      const double y = (r + 0.5) * p.rows / rows - 0.5, x = (c + 0.5) * p.columns / columns - 0.5;
      const int y0 = int(std::floor(y)), x0 = int(std::floor(x));
      double exact = 0;
      for (int i = 0; i < 4; ++i) {
        const int from_r = std::clamp(y0 + i / 2, 0, p.rows - 1), from_c = std::clamp(x0 + i % 2, 0, p.columns - 1);
        exact += p(from_r, from_c) * (i / 2 != 0 ? y - y0 : 1 - (y - y0)) * (i % 2 != 0 ? x - x0 : 1 - (x - x0));
      }
      different += !(std::abs(double(result(r, c)) - exact) <= 0.501);
    }
  return different;
}

int main(int argc, char** argv) try {
  if (argc != 1 && argc != 5) fail("usage: resize [IN.pgm OUT.pgm ROWS COLUMNS]");
  const picture original = read_picture(argc > 1 ? argv[1] : "tests/data/camera.pgm");
  bool right = true;
  for (auto& machine : testing::machines()) {
    const auto in = machine.buffer<uint8>(original.rows, original.columns, original);
    const auto resized = [&](int rows, int columns) {
      auto out = machine.buffer<uint8>(rows, columns);
      check(resize(machine, in.view(), out.view()));
      check(machine.synchronize());
      const int different = differences(original, out.host(), rows, columns);
      std::printf("%s: %d x %d to %d x %d, %d pixels differ from a plain loop's", machine.name().c_str(),
                  original.columns, original.rows, columns, rows, different);
      if (const auto* report = machine.last_report()) {  // the simulator's; the GPU has none
        std::printf(", %lld bank conflicts", static_cast<long long>(report->bank_conflicts()));
        right &= report->clean();
      }
      std::puts("");
      right &= different == 0 && out.untouched();
      return out;
    };
    if (argc == 5) {
      picture p{std::atoi(argv[3]), std::atoi(argv[4]), original.white, false, {}};
      if (p.rows < 1 || p.columns < 1) fail("rows and columns must be 1 or more");
      const auto result = resized(p.rows, p.columns).host();
      for (int i = 0; i < p.rows * p.columns; ++i) p.pixels.push_back(result(i / p.columns, i % p.columns));
      write_picture(argv[2], p);
    } else {
      for (const auto& [rows, columns] : {std::pair{300, 400}, {512, 512}, {700, 257}, {1031, 600}})
        static_cast<void>(resized(rows, columns));
    }
  }
  return right ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "resize: %s\n", error.what());
  return 1;
}
