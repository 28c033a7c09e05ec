// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// plate: the temperature of a square plate whose upper side is heated and whose other sides are kept cold, once nothing
// changes any more.
//
//   plate [OUT.pgm]
//
// Each inner point becomes the mean of its four neighbours, again and again, until a step changes none by more than 1e-9;
// the border is `valid`, so that the points of the rim keep what they have. The plate decides on the device when it has
// settled: the host enqueues all that it may take and asks once. Where the temperature along the upper side is sin(pi x), it
// is sin(pi x) sinh(pi y) / sinh(pi) in the plate; half the distance between points leaves a quarter of the difference.
#include <memtile/sim.cuh>
#include <memtile/stencil.cuh>

#include <cmath>
#include <cstdio>
#include <cstdlib>

using namespace memtile;

struct mean_of_neighbours {
  template <class Neighbours>
  MEMTILE_FUNCTION double operator()(const Neighbours& n) const {
    return 0.25 * ((n(-1, 0) + n(1, 0)) + (n(0, -1) + n(0, 1)));
  }
};

void check(const status& s) {
  if (!s) std::fprintf(stderr, "plate: %s\n", s.message().c_str()), std::exit(1);
}

// Of a plate of so many intervals to a side: the settled temperature at (row, column), row 0 being the heated side, and the
// largest difference from theory.
double settle(testing::machine& machine, int intervals, const char* picture) {
  const double pi = 3.14159265358979323846;
  const int side = intervals + 1;
  const auto theory = [=](int r, int c) {
    return std::sin(pi * c / intervals) * std::sinh(pi * (intervals - r) / intervals) / std::sinh(pi);
  };
  auto u = machine.buffer<double>(side, side, [=](int r, int c) { return r == 0 ? theory(r, c) : 0.; });
  auto scratch = machine.buffer<double>(side, side);
  auto progress = machine.buffer<iterate_progress>(1);
  const until_settled end{1e-9, 100, 20 * intervals * intervals};
  check(iterate_until<star<1>>(machine, end, u.view(), scratch.view(), progress.view(), mean_of_neighbours{}, valid{}));
  check(machine.synchronize());

  const iterate_progress found = progress.host()(0);
  const auto temperature = u.host();
  double worst = 0;
  for (int r = 0; r < side; ++r)
    for (int c = 0; c < side; ++c) {
      const double difference = std::fabs(temperature(r, c) - theory(r, c));
      worst = difference > worst ? difference : worst;
    }
  std::printf("%4d x %-4d  %6lld steps, the last of which changed %.1e; from theory %.2e\n", intervals, intervals,
              (long long)(found.steps), found.change, worst);
  if (found.has_settled == 0) std::fprintf(stderr, "plate: it has not settled\n"), std::exit(1);

  if (std::FILE* file = picture ? std::fopen(picture, "wb") : nullptr) {
    std::fprintf(file, "P5 %d %d 255\n", side, side);
    for (int i = 0; i < side * side; ++i) std::fputc(int(255 * temperature(i / side, i % side) + 0.5), file);
    std::fclose(file);
  }
  return worst;
}

int main(int argc, char** argv) {
  if (testing::machines().empty()) return 1;
  auto& machine = testing::machines().back();  // the GPU, if there is one
  std::printf("machine: %s\n", machine.name().c_str());
  const double coarse = settle(machine, 8, nullptr), medium = settle(machine, 16, nullptr),
               fine = settle(machine, 32, argc > 1 ? argv[1] : nullptr);
  const double order = std::log2(medium / fine);
  std::printf("order: %.2f, then %.2f\n", std::log2(coarse / medium), order);
  return std::fabs(order - 2) < 0.05 ? 0 : 1;
}
