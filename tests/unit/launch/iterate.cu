// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Many steps of a stencil as a caller sees them: what is chosen and said, what memory moves, the physics of the result, and
// when an iteration stops by itself.
#include <support/stencil.hpp>

#include <cmath>

using namespace memtile;

namespace {

struct heat {
  double k;
  template <class Neighbours>
  MEMTILE_FUNCTION double operator()(const Neighbours& n) const {
    const double here = n(0, 0), around = (n(-1, 0) + n(1, 0)) + (n(0, -1) + n(0, 1));
    return memtile::fma(k, memtile::fma(-4., here, around), here);
  }
};

template <int Radius>
using star_reach = typename detail::reach_of<star<Radius>, 2>::type;
template <int Radius>
using box_reach = typename detail::reach_of<box<Radius>, 2>::type;

const auto nothing = [](int, int) { return 0.f; };

}  // namespace

TEST_CASE("the cost of fused steps is that of memory until arithmetic takes longer", "[iterate]") {
  CHECK(fused_cost(1, 5, 4, 128, 128) == 1);
  CHECK(fused_cost(2, 5, 4, 160, 128) == 1.125);  // a quarter is read twice
  CHECK(fused_cost(2, 5, 4, 128, 128, 8) == 2);   // three elements are read for one that is written
  CHECK(fused_cost(16, 5, 4, 128, 128) == (10 + 16 * 6) / 38.5);
  CHECK(fused_cost(16, 5, 8, 128, 128) == (10 + 16 * 12) / 77.);
}

TEST_CASE("as many steps are fused as the model finds useful", "[iterate]") {
  CHECK(detail::choose_depth<star_reach<1>, float>().depth == 6);
  CHECK(detail::choose_depth<star_reach<1>, double>().depth == 5);
  CHECK(detail::choose_depth<box_reach<1>, float>().depth == 4);
  CHECK(detail::choose_depth<star_reach<2>, float>().depth == 3);
  CHECK(detail::choose_depth<box_reach<2>, float>().depth == 1);  // 25 points: two steps take longer than two copies
  CHECK(detail::choose_depth<box_reach<1>, uint8>().depth == 1);
}

TEST_CASE("what iterate does is said in words", "[iterate]") {
  sim::machine machine;
  auto u = machine.buffer<float>(5, 6, nothing), v = machine.buffer<float>(5, 6);
  using cross = star<1>;
  CHECK(explain_iterate<cross>(100, u.view(), v.view(), heat{}, wrap{}) ==
        "iterate: 100 steps, 6 to a kernel, 18 kernels; expected: 4.4 steps in the time of one");
  CHECK(
      explain_iterate<cross, fused_steps<4>>(9, u.view(), v.view(), heat{}, wrap{}) ==
      "iterate: 9 steps, 4 to a kernel, 4 kernels; the number is the policy's; expected: 3.9 steps in the time of one");
  CHECK(explain_iterate<cross, fused_steps<1>>(9, u.view(), v.view(), heat{}, wrap{}) ==
        "iterate: 9 steps, each a kernel of its own: so the policy wants it");
  CHECK(explain_iterate<cross>(9, u.view(), v.view(), heat{}, borders{sides{wrap{}, valid{}}, wrap{}}) ==
        "iterate: 9 steps, each a kernel of its own: the border is one of the caller's own, or wraps on one side only");
  CHECK(explain_iterate<window<1, 0, 1, 1>>(9, u.view(), v.view(), heat{}, wrap{}) ==
        "iterate: 9 steps, each a kernel of its own: the window reaches further to one side");
  CHECK(explain_iterate<box<2>>(9, u.view(), v.view(), heat{}, wrap{}) ==
        "iterate: 9 steps, each a kernel of its own: several would take more registers, or longer for arithmetic, "
        "than they save of memory");
  CHECK(explain_iterate<cross, on_chip<>>(9, u.view(), v.view(), heat{}, wrap{}) ==
        "iterate: 9 steps, all in one kernel, which keeps u on the chip if it fits there: so the policy wants it");
  CHECK(explain_iterate<cross>(-1, u.view(), v.view(), heat{}, wrap{}) == "iterate: -1 steps: there must be 0 or more");
}

TEST_CASE("a matrix on the chip is cut up so that all of the device works, or refused", "[iterate]") {
  using tile = detail::on_chip_shape<float, star_reach<1>, 224>;
  CHECK((tile::columns == 120 && tile::most_lines == 28 && tile::rows(28) == 440 && tile::between == 4));
  CHECK(detail::on_chip_lines<tile>(2048, 18, 132) == 19);  // 7 tiles of 296 rows, one below the other
  CHECK(detail::on_chip_lines<tile>(512, 5, 132) == 2);     // 22 of 24
  CHECK(detail::on_chip_lines<tile>(1, 1, 132) == 1);
  CHECK(detail::on_chip_lines<tile>(440 * 7, 18, 132) == 28);
  CHECK(detail::on_chip_lines<tile>(440 * 7 + 1, 18, 132) == 0);
  CHECK(detail::on_chip_lines<tile>(1, 133, 132) == 0);

  sim::machine machine;
  auto u = machine.buffer<float>(900, 500, nothing), scratch = machine.buffer<float>(900, 500);
  const status s = iterate<star<1>, on_chip<>>(machine, 5, u.view(), scratch.view(), heat{}, wrap{});
  CHECK(s.message() == "iterate: 900 x 500 elements are too many for the chip: it holds 8 tiles of 440 x 120, and "
                       "those must cover them: "
                       "leave on_chip out");
  CHECK(machine.last_report() == nullptr);
}

