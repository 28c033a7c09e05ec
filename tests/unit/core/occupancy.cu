// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks of a multiprocessor, as NVIDIA's own counts have them.
#include <memtile/core/occupancy.hpp>
#include <support/unit.hpp>

#include <vector>

using namespace memtile;

namespace {

std::vector<int> blocks(int architecture, const std::vector<block_needs>& all) {
  std::vector<int> found;
  for (const block_needs& b : all) found.push_back(occupancy(architecture, b).blocks);
  return found;
}
using list = std::vector<int>;

}  // namespace

TEST_CASE("registers are granted by 256 to a warp", "[occupancy][OCC-01]") {
  CHECK(blocks(80, {{128, 40}, {128, 41}, {128, 43}, {128, 48}, {128, 49}}) == list{12, 10, 10, 10, 9});
  CHECK(blocks(80, {{256, 40}, {256, 41}, {256, 43}, {256, 48}, {256, 49}}) == list{6, 5, 5, 5, 4});
}

TEST_CASE("warps get registers in fours", "[occupancy][OCC-02]") {
  for (const int architecture : {75, 80, 86, 90})
    CHECK(blocks(architecture, {{128, 92}, {192, 92}, {224, 92}, {256, 92}, {320, 92}, {640, 92}}) ==
          list{5, 3, 2, 2, 2, 1});
  const block_occupancy o = occupancy(90, {224, 92});
  CHECK((o.warps == 14 && o.fraction == 14 / 64. && o.limiter == occupancy_limit::registers));
  CHECK(o.reason ==
        "registers: a block has 7 warps of 3072, of 65536: they are granted to 4 warps at a time, 20 in all");
}

TEST_CASE("a multiprocessor has as many threads as its kind", "[occupancy][OCC-03]") {
  for (const int architecture : {80, 90, 100})
    CHECK(blocks(architecture, {{1024, 32}, {768, 32}, {512, 32}}) == list{2, 2, 4});
  for (const int architecture : {86, 89, 120})
    CHECK(blocks(architecture, {{1024, 32}, {768, 32}, {512, 32}}) == list{1, 2, 3});
  const block_occupancy o = occupancy(86, {1024, 32});
  CHECK((o.warps == 32 && o.fraction == 32 / 48. && o.limiter == occupancy_limit::threads));
  CHECK(o.reason == "threads: a block has 32 warps, of 48");
  CHECK(occupancy(86, {768, 32}).fraction == 1);
  CHECK(blocks(75, {{1, 16}, {33, 16}}) == list{16, 16});
  CHECK((blocks(80, {{32, 16}}) == list{32} && occupancy(89, {32, 16}).limiter == occupancy_limit::blocks));
  CHECK(occupancy(89, {32, 16}).reason == "blocks: at most 24");
}

TEST_CASE("newer devices keep 1 KiB of shared memory for each block", "[occupancy][OCC-04]") {
  CHECK(blocks(80, {{128, 32, 0, 16384}, {128, 32, 0, 32768}, {128, 32, 0, 166912}, {128, 32, 0, 166913}}) ==
        list{9, 4, 1, 0});
  CHECK(blocks(90, {{128, 32, 0, 57344}, {128, 32, 0, 57345}, {128, 32, 0, 232448}, {128, 32, 0, 232449}}) ==
        list{4, 3, 1, 0});
  CHECK(occupancy(90, {128, 32, 0, 57345}).reason == "shared memory: a block takes 58496 bytes, of 233472");
}

TEST_CASE("static shared memory is taken from what is left for dynamic", "[occupancy][OCC-05]") {
  CHECK((most_dynamic_shared(80, 256, false) == 48896 && most_dynamic_shared(80, 16384, false) == 32768));
  CHECK(most_dynamic_shared(80, 256) == 163 * 1024 - 256);
  CHECK(blocks(80, {{128, 32, 256, 48896, false}, {128, 32, 256, 48897, false}, {128, 32, 256, 48897, true}}) ==
        list{3, 0, 3});
  CHECK(occupancy(80, {128, 32, 256, 48897, false}).reason ==
        "shared memory: 256 static and 48897 dynamic bytes are more than the 49152 of a block that has not opted in to "
        "more");
  CHECK(occupancy(90, {128, 32, 100000, 0}).reason ==
        "shared memory: 100000 static bytes are more than the 49152 that a kernel may have");
}

TEST_CASE("each kind of device has its own shared memory", "[occupancy][OCC-06]") {
  CHECK(blocks(75, {{128, 32, 0, 16384}, {128, 32, 0, 32768}, {128, 32, 0, 65537}}) == list{4, 2, 0});
  const std::vector<block_needs> needs{{128, 32, 0, 16384}, {128, 32, 0, 49152}};
  CHECK(blocks(80, needs) == list{9, 3});
  CHECK(blocks(86, needs) == list{5, 2});
  CHECK(blocks(90, needs) == list{13, 4});
}

TEST_CASE("1024 threads do not always fit", "[occupancy][OCC-07]") {
  for (const int architecture : {80, 86, 90}) {
    CHECK(blocks(architecture, {{1024, 64}, {1024, 65}, {896, 65}, {512, 65}, {256, 255}, {288, 255}}) ==
          list{1, 0, 1, 1, 1, 0});
    CHECK(occupancy(architecture, {1024, 65}).reason ==
          "registers: a block has 32 warps of 2304, of 65536: they are granted to 4 warps at a time, 28 in all");
    CHECK(blocks(architecture, {{0, 32}, {1025, 32}, {32, 256}, {32, -1}, {32, 32, -1}}) == list{0, 0, 0, 0, 0});
  }
  CHECK(occupancy(90, {1025, 32}).reason == "threads: a block must have 1 to 1024, not 1025");
  CHECK(occupancy(90, {32, 256}).reason == "registers: a thread must have at most 255, not 256");
}

#if defined(__CUDACC__)
__global__ static void count_up(int* out) {
  __shared__ int sum[64];
  if (threadIdx.x < 64) sum[threadIdx.x] = out[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] += sum[(threadIdx.x + 1) % 64];
}

TEST_CASE("the count is that of the CUDA runtime on this device", "[occupancy]") {
  for (auto& machine : testing::machines()) {
    if (!machine.is_gpu()) continue;
    int major = 0, minor = 0;
    REQUIRE(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0) == cudaSuccess);
    REQUIRE(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0) == cudaSuccess);
    cudaFuncAttributes a = {};
    REQUIRE(cudaFuncGetAttributes(&a, count_up) == cudaSuccess);
    for (int threads = 32; threads <= 1024; threads += 96)
      for (const int bytes : {0, 1000, 12345, 40000}) {
        int expected = 0;
        REQUIRE(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&expected, count_up, threads, size_t(bytes)) ==
                cudaSuccess);
        INFO(threads << " threads, " << bytes << " bytes");
        CHECK(occupancy(10 * major + minor, {threads, a.numRegs, int64(a.sharedSizeBytes), bytes}).blocks == expected);
      }
  }
}
#endif
