// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Correlations in one, two and three dimensions are those of scipy.ndimage.
#include <support/ndimage.hpp>

using namespace memtile;

namespace {

template <int... Extent>
struct correlation {
  static constexpr int dimensions = sizeof...(Extent);
  static bool fits(const test::ndimage_case& c) { return c.window == std::vector<int>{Extent...}; }
  template <class Machine, class In, class Out, class Border>
  status operator()(Machine& machine, const test::ndimage_case& c, const In& in, const Out& out, Border border) const {
    weights<double, Extent...> w{};
    for (int i = 0; i < w.size; ++i) w.values[i] = c.weights[std::size_t(i)];
    return correlate(machine, in, out, w, border);
  }
};

template <class... Correlation>
int check_cases(const Correlation&... each) {
  int checked = 0;
  const auto check = [&](const auto& one) {
    using correlation = std::decay_t<decltype(one)>;
    for (const auto& c : test::ndimage_cases("correlate", std::size_t(correlation::dimensions)))
      if (correlation::fits(c)) {
        for (auto& machine : testing::machines()) test::check_ndimage(machine, c, one);
        ++checked;
      }
  };
  (check(each), ...);
  return checked;
}

}  // namespace

TEST_CASE("correlations of vectors are those of ndimage", "[stencil]") {
  CHECK(check_cases(correlation<3>{}, correlation<5>{}, correlation<9>{}) == 60);
}
TEST_CASE("correlations of matrices are those of ndimage", "[stencil]") {
  CHECK(check_cases(correlation<1, 5>{}, correlation<3, 3>{}, correlation<5, 5>{}, correlation<7, 3>{}) == 120);
}
TEST_CASE("correlations of volumes are those of ndimage", "[stencil]") {
  CHECK(check_cases(correlation<1, 3, 5>{}, correlation<3, 3, 3>{}) == 30);
}
