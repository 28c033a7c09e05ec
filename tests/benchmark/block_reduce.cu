// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// memtile::block_reduce beside cub::BlockReduce inside the same kernel: each block sums a register of every thread again
// and again, each sum depending on the one before. Ratio > 1: memtile is faster.
#include <memtile/block/block_reduce.cuh>

#include <cub/block/block_reduce.cuh>

#include "benchmark.hpp"

namespace {

constexpr int rounds = 1000;

template <int Threads>
__global__ void __launch_bounds__(Threads) with_memtile(float* out) {
  using reducer = memtile::block_reduce<float, Threads>;
  __shared__ typename reducer::storage storage;
  const memtile::block block(int(threadIdx.x), Threads);
  reducer reduce{block, storage};
  float v = float(threadIdx.x);
  for (int i = 0; i < rounds; ++i) v += reduce.thread_0(v, memtile::plus{});
  if (threadIdx.x == 0) out[blockIdx.x] = v;
}
template <int Threads>
__global__ void __launch_bounds__(Threads) with_cub(float* out) {
  using reducer = cub::BlockReduce<float, Threads>;
  __shared__ typename reducer::TempStorage storage;
  float v = float(threadIdx.x);
  for (int i = 0; i < rounds; ++i) {
    v += reducer(storage).Sum(v);
    __syncthreads();  // before the storage is used again; memtile's needs none
  }
  if (threadIdx.x == 0) out[blockIdx.x] = v;
}

template <int Threads>
void compare(float* out) {
  const int blocks = 132 * (Threads > 512 ? 2 : 4);
  const auto t = benchmark::milliseconds(
      {{"memtile", [=](cudaStream_t s) { with_memtile<Threads><<<blocks, Threads, 0, s>>>(out); }},
       {"CUB", [=](cudaStream_t s) { with_cub<Threads><<<blocks, Threads, 0, s>>>(out); }}},
      5, 15, false);
  std::printf("block of %4d: memtile %7.1f ns a sum, CUB %7.1f ns, ratio %.3f\n", Threads, t[0] * 1e6 / rounds,
              t[1] * 1e6 / rounds, t[1] / t[0]);
}

}  // namespace

int main() {
  float* out = nullptr;
  benchmark::check(cudaMalloc(&out, 4096), "result");
  benchmark::print_card();
  compare<32>(out);
  compare<64>(out);
  compare<128>(out);
  compare<256>(out);
  compare<512>(out);
  compare<1024>(out);
  return 0;
}
