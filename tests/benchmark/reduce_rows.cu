// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// memtile's reductions of rows and columns beside CUB's segmented reduction, beside a kernel that only reads; and softmax
// beside a copy. Rates count what is read and written; ratio > 1: memtile is faster.
#include <memtile/reduce.cuh>

#include <cub/device/device_segmented_reduce.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include "benchmark.hpp"
#include "read_ceiling.hpp"
#include "scratch.hpp"

namespace {

using benchmark::check;
using benchmark::must;
using benchmark::on;
using memtile::int64;

struct softmax {
  template <class Row>
  MEMTILE_FUNCTION void operator()(Row& row) const {
    const float largest = row.reduce(memtile::maximum{});
    row.map([=](float v) { return memtile::exp(v - largest); });
    const float sum = row.reduce(memtile::plus{});
    row.store([=](float e) { return e / sum; });
  }
};

struct times {
  int64 length;
  __host__ __device__ int64 operator()(int64 i) const { return i * length; }
};

const char* only = "";  // lines whose name holds this

void compare(const char* what, int64 bytes, const float* data, benchmark::contestant mine, benchmark::contestant peer) {
  if (std::string(what).find(only) == std::string::npos) return;
  std::vector<benchmark::contestant> all = {mine, peer};
  for (int blocks : benchmark::read_sweep)
    all.push_back({"read", [=](cudaStream_t s) { benchmark::read_only(data, int64(1) << 30, blocks, s); }});
  const auto t = benchmark::milliseconds(all, 4, 11, false);
  const double ceiling = double(int64(1) << 30) / *std::min_element(t.begin() + 2, t.end()),
               rate = double(bytes) / t[0];
  std::printf("%-30s %8.1f us %6.0f GB/s  of ceiling %.3f   %s %9.1f us  ratio %.2f\n", what, t[0] * 1e3, rate / 1e6,
              rate / ceiling, peer.name.c_str(), t[1] * 1e3, t[1] / t[0]);
}

void rows(const float* data, float* out, int64 length, int64 pitch, int64 offset) {
  const int64 count = (int64(1) << 28) / pitch - 1;
  const memtile::matrix_view<const float> in = memtile::row_major(data + offset, count, length, pitch);
  char what[64];
  std::snprintf(what, sizeof what, "rows %lld x %lld%s", static_cast<long long>(count), static_cast<long long>(length),
                pitch % 4 != 0 || offset != 0 ? ", unaligned" : "");
  const auto begins = thrust::make_transform_iterator(thrust::make_counting_iterator<int64>(0), times{pitch});
  compare(what, count * (length + 1) * 4, data,
          {"memtile",
           [=](cudaStream_t s) {
             must(memtile::reduce_rows(on(s), in, memtile::vector_view<float>(out, count), memtile::plus{}, 0.f));
           }},
          {"CUB", [=](cudaStream_t s) {
             benchmark::with_cub([&](void* p, size_t& b) {
               return cub::DeviceSegmentedReduce::Sum(p, b, data, out, int(count), begins, begins + 1, s);
             });
           }});
}

void columns(const float* data, float* out, int64 count, int64 length) {
  const auto in = memtile::row_major(data, count, length);
  char what[64];
  std::snprintf(what, sizeof what, "columns of %lld x %lld", static_cast<long long>(count),
                static_cast<long long>(length));
  compare(what, count * length * 4, data,
          {"memtile",
           [=](cudaStream_t s) {
             must(memtile::reduce_columns(on(s), in, memtile::vector_view<float>(out, length), memtile::plus{}, 0.f));
           }},
          {"none", [](cudaStream_t) {}});
}

}  // namespace

int main(int words, char** word) {
  if (words > 1) only = word[1];
  const int64 most = int64(1) << 28;
  float *data = benchmark::random_floats_on_device(most + 64, 1), *out = nullptr, *image = nullptr;
  check(cudaMalloc(&out, most), "results");
  check(cudaMalloc(&image, most * 4), "image");
  benchmark::print_card();
  for (int64 length :
       {int64(4), int64(8), int64(16), int64(32), int64(64), int64(128), int64(256), int64(512), int64(1024),
        int64(2048), int64(4096), int64(16384), int64(1) << 18, int64(1) << 22, int64(1) << 24})
    rows(data, out, length, length, 0);
  for (int64 length : {int64(17), int64(33), int64(257), int64(1001)}) rows(data, out, length, length, 1);
  columns(data, out, 65536, 1024);
  columns(data, out, int64(1) << 24, 8);
  columns(data, out, 65536, 4096);
  columns(data, out, 1 << 20, 255);
  const auto in = memtile::row_major(static_cast<const float*>(data), 65536, 1024);
  compare(
      "softmax 65536 x 1024", int64(65536) * 1024 * 8, data,
      {"memtile",
       [=](cudaStream_t s) { must(memtile::map_rows(on(s), in, memtile::row_major(image, 65536, 1024), softmax{})); }},
      {"copy", [=](cudaStream_t s) {
         check(cudaMemcpyAsync(image, data, int64(65536) * 1024 * 4, cudaMemcpyDeviceToDevice, s), "copy");
       }});
  const auto wide = memtile::row_major(static_cast<const float*>(data), 8192, 8192);
  compare(
      "softmax 8192 x 8192", int64(8192) * 8192 * 8, data,
      {"memtile",
       [=](cudaStream_t s) { must(memtile::map_rows(on(s), wide, memtile::row_major(image, 8192, 8192), softmax{})); }},
      {"copy", [=](cudaStream_t s) {
         check(cudaMemcpyAsync(image, data, int64(8192) * 8192 * 4, cudaMemcpyDeviceToDevice, s), "copy");
       }});
  return 0;
}
