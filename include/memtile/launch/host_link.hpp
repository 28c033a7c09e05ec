// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a pipeline asks of the place where it runs: memory on both sides, and three lanes on which things happen in
// order.
//
//   link_lane::up    host -> machine
//   link_lane::work  the calls of the user
//   link_lane::down  machine -> host
//
// Lanes go on beside each other. One waits for another only by follow(), and the host for one only by wait(): what a
// pipeline does not say in these words is not ordered on a GPU. The simulator does everything at once, in the order of
// the calls.
#pragma once

#include <memtile/launch/device.hpp>
#include <memtile/launch/where.hpp>

#if !defined(__CUDACC_RTC__)
#include <cstring>
#include <new>
#include <vector>

namespace memtile::detail {

enum class link_lane { up, work, down };
inline constexpr int link_lanes = 3;

/// `rows` runs of `bytes` bytes from one place to another.
struct rows_to_copy {
  void* to;
  int64 to_pitch;
  const void* from;
  int64 from_pitch;
  int64 rows, bytes;
};

class link_to_cpu {
 public:
  link_to_cpu() = default;
  explicit link_to_cpu(const on_cpu&) {}
  link_to_cpu(const link_to_cpu&) = delete;
  link_to_cpu& operator=(const link_to_cpu&) = delete;
  ~link_to_cpu() {
    for (void* memory : {host_, machine_})
      if (memory != nullptr) ::operator delete(memory, alignment);
  }

  status open(int, size_t host_bytes, size_t machine_bytes) {
    host_ = ::operator new(host_bytes, alignment, std::nothrow);
    machine_ = ::operator new(machine_bytes, alignment, std::nothrow);
    if (host_ == nullptr || machine_ == nullptr)
      return status::failed(out_of_memory, "pipeline: no memory for {} and {} bytes", host_bytes, machine_bytes);
    std::memset(machine_, 0xff, machine_bytes);  // what a call leaves out is a NaN
    return {};
  }
  unsigned char* host() const { return static_cast<unsigned char*>(host_); }
  unsigned char* machine() const { return static_cast<unsigned char*>(machine_); }

  status copy(link_lane, const rows_to_copy& what) {
    for (int64 r = 0; r < what.rows; ++r)
      std::memcpy(static_cast<unsigned char*>(what.to) + r * what.to_pitch,
                  static_cast<const unsigned char*>(what.from) + r * what.from_pitch, size_t(what.bytes));
    return {};
  }
  status mark(link_lane, int) { return {}; }
  status follow(link_lane, link_lane, int) { return {}; }
  status wait(link_lane, int) { return {}; }
  void drain() {}

  static constexpr int out_of_memory = 2;  // as cudaErrorMemoryAllocation

 private:
  static constexpr std::align_val_t alignment{256};
  void *host_ = nullptr, *machine_ = nullptr;
};

#if MEMTILE_CUDA
// Copies have streams of their own, the calls of the user that of the caller: so they may share one workspace.
class link_to_gpu {
 public:
  explicit link_to_gpu(const on_gpu& place) : streams_{nullptr, place.where.stream, nullptr} {}
  link_to_gpu(const link_to_gpu&) = delete;
  link_to_gpu& operator=(const link_to_gpu&) = delete;
  ~link_to_gpu() {  // every run has waited; the caller's stream may be gone
    const auto give_back = [](auto call) { static_cast<void>(cuda_call("pipeline: give back", call)); };
    for (cudaEvent_t event : events_) give_back([=] { return cudaEventDestroy(event); });
    for (link_lane l : {link_lane::up, link_lane::down})
      if (stream(l) != nullptr) give_back([&] { return cudaStreamDestroy(stream(l)); });
    if (host_ != nullptr) give_back([&] { return cudaFreeHost(host_); });
    if (machine_ != nullptr) give_back([&] { return cudaFree(machine_); });
  }

  status open(int slots, size_t host_bytes, size_t machine_bytes) {
    for (link_lane l : {link_lane::up, link_lane::down}) {
      const auto make = [&] { return cudaStreamCreateWithFlags(&stream(l), cudaStreamNonBlocking); };
      if (status s = cuda_call("pipeline: a stream", make); !s) return s;
    }
    for (int i = 0; i < int64(slots) * link_lanes; ++i) {
      cudaEvent_t made = nullptr;
      const auto make = [&] { return cudaEventCreateWithFlags(&made, cudaEventDisableTiming); };
      if (status s = cuda_call("pipeline: an event", make); !s) return s;
      events_.push_back(made);
    }
    const auto pin = [&] { return cudaMallocHost(&host_, host_bytes); };
    if (status s = cuda_call("pipeline: pinned memory of the host", pin); !s) return s;
    return cuda_call("pipeline: memory of the GPU", [&] { return cudaMalloc(&machine_, machine_bytes); });
  }
  unsigned char* host() const { return static_cast<unsigned char*>(host_); }
  unsigned char* machine() const { return static_cast<unsigned char*>(machine_); }

