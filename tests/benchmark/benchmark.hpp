// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Timing of memtile beside its peers: all contestants take turns in one process, on the same data, and the median of
// the rounds counts, so that clocks and temperature are the same for all.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

namespace benchmark {

inline void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}

struct contestant {
  std::string name;
  std::function<void(cudaStream_t)> run;  // enqueues one call
};

/// Milliseconds of one call for each contestant: medians over `rounds` turns, of `calls` back-to-back calls each,
/// launched one by one or replayed as one graph.
inline std::vector<double> milliseconds(const std::vector<contestant>& all, int calls, int rounds, bool as_graph) {
  cudaStream_t stream;
  check(cudaStreamCreate(&stream), "stream");
  cudaEvent_t start, stop;
  check(cudaEventCreate(&start), "event");
  check(cudaEventCreate(&stop), "event");
  std::vector<std::function<void()>> turns;
  for (const contestant& c : all) {
    const auto call_all = [&c, calls, stream] {
      for (int i = 0; i < calls; ++i) c.run(stream);
    };
    call_all();  // warm up: modules, handles
    if (!as_graph) {
      turns.push_back(call_all);
      continue;
    }
    cudaGraph_t graph;
    cudaGraphExec_t replay;
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "capture");
    call_all();
    check(cudaStreamEndCapture(stream, &graph), "capture");
    check(cudaGraphInstantiate(&replay, graph, 0), "graph");
    turns.push_back([replay, stream] { check(cudaGraphLaunch(replay, stream), "graph launch"); });
    turns.back()();
  }
  check(cudaStreamSynchronize(stream), "warm up");

  std::vector<std::vector<double>> times(all.size());
  for (int round = 0; round < rounds; ++round)
    for (size_t i = 0; i < all.size(); ++i) {
      check(cudaEventRecord(start, stream), "event");
      turns[i]();
      check(cudaEventRecord(stop, stream), "event");
      check(cudaEventSynchronize(stop), all[i].name.c_str());
      float elapsed = 0;
      check(cudaEventElapsedTime(&elapsed, start, stop), "event");
      times[i].push_back(elapsed / calls);
    }
  std::vector<double> medians;
  for (auto& t : times) {
    std::sort(t.begin(), t.end());
    medians.push_back(t[t.size() / 2]);
  }
  return medians;
}

/// Device memory with values that no one can compress: uniform in -1 .. 1, from a fixed seed.
inline float* random_floats(size_t count, unsigned seed) {
  std::vector<float> host(count);
  unsigned state = seed * 2654435761u + 1;
  for (float& v : host) {
    state = state * 1664525u + 1013904223u;
    v = float(int(state >> 8) - (1 << 23)) / float(1 << 23);
  }
  float* device = nullptr;
  check(cudaMalloc(&device, count * sizeof(float)), "allocation");
  check(cudaMemcpy(device, host.data(), count * sizeof(float), cudaMemcpyHostToDevice), "copy");
  return device;
}

namespace detail {
__global__ static void fill_with_random(float* data, size_t count, unsigned seed) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < count; i += size_t(gridDim.x) * blockDim.x) {
    unsigned state = unsigned(i) * 747796405u + seed * 2891336453u + unsigned(i >> 32);
    state = ((state >> 16) ^ state) * 0x45d9f3bu;
    state = ((state >> 16) ^ state) * 0x45d9f3bu;
    data[i] = float(int((state >> 16 ^ state) & 0xffffff) - 0x800000) / float(0x800000);
  }
}
}  // namespace detail

/// The same for arrays that would take long to make on the host.
inline float* random_floats_on_device(size_t count, unsigned seed) {
  float* device = nullptr;
  check(cudaMalloc(&device, count * sizeof(float)), "allocation");
  detail::fill_with_random<<<2048, 256>>>(device, count, seed);
  check(cudaDeviceSynchronize(), "fill");
  return device;
}

inline void print_card() {
  cudaDeviceProp card;
  int runtime = 0;
  check(cudaGetDeviceProperties(&card, 0), "device");
  check(cudaRuntimeGetVersion(&runtime), "runtime");
  std::printf("%s, CUDA %d.%d, random data, medians\n", card.name, runtime / 1000, runtime % 1000 / 10);
}

}  // namespace benchmark
