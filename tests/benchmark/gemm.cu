// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// memtile::gemm beside cuBLAS on the same data, in turns. Prints a line for each shape; ratio > 1: memtile is faster.
//
//   gemm [WORDS]      only lines whose name holds the words
#include <memtile/gemm.cuh>

#include <cublas_v2.h>

#include "benchmark.hpp"
#include "read_ceiling.hpp"
#include "scratch.hpp"

namespace {

using benchmark::must;
using benchmark::on;
using namespace memtile;

const char* only = "";
cublasHandle_t cublas;
float *of_a = nullptr, *of_b = nullptr, *of_c = nullptr;

void require(cublasStatus_t done) {
  if (done != CUBLAS_STATUS_SUCCESS) std::fprintf(stderr, "cuBLAS: status %d\n", int(done)), std::exit(1);
}

// cuBLAS is column major: c^T = b^T a^T. A column-major operand of ours is a transposed one of its.
cublasStatus_t peer(int m, int n, int k, const float* a, bool a_is_column, const float* b, bool b_is_column, float* c) {
  const float one = 1, zero = 0;
  return cublasSgemm(cublas, b_is_column ? CUBLAS_OP_T : CUBLAS_OP_N, a_is_column ? CUBLAS_OP_T : CUBLAS_OP_N, n, m, k,
                     &one, b, b_is_column ? k : n, a, a_is_column ? m : k, &zero, c, n);
}

struct line {
  std::string name;
  double flops;
  bool as_graph = false;
  double bytes = 0;  // where memory is the bound
};

// Memory's own rate: of reading for a read alone, of copying for both.
double rate_of_memory(bool copies) {
  static double rates[2] = {0, 0};
  double& rate = rates[copies];
  if (rate != 0) return rate;
  const int64 bytes = int64(1) << 30;
  std::vector<benchmark::contestant> all;
  if (copies)
    all.push_back({"copy", [=](cudaStream_t s) {
                     benchmark::check(cudaMemcpyAsync(of_c, of_b, size_t(bytes), cudaMemcpyDeviceToDevice, s), "copy");
                   }});
  else
    for (int blocks : benchmark::read_sweep)
      all.push_back({"read", [=](cudaStream_t s) { benchmark::read_only(of_b, bytes, blocks, s); }});
  for (double t : benchmark::milliseconds(all, 5, 9, false))
    rate = std::max(rate, double(bytes) * (copies ? 2 : 1) / t);
  return rate;
}

template <class Own, class Peer>
void compare(const line& what, const Own& own, const Peer& other, bool copies = false) {
  if (what.name.find(only) == std::string::npos) return;
  const int calls = int(std::max(1.0, std::min(100.0, 2e11 / what.flops)));
  const auto t = benchmark::milliseconds({{"memtile", [=](cudaStream_t s) { must(own(on(s))); }},
                                          {"cuBLAS",
                                           [=](cudaStream_t s) {
                                             require(cublasSetStream(cublas, s));
                                             require(other());
                                           }}},
                                         calls, 11, what.as_graph);
  std::printf("%-34s %-13s %10.1f us %6.1f TFLOP/s %10.1f us %6.1f TFLOP/s  %.3f", what.name.c_str(),
              what.as_graph ? "graph replay" : "back to back", t[0] * 1e3, what.flops / t[0] / 1e9, t[1] * 1e3,
              what.flops / t[1] / 1e9, t[1] / t[0]);
  if (what.bytes != 0) std::printf("  of memory's rate %.3f", what.bytes / t[0] / rate_of_memory(copies));
  std::printf("\n"), std::fflush(stdout);
}

template <class A, class B>
void product(int m, int n, int k, bool as_graph = false, bool reads = false) {
  constexpr bool a_is_column = std::is_same<A, column>::value, b_is_column = std::is_same<B, column>::value;
  const int64 a_pitch = 4 * int64(a_is_column ? m : k), b_pitch = 4 * int64(b_is_column ? k : n);
  const matrix_view<const float, A> a(of_a, m, k, a_pitch);
  const matrix_view<const float, B> b(of_b, k, n, b_pitch);
  const auto c = row_major(of_c, m, n);
  const std::string layouts = a_is_column ? (b_is_column ? " tt" : " tn") : b_is_column ? " nt" : "";
  compare(
      {std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k) + layouts, 2.0 * m * n * k, as_graph,
       reads ? 4.0 * (double(m) * k + double(k) * n) : 0},
      [=](const context& where) { return gemm(where, a, b, c); },
      [=] { return peer(m, n, k, of_a, a_is_column, of_b, b_is_column, of_c); });
}

