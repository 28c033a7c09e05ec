// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions on streams of the caller's: in their order, captured into graphs, and on a second GPU.
#include <support/reduce.hpp>

using namespace memtile;

#if MEMTILE_CUDA
#include <thread>

namespace {

constexpr int size = 70001;

// Ones become `value`, long after the launch.
struct wait_then_fill {
  static constexpr int threads = 256;
  MEMTILE_KERNEL void operator()(block b, vector_view<float> v, float value) const {
#if defined(__CUDA_ARCH__)
    for (int i = 0; i < 2000; ++i) __nanosleep(10000);
#endif
    for (int64 i = b.rank(); i < v.size; i += threads) v.store(i, value);
  }
};
// One call of each kind, each with an output of its own: the others start the same kernels' code.
struct everything {
  sim::vector_buffer<float> floats;
  sim::vector_buffer<int64> indices;
  sim::vector_buffer<statistics_of<float>> moments_found;

  template <class Machine>
  explicit everything(Machine& machine)
      : floats(machine.template buffer<float>(2)), indices(machine.template buffer<int64>(1)),
        moments_found(machine.template buffer<statistics_of<float>>(1)) {}

  template <class Where>
  void call(Where& where, const vector_view<float>& in) {
    const auto number = [&](int i) { return vector_view<float>(floats.view().data + i, 1); };
    REQUIRE(sum(where, in, number(0)));
    REQUIRE(norm(where, in, number(1)));
    REQUIRE(argmax(where, in, indices.view()));
    REQUIRE(statistics(where, in, moments_found.view()));
  }
  // Of so many times the same value, an integer.
  void check(float value) const {
    INFO("value " << value);
    const auto number = floats.host();
    CHECK(number(0) == size * value);
    CHECK(std::fabs(double(number(1)) - std::sqrt(double(size)) * value) <= 1e-3 * value);
    CHECK(indices.host()(0) == 0);
    const auto moments_there = moments_found.host()(0);
    CHECK((moments_there.mean == value && moments_there.squares == 0 && moments_there.count == size));
    CHECK((floats.untouched() && indices.untouched()));
  }
};

template <class Test>
void on_each_gpu(Test test) {
  for (auto& machine : testing::machines())
    if (machine.is_gpu()) test(machine);
}

// Room for every one of the calls, with tickets of zero and no number behind them.
template <class Machine>
auto workspace_for_everything(Machine& machine, everything& results, const vector_view<float>& in) {
  workspace_query need;
  results.call(need, in);
  return machine.template buffer<uint32>(int64(need.bytes / 4), [](int i) { return i < 16384 ? 0u : 0xffffffffu; });
}

bool sum_on_device(int device) {
  if (cudaSetDevice(device) != cudaSuccess) return false;
  auto machine = testing::machine::make_gpu();
  auto in = machine.buffer<float>(size, [](int) { return 1.f; });
  auto out = machine.buffer<float>(1);
  return sum(machine, in.view(), out.view()).ok() && out.host()(0) == size;
}

}  // namespace

TEST_CASE("every reduction runs on the stream that it is given, and nothing on another", "[reduce][PRIM-08]") {
  on_each_gpu([](auto& machine) {
    auto in = machine.template buffer<float>(size, [](int) { return 1.f; });
    everything results(machine);
    auto memory = workspace_for_everything(machine, results, in.view());
    const context with_workspace{machine.stream(), memory.view().data, size_t(memory.size()) * 4};
    const cudaStream_t stream = machine.stream();
    results.call(with_workspace, in.view());  // loads the kernels: that would wait for what runs
    results.call(stream, in.view());
    results.check(1);
    const auto check_waits = [&](auto& where, float value) {
      REQUIRE(launch(machine, 1, wait_then_fill{}, in.view(), value));
      results.call(where, in.view());
      CHECK(cudaStreamQuery(cudaStreamLegacy) == cudaSuccess);
      CHECK(cudaStreamQuery(stream) == cudaErrorNotReady);
      REQUIRE(machine.synchronize());
      results.check(value);
    };
    check_waits(with_workspace, 2.f);
    check_waits(stream, 3.f);
    CHECK((in.untouched() && memory.untouched()));
  });
}

TEST_CASE("reductions can be captured into a graph, with a workspace and without", "[reduce][PRIM-09]") {
  on_each_gpu([](auto& machine) {
    auto in = machine.template buffer<float>(size, [](int) { return 1.f; });
    everything results(machine);
    auto memory = workspace_for_everything(machine, results, in.view());
    for (bool has_workspace : {true, false}) {
      INFO("with a workspace: " << has_workspace);
      context where{machine.stream()};
      if (has_workspace) where = {machine.stream(), memory.view().data, size_t(memory.size()) * 4};
      const vector_view<float> input = in.view();
      cudaGraph_t graph = nullptr;
      cudaGraphExec_t executable = nullptr;
      REQUIRE(cudaStreamBeginCapture(machine.stream(), cudaStreamCaptureModeGlobal) == cudaSuccess);
      results.call(where, input);
      REQUIRE(cudaStreamEndCapture(machine.stream(), &graph) == cudaSuccess);
      REQUIRE(cudaGraphInstantiate(&executable, graph, 0) == cudaSuccess);
      for (float value : {1.f, 2.f, 3.f}) {
        in.write([&](int) { return value; });
        REQUIRE(cudaGraphLaunch(executable, machine.stream()) == cudaSuccess);
        REQUIRE(machine.synchronize());
        results.check(value);
      }
      CHECK(cudaGraphExecDestroy(executable) == cudaSuccess);
      CHECK(cudaGraphDestroy(graph) == cudaSuccess);
    }
  });
}

TEST_CASE("a second GPU reduces as the first, and both at once", "[reduce][PRIM-10]") {
  int devices = 0, current = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices < 2) {
    WARN("skipped: it needs two GPUs");
    return;
  }
  REQUIRE(cudaGetDevice(&current) == cudaSuccess);
  CHECK(sum_on_device(0));
  CHECK(sum_on_device(1));
  bool right[2] = {false, false};
  std::thread other([&] { right[1] = sum_on_device(1); });
  right[0] = sum_on_device(0);
  other.join();
  CHECK((right[0] && right[1]));
  REQUIRE(cudaSetDevice(current) == cudaSuccess);
}
#endif
