// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Filters by name, of bytes and of floats, with windows in registers and beyond.
#include <memtile/stencil.cuh>

using namespace memtile;

bool start(stream_t stream, matrix_view<const uint8> bytes, matrix_view<uint8> byte_out, matrix_view<const float> a,
           matrix_view<float> b) {
  const weights<float, 5, 5> w{};
  const auto gauss = gaussian_weights<7>(2.5);
  return separable(stream, a, b, gauss, gauss, reflect{}).ok() && correlate(stream, a, b, w, reflect{}).ok() &&
         correlate(stream, bytes, byte_out, w, reflect{}).ok() &&
         median_filter<box<1>>(stream, bytes, byte_out, replicate{}).ok() &&
         median_filter<box<2>>(stream, a, b, replicate{}).ok() &&
         median_filter<box<3>>(stream, bytes, byte_out, replicate{}).ok() &&
         box_filter<box<1>>(stream, bytes, byte_out, replicate{}).ok() &&
         box_filter<box<7>>(stream, bytes, byte_out, replicate{}).ok() &&
         maximum_filter<box<1>>(stream, a, b, reflect101{}).ok();
}
