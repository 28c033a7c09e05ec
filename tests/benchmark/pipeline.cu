// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A pipeline of 4K frames beside what the link to the host could carry, and what memory it holds before, after 100
// frames and after all.
//
//   pipeline [FRAMES [SLOTS]]      without numbers: 2000; 1, 2, 3, 4 and 8
//
// The bound of a frame is the time of its copies where both directions go on at once. "in place": source and sink touch
// nothing; "copied": each copies the frame from and to ordinary memory, as a program that has it elsewhere must.
#include <memtile/pipeline.cuh>
#include <memtile/stencil.cuh>

#include "benchmark.hpp"
#include "scratch.hpp"

#include <chrono>
#include <cstring>

namespace {

using benchmark::check;
using benchmark::must;
using namespace memtile;

constexpr int64 rows = 2160, cols = 3840;
std::vector<int> all_slots{1, 2, 3, 4, 8};

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Gigabytes a second: up, down, and the slower of the two where both go on at once.
struct rates {
  double up, down, both;
};
rates measure_link() {
  constexpr size_t bytes = size_t(256) << 20;
  constexpr int copies = 20;
  void *host[2], *device[2];
  cudaStream_t streams[2];
  for (int i = 0; i < 2; ++i) {
    check(cudaMallocHost(&host[i], bytes), "pinned memory");
    check(cudaMalloc(&device[i], bytes), "memory");
    check(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking), "stream");
    std::memset(host[i], 1, bytes);
  }
  const auto rate = [&](bool up, bool down) {
    double best = 0;
    for (int turn = 0; turn < 3; ++turn) {
      check(cudaDeviceSynchronize(), "wait");
      const auto begin = std::chrono::steady_clock::now();
      for (int i = 0; i < copies; ++i) {
        if (up) check(cudaMemcpyAsync(device[0], host[0], bytes, cudaMemcpyHostToDevice, streams[0]), "copy");
        if (down) check(cudaMemcpyAsync(host[1], device[1], bytes, cudaMemcpyDeviceToHost, streams[1]), "copy");
      }
      check(cudaDeviceSynchronize(), "wait");
      best = (std::max)(best, double(bytes) * copies / seconds_since(begin) / 1e9);
    }
    return best;
  };
  const rates found{rate(true, false), rate(false, true), rate(true, true)};
  for (int i = 0; i < 2; ++i) {
    check(cudaFreeHost(host[i]), "free");
    check(cudaFree(device[i]), "free");
    check(cudaStreamDestroy(streams[i]), "stream");
  }
  return found;
}

// In use, in MB: of the GPU, and resident of this process.
void print_memory(const char* when) {
  size_t left = 0, all = 0;
  check(cudaMemGetInfo(&left, &all), "memory");
  long pages = 0, resident = 0;
  if (std::FILE* statm = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(statm, "%ld %ld", &pages, &resident) != 2) resident = 0;
    std::fclose(statm);
  }
  std::printf("    memory %-18s GPU %8.1f MB, host %8.1f MB\n", when, double(all - left) / 1e6,
              double(resident) * 4096 / 1e6);
}

template <class T, class Work>
void frames_of(const char* what, int64 count, const rates& link, const Work& work) {
  cudaStream_t stream;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
  const size_t bytes = sizeof(T) * rows * cols;
  const std::vector<unsigned char> given(bytes, 1);
  std::vector<unsigned char> taken(bytes);
  const double bound = link.both * 1e9 / double(bytes);
  std::printf("%s, %.1f MB each way, at most %.0f frames/s by the link\n", what, double(bytes) / 1e6, bound);
  print_memory("before");
  for (const int slots : all_slots) {
    pipeline frames(stream, frame<T>{rows, cols}, slots);
    for (const bool copies : {false, true}) {
      const auto run = [&](int64 wanted) {
        int64 begun = 0;
        must(frames.run(
            [&](matrix_view<T> in) {
              if (copies) std::memcpy(static_cast<void*>(in.data), given.data(), bytes);
              return begun++ < wanted;
            },
            work,
            [&](matrix_view<const T> out) {
              if (copies) std::memcpy(taken.data(), static_cast<const void*>(out.data), bytes);
            }));
      };
      run(100);
      if (slots == all_slots.back() && copies) print_memory("after 100 frames");
      const auto begin = std::chrono::steady_clock::now();
      run(count);
      const double rate = double(count) / seconds_since(begin);
      std::printf("  %d slots, %-9s %8.1f frames/s   of the link %.3f\n", slots, copies ? "copied" : "in place", rate,
                  rate / bound);
      if (slots == all_slots.back() && copies) print_memory("after all");
    }
  }
  print_memory("when freed");
  check(cudaStreamDestroy(stream), "stream");
}

}  // namespace

int main(int words, char** word) {
  const int64 count = words > 1 ? std::atoll(word[1]) : 2000;
  if (words > 2) all_slots = {std::atoi(word[2])};
  benchmark::print_card();
  const rates link = measure_link();
  std::printf("link, pinned copies of 256 MiB: up %.1f GB/s, down %.1f GB/s, both at once %.1f GB/s each\n", link.up,
              link.down, link.both);
  const auto nothing = [](const auto& where, auto in, auto out) {
    return stencil<box<0>>(where, in, out, detail::itself{}, replicate{});
  };
  const auto median = [](const auto& where, auto in, auto out) {
    return median_filter<box<1>>(where, in, out, reflect{});
  };
  frames_of<uint8>("grey, 8 bits, copied by a kernel", count, link, nothing);
  frames_of<uint8>("grey, 8 bits, median 3x3", count, link, median);
  frames_of<vec<uint8, 3>>("RGB, 8 bits, median 3x3", count / 3, link, median);
  frames_of<float>("grey, float, median 3x3", count / 4, link, median);

  // An array of the host in bands, beside its own copy up and down.
  const int64 side = 32768;
  std::vector<float> in(size_t(side * side), 1.f), out(size_t(side * side));
  for (const int64 height : {256, 1024, 4096}) {
    const auto begin = std::chrono::steady_clock::now();
    must(run_in_bands(stream_t(nullptr), row_major(in.data(), side, side), row_major(out.data(), side, side),
                      bands{height, 1}, [](const auto& where, auto from, auto to, const band& b) {
                        return stencil<star<1>>(where, from, to, detail::itself{}, replicate{}, b.part);
                      }));
    const double s = seconds_since(begin);
    std::printf("4 GiB in bands of %4lld rows: %.2f s, %.1f GB/s each way\n", static_cast<long long>(height), s,
                double(side * side) * 4 / s / 1e9);
  }
  return 0;
}
