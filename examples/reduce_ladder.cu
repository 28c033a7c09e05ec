// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ladder of sums: one array, added up in five ways. Reading it takes the same sectors on every rung. What differs
// is what else is done: atomic operations, barriers, requests. The simulator counts them before any GPU has run a rung.
//
//   ./reduce_ladder      prints, for every rung, what the sum of 2^16 floats costs; on a GPU also its time at 2^24
#include <memtile/kernel.cuh>
#include <memtile/reduce.cuh>
#include <memtile/sim.cuh>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#if defined(__CUDACC__) && __has_include(<cub/device/device_reduce.cuh>)
#include <cub/device/device_reduce.cuh>
#define LADDER_WITH_CUB
#endif

using namespace memtile;
using vector = vector_view<const float>;

// What the rungs may write to besides the result.
struct scratch {
  vector_view<float> parts;    // one for each block
  vector_view<uint32> ticket;  // one, 0 before and after each call
};
constexpr int64 chunk = 4096;  // what a block of rungs 3 and 4 adds up: 16 elements a thread

struct set_to_zero {
  static constexpr int threads = 1;
  MEMTILE_KERNEL void operator()(block, vector_view<float> out) const { out.store(0, 0); }
};

// Rung 1. Every element goes to the one result by itself, and there they queue.
struct one_atomic_each {
  static constexpr int threads = 256;
  MEMTILE_KERNEL void operator()(block block, vector in, vector_view<float> out) const {
    const int64 i = int64(block.grid_column()) * threads + block.rank();
    if (in.inside(i)) out.atomic_add(0, in.load(i));
  }
};

// Rung 2. The elements of a block meet in shared memory, half as many after each barrier; one atomic operation a block.
struct tree_in_shared {
  static constexpr int threads = 256;
  struct storage {
    shared_tile<float, 1, threads> sums;
  };
  MEMTILE_KERNEL void operator()(block block, storage& shared, vector in, vector_view<float> out) const {
    const int rank = block.rank();
    shared.sums.store(0, rank, in.load_inside(int64(block.grid_column()) * threads + rank));
    block.sync();
    for (int left = threads / 2; left > 0; left /= 2) {
      if (rank < left) shared.sums.store(0, rank, shared.sums.load(0, rank) + shared.sums.load(0, rank + left));
      block.sync();
    }
    if (rank == 0) out.atomic_add(0, shared.sums.load(0, 0));
  }
};

template <class Kernel>
struct with_atomics {
  template <class Where>
  static status run(Where&& where, vector in, const scratch&, vector_view<float> out) {
    if (status done = launch(where, grid(1), set_to_zero{}, out); !done) return done;
    return launch(where, grid(ceil_div(in.size, int64(Kernel::threads))), Kernel{}, in, out);
  }
};

// Rung 3. Most of the adding happens in registers: each thread takes 16 elements, the lanes of a warp exchange theirs
// by shuffles, and one barrier is left. The blocks leave their sums side by side, and a second launch adds those up: no
// atomic operations, so the order is fixed, and with it the bits.
struct sums_of_chunks {
  static constexpr int threads = 256;
  using reducer = block_reduce<float, threads>;
  using storage = reducer::storage;
  MEMTILE_KERNEL void operator()(block block, storage& shared, vector in, int64 size_of_chunk,
                                 vector_view<float> out) const {
    const int64 begin = block.grid_column() * size_of_chunk, end = min_of(begin + size_of_chunk, in.size);
    float sum = 0;
    for (int64 i = begin + block.rank(); i < end; i += threads) sum += in.load(i);
    sum = reducer(block, shared).thread_0(sum, plus{});
    if (block.rank() == 0) out.store(block.grid_column(), sum);
  }
};
struct two_launches {
  template <class Where>
  static status run(Where&& where, vector in, const scratch& between, vector_view<float> out) {
    const int64 blocks = ceil_div(in.size, chunk);
    if (status done = launch(where, grid(blocks), sums_of_chunks{}, in, chunk, between.parts); !done) return done;
    return launch(where, grid(1), sums_of_chunks{}, subview(between.parts, 0, blocks), blocks, out);
  }
};

