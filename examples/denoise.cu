// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// denoise: spoils a picture in two ways, and mends it with three filters. None of them is the best for both.
//
//   denoise [IN.pgm [FOLDER]]      without names: tests/data/camera.pgm, and no pictures are written
//
// Noise that every pixel has a little of, as from a camera in the dark, disappears in a mean. A Gaussian takes the edges
// with it; a bilateral filter leaves out of the mean what looks different, and with it what lies behind an edge. Where a
// few pixels are black or white, as from a broken line, a mean spreads the fault, and a bilateral filter takes it for an
// edge; the median does not see it at all. The peak signal-to-noise ratio says how near the original a result is.
#include <memtile/reduce.cuh>
#include <memtile/sim.cuh>
#include <memtile/stencil.cuh>

#include "pictures.hpp"

#include <cmath>
#include <cstdio>
#include <random>

using namespace memtile;
using pixels = sim::matrix_buffer<uint8>;

// A number from 0 to 1, the same on every machine; that of the standard library need not be.
double uniform(std::mt19937& random) { return (double(random()) + 0.5) / 4294967296.0; }

// A normal distribution around every pixel, of standard deviation 20.
picture with_grain(picture p) {
  std::mt19937 random(1);
  for (auto& v : p.pixels) {
    const double length = std::sqrt(-2 * std::log(uniform(random))), angle = 2 * std::acos(-1.0) * uniform(random);
    v = static_cast<unsigned char>(std::clamp(std::lround(v + 20 * length * std::cos(angle)), 0L, long(p.white)));
  }
  return p;
}
// One pixel in twenty is black or white.
picture with_salt_and_pepper(picture p) {
  std::mt19937 random(2);
  for (auto& v : p.pixels)
    if (const double chance = uniform(random); chance < 0.05)
      v = chance < 0.025 ? 0 : static_cast<unsigned char>(p.white);
  return p;
}

struct squared_difference {
  template <class Pair>
  MEMTILE_FUNCTION int operator()(const Pair& both) const {
    const int difference = int(both.first) - int(both.second);
    return difference * difference;
  }
};
// White over the root mean square of the difference, in decibels.
double psnr(testing::machine& machine, const pixels& a, const pixels& b, int white) {
  const auto all_of = [](const pixels& p) { return vector_view<uint8>(p.view().data, int64(p.rows()) * p.cols()); };
  const auto squares = machine.buffer<int64>(1);
  check(reduce(machine, zip(all_of(a), all_of(b)), squares.view(), plus{}, 0, squared_difference{}));
  check(machine.synchronize());
  return 10 * std::log10(double(white) * white * a.rows() * a.cols() / double(squares.host()(0)));
}

struct mended {
  double noisy, gaussian, median, bilateral;  // PSNR
};
mended mend(testing::machine& machine, const picture& original, const picture& spoilt, const char* name,
            const std::string& folder) {
  const auto clean = machine.buffer<uint8>(original.rows, original.columns, original);
  const auto noisy = machine.buffer<uint8>(original.rows, original.columns, spoilt);
  const auto calm = machine.buffer<uint8>(original.rows, original.columns);
  const auto graded = [&](const pixels& result, const char* filter) {
    const double grade = psnr(machine, clean, result, original.white);
    std::printf("  %-10s %6.2f dB\n", filter, grade);
    if (folder.empty()) return grade;
    picture p = original;
    const auto host = result.host();
    for (int i = 0; i < p.rows * p.columns; ++i) p.pixels[std::size_t(i)] = host(i / p.columns, i % p.columns);
    write_picture(folder + "/denoise_" + name + "_" + filter + ".pgm", p);
    return grade;
  };
  std::printf("%s\n", name);
  mended grades{};
  grades.noisy = graded(noisy, "noisy");
  check(gaussian_filter<2>(machine, noisy.view(), calm.view(), 1.0, reflect{}));
  grades.gaussian = graded(calm, "gaussian");
  check(median_filter<box<1>>(machine, noisy.view(), calm.view(), reflect{}));
  grades.median = graded(calm, "median");
  check(bilateral_filter<2>(machine, noisy.view(), calm.view(), 1.5, 55, reflect{}));
  grades.bilateral = graded(calm, "bilateral");
  return grades;
}

int main(int argc, char** argv) try {
  if (argc > 3) fail("usage: denoise [IN.pgm [FOLDER]]");
  const std::string from = argc > 1 ? argv[1] : "tests/data/camera.pgm", folder = argc > 2 ? argv[2] : "";
  const picture original = read_picture(from);
  if (testing::machines().empty()) fail("MEMTILE_TEST_MACHINES leaves no machine to run on");
  auto& machine = testing::machines().back();  // the GPU, if there is one
  std::printf("denoise: %s, %d x %d, on %s\n", from.c_str(), original.columns, original.rows, machine.name().c_str());
  const mended grain = mend(machine, original, with_grain(original), "grain", folder);
  const mended salt = mend(machine, original, with_salt_and_pepper(original), "salt_and_pepper", folder);
  if (argc > 1) return 0;
  // Of the picture that is known, what was said above: by a decibel or more.
  const bool right = grain.bilateral > grain.gaussian + 1 && grain.gaussian > grain.noisy + 1 &&
                     salt.median > salt.gaussian + 1 && salt.gaussian > salt.bilateral + 1;
  return right ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "denoise: %s\n", error.what());
  return 1;
}
