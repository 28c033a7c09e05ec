// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a launch asks of a device before it starts a kernel, once for each kernel and device.
#pragma once

#include <memtile/core/config.hpp>

#if !defined(__CUDACC_RTC__)
#include <memtile/core/launch_limits.hpp>
#include <memtile/core/std.hpp>

#if MEMTILE_CUDA
#include <atomic>
#include <cuda_runtime_api.h>

namespace memtile::detail {

// Makes a CUDA call and leaves the runtime's "last error" as it was: an error of ours is in the status alone, an
// earlier one of somebody else's stays pending.
template <class Call>
status cuda_call(const char* what, Call call) {
  const bool clean_before = cudaPeekAtLastError() == cudaSuccess;
  const cudaError_t error = call();
  if (error == cudaSuccess) return {};
  if (clean_before) (void)cudaGetLastError();
  return status::failed(int(error), "{}: CUDA error {} ({})", what, int(error), cudaGetErrorString(error));
}

// Of the current device.
inline status device_attribute(cudaDeviceAttr attribute, int& value) {
  return cuda_call("device attribute", [&] {
    int device = 0;
    const cudaError_t error = cudaGetDevice(&device);
    return error != cudaSuccess ? error : cudaDeviceGetAttribute(&value, attribute, device);
  });
}

// The architecture whose code of a kernel the current device would run, as __CUDA_ARCH__ / 10; 0 where it has none.
inline int architecture_of_code(const void* entry) {
  cudaFuncAttributes attributes = {};
  const status s = cuda_call("kernel attributes", [&] { return cudaFuncGetAttributes(&attributes, entry); });
  return s ? attributes.ptxVersion : 0;
}

// How many blocks of a prepared kernel the current device holds.
inline status most_blocks_at_once(const void* entry, int threads, size_t dynamic_bytes, int64& blocks) {
  int of_multiprocessor = 0, multiprocessors = 0;
  const auto ask = [&] {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(&of_multiprocessor, entry, threads, dynamic_bytes);
  };
  if (status s = cuda_call("launch: occupancy", ask); !s) return s;
  if (status s = device_attribute(cudaDevAttrMultiProcessorCount, multiprocessors); !s) return s;
  blocks = int64(of_multiprocessor) * multiprocessors;
  return {};
}

// Remembers on which devices a kernel may be launched: with how many threads, its shared memory granted, and whether in
// clusters. Only successes are remembered.
class prepared_kernel {
 public:
  status prepare(const char* kernel, const void* entry, int threads, size_t dynamic_bytes, int cluster) {
    int device = 0;
    if (status s = cuda_call("launch: current device", [&] { return cudaGetDevice(&device); }); !s) return s;
    if (device < devices && threads <= threads_granted_[device].load(std::memory_order_acquire) &&
        (cluster == 1 || clusters_granted_[device].load(std::memory_order_acquire)))
      return {};

    cudaFuncAttributes attributes = {};
    if (status s = cuda_call("launch: kernel attributes", [&] { return cudaFuncGetAttributes(&attributes, entry); });
        !s)
      return s;
    if (threads > attributes.maxThreadsPerBlock)
      return status::unlaunchable("launch of {}: {} threads of {} registers each do not fit: at most {}", kernel,
                                  threads, attributes.numRegs, attributes.maxThreadsPerBlock);
    if (cluster > 1) {
      int major = 0, minor = 0;
      if (status s = device_attribute(cudaDevAttrComputeCapabilityMajor, major); !s) return s;
      if (status s = device_attribute(cudaDevAttrComputeCapabilityMinor, minor); !s) return s;
      const int architecture = min_of(10 * major + minor, attributes.ptxVersion);
      if (status s = check_clusters_exist(kernel, cluster, architecture); !s) return s;
      if (device < devices) clusters_granted_[device].store(true, std::memory_order_release);
    }
    int limit = 0;
    if (status s = device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, limit); !s) return s;
    if (status s = check_shared_bytes(kernel, attributes.sharedSizeBytes + dynamic_bytes, size_t(limit)); !s) return s;
    if (attributes.sharedSizeBytes + dynamic_bytes > 48 * 1024) {
      const auto opt_in = [&] {
        return cudaFuncSetAttribute(entry, cudaFuncAttributeMaxDynamicSharedMemorySize, int(dynamic_bytes));
      };
      if (status s = cuda_call("launch: opt-in to shared memory", opt_in); !s) return s;
    }
    if (device < devices) threads_granted_[device].store(attributes.maxThreadsPerBlock, std::memory_order_release);
    return {};
  }

 private:
  static constexpr int devices = 64;  // beyond that nothing is remembered, and each launch asks again
  std::atomic<int> threads_granted_[devices] = {};
  std::atomic<bool> clusters_granted_[devices] = {};
};

// A launch as the runtime wants it. What does not go by the type of the kernel stands here, and costs the compiler's time once.
struct device_launch {
  const char* name;
  const void* entry;
  int64 planes, rows, columns;
  int threads, cluster;
  bool is_cooperative;
  size_t dynamic_bytes;
  cudaStream_t stream;
};
inline status start_on_device(const device_launch& asked, prepared_kernel& prepared, void** arguments) {
  if (status s = prepared.prepare(asked.name, asked.entry, asked.threads, asked.dynamic_bytes, asked.cluster); !s)
    return s;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(unsigned(asked.columns), unsigned(asked.rows), unsigned(asked.planes));
  config.blockDim = dim3(unsigned(asked.threads));
  config.dynamicSmemBytes = asked.dynamic_bytes;
  config.stream = asked.stream;
  cudaLaunchAttribute together;
  config.attrs = &together;
  if (asked.is_cooperative) {
    int64 most = 0;
    if (status s = most_blocks_at_once(asked.entry, asked.threads, asked.dynamic_bytes, most); !s) return s;
    if (status s = check_cooperative(asked.name, asked.planes, asked.rows, asked.columns, most); !s) return s;
    together.id = cudaLaunchAttributeCooperative;
    together.val.cooperative = 1;
    config.numAttrs = 1;
  } else if (asked.cluster > 1) {
    together.id = cudaLaunchAttributeClusterDimension;
    together.val.clusterDim.x = unsigned(asked.cluster);
    together.val.clusterDim.y = together.val.clusterDim.z = 1;
    config.numAttrs = 1;
  }
  return cuda_call("launch", [&] { return cudaLaunchKernelExC(&config, asked.entry, arguments); });
}

}  // namespace memtile::detail
#endif
#endif
