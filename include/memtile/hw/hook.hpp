// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the CPU models in hw/ tell a listening machine what a kernel does: one pointer, one abstract class, no standard
// container.
//
// A simulated thread notes its accesses in a trace of its own and gives control away where the hardware would make it
// wait. Without a listening machine the models do the bare access, so that a helper of a kernel may be called from
// plain host code.
#pragma once

#include <memtile/core/site.hpp>

#if !defined(__CUDACC_RTC__)
#include <memtile/core/status.hpp>

namespace memtile::sim {

enum class space : uint8 { shared, global };
enum class access_kind : uint8 { load, store, atomic, async_copy, ldmatrix_x1, ldmatrix_x2, ldmatrix_x4, stmatrix };

/// One access of one lane.
struct access {
  const void* address;
  const char* file;
  const char* operation;
  int line;
  uint16 bytes;
  access_kind kind;
  space where;
};

/// What a launch asks of the machine. Every thread of every block calls body(call).
struct launch_request {
  const char* kernel;  // its type, for the report
  int64 planes, rows, columns;
  int threads;
  size_t shared_bytes, shared_alignment;
  void (*body)(const void* call);
  const void* call;
};

/// The values that the lanes of a warp brought to a collective.
struct exchanged {
  uint64 value[32];
};

class listener {
 public:
  virtual status run(const launch_request&) = 0;

  // Called on the stack of a simulated thread; the waiting ones return when the others have arrived.
  virtual void trace_full() = 0;
  virtual void wait_for_block(site) = 0;
  /// Every lane of `mask` brings a value and gets those of all. `orders` tells a barrier from a mere exchange: only a
  /// barrier makes one lane's memory accesses visible to another.
  virtual void wait_for_warp(uint32 mask, uint64 mine, exchanged& all, bool orders, site) = 0;
  /// `valid` bytes are copied, the rest of `bytes` becomes zero; nothing has arrived before async_wait.
  virtual void async_copy(void* to_shared, const void* from_global, int bytes, int valid, site) = 0;
  virtual void async_commit(site) = 0;
  virtual void async_wait(int groups_left_pending, site) = 0;
  virtual void* shared_storage() = 0;

  virtual void out_of_bounds(const char* what, int dimensions, const int64* index, const int64* extent, site) = 0;
  virtual void misaligned(const void* address, int bytes, site) = 0;

  // The thread that runs now, and where its next access is noted.
  access* next = nullptr;
  access* end = nullptr;
  int rank = 0, size = 1;
  int64 block_plane = 0, block_row = 0, block_column = 0;
  int64 grid_planes = 1, grid_rows = 1, grid_columns = 1;

 protected:
  ~listener() = default;
};

/// The machine that runs the code on this OS thread, if one does. One per process also where libraries hide their
/// symbols.
__attribute__((visibility("default"))) inline thread_local listener* current = nullptr;

inline __attribute__((always_inline)) void note(space where, access_kind kind, const void* address, int bytes, site s) {
  listener* m = current;
  if (m == nullptr) return;
  if (m->next == m->end) m->trace_full();
  *m->next++ = access{address, s.file, s.operation, s.line, uint16(bytes), kind, where};
}

/// True if the address suits an access of that many bytes; else the machine is told and the access must be left out.
inline __attribute__((always_inline)) bool aligned(const void* address, int bytes, site s) {
  if (current == nullptr || reinterpret_cast<size_t>(address) % size_t(bytes) == 0) return true;
  current->misaligned(address, bytes, s);
  return false;
}

}  // namespace memtile::sim
#endif
