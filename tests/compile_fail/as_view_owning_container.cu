// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: memtile: a container that owns its elements must be passed as a view of memory that the machine can reach
#include <memtile/core/as_view.hpp>

#include <vector>

auto view(std::vector<float>& v) {
#if defined(FIXED)
  return memtile::as_view(memtile::vector_view<float>(v.data(), memtile::int64(v.size())));
#else
  return memtile::as_view(v);
#endif
}
