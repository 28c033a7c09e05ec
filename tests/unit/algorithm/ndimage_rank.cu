// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Median, minimum, maximum and mean filters are those of scipy.ndimage.
#include <support/ndimage.hpp>

using namespace memtile;

namespace {

template <class Call>
struct rank_filter {
  static constexpr int dimensions = 2;
  Call call;
  template <class Machine, class In, class Out, class Border>
  status operator()(Machine& machine, const test::ndimage_case& c, const In& in, const Out& out, Border border) const {
    return c.window[0] == 3 ? call(box<1>{}, machine, in, out, border) : call(box<2>{}, machine, in, out, border);
  }
};
template <class Call>
int check_cases(const char* name, const Call& call) {
  const auto cases = test::ndimage_cases(name, 2);
  for (const auto& c : cases)
    for (auto& machine : testing::machines()) test::check_ndimage(machine, c, rank_filter<Call>{call});
  return int(cases.size());
}

}  // namespace

TEST_CASE("medians are those of ndimage", "[stencil]") {
  CHECK(check_cases("median", [](auto window, auto& machine, const auto& in, const auto& out, auto border) {
          return median_filter<decltype(window)>(machine, in, out, border);
        }) == 30);
}
TEST_CASE("minima and maxima are those of ndimage", "[stencil]") {
  CHECK(check_cases("minimum", [](auto window, auto& machine, const auto& in, const auto& out, auto border) {
          return minimum_filter<decltype(window)>(machine, in, out, border);
        }) == 30);
  CHECK(check_cases("maximum", [](auto window, auto& machine, const auto& in, const auto& out, auto border) {
          return maximum_filter<decltype(window)>(machine, in, out, border);
        }) == 30);
}
TEST_CASE("means are those of ndimage", "[stencil]") {
  CHECK(check_cases("uniform", [](auto window, auto& machine, const auto& in, const auto& out, auto border) {
          return box_filter<decltype(window)>(machine, in, out, border);
        }) == 30);
}
