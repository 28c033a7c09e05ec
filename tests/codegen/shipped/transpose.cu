// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transpositions of elements of every size, and of a structure; volumes along other axes, and casts on the way.
#include <memtile/transpose.cuh>

using namespace memtile;

struct pixel {
  unsigned char red, green, blue;
};

template <class T>
bool turned(stream_t stream, const void* in, void* out, int64 rows, int64 cols) {
  return transpose(stream, row_major(static_cast<const T*>(in), rows, cols),
                   row_major(static_cast<T*>(out), cols, rows))
      .ok();
}
struct halved {
  template <class T>
  MEMTILE_FUNCTION float operator()(T v) const {
    return 0.5f * float(v);
  }
};
bool permuted(stream_t stream, const volume_view<const uint8>& bytes, const volume_view<uint8>& out,
              const volume_view<float16>& halves) {
  return permute_axes<1, 0, 2>(stream, bytes, out).ok() &&
         permute_axes<1, 2, 0>(stream, bytes, halves, halved{}).ok() &&
         permute_axes<1, 0, 2>(stream, bytes, halves, halved{}).ok();
}

bool start(stream_t stream, const void* in, void* out, int64 rows, int64 cols) {
  return turned<uint8>(stream, in, out, rows, cols) && turned<uint16>(stream, in, out, rows, cols) &&
         turned<float>(stream, in, out, rows, cols) && turned<double>(stream, in, out, rows, cols) &&
         turned<vec<float, 4>>(stream, in, out, rows, cols) && turned<pixel>(stream, in, out, rows, cols);
}
