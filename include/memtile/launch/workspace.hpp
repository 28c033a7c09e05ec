// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory that the blocks of one call share, and that nobody else may use meanwhile.
//
//   memtile::workspace_query need;
//   static_cast<void>(memtile::reduce(need, in, out, memtile::plus{}, 0.f));   // the same call; nothing runs
//   cudaMalloc(&memory, need.bytes), cudaMemset(memory, 0, need.bytes);        // zeroed once, before its first use
//   memtile::reduce(memtile::context{stream, memory, need.bytes}, in, out, memtile::plus{}, 0.f);
//
// Every call leaves the workspace ready for the next one, whichever that is. Two calls that may run at the same time need
// two. Without one, a call that needs memory takes it from the stream's pool and gives it back.
#pragma once

#include <memtile/launch/device.hpp>
#include <memtile/launch/where.hpp>

#if !defined(__CUDACC_RTC__)
#include <cstring>
#include <vector>

namespace memtile {

namespace detail {

// Tickets come first, always in a region of this size: what one call leaves behind them may be where another one's parts
// are, but never where its tickets are.
inline constexpr int most_tickets = 16384;
inline constexpr size_t ticket_region = most_tickets * sizeof(uint32);

struct workspace_need {
  int64 tickets = 0;
  size_t part_bytes = 0;
  size_t bytes() const { return tickets == 0 && part_bytes == 0 ? 0 : ticket_region + part_bytes; }
};

// use(tickets, parts) with memory on the machine: tickets are zero, parts are anything.
template <class Use>
status with_workspace(const on_query& place, const char*, const workspace_need& need, const Use&) {
  if (place.answer.bytes < need.bytes()) place.answer.bytes = need.bytes();
  return {};
}
template <class Use>
status with_workspace(const on_cpu&, const char*, const workspace_need& need, const Use& use) {
  std::vector<uint64> memory((need.bytes() + 15) / 8 + 1);
  void* const base = reinterpret_cast<void*>((reinterpret_cast<size_t>(memory.data()) + 15) / 16 * 16);
  if (need.bytes() == 0) return use(static_cast<uint32*>(nullptr), static_cast<void*>(nullptr));
  void* const parts = static_cast<unsigned char*>(base) + ticket_region;
  std::memset(parts, 0xff, need.part_bytes);
  return use(static_cast<uint32*>(base), parts);
}
#if MEMTILE_CUDA
template <class Use>
status with_workspace(const on_gpu& place, const char* algorithm, const workspace_need& need, const Use& use) {
  const context& where = place.where;
  if (need.bytes() == 0) return use(static_cast<uint32*>(nullptr), static_cast<void*>(nullptr));
  if (where.workspace != nullptr) {
    if (where.workspace_bytes < need.bytes())
      return status::refused("{}: the workspace has {} bytes but {} are needed: ask with a workspace_query", algorithm,
                             where.workspace_bytes, need.bytes());
    if (reinterpret_cast<size_t>(where.workspace) % 16 != 0)
      return status::refused("{}: the workspace must begin at a multiple of 16 bytes", algorithm);
    return use(static_cast<uint32*>(where.workspace), static_cast<unsigned char*>(where.workspace) + ticket_region);
  }
  void* memory = nullptr;
  if (status s = cuda_call(algorithm, [&] { return cudaMallocAsync(&memory, need.bytes(), where.stream); }); !s)
    return s;
  const auto clear = [&] { return cudaMemsetAsync(memory, 0, size_t(need.tickets) * sizeof(uint32), where.stream); };
  const auto use_it = [&]() -> status {
    if (need.tickets > 0)
      if (status s = cuda_call(algorithm, clear); !s) return s;
    return use(static_cast<uint32*>(memory), static_cast<unsigned char*>(memory) + ticket_region);
  };
  const status outcome = use_it();
  const status freed = cuda_call(algorithm, [&] { return cudaFreeAsync(memory, where.stream); });
  if (!outcome) return outcome;
  return freed;
}
template <class Use>
status with_workspace(const on_either& place, const char* algorithm, const workspace_need& need, const Use& use) {
  if (place.machine != nullptr) return with_workspace(on_cpu{*place.machine}, algorithm, need, use);
  return with_workspace(on_gpu{place.where}, algorithm, need, use);
}
#endif

}  // namespace detail
}  // namespace memtile
#endif