void batch(int size, int count) {
  const int64 each = int64(size) * size, pitch = 4 * size;
  const auto of = [=](auto* data) {
    return volume_view<std::remove_reference_t<decltype(*data)>>(data, count, size, size, pitch, 4 * each);
  };
  const float *a = of_a, *b = of_b;
  compare(
      {std::to_string(size) + "^3, a batch of " + std::to_string(count), 2.0 * double(each) * size * count, false,
       size == 16 ? 12.0 * double(each) * count : 0},
      [=](const context& where) { return gemm(where, of(a), of(b), of(of_c)); },
      [=] {
        const float one = 1, zero = 0;
        return cublasSgemmStridedBatched(cublas, CUBLAS_OP_N, CUBLAS_OP_N, size, size, size, &one, b, size, each, a,
                                         size, each, &zero, of_c, size, each, count);
      },
      true);
}

}  // namespace

int main(int words, char** word) {
  if (words > 1) only = word[1];
  const size_t most = size_t(16384) * 16384 + 1024;
  of_a = benchmark::random_floats_on_device(most, 1), of_b = benchmark::random_floats_on_device(most, 2);
  of_c = benchmark::random_floats_on_device(most, 3);
  void* workspace = nullptr;
  const size_t workspace_bytes = size_t(64) << 20;
  benchmark::check(cudaMalloc(&workspace, workspace_bytes), "workspace");
  require(cublasCreate(&cublas));
  require(cublasSetWorkspace(cublas, workspace, workspace_bytes));
  int version = 0;
  require(cublasGetVersion(cublas, &version));
  benchmark::print_card();
  std::printf("cuBLAS %d, float unless said, row major unless said\n", version);
  const auto square = [](int n, bool as_graph) { product<row, row>(n, n, n, as_graph); };
  for (int i = 0; i < 3; ++i) square(8192, false);  // until clocks and temperature settle
  std::puts("settled");
  for (int n : {256, 512, 1000, 1024, 2048, 4096, 8192, 16384}) square(n, false);
  for (int n : {256, 512, 1000, 1024, 2048}) square(n, true);
  product<row, row>(4097, 4095, 4099);
  product<row, column>(4096, 4096, 4096);
  product<column, row>(4096, 4096, 4096);
  product<column, column>(4096, 4096, 4096);
  product<row, row>(16, 8192, 8192, false, true);
  product<row, column>(16, 8192, 8192, false, true);
  product<row, row>(256, 256, 65536);
  product<row, row>(8192, 128, 8192);
  const auto vector = column_major(of_b, 8192, 1), result = column_major(of_c, 8192, 1);
  for (bool turned : {false, true}) {
    const float one = 1, zero = 0;
    const auto name = turned ? "8192^2, turned, by a vector" : "8192^2 by a vector";
    const auto own = [=](const context& where) {
      return turned ? gemm(where, column_major<const float>(of_a, 8192, 8192), vector, result)
                    : gemm(where, row_major<const float>(of_a, 8192, 8192), vector, result);
    };
    compare({name, 2.0 * 8192 * 8192, false, 4.0 * 8192 * 8192}, own, [=, &one, &zero] {
      return cublasSgemv(cublas, turned ? CUBLAS_OP_N : CUBLAS_OP_T, 8192, 8192, &one, of_a, 8192, of_b, 1, &zero, of_c,
                         1);
    });
  }
  batch(16, 65535), batch(32, 65535), batch(64, 16384), batch(128, 4096);
  double *a = reinterpret_cast<double*>(of_a), *b = reinterpret_cast<double*>(of_b),
         *c = reinterpret_cast<double*>(of_c);
  const auto in = [](const double* p) { return row_major(p, 4096, 4096); };
  compare(
      {"4096^3, double", 2.0 * 4096 * 4096 * 4096},
      [=](const context& where) { return gemm(where, in(a), in(b), row_major(c, 4096, 4096)); },
      [=] {
        const double one = 1, zero = 0;
        return cublasDgemm(cublas, CUBLAS_OP_N, CUBLAS_OP_N, 4096, 4096, 4096, &one, b, 4096, a, 4096, &zero, c, 4096);
      });
  benchmark::check(cudaDeviceSynchronize(), "end");
}
