// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stencils with two outputs, and with the largest change and the sum of all beside the result.
#include <memtile/stencil.cuh>

using namespace memtile;

struct gradient {
  template <class Neighbours>
  MEMTILE_FUNCTION auto operator()(const Neighbours& n) const {
    return results(n(1, 0) - n(-1, 0), n(0, 1) - n(0, -1));
  }
};
struct step {
  template <class Neighbours>
  MEMTILE_FUNCTION auto operator()(const Neighbours& n) const {
    const auto next = 0.25f * (n(-1, 0) + n(1, 0) + n(0, -1) + n(0, 1));
    return measured(next, memtile::abs(next - n(0, 0)));
  }
};

bool start(stream_t stream, matrix_view<const float> in, matrix_view<float> a, matrix_view<float> b,
           matrix_view<const uint8> bytes, matrix_view<int16> down, matrix_view<float> across,
           vector_view<float> largest, vector_view<double> sum) {
  return stencil<star<1>>(stream, in, fields(a, b), gradient{}, reflect{}).ok() &&
         stencil<star<1>>(stream, bytes, fields(down, across), gradient{}, reflect{}).ok() &&
         stencil<star<1>>(stream, in, a, step{}, replicate{}, reduce_into(largest, maximum{})).ok() &&
         stencil<star<1>>(stream, in, a, step{}, replicate{}, reduce_into(sum, plus{})).ok();
}