// Rung 4. A quarter of the requests, 16 bytes each and all of a thread's on their way at once; and the block that is
// done last adds up the parts, so that nobody waits for a second launch.
struct wide_and_last {
  static constexpr int threads = 256, loads = int(chunk) / threads / 4;
  using reducer = block_reduce<float, threads>;
  using storage = reducer::storage;
  MEMTILE_KERNEL void operator()(block block, storage& shared, vector in, vector_view<float> parts,
                                 vector_view<uint32> ticket, vector_view<float> out) const {
    const int64 begin = block.grid_column() * chunk;
    float sum = 0;
    MEMTILE_UNROLL
    for (int k = 0; k < loads; ++k) {
      const int64 i = begin + (k * threads + block.rank()) * 4;
      if (i + 4 <= in.size) {
        const vec<float, 4> v = in.load(wide<4>, i);
        sum += (v[0] + v[1]) + (v[2] + v[3]);
      } else {  // the end of the array, if it is in the middle of four
        for (int64 j = i; j < in.size; ++j) sum += in.load(j);
      }
    }
    reducer reduce(block, shared);
    sum = reduce.thread_0(sum, plus{});
    if (block.rank() == 0) parts.store(block.grid_column(), sum);
    if (!block_is_last(block, ticket.address(0), block.grid_columns(), stored_by::thread_0)) return;

    sum = 0;
    for (int i = block.rank(); i < block.grid_columns(); i += threads) sum += parts.load(i);
    sum = reduce.thread_0(sum, plus{});
    if (block.rank() == 0) out.store(0, sum);
  }
};
struct one_launch {
  template <class Where>
  static status run(Where&& where, vector in, const scratch& between, vector_view<float> out) {
    return launch(where, grid(ceil_div(in.size, chunk)), wide_and_last{}, in, between.parts, between.ticket, out);
  }
};

// Rung 5. memtile's own: the same with more bytes on their way for large arrays, at any alignment, for any type and
// operator.
struct library {
  template <class Where>
  static status run(Where&& where, vector in, const scratch&, vector_view<float> out) {
    return reduce(where, in, out, plus{}, 0);
  }
};

// Calls visit(name, rung) from the lowest rung to the highest.
template <class Visit>
bool climb(const Visit& visit) {
  return visit("1 an atomic operation for each element", with_atomics<one_atomic_each>{}) &&
         visit("2 a tree in shared memory", with_atomics<tree_in_shared>{}) &&
         visit("3 registers, shuffles, a second launch", two_launches{}) &&
         visit("4 16 bytes a load, the last block adds up", one_launch{}) &&  //
         visit("5 memtile::reduce", library{});
}

// Whole numbers from -1 to 2, in no order: no sum of some of 2^24 of them needs more digits than a float has, so every
// order must give exactly the same.
float element(int i) { return float(int(uint32(i) * 2654435761u >> 30) - 1); }

// Memory for one sum of n elements on a machine.
template <class Machine>
struct work {
  sim::vector_buffer<float> in, parts, out;
  sim::vector_buffer<uint32> ticket;
  double sum = 0;

  work(Machine& machine, int n)
      : in(machine.template buffer<float>(n, element)), parts(machine.template buffer<float>(ceil_div(n, int(chunk)))),
        out(machine.template buffer<float>(1)), ticket(machine.template buffer<uint32>(1, [](int) { return 0; })) {
    for (int i = 0; i < n; ++i) sum += element(i);
  }
  template <class Rung, class Where>
  status run(Rung, Where&& where) {
    return Rung::run(where, in.view(), scratch{parts.view(), ticket.view()}, out.view());
  }
  bool is_right(const char* name) const {
    const double result = out.host()(0);
    if (result != sum) std::printf("%s: wrong result, %.9g and not %.9g\n", name, result, sum);
    return result == sum;
  }
};

// What the sum of n elements costs, all in all; without `printing` only whether it is right.
bool count(int n, bool printing) {
  return climb([&](const char* name, auto rung) {
    sim::machine machine;
    work<sim::machine> sum(machine, n);
    if (const status done = sum.run(rung, machine); !done) return std::puts(done.message().c_str()), false;
    if (!sum.is_right(name)) return false;
    const sim::report& report = machine.report();
    const auto global = report.total(sim::space::global), shared = report.total(sim::space::shared),
               atomic = report.total(sim::space::global, sim::access_kind::atomic);
    if (!printing) return true;
    std::printf("%-42s %8d", name, report.launches());
    for (const std::int64_t number :
         {atomic.lanes, global.requests, global.sectors, shared.wavefronts, report.barriers()})
      std::printf(" %10lld", static_cast<long long>(number));
    return std::puts(""), true;
  });
}

