// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs kernels made of memtile's parts in the simulator and prints what it counted, one line of CSV for each; or runs
// the same ones, in the same order, on the GPU, once each and nothing else. counts.py lays the two beside each other.
//
//   counts [NAME...]        the simulator's counts, of all kernels or of those named
//   counts gpu [NAME...]    launches them, for Nsight Compute to count
#include "counted_kernels.hpp"

#include <memtile/gemm.cuh>
#include <memtile/sim.cuh>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

using namespace memtile;
using machine = testing::machine;

namespace {

template <class T>
T value_of(int r, int c = 0) {
  return T(float((7 * r + 3 * c) % 61));
}
template <class T>
auto numbers(machine& m, int64 size) {
  return m.buffer<T>(size, [](int i) { return value_of<T>(i); });
}
auto numbers(machine& m, int64 rows, int64 columns) { return m.buffer<float>(rows, columns, value_of<float>); }

// Each waits for the GPU, so that the buffers outlive the kernel.
template <class Kernel, class In, class Out>
status run_on(machine& m, const grid& blocks, const Kernel& kernel, const In& in, const Out& out) {
  const status started = launch(m, blocks, kernel, in.view(), out.view());
  return started ? m.synchronize() : started;
}

template <int M, int N, int K>
status run_gemm(machine& m) {
  const auto a = numbers(m, M, K), b = numbers(m, K, N);
  auto c = m.buffer<float>(M, N);
  const status started = gemm(m, a.view(), b.view(), c.view());
  return started ? m.synchronize() : started;
}

template <class T, int Size>
status run_copy(machine& m) {
  auto out = m.buffer<T>(Size);
  return run_on(m, grid{ceil_div(Size, 256)}, counted::copy<T>{}, numbers<T>(m, Size), out);
}
status run_copy_by_four(machine& m) {
  auto out = m.buffer<float>(4004);
  return run_on(m, grid{4}, counted::copy_by_four{}, numbers<float>(m, 4004), out);
}
template <int Step, int First>
status run_copy_from_afar(machine& m) {
  auto out = m.buffer<float>(1000);
  return run_on(m, grid{4}, counted::copy_from_afar{Step, First}, numbers<float>(m, 1000 * Step + First), out);
}
status run_fields(machine& m) {
  auto out = m.buffer<float>(1000);
  return run_on(m, grid{4}, counted::second_of_four_fields{}, numbers(m, 1000, 4), out);
}
status run_sums_of_rows(machine& m) {
  auto out = m.buffer<float>(75);
  return run_on(m, grid{2}, counted::sums_of_rows{}, numbers(m, 75, 41), out);
}
status run_three_points(machine& m) {
  auto out = m.buffer<float>(1000);
  return run_on(m, grid{8}, counted::three_points{}, numbers<float>(m, 1000), out);
}
status run_reverse(machine& m) {
  auto out = m.buffer<float>(1000);
  return run_on(m, grid{4}, counted::reverse{}, numbers<float>(m, 1000), out);
}
status run_column(machine& m) {
  auto out = m.buffer<float>(32);
  return run_on(m, grid{1}, counted::column_of_dense_tile{5}, numbers(m, 32, 32), out);
}
template <int First, int Inside>
status run_asynchronous_copy(machine& m) {
  auto out = m.buffer<float>(128);
  return run_on(m, grid{1}, counted::asynchronous_copy{First, Inside}, numbers<float>(m, 128 + First), out);
}
template <counted::pairs_of_lanes::pattern Pattern>
status run_pairs_of_lanes(machine& m) {
  auto out = m.buffer<float>(128);
  return run_on(m, grid{1}, counted::pairs_of_lanes{Pattern}, numbers<float>(m, 128), out);
}
template <class Kernel>
status run_on_32x32(machine& m) {
  auto out = m.buffer<float>(32, 32);
  return run_on(m, grid{1}, Kernel{}, numbers(m, 32, 32), out);
}
template <class Kernel>
status run_transpose(machine& m) {
  auto out = m.buffer<float>(231, 250);
  return run_on(m, grid_for(250, 231, 32, 32), Kernel{}, numbers(m, 250, 231), out);
}
status run_mean(machine& m) {
  constexpr int tile = counted::mean_of_3x3::tile;
  auto out = m.buffer<float>(100, 75);
  return run_on(m, grid_for(100, 75, tile, tile), counted::mean_of_3x3{}, numbers(m, 100, 75), out);
}
status run_sums_of_blocks(machine& m) {
  auto out = m.buffer<float>(7);
  return run_on(m, grid{7}, counted::sums_of_blocks{}, numbers<float>(m, 10000), out);
}
status run_histogram(machine& m) {
  auto out = m.buffer<int>(8, counted::histogram::bins);
  return run_on(m, grid{8}, counted::histogram{}, numbers<int>(m, 1000), out);
}

template <class T>
status run_sums_by_key(machine& m) {
  auto out = m.buffer<T>(counted::sums_by_key<T>::keys);
  return run_on(m, grid{1}, counted::sums_by_key<T>{}, numbers<T>(m, 32), out);
}
status run_sums_by_key_in_global(machine& m) {
  auto out = m.buffer<float>(counted::sums_by_key_in_global::keys, [](int) { return 0; });
  return run_on(m, grid{4}, counted::sums_by_key_in_global{}, numbers<float>(m, 1000), out);
}

struct experiment {
  const char* name;
  status (*run)(machine&);
  // Of several warps, the hardware's counters of conflicts also count those between warps.
  bool one_warp = false;
};
constexpr experiment experiments[] = {
    {"gemm 256x256x256", run_gemm<256, 256, 256>},
    {"gemm 250x253x61, by elements", run_gemm<250, 253, 61>},
    {"gemm 2000x2040x72, largest tile", run_gemm<2000, 2040, 72>},
    {"transpose, naive", run_transpose<counted::naive_transpose>},
    {"transpose, dense tile", run_transpose<counted::transpose<dense>>},
    {"transpose, padded tile", run_transpose<counted::transpose<padded<1>>>},
    {"mean of 3x3", run_mean},
    {"sums of blocks", run_sums_of_blocks},
    {"histogram", run_histogram},
    {"sums by key in global memory", run_sums_by_key_in_global},
    {"sums by key, int", run_sums_by_key<int>, true},
    {"sums by key, float", run_sums_by_key<float>, true},
    {"copy", run_copy<float, 1000>},
    {"copy of float16", run_copy<float16, 1000>},
    {"copy of uint8", run_copy<uint8, 1000>},
    {"copy of double", run_copy<double, 1000>},
    {"copy by four", run_copy_by_four},
    {"copy with stride 2", run_copy_from_afar<2, 0>},
    {"copy shifted by one", run_copy_from_afar<1, 1>},
    {"one of four fields", run_fields},
    {"sums of rows", run_sums_of_rows},
    {"three points", run_three_points},
    {"reverse", run_reverse},
    {"column of a dense tile", run_column, true},
    {"pairs of lanes", run_pairs_of_lanes<counted::pairs_of_lanes::pairs_by_one_then_by_two>, true},
    {"pairs in the lower half", run_pairs_of_lanes<counted::pairs_of_lanes::pairs_in_lower_half>, true},
    {"pairs in the upper half", run_pairs_of_lanes<counted::pairs_of_lanes::pairs_in_upper_half>, true},
    {"every fourth lane", run_pairs_of_lanes<counted::pairs_of_lanes::every_fourth_lane>, true},
    {"asynchronous copy", run_asynchronous_copy<0, 8>, true},
    {"asynchronous copy, off a line", run_asynchronous_copy<8, 8>, true},
    {"asynchronous copy, part zeros", run_asynchronous_copy<0, 2>, true},
    {"rows by four, dense", run_on_32x32<counted::rows_by_four<dense>>, true},
    {"rows by four, pitch 36", run_on_32x32<counted::rows_by_four<padded<4>>>, true},
    {"rows by four, swizzled", run_on_32x32<counted::rows_by_four<xor_swizzle<16>>>, true},
};

void print_counts(const experiment& e, const sim::report& report) {
  using sim::access_kind;
  using sim::space;
  const auto global = [&](access_kind kind) { return (long long)(report.total(space::global, kind).sectors); };
  const auto shared = [&](access_kind kind) { return report.total(space::shared, kind); };
  std::printf("\"%s\",%d", e.name, e.one_warp);
  for (access_kind kind : {access_kind::load, access_kind::store, access_kind::async_copy, access_kind::atomic})
    std::printf(",%lld", global(kind));
  for (access_kind kind : {access_kind::load, access_kind::store, access_kind::async_copy, access_kind::atomic})
    std::printf(",%lld", (long long)(shared(kind).wavefronts));
  for (access_kind kind : {access_kind::load, access_kind::store})
    std::printf(",%lld", (long long)(shared(kind).bank_conflicts));
  std::printf(",%lld\n", (long long)(report.total(space::global).requests + report.total(space::shared).requests));
}

}  // namespace

int main(int argument_count, char** arguments) {
  std::vector<std::string> names(arguments + 1, arguments + argument_count);
  const bool on_gpu = !names.empty() && names[0] == "gpu";
  if (on_gpu) names.erase(names.begin());
  machine& where = on_gpu ? testing::machines().back() : testing::machines().front();
  if (where.is_gpu() != on_gpu) return std::puts("there is no GPU here"), 1;
  if (!on_gpu)
    std::puts("kernel,one_warp,global_load_sectors,global_store_sectors,global_copy_sectors,global_atomic_sectors,"
              "shared_load_wavefronts,"
              "shared_store_wavefronts,shared_copy_wavefronts,shared_atomic_wavefronts,shared_load_conflicts,"
              "shared_store_conflicts,requests");
  for (const experiment& e : experiments) {
    if (!names.empty() && std::find(names.begin(), names.end(), e.name) == names.end()) continue;
    const status done = e.run(where);
    if (!done) return std::printf("%s: %s\n", e.name, done.message().c_str()), 1;
    if (!on_gpu) print_counts(e, *where.last_report());
  }
}
