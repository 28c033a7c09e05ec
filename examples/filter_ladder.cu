// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ladder of a filter: the sum of 3 x 3 pixels, made in three ways. Every pixel is in nine windows. What differs is from
// where it comes the other eight times: from the first-level cache, from shared memory, or from the thread's own registers.
// Where NPP was found, its mean of 3 x 3 is timed beside them.
//
//   ./filter_ladder      prints, for every rung, what 128 x 512 pixels cost; on a GPU also its time for 8192 x 8192
#include <memtile/kernel.cuh>
#include <memtile/sim.cuh>
#include <memtile/stencil.cuh>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#if defined(__CUDACC__) && defined(MEMTILE_WITH_NPP)
#include <nppi_filtering_functions.h>
#endif

using namespace memtile;
using pixels = matrix_view<const float>;

// Rung 1. A thread for each pixel, which loads all nine; those of neighbouring threads lie side by side.
struct nine_loads {
  static constexpr int threads = 256, rows = 8, columns = 32;
  MEMTILE_KERNEL void operator()(block block, pixels in, matrix_view<float> out) const {
    const int64 r = block.grid_row() * rows + block.rank() / columns,
                c = block.grid_column() * columns + block.rank() % columns;
    if (!out.inside(r, c)) return;
    float sum = 0;
    MEMTILE_UNROLL
    for (int i = 0; i < 9; ++i)
      sum += in.load(replicate::index(r + i / 3 - 1, in.rows), replicate::index(c + i % 3 - 1, in.cols));
    out.store(r, c, sum);
  }
};

// Rung 2. A block brings 18 x 18 pixels into shared memory, and has a result for the 16 x 16 in the middle.
struct tile_of_18 {
  static constexpr int threads = 256, rows = 16, columns = 16;
  using around = block_stencil<float, box<1>, rows, columns>;
  using storage = around::storage;
  MEMTILE_KERNEL void operator()(block block, storage& shared, pixels in, matrix_view<float> out) const {
    const int64 row0 = block.grid_row() * rows, column0 = block.grid_column() * columns;
    around stencil{block, shared};
    stencil.load(in, row0, column0, replicate{});
    block.sync();
    stencil.each([&](int r, int c, const auto& n) {
      float sum = 0;
      MEMTILE_UNROLL
      for (int i = 0; i < 9; ++i) sum += n(i / 3 - 1, i % 3 - 1);
      out.store_inside(row0 + r, column0 + c, sum);
    });
  }
};

template <class Kernel>
struct one_kernel {
  template <class Where>
  static status run(Where&& where, pixels in, matrix_view<float> out) {
    return launch(where, grid_for(in.rows, in.cols, Kernel::rows, Kernel::columns), Kernel{}, in, out);
  }
};

// Rung 3. memtile's own. A warp walks down 128 columns, four to a lane. Each row comes once, 16 bytes at a time, while others
// are computed, and stays in registers for the three windows that it is in.
struct sum_of_nine {
  template <class Neighbours>
  MEMTILE_FUNCTION float operator()(const Neighbours& n) const {
    float sum = 0;
    MEMTILE_UNROLL
    for (int i = 0; i < 9; ++i) sum += n(i / 3 - 1, i % 3 - 1);
    return sum;
  }
};
struct library {
  template <class Where>
  static status run(Where&& where, pixels in, matrix_view<float> out) {
    return stencil<box<1>>(where, in, out, sum_of_nine{}, replicate{});
  }
};

// Calls visit(name, rung) from the lowest rung to the highest.
template <class Visit>
bool climb(const Visit& visit) {
  return visit("1 nine loads", one_kernel<nine_loads>{}) && visit("2 a tile of 18 x 18", one_kernel<tile_of_18>{}) &&
         visit("3 memtile::stencil", library{});
}

// Whole numbers: sums of nine are exact, in any order.
float pixel(int r, int c) { return float((r * 31 + c * 17 + r * c % 13) % 256); }

template <class Result>
bool is_right(const char* name, const Result& result, int rows, int columns) {
  int wrong = 0;
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c) {
      float sum = 0;
      for (int i = 0; i < 9; ++i)
        sum += pixel(int(replicate::index(r + i / 3 - 1, rows)), int(replicate::index(c + i % 3 - 1, columns)));
      wrong += result(r, c) != sum;
    }
  if (wrong != 0) std::printf("%s: %d of %d x %d pixels are wrong\n", name, wrong, rows, columns);
  return wrong == 0;
}