  status copy(link_lane on, const rows_to_copy& what) {
    if (what.rows == 0 || what.bytes == 0) return {};
    const auto kind = on == link_lane::up ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
    const size_t bytes = size_t(what.bytes), rows = size_t(what.rows);
    // Rows that follow each other are one run: of any length, where rows of a rectangle end at 2 GiB.
    const bool is_one_run = rows == 1 || (what.to_pitch == what.bytes && what.from_pitch == what.bytes);
    return cuda_call("pipeline: copy", [&] {
      return is_one_run ? cudaMemcpyAsync(what.to, what.from, rows * bytes, kind, stream(on))
                        : cudaMemcpy2DAsync(what.to, size_t(what.to_pitch), what.from, size_t(what.from_pitch), bytes,
                                            rows, kind, stream(on));
    });
  }
  status mark(link_lane on, int slot) {
    return cuda_call("pipeline: mark", [&] { return cudaEventRecord(event(on, slot), stream(on)); });
  }
  status follow(link_lane next, link_lane first, int slot) {
    return cuda_call("pipeline: follow", [&] { return cudaStreamWaitEvent(stream(next), event(first, slot), 0); });
  }
  status wait(link_lane on, int slot) {
    return cuda_call("pipeline: wait", [&] { return cudaEventSynchronize(event(on, slot)); });
  }
  // Until nothing touches the memory any more. Errors have been, or will be, said elsewhere.
  void drain() {
    if (events_.empty()) return;  // nothing was ever enqueued
    for (link_lane l : {link_lane::up, link_lane::work, link_lane::down})
      static_cast<void>(cuda_call("pipeline: drain", [&] { return cudaStreamSynchronize(stream(l)); }));
  }

 private:
  cudaStream_t& stream(link_lane l) { return streams_[int(l)]; }
  cudaEvent_t event(link_lane l, int slot) const { return events_[size_t(slot) * link_lanes + size_t(l)]; }

  cudaStream_t streams_[link_lanes];
  std::vector<cudaEvent_t> events_;
  void *host_ = nullptr, *machine_ = nullptr;
};

class link_to_either {
 public:
  explicit link_to_either(const on_either& place) : is_cpu_(place.machine != nullptr), gpu_(on_gpu{place.where}) {}
  status open(int slots, size_t host_bytes, size_t machine_bytes) {
    return is_cpu_ ? cpu_.open(slots, host_bytes, machine_bytes) : gpu_.open(slots, host_bytes, machine_bytes);
  }
  unsigned char* host() const { return is_cpu_ ? cpu_.host() : gpu_.host(); }
  unsigned char* machine() const { return is_cpu_ ? cpu_.machine() : gpu_.machine(); }
  status copy(link_lane on, const rows_to_copy& what) { return is_cpu_ ? cpu_.copy(on, what) : gpu_.copy(on, what); }
  status mark(link_lane on, int slot) { return is_cpu_ ? cpu_.mark(on, slot) : gpu_.mark(on, slot); }
  status follow(link_lane next, link_lane first, int slot) {
    return is_cpu_ ? cpu_.follow(next, first, slot) : gpu_.follow(next, first, slot);
  }
  status wait(link_lane on, int slot) { return is_cpu_ ? cpu_.wait(on, slot) : gpu_.wait(on, slot); }
  void drain() { gpu_.drain(); }

 private:
  bool is_cpu_;
  link_to_cpu cpu_;
  link_to_gpu gpu_;
};
#endif

template <class Place>
struct link_of {
  static_assert(
      always_false<Place>,
      "memtile: a file with a pipeline on a GPU must be compiled by nvcc; this compiler has the simulator only");
};
template <>
struct link_of<on_cpu> {
  using type = link_to_cpu;
};
#if MEMTILE_CUDA
template <>
struct link_of<on_gpu> {
  using type = link_to_gpu;
};
template <>
struct link_of<on_either> {
  using type = link_to_either;
};
#endif

}  // namespace memtile::detail
#endif
