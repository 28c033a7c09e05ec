// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How much workspace a reduction asks for, and that it refuses less.
#include <support/reduce.hpp>

using namespace memtile;

namespace {

template <class In>
size_t bytes_of_sum(const In& in, vector_view<float> out) {
  workspace_query need;
  REQUIRE(sum(need, in, out));
  return need.bytes;
}

}  // namespace

TEST_CASE("a workspace_query notes the most bytes that any call would use, and runs nothing", "[reduce]") {
  for (auto& machine : testing::machines()) {
    auto in = machine.buffer<float>(20480), out = machine.buffer<float>(1, [](int) { return -7.f; });
    const float* const data = in.view().data;
    CHECK(bytes_of_sum(vector_view<const float>(data, 16384), out.view()) == 0);
    // one ticket region, and 16 places for the parts of 5 chunks
    CHECK(bytes_of_sum(vector_view<const float>(data, 16385), out.view()) == 65536 + 16 * sizeof(float));
    CHECK(bytes_of_sum(vector_view<const float>(data, 20480), out.view()) == 65536 + 16 * sizeof(float));
    workspace_query need;
    REQUIRE(statistics(need, vector_view<const float>(data, 16385),
                       vector_view<statistics_of<float>>(reinterpret_cast<statistics_of<float>*>(4096), 1)));
    CHECK(need.bytes == 65536 + 16 * sizeof(statistics_of<float>));
    REQUIRE(sum(need, vector_view<const float>(data, 16385), out.view()));
    REQUIRE(sum(need, vector_view<const float>(data, 5), out.view()));
    CHECK(need.bytes == 65536 + 16 * sizeof(statistics_of<float>));
    CHECK_FALSE(sum(need, vector_view<const float>(nullptr, 5), out.view()));  // refused as the call itself would be
    CHECK(out.host()(0) == -7);
  }
}

#if MEMTILE_CUDA
TEST_CASE("a workspace that is too small or misaligned is refused, and nothing runs", "[reduce]") {
  for (auto& machine : testing::machines()) {
    if (!machine.is_gpu()) continue;
    auto in = machine.buffer<float>(20480, test::small_integer);
    auto memory = machine.buffer<uint32>((65536 + 64) / 4 + 4, [](int) { return uint32(0); });
    const auto sum_in = [&](void* workspace, size_t bytes, vector_view<float> out) {
      return sum(context{machine.stream(), workspace, bytes}, in.view(), out);
    };
    auto out = machine.buffer<float>(1, [](int) { return -7.f; });
    CHECK(sum_in(memory.view().data, 65599, out.view()).message() ==
          "reduce: the workspace has 65599 bytes but 65600 are needed: ask with a workspace_query");
    CHECK(sum_in(memory.view().data + 1, 65600, out.view()).message() ==
          "reduce: the workspace must begin at a multiple of 16 bytes");
    CHECK(out.host()(0) == -7);
    CHECK(unit::differences(memory.host(), int(memory.size()), [](int) { return uint32(0); }) == 0);
    REQUIRE(sum_in(memory.view().data, 65600, out.view()));
    float expected = 0;
    for (int i = 0; i < 20480; ++i) expected += float(test::small_integer(i));
    CHECK(out.host()(0) == expected);
    CHECK(memory.untouched());
  }
}
#endif
