// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads cases of filters, and writes what memtile makes of them: for filters.py, which has other libraries do the same.
//
//   float | uint8   filter   border   a b   rows columns   rows * columns numbers [, of correlate a * b weights]
//
// What a and b are, stands at each filter. Of every case a line of rows * columns numbers comes out.
#include <memtile/sim.cuh>
#include <memtile/stencil.cuh>

#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

using namespace memtile;

namespace {

// One type for all borders, so that every filter is compiled once.
struct border_by_name {
  char initial;
  MEMTILE_FUNCTION int64 index(int64 i, int64 n) const {
    return initial == 'r'   ? reflect::index(i, n)
           : initial == 'm' ? reflect101::index(i, n)
           : initial == 'n' ? replicate::index(i, n)
                            : wrap::index(i, n);
  }
};

template <class T>
int run_case(testing::machine& machine, std::istream& cases) {
  std::string filter, border_name;
  double a = 0, b = 0;
  int rows = 0, columns = 0;
  cases >> filter >> border_name >> a >> b >> rows >> columns;
  const auto read = [&](int count) {
    std::vector<double> values(std::size_t(count), 0.);
    for (double& v : values) cases >> v;
    return values;
  };
  const auto values = read(rows * columns);
  const auto in =
      machine.buffer<T>(rows, columns, [&](int r, int c) { return T(values[std::size_t(r * columns + c)]); });
  const auto out = machine.buffer<T>(rows, columns);
  const border_by_name border{border_name[0]};
  const auto x = in.view();
  const auto y = out.view();
  const auto apply = [&]() -> status {
    if (filter == "gaussian") return gaussian_filter<3>(machine, x, y, a, border);  // sigma
    if (filter == "sobel")
      return a == 0 ? sobel_filter<0>(machine, x, y, border) : sobel_filter<1>(machine, x, y, border);
    if (filter == "bilateral") return bilateral_filter<2>(machine, x, y, a, b, border);  // sigmas of distance and value
    if (filter == "unsharp") return unsharp_filter<2>(machine, x, y, a, b, border);      // sigma, amount
    if (filter == "laplace") return laplacian_filter(machine, x, y, border);
    if (filter == "median")  // side
      return a == 3 ? median_filter<box<1>>(machine, x, y, border) : median_filter<box<2>>(machine, x, y, border);
    if (filter == "minimum") return erode<box<2>>(machine, x, y, border);
    if (filter == "maximum") return dilate<box<2>>(machine, x, y, border);
    if (filter == "rank") return rank_filter<box<1>>(machine, x, y, int(a), border);
    if (filter == "uniform")
      return box_filter(machine, x, y, sized_window{int64(a), int64(b)}, border);  // rows, columns
    if (filter == "correlate") {                                                   // rows, columns
      const auto weights = read(int(a) * int(b));
      const auto w = machine.buffer<float>(int(a), int(b),
                                           [&](int r, int c) { return float(weights[std::size_t(r * int(b) + c)]); });
      const status done = correlate(machine, x, y, loaded_weights{w.view()}, border);
      return done ? machine.synchronize() : done;
    }
    return status::refused("no filter has this name");
  };
  status done = apply();
  if (done) done = machine.synchronize();
  const bool right = done.ok() && in.untouched() && out.untouched();
  if (!right) return std::fprintf(stderr, "%s: %s\n", filter.c_str(), done.message().c_str()), 1;
  const auto result = out.host();
  for (int i = 0; i < rows * columns; ++i) std::printf("%.9g ", double(result(i / columns, i % columns)));
  std::puts("");
  return 0;
}

}  // namespace

int main() {
  auto& machine = testing::machines().back();
  int wrong = 0;
  for (std::string type; wrong == 0 && std::cin >> type;)
    wrong = type == "float" ? run_case<float>(machine, std::cin) : run_case<uint8>(machine, std::cin);
  return wrong;
}
