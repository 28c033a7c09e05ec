// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An array of the host in bands: the bits of one call on the whole, however it is cut.
#include <memtile/pipeline.cuh>
#include <support/stencil.hpp>

#include <string>

using namespace memtile;

namespace {

// No weight is that of another neighbour, and the order of the sum shows in its bits.
struct unlike {
  template <class Neighbours>
  MEMTILE_FUNCTION float operator()(const Neighbours& n) const {
    float sum = 0;
    MEMTILE_UNROLL
    for (int i = 0; i < 15; ++i) sum += n(i / 3 - 2, i % 3 - 1) / float(3 + i);
    return sum;
  }
};
using reach = window<2, 2, 1, 1>;
float value(int r, int c) { return 1.f / float(3 + (r * 31 + c * 7) % 101); }

struct shape {
  int rows, cols;
};

// A matrix of the host, whose rows do not follow each other.
struct host_matrix {
  int rows, cols;
  std::vector<float> values;
  explicit host_matrix(const shape& s, float v)
      : rows(s.rows), cols(s.cols), values(size_t(rows * (cols + 3) + 1), v) {}
  matrix_view<float> view() { return row_major(values.data(), rows, cols, cols + 3); }
};

template <class Machine, class Border>
void check_bands(Machine& machine, const shape& s, const Border& border, bool wraps) {
  auto in = machine.template buffer<float>(s.rows, s.cols, value), out = machine.template buffer<float>(s.rows, s.cols);
  REQUIRE(stencil<reach>(machine, in.view(), out.view(), unlike{}, border));
  const auto whole = out.host();
  host_matrix from(s, -1);
  for (int r = 0; r < s.rows; ++r)
    for (int c = 0; c < s.cols; ++c) *from.view().address(r, c) = value(r, c);
  for (const int height : {1, 3, 8, 100})
    for (const int halo : {2, 5}) {
      INFO(s.rows << "x" << s.cols << " in bands of " << height << " with " << halo);
      host_matrix to(s, -7);
      int64 bands_done = 0;
      const auto work = [&](const auto& where, auto band_in, auto band_out, const band& b) {
        return stencil<reach>(where, band_in, band_out, unlike{}, border, b.part);
      };
      REQUIRE(run_in_bands(machine, from.view(), to.view(), bands{height, halo, wraps}, work,
                           [&](int64 done) { bands_done = done; }));
      CHECK(bands_done == (s.cols == 0 ? 0 : (s.rows + height - 1) / height));
      int differences = 0;
      for (int r = 0; r < s.rows; ++r) {
        for (int c = 0; c < s.cols; ++c) differences += *to.view().address(r, c) != whole(r, c);
        for (int c = s.cols; c < s.cols + 3; ++c) differences += *to.view().address(r, c) != -7;
      }
      CHECK(differences == 0);
    }
}

}  // namespace

TEST_CASE("a stencil in bands has the bits of the whole", "[pipeline][stencil]") {
  for (auto& machine : testing::machines())
    for (const auto& s :
         {shape{1, 5}, shape{2, 3}, shape{7, 40}, shape{16, 1}, shape{23, 9}, shape{0, 4}, shape{4, 0}}) {
      check_bands(machine, s, reflect101{}, false);
      check_bands(machine, s, borders{constant{0.25f}, replicate{}}, false);
      check_bands(machine, s, wrap{}, true);
    }
}

namespace {
struct unlike_slices {
  template <class Neighbours>
  MEMTILE_FUNCTION float operator()(const Neighbours& n) const {
    return n(-1, 0, 0) / 3 + n(1, 0, 0) / 5 + n(0, -1, 0) / 7 + n(0, 0, 1) / 11 + n(0, 0, 0);
  }
};
}  // namespace

