// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The launches that the CPU machine refuses, because no GPU would make them either.
#pragma once

#include <memtile/hw/hook.hpp>

#include <cstddef>

namespace memtile::sim {

inline constexpr int max_threads = 1024;
/// What a block may have on sm_90, the most of all.
inline constexpr std::size_t max_shared_bytes = 227 * 1024, max_shared_alignment = 1024;
inline constexpr int64 max_columns = 2147483647, max_rows = 65535, max_planes = 65535;

namespace detail {

inline status check_launch(const launch_request& r) {
  if (r.threads < 1 || r.threads > max_threads)
    return status::unlaunchable("launch of {}: a block must have 1 to {} threads, not {}", r.kernel, int(max_threads),
                                r.threads);
  const bool columns = r.columns >= 1 && r.columns <= max_columns;
  if (!columns || r.rows < 1 || r.rows > max_rows || r.planes < 1 || r.planes > max_planes)
    return status::unlaunchable("launch of {}: a grid must have 1 to {} columns and 1 to {} rows and planes of blocks, "
                                "not {} columns, {} rows and {} planes",
                                r.kernel, int64(max_columns), int64(max_rows), r.columns, r.rows, r.planes);
  if (r.shared_bytes > max_shared_bytes)
    return status::unlaunchable("launch of {}: the shared memory of a block must be at most {} bytes, not {}: use "
                                "smaller tiles or fewer stages",
                                r.kernel, std::size_t(max_shared_bytes), r.shared_bytes);
  if (r.shared_alignment > max_shared_alignment)
    return status::unlaunchable("launch of {}: the alignment of shared memory must be at most {} bytes, not {}",
                                r.kernel, std::size_t(max_shared_alignment), r.shared_alignment);
  return status();
}

}  // namespace detail
}  // namespace memtile::sim
