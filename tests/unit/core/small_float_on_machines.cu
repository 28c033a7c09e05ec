// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels convert small floats to the same bits as the host, which small_float.cu checks against their definition.
#include <support/unit.hpp>

using namespace memtile;

namespace {

// out[i] gets what kernels make of small float i, and back[i] what they make of float i.
template <class F>
struct convert {
  static constexpr int threads = 128;
  MEMTILE_KERNEL void operator()(block b, vector_view<const F> small, vector_view<uint32> out,
                                 vector_view<const float> floats, vector_view<F> back) const {
    const int64 i = int64(b.grid_column()) * threads + b.rank();
    if (!out.inside(i)) return;
    out.store(i, detail::bits_of(float(small.load(i))));
    back.store(i, F(floats.load(i)));
  }
};

template <class F>
F from_bits(int i) {
  F f;
  f.bits = decltype(f.bits)(i);
  return f;
}
// Floats of all sizes and with all ends; in between, the middles of two small floats.
float some_float(int i) {
  const uint32 ends[4] = {0x8000u, 0x1000u, 0x7fffu, 0x1001u};
  return detail::float_of(uint32(i) << 16 ^ ends[i / 7 % 4]);
}

template <class F>
void check_conversions() {
  constexpr int patterns = 65536, codes = 1 << (8 * sizeof(F));
  for (auto& machine : testing::machines()) {
    auto small = machine.buffer<F>(patterns, [](int i) { return from_bits<F>(i % codes); });
    auto floats = machine.buffer<float>(patterns, some_float);
    auto out = machine.buffer<uint32>(patterns);
    auto back = machine.buffer<F>(patterns);
    REQUIRE(launch(machine, grid{ceil_div(patterns, convert<F>::threads)}, convert<F>{}, small.view(), out.view(),
                   floats.view(), back.view()));
    CHECK(unit::differences(out.host(), patterns,
                            [](int i) { return detail::bits_of(float(from_bits<F>(i % codes))); }) == 0);
    const auto stored = back.host();
    int different = 0;
    for (int i = 0; i < patterns; ++i) different += stored(i).bits != F(some_float(i)).bits;
    CHECK(different == 0);
    CHECK((out.untouched() && back.untouched()));
    unit::check_clean(machine);
  }
}

}  // namespace

TEST_CASE("both machines convert small floats to and from float bit for bit", "[core]") {
  check_conversions<float16>();
  check_conversions<bfloat16>();
  check_conversions<float8_e4m3>();
}
