// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same call again and again: the same bits, on both machines, whatever runs beside it and whatever was before.
#include <support/reduce.hpp>

using namespace memtile;

namespace {

inline float sine(int i) { return float(std::sin(double(i))); }

// What the first machine found, all others must find.
class agreement {
 public:
  void check(const std::string& machine, std::vector<uint32> found) {
    INFO(machine);
    if (first_.empty()) first_ = found;
    CHECK(found == first_);
  }

 private:
  std::vector<uint32> first_;
};

template <class Machine>
std::vector<uint32> bits_of_everything(Machine& machine, int n) {
  auto in = machine.template buffer<float>(n, sine, {0, 1});
  std::vector<uint32> found;
  found.push_back(test::bits(test::sum_of<float>(machine, in.view())));
  found.push_back(test::bits(test::sum_of<float, compensated>(machine, in.view())));
  const auto euclid = [&](auto out) { return norm(machine, in.view(), out); };
  found.push_back(test::bits(test::result_of<float>(machine, euclid)));
  const auto moments_in = test::reduced_to<statistics_of<float>, moments>(machine, in.view());
  const vec<float, 2> sums{{moments_in.mean, moments_in.squares}};
  for (int i = 0; i < 2; ++i) found.push_back(test::bits(sums[i]));
  return found;
}

#if MEMTILE_CUDA
// Work of some other stream.
struct keep_busy {
  static constexpr int threads = 256;
  MEMTILE_KERNEL void operator()(block b, vector_view<float> v, int rounds) const {
    const int64 i = int64(b.grid_column()) * threads + b.rank();
    float x = v.load(i);
    for (int r = 0; r < rounds; ++r) x = fma(x, 0.999f, 0.5f);
    v.store(i, x);
  }
};

template <class T>
vector_view<T> element(const vector_view<T>& v, int i) {
  return {v.data + i, 1};
}
template <class Machine>
auto workspace_buffer(Machine& machine, size_t bytes) {  // tickets are 0, and behind them is no number
  return machine.template buffer<uint32>(int64(bytes / 4), [](int i) { return i < 16384 ? 0u : 0xffffffffu; });
}
#endif

}  // namespace

TEST_CASE("the simulator and the GPU agree on every bit", "[reduce][RED-19]") {
  for (int n : {1, 100, 16384, 100003}) {
    agreement all;
    for (auto& machine : testing::machines())
      all.check(machine.name() + ", " + std::to_string(n) + " elements", bits_of_everything(machine, n));
  }
}

TEST_CASE("a sum of floats has the same bits at every run", "[reduce][RED-19]") {
  for (auto& machine : testing::machines()) {
    const int runs = machine.is_gpu() ? 100 : 4;
    auto in = machine.buffer<float>(machine.is_gpu() ? 1000003 : 100003, sine);
    auto out = machine.buffer<float>(runs);
#if MEMTILE_CUDA
    const auto other_stream = testing::detail::make_stream();
    auto other = machine.buffer<float>(512 * 256, [](int) { return 1.f; });
#endif
    for (int run = 0; run < runs; ++run) {
#if MEMTILE_CUDA
      if (machine.is_gpu()) REQUIRE(launch(other_stream.get(), 1 + run * 5 % 512, keep_busy{}, other.view(), 10000));
#endif
      REQUIRE(sum(machine, in.view(), vector_view<float>(out.view().data + run, 1)));
    }
    REQUIRE(machine.synchronize());
    const auto found = out.host();
    CHECK(unit::differences(found, runs, [&](int) { return found(0); }) == 0);
    double expected = 0;
    for (int i = 0; i < int(in.size()); ++i) expected += double(sine(i));
    CHECK(std::fabs(double(found(0)) - expected) <= test::bound_of_sum(double(in.size()), double(in.size())));
    CHECK(out.untouched());
#if MEMTILE_CUDA
    if (machine.is_gpu()) REQUIRE(cudaStreamSynchronize(other_stream.get()) == cudaSuccess);
#endif
  }
}

