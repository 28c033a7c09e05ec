// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stencils of narrow elements, of several fields, and of vectors.
#include <memtile/stencil.cuh>

using namespace memtile;

struct binomial {
  template <class Neighbours>
  MEMTILE_FUNCTION int operator()(const Neighbours& n) const {
    const int sum =
        n(-1, -1) + n(-1, 1) + n(1, -1) + n(1, 1) + 2 * (n(-1, 0) + n(1, 0) + n(0, -1) + n(0, 1)) + 4 * n(0, 0);
    return (sum + 8) / 16;
  }
};
struct mean {
  template <class Neighbours>
  MEMTILE_FUNCTION float operator()(const Neighbours& n) const {
    return (n(-1, 0) + n(1, 0) + n(0, -1) + n(0, 1)) / 4;
  }
};
struct diffuse {
  template <class Neighbours>
  MEMTILE_FUNCTION float operator()(const Neighbours& n) const {
    return n(0, 0) + n.template get<1>(0, 0) * (n(-1, 0) + n(1, 0) + n(0, -1) + n(0, 1) - 4 * n(0, 0));
  }
};
struct difference {
  template <class Neighbours>
  MEMTILE_FUNCTION float operator()(const Neighbours& n) const {
    return n(1) - n(-1);
  }
};
struct wave {
  template <class Neighbours>
  MEMTILE_FUNCTION float operator()(const Neighbours& n) const {
    float sum = -6 * n(0, 0, 0);
    MEMTILE_UNROLL
    for (int d = 1; d <= 4; ++d)
      sum += (n(-d, 0, 0) + n(d, 0, 0) + n(0, -d, 0) + n(0, d, 0) + n(0, 0, -d) + n(0, 0, d)) / float(d * d);
    return sum;
  }
};
struct far_cross {
  template <class Neighbours>
  MEMTILE_FUNCTION float operator()(const Neighbours& n) const {
    float sum = 0;
    MEMTILE_UNROLL
    for (int d = 1; d <= 4; ++d) sum += (n(-d, 0) + n(d, 0) + n(0, -d) + n(0, d)) / float(d);
    return sum;
  }
};

bool start(stream_t stream, matrix_view<const uint8> bytes, matrix_view<uint8> out, matrix_view<const float16> halves,
           matrix_view<float16> half_out, matrix_view<const float> a, matrix_view<float> b, vector_view<const float> v,
           vector_view<float> w, volume_view<const float> x, volume_view<float> y) {
  return stencil<box<1>>(stream, bytes, out, binomial{}, replicate{}).ok() &&
         stencil<star<1>>(stream, bytes, b, mean{}, reflect101{}).ok() &&
         stencil<star<1>>(stream, halves, half_out, mean{}, reflect101{}).ok() &&
         stencil<star<1>>(stream, fields(a, a), b, diffuse{}, replicate{}).ok() &&
         stencil<star<4>>(stream, a, b, far_cross{}, replicate{}).ok() &&
         stencil<window<1, 1>>(stream, v, w, difference{}, wrap{}).ok() &&
         stencil<star<4>>(stream, x, y, wave{}, replicate{}).ok();
}
