// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// port: a plain CUDA kernel and what it becomes, line for line, so that it also runs in the simulator. The kernel is a
// moving average: each thread sums the values around its own, which the block has brought to shared memory.
//
// With nvcc and a GPU both run, and their results have the same bits.
#include <memtile/kernel.cuh>
#include <memtile/sim.cuh>

#include <cstdio>
#include <iostream>

constexpr int radius = 8, window = 2 * radius + 1, block_threads = 256;

#if MEMTILE_CUDA
// The original. The numbers stand at the lines that change.
__global__ void moving_average(const float* in, float* out, int n) {            // 1
  __shared__ float values[block_threads + 2 * radius];                          // 2
  const int first = blockIdx.x * blockDim.x;                                    // 3
  for (int i = threadIdx.x; i < block_threads + 2 * radius; i += blockDim.x) {  // 4
    const int from = first + i - radius;
    values[i] = from >= 0 && from < n ? in[from] : 0;  // 5
  }
  __syncthreads();            // 6
  const int i = threadIdx.x;  // 7
  if (first + i >= n) return;
  float sum = 0;
  for (int k = 0; k < window; ++k) sum += values[i + k];  // 8
  out[first + i] = sum / window;                          // 9
}
#endif

// The port.
struct moving_average_port {
  static constexpr int threads = block_threads;  // what stood between <<< and >>>
  struct storage {
    memtile::shared_tile<float, 1, block_threads + 2 * radius> values;  // 2  __shared__: a member
  };
  MEMTILE_KERNEL void operator()(memtile::block block, storage& shared,  // 1  __global__: MEMTILE_KERNEL
                                 memtile::vector_view<const float> in,   //    a pointer and its n: a view
                                 memtile::vector_view<float> out) const {
    const int first = block.grid_column() * block.size();                            // 3  blockIdx.x * blockDim.x
    for (int i = block.rank(); i < block_threads + 2 * radius; i += block.size()) {  // 4  threadIdx.x, blockDim.x
      const int from = first + i - radius;
      shared.values.store(0, i, in.load_inside(from));  // 5  values[i] = ... in[from] : 0
    }
    block.sync();                // 6  __syncthreads()
    const int i = block.rank();  // 7  threadIdx.x
    if (first + i >= out.size) return;
    float sum = 0;
    for (int k = 0; k < window; ++k) sum += shared.values.load(0, i + k);  // 8  values[i + k]
    out.store(first + i, sum / window);                                    // 9  out[first + i] = ...
  }
};

float value(int i) { return float(i * 37 % 101) / 7; }

int main() {
  constexpr int n = 5000, blocks = (n + block_threads - 1) / block_threads;
  bool same = true;
  for (auto& machine : memtile::testing::machines()) {
    auto in = machine.buffer<float>(n, value);
    auto out = machine.buffer<float>(n);
    // moving_average<<<blocks, block_threads, 0, stream>>>(in, out, n) becomes
    const memtile::status done =
        memtile::launch(machine, memtile::grid(blocks), moving_average_port{}, in.view(), out.view());
    if (!done) return std::puts(done.message().c_str()), 1;

    const auto result = out.host();
    for (int i = 0; i < n; ++i) {  // a sum in the same order has the same bits, on every machine
      float sum = 0;
      for (int k = i - radius; k <= i + radius; ++k) sum += k >= 0 && k < n ? value(k) : 0;
      same &= result(i) == sum / window;
    }
    std::cout << machine.name() << ": the port " << (same ? "agrees" : "DISAGREES") << " with the host\n";
#if MEMTILE_CUDA
    if (machine.is_gpu()) {
      auto original = machine.buffer<float>(n);
      moving_average<<<blocks, block_threads, 0, machine.stream()>>>(in.view().data, original.view().data, n);
      if (const memtile::status ran = machine.synchronize(); !ran) return std::puts(ran.message().c_str()), 1;
      const auto expected = original.host();
      for (int i = 0; i < n; ++i) same &= result(i) == expected(i);
      std::cout << machine.name() << ": the port " << (same ? "agrees" : "DISAGREES") << " with the original\n";
    }
#endif
    if (const auto* report = machine.last_report()) {  // the simulator's; the GPU has none
      std::cout << *report;
      same &= report->clean() && report->bank_conflicts() == 0;
    }
  }
  return same ? 0 : 1;
}