TEST_CASE("steps on the chip read and write each element of memory once, and in between their margins", "[iterate]") {
  sim::machine machine;
  const int rows = 96, cols = 240;  // eight tiles of 24 x 120: a warp has two lines
  auto u = machine.buffer<float>(rows, cols, nothing), scratch = machine.buffer<float>(rows, cols);
  REQUIRE(iterate<star<1>, on_chip<>>(machine, 8, u.view(), scratch.view(), heat{}, replicate{}));
  const sim::report& report = *machine.last_report();
  CHECK_THAT(report, sim::HasNoBankConflicts());
  const auto stores = report.total(sim::space::global, sim::access_kind::store);
  const int inner = (24 - 8) * (120 - 8), rim = 24 * 120 - inner;
  CHECK(stores.bytes_asked == 8 * (24 * 120 + rim) * 4 + 4);  // and a word of the barrier
  // A step reads each line of a warp once, and those above and below; the last one again.
  const auto loads = report.total(sim::space::shared, sim::access_kind::load);
  CHECK(loads.bytes_asked <= 8 * (8 * 16 * (2 + 3) + 2 * 24 + 2 * 32) * 128 * 4);
}

TEST_CASE("four steps write each element once, and read little more than each", "[iterate]") {
  sim::machine machine;
  const int rows = 64, cols = 480;
  auto u = machine.buffer<float>(rows, cols, nothing), scratch = machine.buffer<float>(rows, cols);
  REQUIRE(iterate<star<1>, fused_steps<4>>(machine, 8, u.view(), scratch.view(), heat{}, replicate{}));
  const sim::report& report = *machine.last_report();
  CHECK_THAT(report, sim::HasNoBankConflicts());
  CHECK(unit::widths(report, sim::space::global, sim::access_kind::store) == std::vector<int>{16});
  CHECK(report.total(sim::space::global, sim::access_kind::store).bytes_moved() == rows * cols * 4);
  // Of the segments of 120 columns, the two in the middle are read by three walks of 24 rows and 8 more, those at the sides
  // by four of 16 rows; each has a sector more on either side, where elements of the edges come one by one.
  CHECK(report.total(sim::space::global, sim::access_kind::async_copy).sectors <= (2 * 88 + 2 * 96) * (16 + 2));
}

TEST_CASE("walks are long where there are many of them", "[iterate]") {
  using detail::rows_of_walk;
  CHECK(rows_of_walk(16384, 147, 16, 12) == 586);  // 28 walks of each segment: 4116 warps, of 4224
  CHECK(rows_of_walk(2048, 19, 16, 12) == 36);
  CHECK(rows_of_walk(3, 19, 16, 12) == 3);
  CHECK(rows_of_walk(100, 10000, 16, 12) == 100);
}

TEST_CASE("a mode of the heat equation decays as theory says, and heat is conserved", "[iterate]") {
  const int rows = 24, cols = 70;
  const double pi = 3.14159265358979323846, k = 0.2;
  for (auto& machine : testing::machines()) {
    const auto check = [&](auto border, auto mode, double factor) {
      auto u = machine.template buffer<double>(rows, cols, mode), scratch = machine.template buffer<double>(rows, cols);
      REQUIRE(iterate<star<1>>(machine, 50, u.view(), scratch.view(), heat{k}, border));
      const auto result = u.host();
      double worst = 0, sum = 0, sum_before = 0;
      for (int r = 0; r < rows; ++r)
        for (int c = 0; c < cols; ++c) {
          worst = (std::max)(worst, std::abs(result(r, c) - std::pow(factor, 50) * mode(r, c)));
          sum += result(r, c), sum_before += mode(r, c);
        }
      CHECK(worst < 50 * 4 * 2.3e-16);  // four roundings a step, of values up to 1
      CHECK(std::abs(sum - sum_before) < 1e-12);
    };
    const auto decay = [&](double a, double b) {
      return 1 - 4 * k * (std::pow(std::sin(a / 2), 2) + std::pow(std::sin(b / 2), 2));
    };
    check(
        reflect{},
        [=](int r, int c) { return std::cos(pi * 3 * (r + .5) / rows) * std::cos(pi * 5 * (c + .5) / cols); },
        decay(pi * 3 / rows, pi * 5 / cols));
    check(
        wrap{}, [=](int r, int c) { return std::cos(2 * pi * (2. * r / rows + 3. * c / cols)); },
        1 - 4 * k * 1 + 2 * k * (std::cos(4 * pi / rows) + std::cos(6 * pi / cols)));
  }
}

