// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What reductions refuse, in which words, and that a refusal changes nothing.
#include <support/reduce.hpp>

#include <string>

using namespace memtile;

namespace {

// The call says `words`, and its output still holds -7.
template <class Machine, class Call>
void check_refused(Machine& machine, const std::string& words, const Call& call) {
  auto out = machine.template buffer<float>(1, [](int) { return -7.f; });
  const status refused = call(out.view());
  CHECK_FALSE(refused);
  CHECK(refused.code() == status::invalid_value);
  CHECK(refused.message() == words);
  CHECK(out.host()(0) == -7);
#if MEMTILE_CUDA
  CHECK(cudaPeekAtLastError() == cudaSuccess);
#endif
}
// The same of the sum of an input.
template <class Machine, class In>
void check_input_refused(Machine& machine, const In& in, const std::string& words) {
  check_refused(machine, words, [&](auto out) { return sum(machine, in, out); });
}

struct always_one {
  MEMTILE_FUNCTION float operator()(int64) const { return 1; }
};

}  // namespace

TEST_CASE("null, negative and misaligned inputs of a reduction are refused", "[reduce]") {
  for (auto& machine : testing::machines()) {
    auto in = machine.buffer<float>(100, test::small_integer);
    const auto odd = reinterpret_cast<float*>(reinterpret_cast<char*>(in.view().data) + 2);
    check_input_refused(machine, vector_view<float>(nullptr, 5),
                        "reduce: the input has 5 elements but its pointer is null");
    check_input_refused(machine, vector_view<float>(in.view().data, -5),
                        "reduce: the input has -5 elements: sizes must not be negative");
    check_input_refused(machine, generated(-3, always_one{}),
                        "reduce: the input has -3 elements: sizes must not be negative");
    check_input_refused(machine, generated((int64(1) << 44) + 1, always_one{}),
                        "reduce: 17592186044417 generated elements are more than the 17592186044416 of one call");
    check_input_refused(machine, vector_view<float>(odd, 5),
                        "reduce: the address of the input must be a multiple of its element's 4 bytes");
    check_input_refused(machine, matrix_view<float>(nullptr, 2, 3, 12),
                        "reduce: the input is 2x3 but its pointer is null");
    check_input_refused(
        machine, matrix_view<float>(in.view().data, 2, 3, 8),
        "reduce: the input is 2x3 with a pitch of 8 bytes: it must be at least 12, the bytes of one row");
  }
}

TEST_CASE("slices with gaps between them are refused with both pitches", "[reduce]") {
  for (auto& machine : testing::machines()) {
    auto in = machine.buffer<float>(100, test::small_integer), out = machine.buffer<float>(1, [](int) { return -7.f; });
    const status refused = sum(machine, volume_view<float>(in.view().data, 2, 3, 4, 16, 64), out.view());
    INFO(refused.message());
    CHECK(refused.code() == status::invalid_value);
    CHECK(refused.message().find("48 bytes") != std::string::npos);
    CHECK(refused.message().find("64 bytes") != std::string::npos);  // which is what is wrong
    CHECK(out.host()(0) == -7);
  }
}

TEST_CASE("an output without an element, or without memory, is refused", "[reduce]") {
  for (auto& machine : testing::machines()) {
    auto in = machine.buffer<float>(100, test::small_integer);
    check_refused(machine, "reduce: the output has no element, but the result needs one",
                  [&](auto out) { return sum(machine, in.view(), vector_view<float>(out.data, 0)); });
    check_refused(machine, "reduce: the output has 1 elements but its pointer is null",
                  [&](auto) { return sum(machine, in.view(), vector_view<float>(nullptr, 1)); });
    check_refused(machine, "reduce: the address of the output must be a multiple of its element's 4 bytes",
                  [&](auto out) {
                    return sum(machine, in.view(),
                               vector_view<float>(reinterpret_cast<float*>(reinterpret_cast<char*>(out.data) + 1), 1));
                  });
  }
}

TEST_CASE("an output that lies in the input is refused, and one beside it is not", "[reduce]") {
  for (auto& machine : testing::machines()) {
    auto memory = machine.buffer<float>(102, [](int) { return 1.f; });
    const vector_view<float> in(memory.view().data + 1, 100);
    for (int at : {1, 50, 100}) {
      const status refused = sum(machine, in, vector_view<float>(memory.view().data + at, 1));
      CHECK(refused.message() == "reduce: the output lies in the input");
    }
    CHECK(unit::differences(memory.host(), 102, [](int) { return 1.f; }) == 0);
    CHECK(sum(machine, in, vector_view<float>(memory.view().data, 1)));
    CHECK(sum(machine, in, vector_view<float>(memory.view().data + 101, 1)));
    CHECK((memory.host()(0) == 100 && memory.host()(101) == 100));
  }
}

TEST_CASE("an output that lies in either input of dot is refused", "[reduce]") {
  for (auto& machine : testing::machines()) {
    auto a = machine.buffer<float>(100, [](int) { return 1.f; }),
         b = machine.buffer<float>(100, [](int) { return 2.f; });
    CHECK_FALSE(dot(machine, a.view(), b.view(), vector_view<float>(a.view().data + 3, 1)));
    CHECK_FALSE(dot(machine, a.view(), b.view(), vector_view<float>(b.view().data + 3, 1)));
    CHECK(unit::differences(a.host(), 100, [](int) { return 1.f; }) == 0);
    CHECK(unit::differences(b.host(), 100, [](int) { return 2.f; }) == 0);
  }
}

TEST_CASE("inputs of dot that differ in size are refused with both sizes", "[reduce]") {
  for (auto& machine : testing::machines()) {
    auto a = machine.buffer<float>(100, test::small_integer), b = machine.buffer<float>(99, test::small_integer);
    check_refused(machine, "reduce: the first input has 100 elements but the second 99",
                  [&](auto out) { return dot(machine, a.view(), b.view(), out); });
    check_refused(machine, "reduce: the second input has 7 elements but its pointer is null",
                  [&](auto out) { return dot(machine, a.view(), vector_view<float>(nullptr, 7), out); });
  }
}
