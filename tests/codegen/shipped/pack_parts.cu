// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Halos of elements of every size, and of a structure, into a line and back.
#include <memtile/domain.cuh>

using namespace memtile;

struct pixel {
  unsigned char red, green, blue;
};

template <class T>
bool moved(stream_t stream, void* cells, void* line, int64 rows, int64 cols, const subdomain& d) {
  const auto view = row_major(static_cast<T*>(cells), rows, cols);
  const vector_view<T> packed(static_cast<T*>(line), d.halo_size());
  return pack_halo(stream, view, d, packed).ok() && unpack_halo(stream, packed, view, d).ok();
}
bool start(stream_t stream, void* cells, void* line, int64 rows, int64 cols, const subdomain& d) {
  return moved<uint8>(stream, cells, line, rows, cols, d) && moved<uint16>(stream, cells, line, rows, cols, d) &&
         moved<float>(stream, cells, line, rows, cols, d) && moved<double>(stream, cells, line, rows, cols, d) &&
         moved<vec<float, 4>>(stream, cells, line, rows, cols, d) && moved<pixel>(stream, cells, line, rows, cols, d);
}
