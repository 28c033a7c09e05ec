// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ladder: one matrix product, made faster in five steps. Each rung moves data better through the memory hierarchy
// than the one below, and the simulator's counts say why it is faster before any GPU has run it.
//
//   ./ladder      prints, for every rung, what a multiply-add costs in memory accesses; on a GPU also its time at
//   1024^3
#include <memtile/gemm.cuh>
#include <memtile/kernel.cuh>
#include <memtile/sim.cuh>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#if defined(__CUDACC__) && defined(MEMTILE_WITH_CUBLAS)
#include <cublas_v2.h>
#endif

using namespace memtile;
using matrix = matrix_view<const float>;

// Rung 1. A thread makes one result and reads a row of a and a column of b for it, from global memory, again and again.
struct naive {
  static constexpr int tile = 16, threads = tile * tile;
  MEMTILE_KERNEL void operator()(block block, matrix a, matrix b, matrix_view<float> c) const {
    const int64 row = block.grid_row() * tile + block.rank() / tile,
                column = block.grid_column() * tile + block.rank() % tile;
    if (!c.inside(row, column)) return;
    float sum = 0;
    for (int64 k = 0; k < a.cols; ++k) sum = fma(a.load(row, k), b.load(k, column), sum);
    c.store(row, column, sum);
  }
};

// Rung 2. The block brings 16 x 16 tiles of a and b to shared memory: what 16 threads read, is fetched once.
// Rung 3. Four results a thread, rows 16 apart: a tile of 64 rows, and each value of b serves four multiply-adds.
template <int Results>
struct tiled {
  static constexpr int tile = 16, rows = Results * tile, threads = tile * tile;
  struct storage {
    shared_tile<float, rows, tile> a;
    shared_tile<float, tile, tile> b;
  };
  MEMTILE_KERNEL void operator()(block block, storage& shared, matrix a, matrix b, matrix_view<float> c) const {
    const int64 row0 = int64(block.grid_row()) * rows, column0 = int64(block.grid_column()) * tile;
    const int y = block.rank() / tile, x = block.rank() % tile;
    fragment<float, Results, 1> sums;
    sums.fill(0);
    for (int64 k0 = 0; k0 < a.cols; k0 += tile) {
      global_to_shared(block, a, row0, k0, shared.a);
      global_to_shared(block, b, k0, column0, shared.b);
      block.sync();  // the tiles are there
      MEMTILE_UNROLL
      for (int k = 0; k < tile; ++k) {
        float column[Results], value[1] = {shared.b.load(k, x)};
        MEMTILE_UNROLL
        for (int i = 0; i < Results; ++i) column[i] = shared.a.load(y + i * tile, k);
        sums.add_outer_product(column, value);
      }
      block.sync();  // all have done with them
    }
    MEMTILE_UNROLL
    for (int i = 0; i < Results; ++i) c.store_inside(row0 + y + i * tile, column0 + x, sums(i, 0));
  }
};

// Rung 4. A block of 8 x 8 results in registers: 16 values from shared memory make 64 multiply-adds.
struct register_blocked {
  static constexpr int tile = 64, depth = 8, side = 8, threads = (tile / side) * (tile / side);
  struct storage {
    shared_tile<float, tile, depth> a;
    shared_tile<float, depth, tile> b;
  };
  MEMTILE_KERNEL void operator()(block block, storage& shared, matrix a, matrix b, matrix_view<float> c) const {
    const int64 row0 = int64(block.grid_row()) * tile, column0 = int64(block.grid_column()) * tile;
    const int y = block.rank() / (tile / side), x = block.rank() % (tile / side);
    fragment<float, side, side> sums;
    sums.fill(0);
    for (int64 k0 = 0; k0 < a.cols; k0 += depth) {
      global_to_shared(block, a, row0, k0, shared.a);
      global_to_shared(block, b, k0, column0, shared.b);
      block.sync();
      MEMTILE_UNROLL
      for (int k = 0; k < depth; ++k) {
        float column[side], row[side];
        MEMTILE_UNROLL
        for (int i = 0; i < side; ++i)
          column[i] = shared.a.load(y + i * (tile / side), k), row[i] = shared.b.load(k, x + i * (tile / side));
        sums.add_outer_product(column, row);
      }
      block.sync();
    }
    using span = thread_span<side, 1, tile / side>;
    reg_to_global<1>(
        sums, span{y}, span{x}, c, row0, column0, [](int64, int64, vec<float, 1> v) { return v; }, site::here());
  }
};

// Rung 5. memtile's own: 16 bytes an access also from shared memory, and the next tiles on their way, past the
// registers, while this one is multiplied.
struct vectorised {
  using policy = gemm_tiles<float>::smallest;
  template <class Where>
  static status run(Where&& where, matrix a, matrix b, matrix_view<float> c) {
    return gemm<policy>(where, a, b, c);
  }
};

template <class Kernel, int Rows, int Columns>
struct rung {
  template <class Where>
  static status run(Where&& where, matrix a, matrix b, matrix_view<float> c) {
    return launch(where, grid_for(c.rows, c.cols, Rows, Columns), Kernel{}, a, b, c);
  }
};

