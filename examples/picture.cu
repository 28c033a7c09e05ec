// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// picture: throws 95 % of a picture away by four matmuls, and shows by reductions that little is lost.
//
//   picture [IN.pgm [OUT.pgm]]        without names: tests/data/camera.pgm and picture_out.pgm
//
// Let D(n) be the n x n matrix whose rows are cosines of rising frequency, each of length 1 and at right angles to the
// others (the DCT-II). Its inverse is its transpose, so a picture X and its coefficients C say the same:
//
//   C = D(rows) X D(columns)^T        X = D(rows)^T C D(columns)
//
// A real picture has few large coefficients. The program sets the others to 0 and goes back. What has become of the
// pixels, their mean, spread and extremes say, and the mean square of the differences. It runs on the GPU if nvcc
// compiled it and there is one, else in the simulator, which tells what each line of the matmuls did to memory.
#include <memtile/gemm.cuh>
#include <memtile/reduce.cuh>
#include <memtile/sim.cuh>

#include "pictures.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

// --- the transform ---

// D(n): k counts the half waves, i runs along them.
struct cosines {
  int n;
  float operator()(int k, int i) const {
    return float(std::sqrt((k == 0 ? 1.0 : 2.0) / n) * std::cos(std::acos(-1.0) * k * (2 * i + 1) / (2.0 * n)));
  }
};

// An epilogue: what a matmul makes of each product before it stores it. Here, a whole number that fits a pixel.
struct to_pixel {
  float white;
  MEMTILE_FUNCTION float operator()(float v, memtile::int64, memtile::int64) const {
    return v < 0 ? 0 : v > white ? white : float(int(v + 0.5f));
  }
};

using matrix = memtile::sim::matrix_buffer<float>;

std::vector<float> values_of(const matrix& m) {
  std::vector<float> values;
  const auto host = m.host();
  for (int r = 0; r < m.rows(); ++r)
    for (int c = 0; c < m.cols(); ++c) values.push_back(host(r, c));
  return values;
}

// Sets all but the largest 5 % to 0.
void keep_largest(matrix& m) {
  std::vector<float> values = values_of(m);
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  const auto larger = [&](std::size_t a, std::size_t b) { return std::abs(values[a]) > std::abs(values[b]); };
  const auto rest = order.begin() + std::ptrdiff_t((values.size() + 19) / 20);
  std::nth_element(order.begin(), rest, order.end(), larger);
  std::for_each(rest, order.end(), [&](std::size_t i) { values[i] = 0; });
  m.write([&](int r, int c) { return values[std::size_t(r * m.cols() + c)]; });
}

// Seconds until the machine has done the work. On a GPU the best of 10: the first time also loads the kernels.
template <class Work>
double seconds(memtile::testing::machine& machine, const Work& work) {
  double best = std::numeric_limits<double>::infinity();
  for (int run = 0; run < (machine.is_gpu() ? 10 : 1); ++run) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    check(machine.synchronize());
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  return best;
}

// Takes the pixels there and back on the machine, and says how long the four matmuls took.
void keep_5_percent(memtile::testing::machine& machine, const matrix& pixels, int white, const matrix& restored) {
  const int rows = int(pixels.rows()), columns = int(pixels.cols());
  auto d_rows = machine.buffer<float>(rows, rows, cosines{rows});
  auto d_columns = machine.buffer<float>(columns, columns, cosines{columns});
  auto half_way = machine.buffer<float>(rows, columns);
  auto coefficients = machine.buffer<float>(rows, columns);

  double time = seconds(machine, [&] {
    check(memtile::gemm(machine, d_rows.view(), pixels.view(), half_way.view()));
    check(memtile::gemm(machine, half_way.view(), memtile::transposed(d_columns.view()), coefficients.view()));
  });
  keep_largest(coefficients);
  time += seconds(machine, [&] {
    check(memtile::gemm(machine, memtile::transposed(d_rows.view()), coefficients.view(), half_way.view()));
    check(memtile::gemm(machine, half_way.view(), d_columns.view(), restored.view(), to_pixel{float(white)}));
  });

  if (machine.is_gpu()) {
    const double r = rows, c = columns, bytes = 8 * (r * r + c * c + 4 * r * c);  // each operand once
    std::printf("time: %.1f us for the four matmuls and their launches, without copies, best of 10\n", time * 1e6);
    std::printf("memory: at least %.1f MB read and written, %.1f GB/s\n", bytes / 1e6, bytes / time / 1e9);
  } else {
    const std::string table = machine.simulator().report().to_string();  // one line of names, then the accesses
    std::printf("time: %.2f s to simulate the four matmuls and check every access\n", time);
    std::printf("memory: accesses of warps, and what they cost a GPU\n%s", table.c_str() + table.find('\n') + 1);
  }
}

