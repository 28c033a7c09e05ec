// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stencils of floats and doubles in two and three dimensions, and one whose window does not fit into registers.
#include <memtile/stencil.cuh>

using namespace memtile;

struct five_points {
  template <class Neighbours>
  MEMTILE_FUNCTION auto operator()(const Neighbours& n) const {
    return n(0, 0) + (n(-1, 0) + n(1, 0) + n(0, -1) + n(0, 1) - 4 * n(0, 0)) / 8;
  }
};
struct seven_points {
  template <class Neighbours>
  MEMTILE_FUNCTION float operator()(const Neighbours& n) const {
    return n(-1, 0, 0) + n(1, 0, 0) + n(0, -1, 0) + n(0, 1, 0) + n(0, 0, -1) + n(0, 0, 1) - 6 * n(0, 0, 0);
  }
};
struct sum_of_far_box {
  template <class Neighbours>
  MEMTILE_FUNCTION float operator()(const Neighbours& n) const {
    float sum = 0;
    MEMTILE_KEEP_LOOP
    for (int y = -7; y <= 7; ++y) {
      MEMTILE_KEEP_LOOP
      for (int x = -7; x <= 7; ++x) sum += n(y, x);
    }
    return sum;
  }
};
template <int Radius>
struct sum_of_box {
  template <class Neighbours>
  MEMTILE_FUNCTION auto operator()(const Neighbours& n) const {
    auto sum = n.centre() - n.centre();
    MEMTILE_UNROLL
    for (int y = -Radius; y <= Radius; ++y) {
      MEMTILE_UNROLL
      for (int x = -Radius; x <= Radius; ++x) sum += n(y, x);
    }
    return sum;
  }
};

struct sum_of_27 {
  template <class Neighbours>
  MEMTILE_FUNCTION auto operator()(const Neighbours& n) const {
    auto sum = n.centre() - n.centre();
    MEMTILE_UNROLL
    for (int i = 0; i < 27; ++i) sum += n(i / 9 - 1, i / 3 % 3 - 1, i % 3 - 1);
    return sum;
  }
};

bool start(stream_t stream, matrix_view<const float> a, matrix_view<float> b, matrix_view<const double> c,
           matrix_view<double> d, volume_view<const float> v, volume_view<float> w) {
  return stencil<star<1>>(stream, a, b, five_points{}, wrap{}).ok() &&
         stencil<star<1>>(stream, c, d, five_points{}, reflect101{}).ok() &&
         stencil<box<1>>(stream, a, b, sum_of_box<1>{}, constant{0.f}).ok() &&
         stencil<box<2>>(stream, a, b, sum_of_box<2>{}, replicate{}).ok() &&
         stencil<box<7>>(stream, a, b, sum_of_far_box{}, reflect{}).ok() &&
         stencil<box<3>>(stream, a, b, sum_of_box<3>{}, reflect{}).ok() &&
         stencil<box<1>>(stream, v, w, sum_of_27{}, replicate{}).ok() &&
         stencil<star<1>>(stream, v, w, seven_points{}, replicate{}).ok();
}