TEST_CASE("calls that follow each other do not disturb each other", "[reduce][RED-20]") {
  for (auto& machine : testing::machines()) {
    const int n = 40000, calls = machine.is_gpu() ? 200 : 20;
    auto in = machine.buffer<float>(n, [](int) { return 1.f; });
    auto out = machine.buffer<float>(calls);
    for (int call = 0; call < calls; ++call)
      REQUIRE(
          sum(machine, vector_view<float>(in.view().data, n - call), vector_view<float>(out.view().data + call, 1)));
    CHECK(unit::differences(out.host(), calls, [&](int call) { return float(n - call); }) == 0);
  }
}

#if MEMTILE_CUDA
TEST_CASE("thousands of calls use one workspace in turn, and two streams two", "[reduce][RED-20]") {
  for (auto& machine : testing::machines()) {
    if (!machine.is_gpu()) continue;
    const int n = 1 << 22, calls = 2000;
    auto in = machine.buffer<float>(n, [](int) { return 1.f; });
    auto out = machine.buffer<float>(2 * calls);
    workspace_query need;
    REQUIRE(sum(need, in.view(), out.view()));
    CHECK(need.bytes > 65536);
    auto first = workspace_buffer(machine, need.bytes), second = workspace_buffer(machine, need.bytes);
    const auto other_stream = testing::detail::make_stream();
    const context here{machine.stream(), first.view().data, need.bytes},
        there{other_stream.get(), second.view().data, need.bytes};
    for (int call = 0; call < calls; ++call) REQUIRE(sum(here, in.view(), element(out.view(), call)));
    CHECK(unit::differences(out.host(), calls, [](int) { return 4194304.f; }) == 0);
    for (int call = 0; call < calls; ++call) {
      REQUIRE(sum(here, in.view(), element(out.view(), 2 * call)));
      REQUIRE(sum(there, in.view(), element(out.view(), 2 * call + 1)));
    }
    REQUIRE(machine.synchronize());
    REQUIRE(cudaStreamSynchronize(other_stream.get()) == cudaSuccess);
    CHECK(unit::differences(out.host(), 2 * calls, [](int) { return 4194304.f; }) == 0);
    CHECK(unit::differences(first.host(), 16384, [](int) { return 0u; }) == 0);  // ready for the next
    CHECK(unit::differences(second.host(), 16384, [](int) { return 0u; }) == 0);
    CHECK((first.untouched() && second.untouched() && out.untouched()));
  }
}

TEST_CASE("calls of every kind use one workspace in turn", "[reduce][RED-20]") {
  for (auto& machine : testing::machines()) {
    if (!machine.is_gpu()) continue;
    const int n = 100003;
    auto in = machine.buffer<float>(n, [](int i) { return i == 70000 ? 5.f : 1.f; });
    auto sums = machine.buffer<float>(50);
    auto places = machine.buffer<int64>(50);
    auto spreads = machine.buffer<statistics_of<float>>(50);
    workspace_query need;
    REQUIRE(sum(need, in.view(), sums.view()));
    REQUIRE(argmax(need, in.view(), places.view()));
    REQUIRE(statistics(need, in.view(), spreads.view()));
    auto memory = workspace_buffer(machine, need.bytes);
    const context where{machine.stream(), memory.view().data, need.bytes};
    for (int round = 0; round < 50; ++round) {
      REQUIRE(sum(where, in.view(), element(sums.view(), round)));
      REQUIRE(argmax(where, in.view(), element(places.view(), round)));
      REQUIRE(statistics(where, in.view(), element(spreads.view(), round)));
    }
    CHECK(unit::differences(sums.host(), 50, [](int) { return 100007.f; }) == 0);
    CHECK(unit::differences(places.host(), 50, [](int) { return 70000; }) == 0);
    for (int round = 0; round < 50; ++round) CHECK(spreads.host()(round).maximum == 5);
    CHECK(memory.untouched());
  }
}
#endif
