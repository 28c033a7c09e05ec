// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The machines that a test runs on: the simulator always, and the GPU where nvcc compiles the test and a device is
// present.
//
//   for (auto& machine : memtile::testing::machines()) {
//     auto in = machine.buffer<float>(rows, columns, [](int r, int c) { return float(r + c); });
//     REQUIRE(memtile::launch(machine, grid, kernel, in.view()));
//   }
//
// The environment variable MEMTILE_TEST_MACHINES (simulator, gpu or all) leaves machines out. The types are templates
// of `Cuda`, so that a .cpp and a .cu of one program do not share one name with two bodies.
#pragma once

#include <memtile/sim/machine.hpp>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#if MEMTILE_CUDA
#include <cuda_runtime.h>
#endif

namespace memtile::testing {

/// Either the simulator or, if Cuda is true, perhaps the current GPU.
template <bool Cuda>
class basic_machine;
using machine = basic_machine<bool(MEMTILE_CUDA)>;

template <>
class basic_machine<false> : public sim::makes_buffers<basic_machine<false>> {
 public:
  bool is_gpu() const { return false; }
  std::string name() const { return "simulator"; }
  sim::machine& simulator() { return *simulator_; }
  /// Of the last launch.
  const sim::report* last_report() const { return simulator_->last_report(); }
  status synchronize() { return status(); }
  const sim::memory_functions& memory() const { return simulator_->memory(); }

 private:
  std::unique_ptr<sim::machine> simulator_ = std::make_unique<sim::machine>();
};

#if MEMTILE_CUDA
namespace detail {

// Buffers are for tests: each function waits for the whole device, so that no order of streams has to be thought of.
inline const sim::memory_functions gpu_memory{
    [](std::size_t bytes) {
      void* p = nullptr;
      return cudaMalloc(&p, bytes) == cudaSuccess ? p : nullptr;
    },
    [](void* p) { static_cast<void>(cudaFree(p)); },
    [](void* to, const void* from, std::size_t bytes) {
      if (cudaDeviceSynchronize() == cudaSuccess && cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice) == cudaSuccess)
        static_cast<void>(cudaDeviceSynchronize());  // small copies return before they have arrived
    },
    [](void* to, const void* from, std::size_t bytes) {
      if (cudaDeviceSynchronize() == cudaSuccess)
        static_cast<void>(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost));
    }};

struct stream_deleter {
  void operator()(CUstream_st* stream) const { static_cast<void>(cudaStreamDestroy(stream)); }
};
// Not the default stream, and not ordered with it: work that strays there is noticed.
inline std::unique_ptr<CUstream_st, stream_deleter> make_stream() {
  cudaStream_t stream = nullptr;
  static_cast<void>(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  return std::unique_ptr<CUstream_st, stream_deleter>(stream);
}

}  // namespace detail

template <>
class basic_machine<true> : public sim::makes_buffers<basic_machine<true>> {
 public:
  static basic_machine make_simulator() {
    basic_machine made;
    made.simulator_ = std::make_unique<sim::machine>();
    return made;
  }
  static bool has_gpu() {
    int devices = 0;
    return cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0;
  }
  static basic_machine make_gpu() {
    basic_machine made;
    made.stream_ = detail::make_stream();
    return made;
  }

  bool is_gpu() const { return simulator_ == nullptr; }
  std::string name() const {
    cudaDeviceProp properties;
    int device = 0;
    if (!is_gpu()) return "simulator";
    const bool known =
        cudaGetDevice(&device) == cudaSuccess && cudaGetDeviceProperties(&properties, device) == cudaSuccess;
    return known ? properties.name : "GPU";
  }
  /// Only if this is not the GPU.
  sim::machine& simulator() { return *simulator_; }
  /// The GPU's; null for the simulator.
  cudaStream_t stream() const { return stream_.get(); }
  /// Of the last launch; null for the GPU, which makes none.
  const sim::report* last_report() const { return is_gpu() ? nullptr : simulator_->last_report(); }
  /// Waits for the stream and says whether its work went well.
  status synchronize() {
    const cudaError_t error = is_gpu() ? cudaStreamSynchronize(stream_.get()) : cudaSuccess;
    return status::failed(int(error), "synchronize: {}", cudaGetErrorString(error));
  }
  const sim::memory_functions& memory() const { return is_gpu() ? detail::gpu_memory : simulator_->memory(); }

 private:
  basic_machine() = default;

  std::unique_ptr<sim::machine> simulator_;
  std::unique_ptr<CUstream_st, detail::stream_deleter> stream_;
};
#endif

namespace detail {
inline bool machine_wanted(const char* name) {
  const char* const wanted = std::getenv("MEMTILE_TEST_MACHINES");
  return wanted == nullptr || std::string(wanted) == "all" || std::string(wanted) == name;
}
}  // namespace detail

/// All machines there are, at least one; always the same ones. A test that is asked to run where there is no machine ends the
/// program with an error, and does not pass by running nothing.
template <bool Cuda = bool(MEMTILE_CUDA)>
auto& machines() {
  static std::vector<basic_machine<Cuda>> all = [] {
    std::vector<basic_machine<Cuda>> made;
    if constexpr (Cuda) {
      if (detail::machine_wanted("simulator")) made.push_back(basic_machine<Cuda>::make_simulator());
      if (basic_machine<Cuda>::has_gpu() && detail::machine_wanted("gpu"))
        made.push_back(basic_machine<Cuda>::make_gpu());
    } else if (detail::machine_wanted("simulator")) {
      made.emplace_back();
    }
    if (made.empty()) {
      std::fprintf(stderr, "memtile: MEMTILE_TEST_MACHINES=%s leaves no machine to run on\n",
                   std::getenv("MEMTILE_TEST_MACHINES"));
      std::exit(1);
    }
    return made;
  }();
  return all;
}

}  // namespace memtile::testing