TEST_CASE("a volume in bands of slices has the bits of the whole", "[pipeline][stencil]") {
  const int depth = 7, rows = 3, cols = 10;
  std::vector<float> values(depth * rows * cols);
  for (size_t i = 0; i < values.size(); ++i) values[i] = value(int(i) / cols, int(i) % cols);
  const auto solid = [](auto* p) { return volume_view(p, depth, rows, cols, cols * 4, rows * cols * 4); };
  for (auto& machine : testing::machines()) {
    auto in = machine.buffer<float>(depth * rows, cols, value), out = machine.buffer<float>(depth * rows, cols);
    REQUIRE(stencil<star<1>>(machine, solid(in.view().data), solid(out.view().data), unlike_slices{}, reflect101{}));
    const auto whole = out.host();
    for (const int height : {1, 3, 9}) {
      std::vector<float> result(values.size(), -7);
      const auto work = [](const auto& where, auto from, auto to, const band& b) {
        return stencil<star<1>>(where, from, to, unlike_slices{}, reflect101{}, b.part);
      };
      REQUIRE(run_in_bands(machine, solid(values.data()), solid(result.data()), bands{height, 1}, work));
      int differences = 0;
      for (int i = 0; i < depth * rows * cols; ++i) differences += result[size_t(i)] != whole(i / cols, i % cols);
      CHECK(differences == 0);
    }
  }
}

TEST_CASE("the work knows where its band lies, and may stop", "[pipeline]") {
  for (auto& machine : testing::machines()) {
    host_matrix in({10, 4}, 1), out({10, 4}, -7);
    std::vector<std::string> seen;
    const auto look = [&](const auto&, auto from, auto to, const band& b) {
      seen.push_back(std::to_string(b.number) + ": rows " + std::to_string(b.first_row + b.part.first[0]) + " to " +
                     std::to_string(b.first_row + b.part.first[0] + b.part.size[0]) + " of " +
                     std::to_string(from.rows));
      return to.rows == from.rows && b.part.first[1] == 0 && b.part.size[1] == 4 ? status() : status::refused("no");
    };
    REQUIRE(run_in_bands(machine, in.view(), out.view(), bands{4, 3}, look));
    CHECK(seen == std::vector<std::string>{"0: rows 0 to 4 of 7", "1: rows 4 to 8 of 9", "2: rows 8 to 10 of 5"});
    seen.clear();
    const auto stops = [](int64 done) { return done < 2; };
    REQUIRE(run_in_bands(machine, in.view(), out.view(), bands{1, 0, false, 1}, look, stops));
    CHECK(seen.size() == 2);
  }
}

TEST_CASE("bands that cannot be are refused in words", "[pipeline]") {
  for (auto& machine : testing::machines()) {
    bool called = false;
    const auto work = [&](auto&&...) { return called = true, status(); };
    host_matrix in({6, 4}, 1), out({6, 4}, -7), other({6, 5}, -7);
    const auto words = [&](auto from, auto to, const bands& cut) {
      return run_in_bands(machine, from, to, cut, work).message();
    };
    CHECK(words(in.view(), other.view(), {2, 1}) == "run_in_bands: the input is 6x4 but the output 6x5");
    CHECK(words(in.view(), out.view(), {0, 1}) ==
          "run_in_bands: bands of 0 rows with a halo of 1: there must be 1 row or more, and a halo of 0 to 2147483647");
    CHECK(words(in.view(), out.view(), {1, -1}).find("with a halo of -1") != std::string::npos);
    CHECK(words(in.view(), in.view(), {2, 1}) ==
          "run_in_bands: the output overlaps the input: give it memory of its own");
    CHECK(words(in.view(), out.view(), {2, 1, false, 0}) == "pipeline: 0 slots: there must be 1 or more");
    CHECK(words(matrix_view<float>(nullptr, 6, 4, 16), out.view(), {2, 1}) ==
          "run_in_bands: the input is 6x4 but its pointer is null");
    CHECK((!called && out.values == std::vector<float>(out.values.size(), -7)));
  }
}