TEST_CASE("an iteration stops on the device once nothing changes much", "[iterate]") {
  const int rows = 9, cols = 131;
  // The same steps on the host, and how much each of them changes.
  using grid = std::vector<double>;
  std::vector<grid> after{grid(rows * cols, 1.)};
  after[0][4 * cols + 60] = 100;
  std::vector<double> changes{0};
  for (int step = 1; step <= 60; ++step) {
    const grid& u = after.back();
    const auto n = [&](int r, int c) { return r < 0 || c < 0 || r >= rows || c >= cols ? 1. : u[r * cols + c]; };
    grid next(rows * cols);
    double change = 0;
    for (int r = 0; r < rows; ++r)
      for (int c = 0; c < cols; ++c) {
        const double around = (n(r - 1, c) + n(r + 1, c)) + (n(r, c - 1) + n(r, c + 1));
        next[r * cols + c] = std::fma(0.2, std::fma(-4., n(r, c), around), n(r, c));
        change = (std::max)(change, std::abs(next[r * cols + c] - n(r, c)));
      }
    after.push_back(next), changes.push_back(change);
  }
  for (auto& machine : testing::machines())
    for (const until_settled& end :
         {until_settled{0.4, 7, 50}, until_settled{0.4, 1, 50}, until_settled{1e-30, 11, 25}, until_settled{1, 5, 0}}) {
      int64 steps = 0;
      bool settles = false;
      while (steps < end.most && !settles) {
        steps = (std::min)(steps + end.every, end.most);
        settles = changes[steps] <= end.change;
      }
      INFO(machine.name() << ": " << steps << " steps");
      auto u = machine.buffer<double>(rows, cols, [&](int r, int c) { return after[0][r * cols + c]; }),
           scratch = machine.buffer<double>(rows, cols);
      auto progress = machine.buffer<iterate_progress>(1);
      REQUIRE(iterate_until<star<1>>(machine, end, u.view(), scratch.view(), progress.view(), heat{0.2}, constant{1.}));
      unit::check_clean(machine);
      const iterate_progress p = progress.host()(0);
      CHECK((p.steps == steps && p.has_settled == settles && p.change == changes[steps]));
      CHECK(unit::differences(u.host(), rows, cols, [&](int r, int c) { return after[steps][r * cols + c]; }) == 0);
    }
  CHECK((changes[7] > 0.4 && changes[49] <= 0.4));
}

namespace {
struct one_more {
  template <class Neighbours>
  MEMTILE_FUNCTION int64 operator()(const Neighbours& n) const {
    return n(0, 0) + 1;
  }
};
}  // namespace

TEST_CASE("large integers that change have not settled", "[iterate]") {
  for (auto& machine : testing::machines()) {
    const auto large = [](int, int) { return int64(1) << 60; };
    auto u = machine.buffer<int64>(3, 5, large), scratch = machine.buffer<int64>(3, 5, large);
    auto progress = machine.buffer<iterate_progress>(1);
    REQUIRE(
        iterate_until<star<1>>(machine, {0, 2, 6}, u.view(), scratch.view(), progress.view(), one_more{}, replicate{}));
    CHECK((progress.host()(0).steps == 6 && progress.host()(0).has_settled == 0 && progress.host()(0).change == 1));
    CHECK(u.host()(2, 4) == (int64(1) << 60) + 6);
  }
}

TEST_CASE("what is not a number never settles, and wrong ends are refused", "[iterate]") {
  for (auto& machine : testing::machines()) {
    auto u = machine.buffer<double>(3, 4, [](int, int c) { return c == 2 ? std::nan("") : 0.; }),
         scratch = machine.buffer<double>(3, 4);
    auto progress = machine.buffer<iterate_progress>(2);
    const auto go = [&](const until_settled& end, int elements) {
      return iterate_until<star<1>>(machine, end, u.view(), scratch.view(), subview(progress.view(), 0, elements),
                                    heat{0.2}, replicate{});
    };
    REQUIRE(go({1e9, 2, 6}, 1));
    CHECK((progress.host()(0).steps == 6 && progress.host()(0).has_settled == 0));
    CHECK(go({1, 2, 6}, 2).message() == "iterate: progress has 2 elements: it must have one");
    CHECK(go({1, 0, 6}, 1).message() == "iterate: a look every 0 steps: that must be 1 or more");
    CHECK(go({-1, 2, 6}, 1).message() == "iterate: the change is -1.000000: it must be 0 or more");
    CHECK(go({1, 2, -6}, 1).message() == "iterate: -6 steps: there must be 0 or more");
    const vector_view<iterate_progress> within(reinterpret_cast<iterate_progress*>(u.view().data), 1);
    CHECK(iterate_until<star<1>>(machine, {1, 2, 6}, u.view(), scratch.view(), within, heat{0.2}, replicate{})
              .message() == "iterate: progress lies in u, scratch or a field: give it memory of its own");
  }
}
