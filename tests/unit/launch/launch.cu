// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a launch makes of its grid, its threads and its arguments.
#include <support/unit.hpp>

#include <type_traits>

using namespace memtile;

namespace {

struct mark_blocks {
  int threads;
  MEMTILE_KERNEL void operator()(block b, vector_view<int> marks) const {
    const int64 number = (int64(b.grid_plane()) * b.grid_rows() + b.grid_row()) * b.grid_columns() + b.grid_column();
    marks.atomic_add(number, 1);
  }
};

struct metres {
  float value;
};
struct millimetres {
  float value;
  operator metres() const { return {value / 1000}; }  // for the host alone: a kernel must not see it
};
struct take_arguments {
  static constexpr int threads = 1;
  double member;
  MEMTILE_KERNEL void operator()(block, float a, int64 b, metres c, matrix_view<const float> in,
                                 vector_view<double> out) const {
    out.store(0, a);
    out.store(1, double(b));
    out.store(2, c.value);
    out.store(3, in.load(1, 1));
    out.store(4, member);
  }
};

struct no_arguments {
  static constexpr int threads = 33, min_blocks = 2;
  MEMTILE_KERNEL void operator()(block) const {}
};

struct many_threads {
  int threads;
  MEMTILE_KERNEL void operator()(block b, vector_view<int> sizes) const {
    if (b.rank() == b.size() - 1) sizes.store(0, b.size());
  }
};

// A kernel keeps what it was launched with.
struct polynomial {
  static constexpr int threads = 32;
  float coefficients[3];
  MEMTILE_KERNEL void operator()(block b, vector_view<float> out) const {
    const float x = float(b.rank());
    out.store(b.rank(), coefficients[0] + x * (coefficients[1] + x * coefficients[2]));
  }
};

}  // namespace

TEST_CASE("grid_for covers the last incomplete tiles too", "[launch]") {
  const auto is = [](const grid& g, int64 rows, int64 columns) {
    return g.planes == 1 && g.rows == rows && g.columns == columns;
  };
  CHECK(is(grid_for(40, 53, 16, 16), 3, 4));
  CHECK(is(grid_for(16, 32, 16, 32), 1, 1));
  CHECK(is(grid_for(17, 31, 16, 32), 2, 1));
  CHECK(is(grid_for(0, 5, 16, 16), 0, 1));
  CHECK(is(grid_for(1, 1, 128, 8), 1, 1));
  CHECK(is(grid_for(int64(1) << 40, 2147483647, 32, 32), int64(1) << 35, 67108864));
  CHECK(is(grid(7), 1, 7));
  CHECK(is(grid(3, 4), 3, 4));
  const grid three(2, 3, 4);
  CHECK((three.planes == 2 && three.rows == 3 && three.columns == 4));
}

TEST_CASE("every thread of every block runs once", "[launch]") {
  struct shape {
    int64 planes, rows, columns;
  };
  for (auto& machine : testing::machines())
    for (const shape& s : {shape{1, 1, 1}, shape{1, 1, 37}, shape{1, 37, 1}, shape{37, 1, 1}, shape{2, 3, 5}})
      for (int threads : {1, 32, 50}) {
        const int blocks = int(s.planes * s.rows * s.columns);
        auto marks = machine.buffer<int>(blocks, [](int) { return 0; });
        REQUIRE(launch(machine, grid{s.planes, s.rows, s.columns}, mark_blocks{threads}, marks.view()));
        CHECK(unit::differences(marks.host(), blocks, [=](int) { return threads; }) == 0);
        CHECK(marks.untouched());
        unit::check_clean(machine);
      }
}

TEST_CASE("a grid without blocks is success and launches nothing", "[launch]") {
  for (auto& machine : testing::machines()) {
    auto marks = machine.buffer<int>(4, [](int) { return 0; });
    const int before = machine.is_gpu() ? 0 : machine.simulator().report().launches();
    for (const grid& empty : {grid{0}, grid{0, 7}, grid{7, 0}, grid{0, 7, 7}, grid_for(0, 100, 16, 16)}) {
      const status result = launch(machine, empty, mark_blocks{32}, marks.view());
      CHECK(result.ok());
      CHECK(result.message().empty());
    }
    CHECK(unit::differences(marks.host(), 4, [](int) { return 0; }) == 0);
    if (!machine.is_gpu()) CHECK(machine.simulator().report().launches() == before);
    CHECK(machine.synchronize().ok());
  }
}

TEST_CASE("arguments convert to what the kernel takes, as in any call", "[launch]") {
  for (auto& machine : testing::machines()) {
    auto in = machine.buffer<float>(2, 2, [](int r, int c) { return float(10 * r + c); });
    auto out = machine.buffer<double>(5);
    const short seven = 7;
    REQUIRE(launch(machine, 1, take_arguments{0.5}, 3, seven, millimetres{2500}, in.view(), out.view()));
    const auto got = out.host();
    CHECK((got(0) == 3 && got(1) == 7 && got(2) == 2.5 && got(3) == 11 && got(4) == 0.5));
    unit::check_clean(machine);
  }
}

TEST_CASE("a kernel may take no arguments", "[launch]") {
  static_assert(detail::static_threads<no_arguments> == 33 && detail::min_blocks_of<no_arguments> == 2);
  for (auto& machine : testing::machines()) {
    CHECK(launch(machine, grid{2, 2}, no_arguments{}).ok());
    CHECK(machine.synchronize().ok());
    unit::check_clean(machine);
  }
}

TEST_CASE("a kernel may choose its threads at run time", "[launch]") {
  for (auto& machine : testing::machines())
    for (int threads : {1, 2, 31, 32, 33, 1023, 1024}) {
      auto size = machine.buffer<int>(1, [](int) { return 0; });
      REQUIRE(launch(machine, 1, many_threads{threads}, size.view()));
      CHECK(size.host()(0) == threads);
      CHECK(size.untouched());
    }
}

TEST_CASE("the members of a kernel travel with it", "[launch]") {
  for (auto& machine : testing::machines()) {
    auto out = machine.buffer<float>(32);
    REQUIRE(launch(machine, 1, polynomial{{1, 2, 3}}, out.view()));
    CHECK(unit::differences(out.host(), 32, [](int x) { return float(1 + 2 * x + 3 * x * x); }) == 0);
    unit::check_clean(machine);
  }
}

TEST_CASE("a launch takes a simulator too, and names the kernel in its report", "[launch]") {
  sim::machine machine;
  auto size = machine.buffer<int>(1);
  REQUIRE(launch(machine, 1, many_threads{5}, size.view()));
  CHECK(size.host()(0) == 5);
  CHECK(machine.last_report()->kernel().find("many_threads") != std::string::npos);
  CHECK(machine.report().launches() == 1);
}
