// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A stencil inside a kernel of one's own equals the one that is called from the host, with any number of threads.
#include <support/stencil.hpp>

using namespace memtile;

namespace {

constexpr test::weighted<2> unlike{{1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7}};

template <class Border>
struct own_kernel {
  using around = block_stencil<float, box<2>, 8, 32>;
  int threads;
  Border border;
  test::weighted<2> weights;
  struct storage {
    around::storage tile;
  };
  MEMTILE_KERNEL void operator()(block b, storage& shared, matrix_view<const float> in, matrix_view<float> out) const {
    const int row0 = b.grid_row() * around::rows, column0 = b.grid_column() * around::columns;
    around stencil{b, shared.tile};
    stencil.load(in, row0, column0, border);
    b.sync();
    stencil.each([&](int r, int c, const auto& n) { out.store_inside(row0 + r, column0 + c, weights(n)); });
  }
};

template <class Border>
void check(const Border& border) {
  for (auto& machine : testing::machines())
    for (int threads : {256, 64, 33})
      for (const auto& shape : {test::image{1, 1}, test::image{19, 70, 3, 1}}) {
        const sim::placement place{shape.cols + shape.gap, shape.offset};
        auto in = machine.buffer<float>(shape.rows, shape.cols, test::pixel, place);
        auto out = machine.buffer<float>(shape.rows, shape.cols, place);
        REQUIRE(launch(machine, grid_for(shape.rows, shape.cols, 8, 32), own_kernel<Border>{threads, border, unlike},
                       in.view(), out.view()));
        unit::check_clean(machine);
        if (threads % 32 == 0) unit::check_clean_without_conflicts(machine);
        CHECK(unit::differences(out.host(), shape.rows, shape.cols, [&](int r, int c) {
                return float(unlike.expected(test::pixel, border, r, c, shape.rows, shape.cols));
              }) == 0);
        CHECK((in.untouched() && out.untouched()));
      }
}

}  // namespace

TEST_CASE("a block's stencil has the neighbours that the border says", "[block][stencil]") {
  check(reflect101{});
  check(constant{3.f});
}
