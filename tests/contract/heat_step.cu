// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Explicit heat equation on a torus: one step checked by hand, then a hundred in one call; the heat is conserved.
#include <memtile/reduce.cuh>
#include <memtile/stencil.cuh>
#include <memtile/sim.cuh>

#include <cmath>

struct heat {
  float k;
  template <class Neighbours>
  MEMTILE_FUNCTION float operator()(const Neighbours& n) const {
    return n(0, 0) + k * (n(-1, 0) + n(1, 0) + n(0, -1) + n(0, 1) - 4 * n(0, 0));
  }
};

int main() {
  constexpr int rows = 65, columns = 130;
  for (auto& machine : memtile::testing::machines()) {
    auto u = machine.buffer<float>(rows, columns, [](int r, int c) { return r == 7 && c == 0 ? 1024.f : 0.f; });
    auto v = machine.buffer<float>(rows, columns);
    using cross = memtile::star<1>;
    if (!memtile::stencil<cross>(machine, u.view(), v.view(), heat{0.125f}, memtile::wrap{})) return 1;
    auto once = v.host();
    if (once(7, 0) != 512 || once(7, 1) != 128 || once(7, columns - 1) != 128 || once(6, 0) != 128) return 1;
    // many steps: the result is in u, v is scratch, and the steps are fused where that pays
    if (!memtile::iterate<cross>(machine, 100, u.view(), v.view(), heat{0.125f}, memtile::wrap{})) return 1;
    auto total = machine.buffer<double>(1);
    if (!memtile::reduce(machine, u.view(), total.view(), memtile::plus{}, 0.0)) return 1;
    if (std::abs(total.host()(0) - 1024) > 1e-2) return 1;  // heat is conserved
  }
  return 0;
}
