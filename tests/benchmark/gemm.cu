// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// memtile::gemm beside cuBLAS on the same data, in turns. Prints one line for each shape; ratio > 1: memtile is faster.
#include <memtile/gemm.cuh>

#include <cublas_v2.h>

#include "benchmark.hpp"

namespace {

struct shape {
  int m, n, k;
};

void compare(cublasHandle_t cublas, const float* a, const float* b, float* c, shape s, bool as_graph) {
  using namespace memtile;
  const float one = 1, zero = 0;
  const std::vector<benchmark::contestant> both = {
      {"memtile",
       [=](cudaStream_t stream) {
         const status done = gemm(stream, row_major(a, s.m, s.k), row_major(b, s.k, s.n), row_major(c, s.m, s.n));
         if (!done) std::fprintf(stderr, "%s\n", done.message().c_str()), std::exit(1);
       }},
      {"cuBLAS", [=, &one, &zero](cudaStream_t stream) {  // column major: c^T = b^T a^T
         cublasSetStream(cublas, stream);
         if (cublasSgemm(cublas, CUBLAS_OP_N, CUBLAS_OP_N, s.n, s.m, s.k, &one, b, s.n, a, s.k, &zero, c, s.n) !=
             CUBLAS_STATUS_SUCCESS)
           std::exit(1);
       }}};
  const double flops = 2.0 * s.m * s.n * s.k;
  const int calls = int(std::max(1.0, std::min(100.0, 5e11 / flops)));
  const auto t = benchmark::milliseconds(both, calls, 15, as_graph);
  std::printf("%5dx%5dx%5d %-13s %9.4f ms %6.1f TFLOP/s %9.4f ms %6.1f TFLOP/s  %.3f\n", s.m, s.n, s.k,
              as_graph ? "graph replay" : "back to back", t[0], flops / t[0] / 1e9, t[1], flops / t[1] / 1e9,
              t[1] / t[0]);
}

}  // namespace

int main() {
  const shape shapes[] = {{256, 256, 256},    {512, 512, 512},    {1024, 1024, 1024}, {1000, 1000, 1000},
                          {2048, 2048, 2048}, {4096, 4096, 4096}, {8192, 8192, 8192}, {4097, 4095, 4099}};
  const size_t most = size_t(8192) * 8192;
  const float *a = benchmark::random_floats(most, 1), *b = benchmark::random_floats(most, 2);
  float* c = benchmark::random_floats(most, 3);
  cublasHandle_t cublas;
  void* workspace = nullptr;
  const size_t workspace_bytes = size_t(64) << 20;
  benchmark::check(cudaMalloc(&workspace, workspace_bytes), "workspace");
  if (cublasCreate(&cublas) != CUBLAS_STATUS_SUCCESS ||
      cublasSetWorkspace(cublas, workspace, workspace_bytes) != CUBLAS_STATUS_SUCCESS)
    return 1;

  cudaDeviceProp card;
  int runtime = 0, version = 0;
  benchmark::check(cudaGetDeviceProperties(&card, 0), "device");
  benchmark::check(cudaRuntimeGetVersion(&runtime), "runtime");
  cublasGetVersion(cublas, &version);
  std::printf("%s, CUDA %d.%d, cuBLAS %d, float, row major, random data, medians of 15 turns\n", card.name,
              runtime / 1000, runtime % 1000 / 10, version);
  std::printf("%17s %-13s %12s %25s %23s\n", "m x n x k", "", "memtile", "cuBLAS", "ratio");
  for (int i = 0; i < 10; ++i)
    compare(cublas, a, b, c, {4096, 4096, 4096}, false);  // until clocks and temperature settle
  std::puts("settled");
  for (const shape& s : shapes) compare(cublas, a, b, c, s, false);
  for (const shape& s : {shapes[0], shapes[1], shapes[2]}) compare(cublas, a, b, c, s, true);
  benchmark::check(cudaDeviceSynchronize(), "end");
}
