// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stencils of elements whose bytes are no power of two, alone and beside others.
#include <support/stencil.hpp>

using namespace memtile;

namespace {

template <class T, int Count>
struct several {
  T values[Count];
};

// The first value of the left neighbour, the last one of the neighbour below on the right, and a second field.
struct corner_values {
  template <class Neighbours>
  MEMTILE_FUNCTION float operator()(const Neighbours& n) const {
    const auto left = n(0, -1), below = n(1, 1);
    constexpr int last = int(sizeof(left.values) / sizeof(left.values[0])) - 1;
    return float(left.values[0]) * 64 + float(below.values[last]) + 4096 * float(n.template get<1>(0, 1));
  }
};

template <class T, int Count, class Beside>
void check_elements(int cols) {
  const auto first = [](int64 r, int64 c) { return T((r * 3 + c) % 64); };
  const auto last = [](int64 r, int64 c) { return T((r + c * 5) % 64); };
  const auto beside = [](int64 r, int64 c) { return Beside((r + c) % 4); };
  for (auto& machine : testing::machines()) {
    auto in = machine.buffer<several<T, Count>>(6, cols, [&](int r, int c) {
      several<T, Count> e{};
      e.values[0] = first(r, c), e.values[Count - 1] = last(r, c);
      return e;
    });
    auto other = machine.buffer<Beside>(6, cols, beside);
    auto out = machine.buffer<float>(6, cols);
    REQUIRE(stencil<box<1>>(machine, fields(in.view(), other.view()), out.view(), corner_values{}, replicate{}));
    unit::check_clean(machine);
    CHECK(unit::differences(out.host(), 6, cols, [&](int r, int c) {
            const int left = max_of(c - 1, 0), right = min_of(c + 1, cols - 1);
            return float(first(r, left)) * 64 + float(last(min_of(r + 1, 5), right)) + 4096 * float(beside(r, right));
          }) == 0);
  }
}

}  // namespace

TEST_CASE("elements of 20, 24 and 40 bytes are no runs of 16", "[stencil]") {
  check_elements<float, 5, float>(40);
  check_elements<double, 3, float>(70);
  check_elements<double, 5, double>(33);
}

TEST_CASE("elements of 3 and 12 bytes stand beside smaller and larger ones", "[stencil]") {
  check_elements<uint8, 3, uint8>(150);
  check_elements<uint8, 3, double>(70);
  check_elements<float, 3, uint16>(70);
}

TEST_CASE("an output whose slices share elements is refused, one whose slices interleave is not", "[stencil]") {
  for (auto& machine : testing::machines()) {
    auto from = machine.buffer<float>(75, [](int i) { return float(i); }),
         to = machine.buffer<float>(75, [](int) { return 8.f; });
    const volume_view<float> in(from.view().data, 3, 5, 5, 20, 100), same(to.view().data, 3, 5, 5, 20, 0),
        next(to.view().data, 3, 5, 5, 20, 20), interleaved(to.view().data, 3, 5, 5, 60, 20);
    CHECK(stencil<box<1>>(machine, in, same, detail::itself{}, wrap{}).message() ==
          "stencil: the slices of the output are 0 bytes apart and its rows 20, so that they share elements: a row has "
          "20 "
          "bytes");
    CHECK_FALSE(stencil<box<1>>(machine, in, next, detail::itself{}, wrap{}));
    CHECK(unit::differences(to.host(), 75, [](int) { return 8.f; }) == 0);
    REQUIRE(stencil<box<1>>(machine, in, interleaved, detail::itself{}, wrap{}));
    CHECK(unit::differences(to.host(), 75, [](int i) { return float(i / 5 % 3 * 25 + i / 15 * 5 + i % 5); }) == 0);
  }
}
