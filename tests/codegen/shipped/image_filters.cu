// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gradients, sharpening, means weighted by likeness, ranks, and pixels of three channels.
#include <memtile/stencil.cuh>

using namespace memtile;
using rgb = vec<uint8, 3>;

bool start(stream_t stream, matrix_view<const uint8> bytes, matrix_view<uint8> byte_out, matrix_view<const float> a,
           matrix_view<float> b, matrix_view<const rgb> colours, matrix_view<rgb> colours_out) {
  return sobel_magnitude(stream, bytes, byte_out, reflect{}).ok() && sobel_filter<0>(stream, a, b, reflect{}).ok() &&
         laplacian_filter(stream, a, b, replicate{}).ok() && unsharp_filter<1>(stream, a, b, 1, 1, replicate{}).ok() &&
         bilateral_filter<1>(stream, bytes, byte_out, 1, 20, reflect{}).ok() &&
         bilateral_filter<3>(stream, a, b, 2, 0.1, reflect{}).ok() &&
         rank_filter<box<1>>(stream, bytes, byte_out, 2, reflect{}).ok() &&
         gaussian_filter<2>(stream, colours, colours_out, 1, reflect101{}).ok() &&
         binomial_filter<2>(stream, bytes, byte_out, reflect{}).ok() &&
         binomial_filter<1>(stream, colours, colours_out, reflect101{}).ok() &&
         median_filter<box<1>>(stream, colours, colours_out, replicate{}).ok() &&
         box_filter<box<1>>(stream, colours, colours_out, replicate{}).ok();
}
