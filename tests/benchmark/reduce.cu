// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// memtile::reduce beside CUB's DeviceReduce on the same data, in turns, and beside a kernel that only reads. Ratio > 1:
// memtile is faster.
#include <memtile/reduce.cuh>

#include <cub/device/device_reduce.cuh>
#include <cuda/std/functional>

#include "benchmark.hpp"
#include "read_ceiling.hpp"
#include "scratch.hpp"

namespace {

using benchmark::check;
using benchmark::must;
using benchmark::on;
using benchmark::with_cub;
using memtile::vector_view;

// One line: memtile, CUB, and reading alone.
struct line {
  const char* what;
  int64_t bytes;
  std::function<void(cudaStream_t)> memtile, cub;
};

const char* only = "";  // lines whose name holds this

void compare(const line& l, const void* data, bool as_graph) {
  if (std::string(l.what).find(only) == std::string::npos) return;
  std::vector<benchmark::contestant> all = {{"memtile", l.memtile}};
  if (l.cub) all.push_back({"CUB", l.cub});
  const bool is_large = l.bytes >= (int64_t(64) << 20);
  if (is_large)
    for (int blocks : benchmark::read_sweep)
      all.push_back({"read", [=](cudaStream_t s) { benchmark::read_only(data, l.bytes, blocks, s); }});
  const int calls = int(std::max<int64_t>(2, std::min<int64_t>(200, (int64_t(4) << 30) / (l.bytes + 1))));
  const auto t = benchmark::milliseconds(all, calls, is_large ? 11 : 21, as_graph);
  const double rate = double(l.bytes) / t[0] / 1e6;
  std::printf("%-34s %-7s %10.2f us %7.0f GB/s", l.what, as_graph ? "graph" : "calls", t[0] * 1e3, rate);
  if (l.cub) std::printf("   CUB %10.2f us  ratio %.3f", t[1] * 1e3, t[1] / t[0]);
  if (is_large) {
    const double best = *std::min_element(t.begin() + (l.cub ? 2 : 1), t.end());
    std::printf("   of ceiling %.3f", best / t[0]);
  }
  std::printf("\n");
}
void compare_both(const line& l, const void* data) {
  compare(l, data, false);
  compare(l, data, true);
}

}  // namespace

int main(int count, char** words) {
  if (count > 1) only = words[1];
  const int64_t most = int64_t(1) << 30;
  float* data = benchmark::random_floats_on_device(most + 4, 1);
  const auto* bytes = reinterpret_cast<const memtile::int8*>(data);
  const auto* halves = reinterpret_cast<const memtile::bfloat16*>(data);
  float* out = nullptr;
  check(cudaMalloc(&out, 4096), "result");
  memtile::int64* wide = reinterpret_cast<memtile::int64*>(out + 256);
  benchmark::print_card();

  char what[64];
  for (int64_t n : {int64_t(1) << 8, int64_t(1) << 10, int64_t(1) << 12, int64_t(1) << 13, int64_t(1) << 14,
                    int64_t(1) << 15, int64_t(1) << 16, int64_t(1) << 17, int64_t(1) << 18, int64_t(1) << 20,
                    int64_t(1) << 22, int64_t(1) << 24, int64_t(1) << 28, int64_t(1) << 30}) {
    std::snprintf(what, sizeof what, "float sum 2^%d", int(__builtin_ctzll(n)));
    const line l{what, n * 4,
                 [=](cudaStream_t s) {
                   must(memtile::reduce(on(s), vector_view<const float>(data, n), vector_view<float>(out, 1),
                                        memtile::plus{}, 0.f));
                 },
                 [=](cudaStream_t s) {
                   with_cub([&](void* p, size_t& b) { return cub::DeviceReduce::Sum(p, b, data, out + 1, n, s); });
                 }};
    if (n < (int64_t(1) << 26)) compare_both(l, data);
    else compare(l, data, false);
  }

  const int64_t n = int64_t(1) << 28;
  const vector_view<const float> floats(data, n), shifted(data + 1, n);
  compare({"float sum 2^28, 4 bytes off", n * 4,
           [=](cudaStream_t s) { must(memtile::sum(on(s), shifted, vector_view<float>(out, 1))); }, nullptr},
          data, false);
  compare({"float compensated sum 2^28", n * 4,
           [=](cudaStream_t s) { must(memtile::sum<memtile::compensated>(on(s), floats, vector_view<float>(out, 1))); },
           nullptr},
          data, false);
  compare({"float sum in double 2^28", n * 4,
           [=](cudaStream_t s) {
             must(memtile::sum<memtile::accumulate_in<double>>(on(s), floats, vector_view<float>(out, 1)));
           },
           nullptr},
          data, false);
  compare({"float statistics 2^28", n * 4,
           [=](cudaStream_t s) {
             must(memtile::statistics(on(s), floats,
                                      vector_view<memtile::statistics_of<float>>(
                                          reinterpret_cast<memtile::statistics_of<float>*>(wide), 1)));
           },
           nullptr},
          data, false);
  compare({"float argmin 2^28", n * 4,
           [=](cudaStream_t s) { must(memtile::argmin(on(s), floats, vector_view<memtile::int64>(wide, 1))); },
           [=](cudaStream_t s) {
             with_cub([&](void* p, size_t& b) {
               return cub::DeviceReduce::ArgMin(p, b, data, out + 1, reinterpret_cast<int64_t*>(wide) + 8, n, s);
             });
           }},
          data, false);
  compare({"float minmax 2^28", n * 4,
           [=](cudaStream_t s) {
             using result = memtile::both<memtile::indexed<float>, memtile::indexed<float>>;
             must(memtile::minmax(on(s), floats, vector_view<result>(reinterpret_cast<result*>(wide), 1)));
           },
           nullptr},
          data, false);
  compare(
      {"int8 sum 2^30", most,
       [=](cudaStream_t s) {
         must(memtile::sum(on(s), vector_view<const memtile::int8>(bytes, most), vector_view<memtile::int64>(wide, 1)));
       },
       [=](cudaStream_t s) {
         with_cub([&](void* p, size_t& b) {
           return cub::DeviceReduce::Reduce(p, b, bytes, reinterpret_cast<int*>(wide) + 8, most, cuda::std::plus<>{}, 0,
                                            s);
         });
       }},
      data, false);
  compare({"int8 sum 2^30, 1 byte off", most,
           [=](cudaStream_t s) {
             must(memtile::sum(on(s), vector_view<const memtile::int8>(bytes + 1, most),
                               vector_view<memtile::int64>(wide, 1)));
           },
           nullptr},
          data, false);
  compare({"bfloat16 sum 2^30", most * 2,
           [=](cudaStream_t s) {
             must(memtile::sum(on(s), vector_view<const memtile::bfloat16>(halves, most), vector_view<float>(out, 1)));
           },
           nullptr},
          data, false);
  compare({"double sum 2^28", n * 8,
           [=](cudaStream_t s) {
             must(memtile::sum(on(s), vector_view<const double>(reinterpret_cast<const double*>(data), n),
                               vector_view<double>(reinterpret_cast<double*>(wide), 1)));
           },
           nullptr},
          data, false);
  return 0;
}
