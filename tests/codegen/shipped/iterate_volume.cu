// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Many steps of a stencil of a volume: the depths that the model chooses, and the others.
#include <memtile/stencil.cuh>

using namespace memtile;

struct heat {
  template <class Neighbours>
  MEMTILE_FUNCTION auto operator()(const Neighbours& n) const {
    using T = detail::plain_type<decltype(n.centre())>;
    const T around = n(-1, 0, 0) + n(1, 0, 0) + n(0, -1, 0) + n(0, 1, 0) + n(0, 0, -1) + n(0, 0, 1);
    return n(0, 0, 0) + T(0.125) * (around - 6 * n(0, 0, 0));
  }
};
struct reaction {  // that goes by the place
  float rate, heating;
  template <class Neighbours>
  MEMTILE_FUNCTION float operator()(const Neighbours& n) const {
    const float u = n(0, 0, 0), around = n(-1, 0, 0) + n(1, 0, 0) + n(0, -1, 0) + n(0, 1, 0) + n(0, 0, -1) + n(0, 0, 1);
    return u + rate * (around - 6 * u) + u * (1 - u) * (u - heating * float(n.row()));
  }
};

bool start(stream_t stream, volume_view<float> a, volume_view<float> b, volume_view<double> c, volume_view<double> d,
           volume_view<float16> e, volume_view<float16> f) {
  return iterate<star<1>>(stream, 100, a, b, heat{}, wrap{}).ok() &&
         iterate<star<1>>(stream, 100, a, b, reaction{0.1f, 0.5f}, constant{0.f}).ok() &&
         iterate<star<1>, fused_steps<2>>(stream, 100, a, b, heat{}, replicate{}).ok() &&
         iterate<star<1>, fused_steps<4>>(stream, 100, a, b, heat{}, reflect101{}).ok() &&
         iterate<star<1>>(stream, 100, c, d, heat{}, borders{valid{}, wrap{}, sides{reflect{}, valid{}}}).ok() &&
         iterate<star<1>, fused_steps<3>>(stream, 100, e, f, heat{}, replicate{}).ok();
}