// What a picture costs; without `printing` only whether it is right.
bool count(int rows, int columns, bool printing) {
  return climb([&](const char* name, auto rung) {
    sim::machine machine;
    const auto in = machine.buffer<float>(rows, columns, pixel), out = machine.buffer<float>(rows, columns);
    if (const status done = rung.run(machine, in.view(), out.view()); !done)
      return std::puts(done.message().c_str()), false;
    const sim::report& report = machine.report();
    if (!report.clean() || !is_right(name, out.host(), rows, columns)) return false;
    if (!printing) return true;
    const auto global = report.total(sim::space::global), shared = report.total(sim::space::shared);
    std::printf("%-26s", name);
    for (const std::int64_t number :
         {global.requests, global.sectors, shared.wavefronts, shared.bank_conflicts, report.barriers()})
      std::printf(" %12lld", static_cast<long long>(number));
    return std::puts(""), true;
  });
}

#if defined(__CUDACC__)
// The median of 11 turns of 20 calls, in microseconds a call; 0 if call() fails.
template <class Call>
double microseconds(cudaStream_t stream, const Call& call) {
  cudaEvent_t start, stop;
  cudaEventCreate(&start);
  cudaEventCreate(&stop);
  bool good = true;
  std::vector<float> turns(11);
  for (float& turn : turns) {
    cudaEventRecord(start, stream);
    for (int i = 0; i < 20 && good; ++i) good = call();
    cudaEventRecord(stop, stream);
    cudaEventSynchronize(stop);
    cudaEventElapsedTime(&turn, start, stop);
  }
  cudaEventDestroy(start);
  cudaEventDestroy(stop);
  std::sort(turns.begin(), turns.end());
  return good ? 1e3 * turns[5] / 20 : 0;
}

// NPP's mean, or 0 where it was not found.
double microseconds_of_npp([[maybe_unused]] cudaStream_t stream, [[maybe_unused]] pixels in,
                           [[maybe_unused]] matrix_view<float> out) {
#if defined(MEMTILE_WITH_NPP)
  NppStreamContext where{};
  cudaDeviceProp card;
  cudaGetDevice(&where.nCudaDeviceId);
  cudaGetDeviceProperties(&card, where.nCudaDeviceId);
  where.hStream = stream;
  where.nMultiProcessorCount = card.multiProcessorCount;
  where.nMaxThreadsPerMultiProcessor = card.maxThreadsPerMultiProcessor;
  where.nMaxThreadsPerBlock = card.maxThreadsPerBlock;
  where.nSharedMemPerBlock = card.sharedMemPerBlock;
  where.nCudaDevAttrComputeCapabilityMajor = card.major;
  where.nCudaDevAttrComputeCapabilityMinor = card.minor;
  const NppiSize size{int(in.cols), int(in.rows)};
  return microseconds(stream, [&] {
    return nppiFilterBoxBorder_32f_C1R_Ctx(in.data, int(in.pitch), size, NppiPoint{0, 0}, out.data, int(out.pitch),
                                           size, NppiSize{3, 3}, NppiPoint{1, 1}, NPP_BORDER_REPLICATE,
                                           where) == NPP_SUCCESS;
  });
#else
  return 0;
#endif
}

bool measure(int side) {
  auto& machine = testing::machines().back();
  if (!machine.is_gpu()) return std::puts("\nNo GPU here, so no times."), true;
  const auto in = machine.buffer<float>(side, side, pixel), out = machine.buffer<float>(side, side);
  const auto print = [side](const char* name, double time) {  // each pixel is read and written once
    std::printf("%-26s %12.1f %12.1f\n", name, time, 8e-3 * side * side / time);
  };
  std::printf("\n%s, %d x %d floats\n%-26s %12s %12s\n", machine.name().c_str(), side, side, "", "us", "GB/s");
  const bool all = climb([&](const char* name, auto rung) {
    status done;
    const double time = microseconds(machine.stream(), [&] {
      done = rung.run(machine.stream(), in.view(), out.view());
      return done.ok();
    });
    if (!done) return std::puts(done.message().c_str()), false;
    print(name, time);
    return is_right(name, out.host(), side, side);
  });
  const double npp = microseconds_of_npp(machine.stream(), in.view(), out.view());
  if (npp != 0) print("  NPP", npp);
  return all;
}
#else
bool measure(int) { return std::puts("\nCompiled without CUDA, so no times."), true; }
#endif

int main() {
  constexpr int rows = 128, columns = 512, side = 8192;
  std::printf(
      "What the sums of 3 x 3 of %d x %d floats cost, counted by the simulator\n%-26s %12s %12s %12s %12s %12s\n", rows,
      columns, "", "requests", "sectors", "wavefronts", "conflicts", "barriers");
  bool right = count(rows, columns, true);
  for (const int odd : {1, 17, 131}) right = right && count(odd, odd + 2, false);
  return right && measure(side) ? 0 : 1;
}
