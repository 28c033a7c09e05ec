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

enum class space : uint8 { shared, global, cluster };  // cluster: shared memory of any block of it
enum class access_kind : uint8 {
  load,
  store,
  atomic,  // one instruction: additions and the like of 4-byte integers, exchanges
  async_copy,
  ldmatrix_x1,
  ldmatrix_x2,
  ldmatrix_x4,
  stmatrix,
  atomic_compare,  // compare and exchange
  atomic_loop      // no instruction for shared memory, so a loop there: floats, and 8-byte integers
};
constexpr bool is_atomic(access_kind kind) {
  return kind == access_kind::atomic || kind == access_kind::atomic_compare || kind == access_kind::atomic_loop;
}

/// One access of one lane. What follows the index is alike for the lanes that make one access of a warp together.
struct access {
  const void* address;
  uint64 index;  // of the element, as site::at packs it, and two flags
  const char* file;
  const char* operation;
  const char* inner_file;
  int line;
  uint16 inner_line;
  uint8 bytes;
  uint8 what;  // kind, space and number of dimensions

  /// The bits that it writes stood there already; of an atomic operation: what stood there does not matter.
  static constexpr uint64 keeps_value = uint64(1) << 62, overwrites = uint64(1) << 63;

  access_kind kind() const { return access_kind(what & 15); }
  space where() const { return space(what >> 4 & 3); }
  int dimensions() const { return what >> 6; }
  site place() const {
    site s = site::here(file, line);
    s.operation = operation, s.inner_file = inner_file, s.inner_line = inner_line;
    return s;
  }
};
constexpr uint8 packed_what(space where, access_kind kind, int dimensions) {
  return uint8(uint8(kind) | uint8(where) << 4 | dimensions << 6);
}

// Notes in a trace that are no accesses. A fence of the device:
inline constexpr auto fence = access_kind(13);
// where the lanes of a warp meet again after they went different ways:
inline constexpr auto meeting = access_kind(14);
// and the arrival of an asynchronous copy, which is checked and not counted.
inline constexpr auto arrival = access_kind(15);

/// What a launch asks of the machine. Every thread of every block calls body(call).
struct launch_request {
  const char* kernel;  // its type, for the report
  int64 planes, rows, columns;
  int threads;
  size_t shared_bytes, shared_alignment;
  void (*body)(const void* call);
  const void* call;
  int cluster = 1;              // so many blocks run together
  bool is_cooperative = false;  // these are all blocks of the launch, and no cluster
};

/// The values that the lanes of a warp brought to a collective; nonsense from lanes that did not come.
struct exchanged {
  uint64 value[32];
  uint32 came;
};

/// Runs launches: sim::machine.
class processor {
 public:
  virtual status run(const launch_request&) = 0;

 protected:
  ~processor() = default;
};

/// Runs the code of a thread and hears what it does.
class listener {
 public:
  // Called on the stack of a simulated thread; the waiting ones return when the others have arrived.
  virtual void trace_full() = 0;
  /// Every thread of the block brings a vote and hears whether one of them was yes.
  virtual bool wait_for_block(bool vote, site) = 0;
  virtual void wait_for_cluster(site) = 0;
  virtual void wait_for_grid(site) = 0;
  /// Every lane of `mask` brings a value and gets those of all. `orders` tells a barrier from a mere exchange: only a
  /// barrier makes one lane's memory accesses visible to another.
  virtual void wait_for_warp(uint32 mask, uint64 mine, exchanged& all, bool orders, site) = 0;
  /// `valid` bytes are copied, the rest of `bytes` becomes zero; nothing has arrived before async_wait.
  virtual void async_copy(void* to_shared, const void* from_global, int bytes, int valid, site to, site from) = 0;
  virtual void async_commit(site) = 0;
  virtual void async_wait(int groups_left_pending, site) = 0;
  virtual void* shared_storage() = 0;
  /// What is in block `rank` of the cluster where `own` is in this one; null, and a fault, if there is no such place.
  virtual void* in_block(const void* own, int rank, int bytes, site) = 0;
  /// Global memory is changed in the order of the blocks, also where several run at once.
  virtual void wait_for_turn() = 0;

  virtual void out_of_bounds(const char* what, int dimensions, const int64* index, const int64* extent, site) = 0;
  virtual void misaligned(const void* address, int bytes, site) = 0;
  /// A lane of the warp is asked for its value that the mask does not name.
  virtual void lane_not_named(int lane, uint32 mask, site) = 0;
  /// A shuffle is in groups that are no power of two up to 32.
  virtual void wrong_group(int group, site) = 0;
  /// The kernel uses what has no model here. Does not return.
  virtual void no_model(const char* what, site) = 0;

  // The thread that runs now, and where its next access is noted.
  access* next = nullptr;
  access* end = nullptr;
  int rank = 0, size = 1;
  int64 block_plane = 0, block_row = 0, block_column = 0;
  int cluster_rank = 0, cluster_size = 1;
  int64 grid_planes = 1, grid_rows = 1, grid_columns = 1;
  int64 flops = 0;
  bool has_turn = true;

 protected:
  ~listener() = default;
};

/// The machine that runs the code on this OS thread, if one does. One per process also where libraries hide their
/// symbols.
__attribute__((visibility("default"))) inline thread_local listener* current = nullptr;

inline __attribute__((always_inline)) void note(space where, access_kind kind, const void* address, int bytes, site s,
                                                uint64 flags = 0) {
  listener* m = current;
  if (m == nullptr) return;
  if (m->next == m->end) m->trace_full();
  *m->next++ = access{address,
                      s.index | flags,
                      s.file,
                      s.operation,
                      s.inner_file,
                      s.line,
                      uint16(s.inner_line),
                      uint8(bytes),
                      packed_what(where, kind, s.dimensions)};
}

/// Before a change of memory.
inline __attribute__((always_inline)) void may_change(space where) {
  if (where == space::global && current != nullptr && !current->has_turn) current->wait_for_turn();
}

/// True if the address suits an access of that many bytes; else the machine is told and the access must be left out.
inline __attribute__((always_inline)) bool aligned(const void* address, int bytes, site s) {
  if (current == nullptr || reinterpret_cast<size_t>(address) % size_t(bytes) == 0) return true;
  current->misaligned(address, bytes, s);
  return false;
}

}  // namespace memtile::sim
#endif
