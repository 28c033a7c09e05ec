// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What only a GPU can show: errors of other calls, registers, streams.
#if defined(__CUDACC__)
#include <support/unit.hpp>

#include <string>

using namespace memtile;

namespace {

struct fill {
  int threads;
  MEMTILE_KERNEL void operator()(block b, vector_view<int> out, int value) const {
    if (out.inside(b.rank())) out.store(b.rank(), value);
  }
};

// 128 sums that all change in each step: more than the 64 registers that 1024 threads can have.
struct many_registers {
  int threads;
  MEMTILE_KERNEL void operator()(block b, vector_view<const float> in, vector_view<float> out) const {
    fragment<float, 8, 16> sums;
    sums.fill(0);
    float a[8], c[16];
    for (int64 step = 0; step < in.size; ++step) {
      for (int i = 0; i < 8; ++i) a[i] = in.load((step + i) % in.size);
      for (int j = 0; j < 16; ++j) c[j] = in.load((step * 3 + j) % in.size);
      sums.add_outer_product(a, c);
    }
    float total = 0;
    for (int i = 0; i < 8; ++i)
      for (int j = 0; j < 16; ++j) total += sums(i, j) * float(i * 16 + j);
    out.store_inside(b.rank(), total);
  }
};

struct wait_then_fill {
  static constexpr int threads = 32;
  MEMTILE_KERNEL void operator()(block b, vector_view<int> out, int value) const {
#if defined(__CUDA_ARCH__)
    for (int i = 0; i < 2000; ++i) __nanosleep(10000);
#endif
    out.store(b.rank(), value);
  }
};

struct add_one {
  static constexpr int threads = 32;
  MEMTILE_KERNEL void operator()(block b, vector_view<int> out) const { out.store(b.rank(), out.load(b.rank()) + 1); }
};

template <class Test>
void on_each_gpu(Test test) {
  for (auto& machine : testing::machines())
    if (machine.is_gpu()) test(machine);
}

// A call of the caller's own goes wrong, and the error stays pending.
void leave_an_error() {
  REQUIRE(cudaSetDevice(-1) == cudaErrorInvalidDevice);
  REQUIRE(cudaPeekAtLastError() == cudaErrorInvalidDevice);
}

}  // namespace

TEST_CASE("an earlier error of the caller is neither returned nor cleared", "[launch]") {
  on_each_gpu([](auto& machine) {
    auto out = machine.template buffer<int>(32);
    leave_an_error();
    const status result = launch(machine, 1, fill{32}, out.view(), 5);
    const cudaError_t pending = cudaGetLastError();
    CHECK(result.ok());
    CHECK(pending == cudaErrorInvalidDevice);
    CHECK(unit::differences(out.host(), 32, [](int) { return 5; }) == 0);
  });
}

TEST_CASE("a refusal leaves the earlier error as it was, and no error of its own", "[launch][PRIM-07]") {
  on_each_gpu([](auto& machine) {
    auto out = machine.template buffer<int>(32);
    leave_an_error();
    CHECK_FALSE(launch(machine, 1, fill{1500}, out.view(), 5).ok());
    CHECK(cudaGetLastError() == cudaErrorInvalidDevice);
    CHECK_FALSE(launch(machine, 1, fill{1500}, out.view(), 5).ok());
    CHECK(cudaGetLastError() == cudaSuccess);
  });
}

TEST_CASE("more registers than fit are refused, and fewer threads of the same kernel run", "[launch][PRIM-07]") {
  on_each_gpu([](auto& machine) {
    auto in = machine.template buffer<float>(5, [](int i) { return float(i - 2); });
    auto out = machine.template buffer<float>(1024, [](int) { return -1.f; });
    for (int attempt = 0; attempt < 2; ++attempt) {
      const status refused = launch(machine, 1, many_registers{1024}, in.view(), out.view());
      INFO(refused.message());
      CHECK(refused.code() == status::invalid_configuration);
      CHECK(refused.message().find("registers") != std::string::npos);
      CHECK(refused.message().find("1024 threads") != std::string::npos);
      CHECK(unit::differences(out.host(), 1024, [](int) { return -1.f; }) == 0);
      CHECK(cudaPeekAtLastError() == cudaSuccess);
      REQUIRE(launch(machine, 1, many_registers{128}, in.view(),
                     out.view()));  // known to fit from now on; 1024 threads are not
      REQUIRE(machine.synchronize());
      CHECK(unit::differences(out.host(), 128, [](int) { return -1.f; }) == 128);
      out.write([](int) { return -1.f; });
    }
  });
}

TEST_CASE("a launch runs on the stream that it is given, in any of the ways to name it", "[launch][PRIM-08]") {
  on_each_gpu([](auto& machine) {
    auto out = machine.template buffer<int>(32, [](int) { return 0; });
    const cudaStream_t stream = machine.stream();
    REQUIRE(launch(machine, 1, add_one{}, out.view()));  // loads the kernel: that would wait for what runs
    REQUIRE(machine.synchronize());
    REQUIRE(launch(stream, 1, wait_then_fill{}, out.view(),
                   40));  // on another stream what follows would come before its end
    REQUIRE(launch(stream, 1, add_one{}, out.view()));
    REQUIRE(launch(context{stream}, 1, add_one{}, out.view()));
    REQUIRE(launch(machine, 1, add_one{}, out.view()));
    CHECK(cudaStreamQuery(cudaStreamLegacy) == cudaSuccess);
    CHECK(cudaStreamQuery(stream) == cudaErrorNotReady);
    REQUIRE(machine.synchronize());
    CHECK(unit::differences(out.host(), 32, [](int) { return 43; }) == 0);
  });
}

TEST_CASE("a launch can be captured into a graph and replayed", "[launch][PRIM-09]") {
  on_each_gpu([](auto& machine) {
    auto out = machine.template buffer<int>(32, [](int) { return 0; });
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    REQUIRE(cudaStreamBeginCapture(machine.stream(), cudaStreamCaptureModeGlobal) == cudaSuccess);
    const status result = launch(machine, 1, add_one{}, out.view());
    REQUIRE(cudaStreamEndCapture(machine.stream(), &graph) == cudaSuccess);
    REQUIRE(result.ok());
    REQUIRE(cudaGraphInstantiate(&executable, graph, 0) == cudaSuccess);
    for (int replay = 0; replay < 3; ++replay) CHECK(cudaGraphLaunch(executable, machine.stream()) == cudaSuccess);
    CHECK(unit::differences(out.host(), 32, [](int) { return 3; }) == 0);
    CHECK(cudaGraphExecDestroy(executable) == cudaSuccess);
    CHECK(cudaGraphDestroy(graph) == cudaSuccess);
  });
}
#endif