#if defined(__CUDACC__)
// Microseconds of one call: the median of 11 turns of 20 calls.
template <class Call>
double microseconds(cudaStream_t stream, const Call& call) {
  cudaEvent_t start, stop;
  cudaEventCreate(&start);
  cudaEventCreate(&stop);
  std::vector<float> turns(11);
  for (float& turn : turns) {
    cudaEventRecord(start, stream);
    for (int i = 0; i < 20; ++i) call();
    cudaEventRecord(stop, stream);
    cudaEventSynchronize(stop);
    cudaEventElapsedTime(&turn, start, stop);
  }
  cudaEventDestroy(start);
  cudaEventDestroy(stop);
  std::sort(turns.begin(), turns.end());
  return 1e3 * turns[turns.size() / 2] / 20;
}

// CUB on the same elements, or 0 where it was not found.
double microseconds_of_cub([[maybe_unused]] cudaStream_t stream, [[maybe_unused]] vector in,
                           [[maybe_unused]] vector_view<float> out) {
#if defined(LADDER_WITH_CUB)
  size_t bytes = 0;
  void* memory = nullptr;
  const auto call = [&] { return cub::DeviceReduce::Sum(memory, bytes, in.data, out.data, int(in.size), stream); };
  if (call() != cudaSuccess || cudaMalloc(&memory, bytes) != cudaSuccess) return 0;
  const double time = microseconds(stream, call);
  cudaFree(memory);
  return time;
#else
  return 0;
#endif
}

bool measure(int n) {
  auto& machine = testing::machines().back();
  if (!machine.is_gpu()) return std::puts("\nNo GPU here, so no times."), true;
  work<testing::machine> sum(machine, n);
  const double cub = microseconds_of_cub(machine.stream(), sum.in.view(), sum.out.view());
  if (cub != 0 && !sum.is_right("CUB")) return false;

  // Memory for memtile::reduce, zeroed once: else every call would take some from the stream's pool and clear it.
  auto workspace = machine.buffer<uint32>(1 << 18, [](int) { return 0; });
  const context where{machine.stream(), workspace.view().data, sizeof(uint32) << 18};

  double lowest = 0;
  std::printf("\n%s, %d floats\n%-42s %8s %10s %10s %10s\n", machine.name().c_str(), n, "", "us", "GB/s", "x rung 1",
              "x CUB");
  const auto print = [&](const char* name, double time) {
    if (lowest == 0) lowest = time;
    std::printf("%-42s %8.1f %10.1f %10.2f", name, time, 4e-3 * n / time, lowest / time);
    if (cub != 0) std::printf(" %10.3f", cub / time);
    std::puts("");
  };
  const bool all = climb([&](const char* name, auto rung) {
    std::string failure;
    sum.out.write([](int) { return 0; });  // what the rung before has left
    const double time = microseconds(machine.stream(), [&] {
      if (const status done = sum.run(rung, where); !done) failure = done.message();
    });
    if (const status done = machine.synchronize(); !done) failure = done.message();
    if (!failure.empty()) return std::printf("%s: %s\n", name, failure.c_str()), false;
    print(name, time);
    return sum.is_right(name);
  });
  if (cub != 0) print("  CUB", cub);
  return all;
}
#else
bool measure(int) { return std::puts("\nCompiled without CUDA, so no times."), true; }
#endif

int main() {
  constexpr int small = 1 << 16, large = 1 << 24;
  std::printf("What the sum of %d floats costs, counted by the simulator\n%-42s %8s %10s %10s %10s %10s %10s\n", small,
              "", "launches", "atomics", "requests", "sectors", "wavefronts", "barriers");
  bool right = count(small, true);
  for (const int n : {1, 255, 4098, 12345}) right = right && count(n, false);
  return right && measure(large) ? 0 : 1;
}