// What a multiply-add costs: sectors of global memory, wavefronts of shared memory and bank conflicts, all of the whole
// product.
template <class Rung>
bool count(const char* name, int size) {
  sim::machine machine;
  auto a = machine.buffer<float>(size, size, [](int r, int c) { return float((r + 2 * c) % 7 - 3); });
  auto b = machine.buffer<float>(size, size, [](int r, int c) { return float((3 * r + c) % 5 - 2); });
  auto c = machine.buffer<float>(size, size);
  if (const status done = Rung::run(machine, a.view(), b.view(), c.view()); !done)
    return std::puts(done.message().c_str()), false;
  const auto x = a.host(), y = b.host(), z = c.host();
  for (int i = 0; i < size; ++i)
    for (int j = 0; j < size; ++j) {
      float sum = 0;
      for (int k = 0; k < size; ++k) sum += x(i, k) * y(k, j);
      if (z(i, j) != sum) return std::printf("%s: wrong result\n", name), false;
    }
  const double multiply_adds = double(size) * size * size;
  double sectors = 0, wavefronts = 0;
  for (const auto& row : machine.last_report()->rows()) {
    if (row.where == sim::space::global) sectors += double(row.sectors);
    else wavefronts += double(row.wavefronts);
  }
  std::printf("%-40s %10.4f %12.4f %12lld\n", name, sectors / multiply_adds, wavefronts / multiply_adds,
              static_cast<long long>(machine.last_report()->bank_conflicts()));
  return true;
}

// Calls visit(name, rung) from the lowest rung to the highest.
template <class Visit>
bool climb(const Visit& visit) {
  return visit("1 naive", rung<naive, naive::tile, naive::tile>{}) &&                                       //
         visit("2 tiles of 16 x 16 in shared memory", rung<tiled<1>, tiled<1>::rows, tiled<1>::tile>{}) &&  //
         visit("3 the same, four results a thread", rung<tiled<4>, tiled<4>::rows, tiled<4>::tile>{}) &&
         visit("4 8 x 8 results in registers",
               rung<register_blocked, register_blocked::tile, register_blocked::tile>{}) &&
         visit("5 wide shared loads, asynchronous ring", vectorised{});
}

#if defined(__CUDACC__)
// Milliseconds of one call: the median of 11 turns of 20 calls.
template <class Call>
double milliseconds(const Call& call) {
  cudaEvent_t start, stop;
  cudaEventCreate(&start);
  cudaEventCreate(&stop);
  std::vector<float> turns(11);
  for (float& turn : turns) {
    cudaEventRecord(start);
    for (int i = 0; i < 20; ++i) call();
    cudaEventRecord(stop);
    cudaEventSynchronize(stop);
    cudaEventElapsedTime(&turn, start, stop);
  }
  std::sort(turns.begin(), turns.end());
  return turns[turns.size() / 2] / 20;
}

// cuBLAS on the same matrices, or 0 where it was not found. It is column major, so it computes c^T = b^T a^T.
double milliseconds_of_cublas(matrix a, matrix b, matrix_view<float> c) {
#if defined(MEMTILE_WITH_CUBLAS)
  cublasHandle_t cublas;
  if (cublasCreate(&cublas) != CUBLAS_STATUS_SUCCESS) return 0;
  const int n = int(c.rows);
  const float one = 1, zero = 0;
  const auto call = [&] {
    cublasSgemm(cublas, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, b.data, n, a.data, n, &zero, c.data, n);
  };
  for (int i = 0; i < 100; ++i) call();
  const double time = milliseconds(call);
  cublasDestroy(cublas);
  return time;
#else
  return static_cast<void>(a), static_cast<void>(b), static_cast<void>(c), 0;
#endif
}

bool measure(int size) {
  auto& machine = testing::machines().back();
  if (!machine.is_gpu()) return std::puts("\nNo GPU here, so no times."), true;
  auto a = machine.buffer<float>(size, size, [](int r, int c) { return float((r * 7 + c * 3) % 101) / 101; });
  auto b = machine.buffer<float>(size, size, [](int r, int c) { return float((r * 5 + c * 11) % 97) / 97; });
  auto c = machine.buffer<float>(size, size);
  const double cublas = milliseconds_of_cublas(a.view(), b.view(), c.view()), flops = 2.0 * size * size * size;
  double lowest = 0;
  std::printf("\n%s, %d^3\n%-40s %10s %12s %12s %12s\n", machine.name().c_str(), size, "", "ms", "TFLOP/s", "x naive",
              "x cuBLAS");
  const auto print = [&](const char* name, double time) {
    if (lowest == 0) lowest = time;
    std::printf("%-40s %10.4f %12.2f %12.2f", name, time, flops / time / 1e9, lowest / time);
    if (cublas != 0) std::printf(" %12.3f", cublas / time);
    std::puts("");
  };
  const bool all = climb([&](const char* name, auto rung) {
    cudaStream_t stream = nullptr;
    std::string failure;
    const double time = milliseconds([&] {
      if (const status done = rung.run(stream, a.view(), b.view(), c.view()); !done) failure = done.message();
    });
    if (cudaStreamSynchronize(stream) != cudaSuccess) failure += " the kernel failed";
    if (!failure.empty()) return std::printf("%s: %s\n", name, failure.c_str()), false;
    print(name, time);
    return true;
  });
  if (cublas != 0) print("  cuBLAS", cublas);
  return all;
}
#else
bool measure(int) { return std::puts("\nCompiled without CUDA, so no times."), true; }
#endif

int main() {
  constexpr int small = 128, large = 1024;
  std::printf("What one multiply-add costs, counted by the simulator at %d^3\n%-40s %10s %12s %12s\n", small, "",
              "sectors", "wavefronts", "conflicts");
  const bool right = climb([&](const char* name, auto rung) { return count<decltype(rung)>(name, small); });
  return right && measure(large) ? 0 : 1;
}
