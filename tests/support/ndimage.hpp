// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cases of tests/data/ndimage.txt, and how one of them is run.
#pragma once

#include <support/stencil.hpp>

#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace test {

struct ndimage_case {
  int number = 0;
  std::string filter, mode;
  double outside = 0;
  std::vector<int> shape, window;
  std::vector<double> weights, in, out;
};

// All cases of one filter in so many dimensions.
inline std::vector<ndimage_case> ndimage_cases(const std::string& filter, std::size_t dimensions) {
  const std::string here = __FILE__;
  std::ifstream file(here.substr(0, here.rfind("support/")) + "data/ndimage.txt");
  std::vector<ndimage_case> all, wanted;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string first, skipped;
    words >> first;
    const auto numbers = [&](auto& list) {
      for (double v; words >> v;) list.push_back(typename std::decay_t<decltype(list)>::value_type(v));
    };
    if (first == "case") {
      all.emplace_back();
      words >> all.back().number >> skipped >> all.back().filter >> skipped >> all.back().mode >> skipped >>
          all.back().outside;
    }
    if (first == "shape") numbers(all.back().shape);
    if (first == "window") numbers(all.back().window);
    if (first == "w") numbers(all.back().weights);
    if (first == "in") numbers(all.back().in);
    if (first == "out") numbers(all.back().out);
  }
  for (const ndimage_case& c : all)
    if (c.filter == filter && c.shape.size() == dimensions) wanted.push_back(c);
  return wanted;
}

// The borders without a constant, chosen at run time: a border of one's own needs an index alone.
struct named_border {
  char name;  // the first letter of the mode, n for nearest
  MEMTILE_FUNCTION memtile::int64 index(memtile::int64 i, memtile::int64 n) const {
    return name == 'r'   ? memtile::reflect::index(i, n)
           : name == 'm' ? memtile::reflect101::index(i, n)
           : name == 'w' ? memtile::wrap::index(i, n)
                         : memtile::replicate::index(i, n);
  }
};

// Runs filter(machine, in, out, border) on the array of the case, and compares to a part in 10^12 of the largest value.
template <class Machine, class Filter>
void check_ndimage(Machine& machine, const ndimage_case& c, const Filter& filter) {
  INFO(machine.name() << ": case " << c.number << ", " << c.filter << ", " << c.mode);
  const std::vector<int>& n = c.shape;
  const int rows = n.size() == 3 ? n[0] * n[1] : n.size() == 2 ? n[0] : 1, cols = n.back();
  const auto at = [cols](const std::vector<double>& v, int r, int k) { return v[std::size_t(r * cols + k)]; };
  auto in = machine.template buffer<double>(rows, cols, [&](int r, int k) { return at(c.in, r, k); });
  auto out = machine.template buffer<double>(rows, cols);
  const auto view = [&](const memtile::matrix_view<double>& m, auto dimensions) {
    if constexpr (dimensions.value == 1) return memtile::vector_view<double>(m.data, m.cols);
    else if constexpr (dimensions.value == 2) return m;
    else return memtile::volume_view<double>(m.data, n[0], n[1], n[2], m.pitch, m.pitch * n[1]);
  };
  const auto run = [&](auto dimensions) {
    const auto from = view(in.view(), dimensions), to = view(out.view(), dimensions);
    if (c.mode == "constant") return filter(machine, c, from, to, memtile::constant<double>{c.outside});
    return filter(machine, c, from, to, named_border{c.mode[0]});
  };
  const memtile::status status = run(std::integral_constant<int, Filter::dimensions>{});
  INFO(status.message());
  REQUIRE(status.ok());
  double largest = 1;
  for (double v : c.out) largest = (std::max)(largest, std::abs(v));
  const auto got = out.host();
  int wrong = 0;
  for (int r = 0; r < rows; ++r)
    for (int k = 0; k < cols; ++k) wrong += !(std::abs(got(r, k) - at(c.out, r, k)) <= 1e-12 * largest);
  CHECK(wrong == 0);
  CHECK((in.untouched() && out.untouched()));
  unit::check_clean(machine);
}

}  // namespace test
