// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Many steps of a stencil: the depths that the model chooses, and the greatest one.
#include <memtile/stencil.cuh>

using namespace memtile;

template <int Radius>
struct sum_of_star {
  template <class Neighbours>
  MEMTILE_FUNCTION auto operator()(const Neighbours& n) const {
    auto sum = n(0, 0);
    MEMTILE_UNROLL
    for (int d = 1; d <= Radius; ++d) sum += (n(-d, 0) + n(d, 0) + n(0, -d) + n(0, d) - 4 * n(0, 0)) / (8 * d);
    return sum;
  }
};
struct sum_of_box {
  template <class Neighbours>
  MEMTILE_FUNCTION auto operator()(const Neighbours& n) const {
    auto sum = n.centre();
    MEMTILE_UNROLL
    for (int i = 0; i < 9; ++i) sum += n(i / 3 - 1, i % 3 - 1) * (i + 1) / 64;
    return sum;
  }
};

struct through {  // a field that tells how well each element conducts
  template <class Neighbours>
  MEMTILE_FUNCTION float operator()(const Neighbours& n) const {
    return n(0, 0) + n.template get<1>(0, 0) * (n(-1, 0) + n(1, 0) + n(0, -1) + n(0, 1) - 4 * n(0, 0));
  }
};

bool start(stream_t stream, matrix_view<float> a, matrix_view<float> b, matrix_view<const float> k,
           matrix_view<double> c, matrix_view<double> d, matrix_view<float16> e, matrix_view<float16> f) {
  return iterate<star<1>>(stream, 100, a, b, sum_of_star<1>{}, replicate{}).ok() &&
         iterate<star<1>, fused_steps<8>>(stream, 100, a, b, sum_of_star<1>{}, wrap{}).ok() &&
         iterate<star<1>>(stream, 100, fields(a, k), b, through{}, reflect{}).ok() &&
         iterate<star<2>>(stream, 100, a, b, sum_of_star<2>{}, constant{0.f}).ok() &&
         iterate<box<1>>(stream, 100, a, b, sum_of_box{}, borders{sides{reflect{}, valid{}}, reflect101{}}).ok() &&
         iterate<star<1>>(stream, 100, c, d, sum_of_star<1>{}, valid{}).ok() &&
         iterate<star<1>, on_chip<>>(stream, 100, a, b, sum_of_star<1>{}, wrap{}).ok() &&
         iterate<star<2>, on_chip<>>(stream, 100, a, b, sum_of_star<2>{}, constant{0.f}).ok() &&
         iterate<box<1>, on_chip<160>>(stream, 100, c, d, sum_of_box{},
                                       borders{sides{reflect{}, valid{}}, reflect101{}})
             .ok() &&
         iterate<star<1>>(stream, 100, e, f, sum_of_star<1>{}, replicate{}).ok();
}
