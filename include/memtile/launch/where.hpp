// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a call runs: the first argument of every algorithm and of launch.
//
//   a cudaStream_t, or anything that converts to one   the current GPU, on that stream
//   a context                                          the same, with a workspace and a determinism level
//   a sim::machine                                     the simulator
//   a testing::machine                                 either, chosen at run time
//   a workspace_query                                  nowhere: how much workspace would be used
#pragma once

#include <memtile/hw/hook.hpp>

#if !defined(__CUDACC_RTC__)

struct CUstream_st;  // CUDA's cudaStream_t is a pointer to this

namespace memtile {

using stream_t = CUstream_st*;  // the same type as cudaStream_t, without its header

/// What a floating-point sum promises about its bits. memtile's reductions keep fixed_tree at every level: asking for less
/// makes nothing faster.
enum class determinism {
  run_to_run,  // the same bits on one card and configuration
  fixed_tree,  // the same bits whatever the card, the grid and the alignment; the simulator too
  unordered,   // no promise
};

struct context {
  stream_t stream = nullptr;
  void* workspace = nullptr;
  size_t workspace_bytes = 0;
  memtile::determinism determinism = memtile::determinism::run_to_run;
};

/// Stands where a machine would: an algorithm only notes the most bytes of workspace that any of its calls would use, and
/// launches nothing. 0: none is needed.
struct workspace_query {
  size_t bytes = 0;
};

namespace testing {
template <bool Cuda>
class basic_machine;
}

namespace detail {

// Three types, so that only what a caller can reach is compiled.
struct on_cpu {
  sim::processor& machine;
};
struct on_gpu {
  context where;
};
struct on_either {
  sim::processor* machine;  // null: the GPU
  context where;
};

struct on_query {
  workspace_query& answer;
};

inline on_gpu place_of(stream_t stream) { return {context{stream}}; }
inline on_gpu place_of(const context& where) { return {where}; }
inline on_cpu place_of(sim::processor& machine) { return {machine}; }
inline on_query place_of(workspace_query& query) { return {query}; }
inline on_query place_of(const on_query& place) { return place; }
inline on_cpu place_of(const on_cpu& place) { return place; }
inline on_gpu place_of(const on_gpu& place) { return place; }
inline on_either place_of(const on_either& place) { return place; }
template <bool Cuda>
auto place_of(testing::basic_machine<Cuda>& machine) {
  if constexpr (Cuda)
    return machine.is_gpu() ? on_either{nullptr, context{machine.stream()}} : on_either{&machine.simulator(), {}};
  else return on_cpu{machine.simulator()};
}

}  // namespace detail
}  // namespace memtile
#endif
