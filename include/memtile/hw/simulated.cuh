// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a kernel tells the simulator and nobody else: on the device these are nothing.
#pragma once

#include <memtile/hw/hook.hpp>

namespace memtile::hw {

/// So many floating-point operations, a fused multiply-add being two, for the report of the launch.
MEMTILE_FUNCTION void count_flops([[maybe_unused]] int operations) {
#if !defined(__CUDA_ARCH__)
  if (sim::current != nullptr) sim::current->flops += operations;
#endif
}

/// In front of an instruction that has no model on the CPU, such as inline PTX of one's own: the simulator ends the run
/// there and says so. Without a listening machine nothing happens.
MEMTILE_FUNCTION void no_model([[maybe_unused]] const char* instruction, [[maybe_unused]] site s = site::here()) {
#if !defined(__CUDA_ARCH__)
  if (sim::current != nullptr) sim::current->no_model(instruction, s);
#endif
}

}  // namespace memtile::hw
