// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The stencils, filters and transposition that the README shows.
#include <memtile/sim.cuh>
#include <memtile/stencil.cuh>
#include <memtile/transpose.cuh>

// Lines less for the README:
// clang-format off
// [readme:stencils]
struct heat {
  float k;
  template <class Neighbours> MEMTILE_FUNCTION float operator()(const Neighbours& n) const {
    return n(0, 0) + k * (n(-1, 0) + n(1, 0) + n(0, -1) + n(0, 1) - 4 * n(0, 0));
  }
};
// [readme:end]
// clang-format on

template <class Where>
memtile::status stencils(Where& stream, memtile::matrix_view<float> u, memtile::matrix_view<float> scratch,
                         memtile::matrix_view<const memtile::uint8> picture, memtile::matrix_view<memtile::uint8> calm,
                         memtile::matrix_view<memtile::uint8> turned) {
  using memtile::star, memtile::box;
  // [readme:stencils]
  if (auto s = memtile::iterate<star<1>>(stream, 100, u, scratch, heat{0.125f}, memtile::wrap{}); !s) return s;
  if (auto s = memtile::median_filter<box<1>>(stream, picture, calm, memtile::reflect{}); !s) return s;
  return memtile::transpose(stream, calm, turned);
  // [readme:end]
}

int main() {
  for (auto& machine : memtile::testing::machines()) {
    auto u = machine.buffer<float>(9, 12, [](int r, int c) { return float((r * 7 + c) % 4); });
    auto scratch = machine.buffer<float>(9, 12);
    auto picture = machine.buffer<memtile::uint8>(5, 7, [](int r, int c) { return memtile::uint8(r == 2 && c == 3 ? 255 : 9); });
    auto calm = machine.buffer<memtile::uint8>(5, 7);
    auto turned = machine.buffer<memtile::uint8>(7, 5);
    double before = 0, after = 0;
    for (int r = 0; r < 9; ++r)
      for (int c = 0; c < 12; ++c) before += u.host()(r, c);
    if (!stencils(machine, u.view(), scratch.view(), picture.view(), calm.view(), turned.view())) return 1;
    if (!machine.synchronize()) return 1;
    for (int r = 0; r < 9; ++r)
      for (int c = 0; c < 12; ++c) after += u.host()(r, c);
    if (before - after > 1e-3 || after - before > 1e-3) return 1;  // no heat is lost
    for (int r = 0; r < 7; ++r)
      for (int c = 0; c < 5; ++c)
        if (turned.host()(r, c) != 9) return 1;  // the one bright point is gone
  }
  return 0;
}