// --- what has become of the pixels ---

memtile::vector_view<float> all_of(const matrix& m) { return {m.view().data, m.rows() * m.cols()}; }

// Mean, spread and extremes, each with its first place, in two reads of the pixels.
void describe(memtile::testing::machine& machine, const char* name, const matrix& pixels) {
  using place = memtile::indexed<float>;  // a value and where it stands
  auto moments = machine.buffer<memtile::statistics_of<float>>(1);
  auto extremes = machine.buffer<memtile::both<place, place>>(1);
  check(memtile::statistics(machine, all_of(pixels), moments.view()));
  check(memtile::minmax(machine, all_of(pixels), extremes.view()));
  check(machine.synchronize());
  const auto found = moments.host()(0);
  const auto [darkest, brightest] = extremes.host()(0);
  const auto print = [&](const char* word, const place& p) {
    std::printf("%s %g at row %d, column %d", word, double(p.value), int(p.index / pixels.cols()),
                int(p.index % pixels.cols()));
  };
  std::printf("%s: mean %.2f, standard deviation %.2f,", name, double(found.mean), double(found.standard_deviation()));
  print(" from", darkest);
  print(" to", brightest);
  std::puts("");
}

struct squared_difference {
  template <class Pair>
  MEMTILE_FUNCTION int operator()(const Pair& pixels) const {
    const int difference = int(pixels.first) - int(pixels.second);
    return difference * difference;
  }
};

// White over the root mean square of the difference, in decibels; infinite for equal pictures.
double psnr(memtile::testing::machine& machine, const matrix& a, const matrix& b, int white) {
  auto squares = machine.buffer<memtile::int64>(1);  // the sum of whole numbers is exact
  check(memtile::reduce(machine, memtile::zip(all_of(a), all_of(b)), squares.view(), memtile::plus{}, 0,
                        squared_difference{}));
  check(machine.synchronize());
  return 10 * std::log10(double(white) * white * double(a.rows() * a.cols()) / double(squares.host()(0)));
}

int main(int argc, char** argv) try {
  if (argc > 3) fail("usage: picture [IN.pgm [OUT.pgm]]");
  const std::string from = argc > 1 ? argv[1] : "tests/data/camera.pgm", to = argc > 2 ? argv[2] : "picture_out.pgm";
  const picture original = read_picture(from);
  if (memtile::testing::machines().empty()) fail("MEMTILE_TEST_MACHINES leaves no machine to run on");
  auto& machine = memtile::testing::machines().back();  // the GPU, if there is one
  std::printf("picture: %s, %d x %d%s\n", from.c_str(), original.columns, original.rows,
              original.was_colour ? ", made grey: 0.299 red + 0.587 green + 0.114 blue" : "");
  std::printf("machine: %s\n", machine.name().c_str());
  auto pixels = machine.buffer<float>(original.rows, original.columns, original);
  auto restored = machine.buffer<float>(original.rows, original.columns);
  keep_5_percent(machine, pixels, original.white, restored);

  picture result = original;
  const std::vector<float> values = values_of(restored);
  std::copy(values.begin(), values.end(), result.pixels.begin());
  write_picture(to, result);
  describe(machine, "original", pixels);
  describe(machine, "restored", restored);
  std::printf("PSNR: %.2f dB with 5 %% of the coefficients; see %s\n", psnr(machine, pixels, restored, original.white),
              to.c_str());
} catch (const std::exception& error) {
  std::fprintf(stderr, "picture: %s\n", error.what());
  return 1;
}
