// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory for each contestant of a reduction: memtile's workspace, zeroed once, and CUB's temporary storage.
#pragma once

#include <memtile/core/status.hpp>
#include <memtile/launch/where.hpp>

#include "benchmark.hpp"

namespace benchmark {

inline void must(const memtile::status& s) {
  if (!s) std::fprintf(stderr, "%s\n", s.message().c_str()), std::exit(1);
}

struct scratch {
  void* memory = nullptr;
  size_t bytes = size_t(256) << 20;
  scratch() {
    check(cudaMalloc(&memory, bytes), "workspace");
    check(cudaMemset(memory, 0, bytes), "workspace");
  }
};

inline memtile::context on(cudaStream_t stream) {
  static const scratch own;
  return {stream, own.memory, own.bytes};
}
template <class Call>
void with_cub(Call call) {
  static const scratch own;
  size_t bytes = own.bytes;
  check(call(own.memory, bytes), "CUB");
}

}  // namespace benchmark
