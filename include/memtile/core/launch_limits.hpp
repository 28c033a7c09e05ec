// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The launches that no device makes; both machines refuse them with the same words.
#pragma once

#include <memtile/core/config.hpp>

#if !defined(__CUDACC_RTC__)
#include <memtile/core/status.hpp>

namespace memtile::detail {

inline constexpr int most_threads = 1024, most_cluster = 8;
inline constexpr size_t static_shared_limit = 48 * 1024;
inline constexpr int most_threads_at_once = 16384;  // in the simulator: each has a stack
inline constexpr int64 most_columns = 0x7fffffff, most_rows = 65535, most_planes = 65535;

/// What a block may have when it opts in, by compute capability times ten; of the nearest older one for those not listed.
constexpr size_t most_shared_bytes(int architecture) {
  const int kib = architecture >= 120  ? 99
                  : architecture >= 90 ? 227
                  : architecture >= 89 ? 99
                  : architecture == 87 ? 163
                  : architecture >= 86 ? 99
                  : architecture >= 80 ? 163
                  : architecture >= 75 ? 64
                  : architecture >= 70 ? 96
                                       : 48;
  return size_t(kib) * 1024;
}

inline status check_configuration(const char* kernel, int64 planes, int64 rows, int64 columns, int threads) {
  if (threads < 1 || threads > most_threads)
    return status::unlaunchable("launch of {}: a block must have 1 to {} threads, not {}", kernel, most_threads,
                                threads);
  if (planes < 0 || rows < 0 || columns < 0 || planes > most_planes || rows > most_rows || columns > most_columns)
    return status::unlaunchable("launch of {}: the grid must have at most {} planes, {} rows and {} columns of blocks, "
                                "not {} x {} x {}: number the blocks along the columns",
                                kernel, most_planes, most_rows, most_columns, planes, rows, columns);
  return {};
}

inline status check_cluster(const char* kernel, int cluster, int64 columns) {
  if (cluster < 1 || cluster > most_cluster)
    return status::unlaunchable("launch of {}: a cluster must have 1 to {} blocks, not {}", kernel, most_cluster,
                                cluster);
  if (columns % cluster != 0)
    return status::unlaunchable("launch of {}: the grid's {} columns must be a multiple of the {} blocks of a cluster",
                                kernel, columns, cluster);
  return {};
}
// `architecture` is that of the device, or an older one that the kernel was compiled for.
inline status check_clusters_exist(const char* kernel, int cluster, int architecture) {
  if (cluster == 1 || architecture >= 90) return {};
  return status::unlaunchable("launch of {}: a cluster of {} blocks needs compute capability 9.0 or newer, of the "
                              "device and of the compiled code, not {}.{}",
                              kernel, cluster, architecture / 10, architecture % 10);
}

// The blocks of a cooperative launch, of which a machine runs at most `most` at one time.
inline status check_cooperative(const char* kernel, int64 planes, int64 rows, int64 columns, int64 most) {
  if (planes > 1 || rows > 1)
    return status::unlaunchable("launch of {}: the blocks of a cooperative kernel must be one row, not {} x {} x {}",
                                kernel, planes, rows, columns);
  if (columns <= most) return {};
  return status::unlaunchable(
      "launch of {}: {} blocks of a cooperative kernel must run at one time, but at most {} can: "
      "use fewer blocks, or smaller ones",
      kernel, columns, most);
}

inline status check_shared_bytes(const char* kernel, size_t wanted, size_t most) {
  if (wanted <= most) return {};
  return status::unlaunchable("launch of {}: {} bytes of shared memory do not fit: a block has at most {} on this "
                              "device: use smaller tiles or fewer stages",
                              kernel, wanted, most);
}

}  // namespace memtile::detail
#endif
