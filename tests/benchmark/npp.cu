// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Filters of bytes beside NPP's, in turns on the same frames: the ratio is NPP's time over memtile's.
//
//   nvcc ... npp.cu -lnppif -lnppc -o npp && ./npp
//
// NPP repeats the last pixel at a border and has no other there; so does memtile here. Its 3 x 3 Gaussian has the weights
// 1 2 1 down and across.
#include <memtile/stencil.cuh>

#include <nppi_filtering_functions.h>

#include "benchmark.hpp"
#include "scratch.hpp"

namespace {

using benchmark::must;
using benchmark::on;
using namespace memtile;

struct device_bytes {
  uint8* data = nullptr;
  explicit device_bytes(size_t bytes) { benchmark::check(cudaMalloc(&data, bytes), "memory"); }
  ~device_bytes() { (void)cudaFree(data); }
};

NppStreamContext npp_on(cudaStream_t stream) {
  NppStreamContext where{};
  cudaDeviceProp card;
  benchmark::check(cudaGetDevice(&where.nCudaDeviceId), "device");
  benchmark::check(cudaGetDeviceProperties(&card, where.nCudaDeviceId), "device");
  where.hStream = stream;
  where.nMultiProcessorCount = card.multiProcessorCount;
  where.nMaxThreadsPerMultiProcessor = card.maxThreadsPerMultiProcessor;
  where.nMaxThreadsPerBlock = card.maxThreadsPerBlock;
  where.nSharedMemPerBlock = card.sharedMemPerBlock;
  where.nCudaDevAttrComputeCapabilityMajor = card.major;
  where.nCudaDevAttrComputeCapabilityMinor = card.minor;
  return where;
}
void well(NppStatus s) {
  if (s == NPP_SUCCESS) return;
  std::fprintf(stderr, "NPP: status %d\n", int(s));
  std::exit(1);
}

constexpr int rows = 8192, cols = 8192;  // 64 MB of one channel, beyond the second-level cache

// npp(source, target, bytes of a row, size, context)
template <class T, class Memtile, class Npp>
void compare(const char* what, const uint8* source, uint8* target, const Memtile& ours, const Npp& npp) {
  const int pitch = cols * int(sizeof(T));
  const NppiSize size{cols, rows};
  const auto in = row_major(reinterpret_cast<const T*>(source), rows, cols);
  const auto out = row_major(reinterpret_cast<T*>(target), rows, cols);
  const auto t = benchmark::milliseconds({{"memtile", [=](cudaStream_t s) { must(ours(on(s), in, out)); }},
                                          {"NPP",
                                           [=, where = npp_on(nullptr)](cudaStream_t s) mutable {
                                             where.hStream = s;
                                             well(npp(source, target, pitch, size, where));
                                           }}},
                                         10, 11, false);
  std::printf("%-36s memtile %8.1f us   NPP %8.1f us   ratio %.2f\n", what, t[0] * 1e3, t[1] * 1e3, t[1] / t[0]);
}

}  // namespace

int main() {
  benchmark::print_card();
  using rgb = vec<uint8, 3>;
  const device_bytes source(size_t(rows) * cols * 3), target(size_t(rows) * cols * 3);
  benchmark::check(cudaMemset(source.data, 0x5a, size_t(rows) * cols * 3), "memory");
  const weights<float, 3, 3> binomial{{0.0625f, 0.125f, 0.0625f, 0.125f, 0.25f, 0.125f, 0.0625f, 0.125f, 0.0625f}};
  const NppiPoint corner{0, 0};

  compare<uint8>(
      "1 2 1 down and across, bytes", source.data, target.data,
      [=](auto where, auto in, auto out) { return correlate(where, in, out, binomial, replicate{}); },
      [=](const Npp8u* from, Npp8u* to, int pitch, NppiSize size, const NppStreamContext& where) {
        return nppiFilterGaussBorder_8u_C1R_Ctx(from, pitch, size, corner, to, pitch, size, NPP_MASK_SIZE_3_X_3,
                                                NPP_BORDER_REPLICATE, where);
      });
  compare<rgb>(
      "1 2 1 down and across, RGB", source.data, target.data,
      [=](auto where, auto in, auto out) { return correlate(where, in, out, binomial, replicate{}); },
      [=](const Npp8u* from, Npp8u* to, int pitch, NppiSize size, const NppStreamContext& where) {
        return nppiFilterGaussBorder_8u_C3R_Ctx(from, pitch, size, corner, to, pitch, size, NPP_MASK_SIZE_3_X_3,
                                                NPP_BORDER_REPLICATE, where);
      });
  compare<uint8>(
      "mean 15 x 15, bytes", source.data, target.data,
      [](auto where, auto in, auto out) { return box_filter<box<7>>(where, in, out, replicate{}); },
      [=](const Npp8u* from, Npp8u* to, int pitch, NppiSize size, const NppStreamContext& where) {
        return nppiFilterBoxBorder_8u_C1R_Ctx(from, pitch, size, corner, to, pitch, size, NppiSize{15, 15},
                                              NppiPoint{7, 7}, NPP_BORDER_REPLICATE, where);
      });
  Npp32u needed = 0;
  well(nppiFilterMedianBorderGetBufferSize_8u_C1R_Ctx({cols, rows}, {3, 3}, &needed, NPP_BORDER_REPLICATE,
                                                      npp_on(nullptr)));
  const device_bytes room(needed + 1);
  Npp8u* const buffer = room.data;
  compare<uint8>(
      "median 3 x 3, bytes", source.data, target.data,
      [](auto where, auto in, auto out) { return median_filter<box<1>>(where, in, out, replicate{}); },
      [=](const Npp8u* from, Npp8u* to, int pitch, NppiSize size, const NppStreamContext& where) {
        return nppiFilterMedianBorder_8u_C1R_Ctx(from, pitch, size, corner, to, pitch, size, NppiSize{3, 3},
                                                 NppiPoint{1, 1}, buffer, NPP_BORDER_REPLICATE, where);
      });
  return 0;
}
