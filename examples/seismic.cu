// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// seismic: a shock spreads through two layers of rock; what reaches the rim of the picture is absorbed there.
//
//   seismic [OUT.pgm]
//
// The wave equation has two time levels: from the pressure now and one step before follows the next one,
//
//   next = 2 now - before + (c dt / dx)^2 (d^2/dx^2 + d^2/dz^2) now
//
// An element of the matrix holds both, so that iterate makes the steps: each turns {now, before} into {next, now}. Second
// differences are of eighth order. Near the rim both are damped a little in each step, so that the waves fade on their way
// out instead of coming back.
#include <memtile/sim.cuh>
#include <memtile/stencil.cuh>

#include <cmath>
#include <cstdio>
#include <cstdlib>

using namespace memtile;

constexpr int rows = 90, columns = 100, second_layer = 60;
constexpr float upper_speed = 0.3f, lower_speed = 0.45f;  // in points a step

using pressure = vec<float, 2>;  // now, and one step before

struct wave {
  int rim;  // so many points wide; 0: waves come back from the edge

  MEMTILE_FUNCTION float kept(int64 row, int64 column) const {
    const int64 inwards = min_of(min_of(row, rows - 1 - row), min_of(column, columns - 1 - column));
    const float depth = inwards < rim ? 0.012f * float(rim - inwards) : 0.f;
    return 1 - depth * depth;
  }
  template <class Neighbours>
  MEMTILE_FUNCTION pressure operator()(const Neighbours& n) const {
    constexpr float weight[] = {-205.f / 72, 8.f / 5, -1.f / 5, 8.f / 315, -1.f / 560};
    const pressure here = n(0, 0);
    float curvature = 2 * weight[0] * here[0];
    MEMTILE_UNROLL
    for (int d = 1; d <= 4; ++d) curvature += weight[d] * ((n(-d, 0)[0] + n(d, 0)[0]) + (n(0, -d)[0] + n(0, d)[0]));
    const float speed = n.row() < second_layer ? upper_speed : lower_speed, keep = kept(n.row(), n.column());
    return {{keep * (2 * here[0] - here[1] + speed * speed * curvature), keep * here[0]}};
  }
};

void check(const status& s) {
  if (!s) std::fprintf(stderr, "seismic: %s\n", s.message().c_str()), std::exit(1);
}

int main(int argc, char** argv) {
  if (testing::machines().empty()) return 1;
  auto& machine = testing::machines().back();  // the GPU, if there is one
  std::printf("machine: %s\n", machine.name().c_str());
  const int shock_row = 35, shock_column = 50;
  const auto shock = [=](int r, int c) {
    const float squared = float((r - shock_row) * (r - shock_row) + (c - shock_column) * (c - shock_column));
    const float p = std::exp(-squared / 8);
    return pressure{{p, p}};
  };
  double energy[2];
  for (int rim : {0, 20}) {
    auto u = machine.buffer<pressure>(rows, columns, shock), scratch = machine.buffer<pressure>(rows, columns);
    const wave step{rim};
    if (rim == 0)
      std::printf("%s\n", explain_iterate<star<4>>(60, u.view(), scratch.view(), step, constant{pressure{}}).c_str());
    check(iterate<star<4>>(machine, 60, u.view(), scratch.view(), step, constant{pressure{}}));
    check(machine.synchronize());
    const auto early = u.host();

    // Straight up from the shock nothing has met the second layer yet: the front is where its speed says.
    int front = 0;
    for (int r = 0; r < shock_row; ++r)
      if (early(r, shock_column)[0] > early(front, shock_column)[0]) front = r;
    std::printf("rim of %2d: after 60 steps the front is %d points above the shock (%.0f by its speed)", rim,
                shock_row - front, 60. * double(upper_speed));
    if (std::abs(shock_row - front - 18) > 2) return 1;
    if (std::FILE* file = argc > 1 && rim != 0 ? std::fopen(argv[1], "wb") : nullptr) {
      std::fprintf(file, "P5 %d %d 255\n", columns, rows);
      for (int i = 0; i < rows * columns; ++i) {
        const float grey = 128 + 1000 * early(i / columns, i % columns)[0];
        std::fputc(int(grey < 0 ? 0 : grey > 255 ? 255 : grey), file);
      }
      std::fclose(file);
    }

    check(iterate<star<4>>(machine, 220, u.view(), scratch.view(), step, constant{pressure{}}));
    check(machine.synchronize());
    const auto late = u.host();
    double& sum = energy[rim != 0] = 0;
    for (int i = 0; i < rows * columns; ++i) sum += std::pow(double(late(i / columns, i % columns)[0]), 2);
    std::printf(", after 300 the sum of squares %.2e\n", sum);
  }
  return energy[1] < 0.02 * energy[0] ? 0 : 1;
}
