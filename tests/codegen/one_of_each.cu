// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One kernel of each algorithm, for the architectures that nobody tunes.
#include <memtile/domain.cuh>
#include <memtile/gemm.cuh>
#include <memtile/reduce.cuh>
#include <memtile/stencil.cuh>
#include <memtile/transpose.cuh>

memtile::status multiply(memtile::stream_t stream, memtile::matrix_view<const float> a, memtile::matrix_view<float> c) {
  return memtile::gemm<memtile::gemm_policy<>>(stream, a, a, c);
}

memtile::status add_up(memtile::stream_t stream, memtile::vector_view<const float> v, memtile::vector_view<float> out) {
  return memtile::sum(stream, v, out);
}
memtile::status add_up_columns(memtile::stream_t stream, memtile::matrix_view<const float> a,
                               memtile::vector_view<float> out) {
  return memtile::reduce_columns(stream, a, out, memtile::plus{});
}
memtile::status add_up_segments(memtile::stream_t stream, memtile::vector_view<const float> v,
                                memtile::vector_view<const int> offsets, memtile::vector_view<float> out) {
  return memtile::reduce_segments(stream, v, offsets, out, memtile::plus{});
}

struct laplace {
  template <class Neighbours>
  MEMTILE_FUNCTION float operator()(const Neighbours& n) const {
    return n(-1, 0) + n(1, 0) + n(0, -1) + n(0, 1) - 4 * n(0, 0);
  }
};
memtile::status curve(memtile::stream_t stream, memtile::matrix_view<const float> a, memtile::matrix_view<float> c) {
  return memtile::stencil<memtile::star<1>>(stream, a, c, laplace{}, memtile::replicate{});
}
memtile::status go_on(memtile::stream_t stream, memtile::matrix_view<float> a, memtile::matrix_view<float> c) {
  return memtile::iterate<memtile::star<1>>(stream, 100, a, c, laplace{}, memtile::replicate{});
}
memtile::status turn(memtile::stream_t stream, memtile::matrix_view<const float> a, memtile::matrix_view<float> c) {
  return memtile::transpose(stream, a, c);
}
memtile::status pack_seams(memtile::stream_t stream, memtile::matrix_view<const float> a,
                           memtile::vector_view<float> out, const memtile::subdomain& part) {
  return memtile::pack_halo(stream, a, part, out);
}
