// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Windows of a size known at run time: running sums of integers in 32 and 64 bits, floats, weights in memory.
#include <memtile/stencil.cuh>

using namespace memtile;

bool start(stream_t stream, matrix_view<const uint8> bytes, matrix_view<uint8> byte_out,
           matrix_view<const uint16> words, matrix_view<uint16> word_out, matrix_view<const float> a,
           matrix_view<float> b, const sized_window& window) {
  return box_filter(stream, bytes, byte_out, window, reflect{}).ok() &&
         box_filter(stream, words, word_out, window, reflect{}).ok() &&
         box_filter(stream, bytes, b, window, constant{0}).ok() && box_filter(stream, a, b, window, wrap{}).ok() &&
         correlate(stream, bytes, byte_out, loaded_weights{a}, reflect101{}).ok() &&
         correlate(stream, a, b, loaded_weights{a, 0, 0}, replicate{}).ok();
}
