// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Frames come out as they must, in order, whatever the lanes of a GPU do meanwhile; what stops a pipeline, and how.
#include <memtile/pipeline.cuh>
#include <support/unit.hpp>

#include <deque>
#include <functional>
#include <random>
#include <stdexcept>
#include <string>

using namespace memtile;

namespace {

// Each element becomes a sum of the two that lie at its place in the upper and the lower half of the frame.
struct fold {
  static constexpr int threads = 64;
  MEMTILE_KERNEL void operator()(block b, matrix_view<const uint8> in, matrix_view<float> out) const {
    const int64 r = b.grid_row(), c = b.grid_column() * threads + b.rank();
    if (out.inside(r, c)) out.store(r, c, float(in.load(r, c)) + 1000 * float(in.load(r + out.rows, c)));
  }
};
template <class Where>
status folded(const Where& where, const matrix_view<const uint8>& in, const matrix_view<float>& out) {
  return launch(where, grid_for(out.rows, out.cols, 1, fold::threads), fold{}, in, out);
}

uint8 pixel(int64 number, int64 r, int64 c) { return uint8(number * 37 + r * 5 + c); }
void fill(const matrix_view<uint8>& frame, int64 number) {
  for (int64 r = 0; r < frame.rows; ++r)
    for (int64 c = 0; c < frame.cols; ++c) *frame.address(r, c) = pixel(number, r, c);
}
int wrong(const matrix_view<const float>& frame, int64 number) {
  int count = 0;
  for (int64 r = 0; r < frame.rows; ++r)
    for (int64 c = 0; c < frame.cols; ++c)
      count += *frame.address(r, c) != float(pixel(number, r, c)) + 1000 * float(pixel(number, r + frame.rows, c));
  return count;
}

// A GPU at its worst: every lane does its next step at some time between when it was asked for and when somebody waits.
class late_link {
 public:
  explicit late_link(unsigned seed, const detail::staging<uint8, float>& s)
      : host_(s.bytes() + 1), machine_(s.bytes() + 1, 0xff), chance_(seed) {}
  unsigned char* host() { return host_.data(); }
  unsigned char* machine() { return machine_.data(); }

  status copy(detail::link_lane on, const detail::rows_to_copy& what) {
    return later(on, [=] { return detail::link_to_cpu().copy(on, what); });
  }
  status mark(detail::link_lane on, int slot) {
    ++asked_[int(on)][slot];
    return later(on, [=]() -> status { return ++reached_[int(on)][slot], status(); });
  }
  status follow(detail::link_lane next, detail::link_lane first, int slot) {
    const int until = asked_[int(first)][slot];
    lanes_[int(next)].push_back({[=] { return reached_[int(first)][slot] >= until; }, [] { return status(); }});
    return some_steps();
  }
  status wait(detail::link_lane on, int slot) {
    while (reached_[int(on)][slot] < asked_[int(on)][slot])
      if (status s = any_step(); !s) return s;
    return {};
  }
  void drain() {
    while (!is_idle()) REQUIRE(any_step());
  }
  bool is_idle() const { return lanes_[0].empty() && lanes_[1].empty() && lanes_[2].empty(); }
  status later(detail::link_lane on, std::function<status()> does) {
    lanes_[int(on)].push_back({[] { return true; }, does});
    return some_steps();
  }

 private:
  struct step {
    std::function<bool()> may;
    std::function<status()> does;
  };
  status some_steps() {
    for (unsigned i = chance_() % 4; i > 0; --i)
      if (status s = any_step(); !s) return s;
    return {};
  }
  status any_step() {
    std::deque<step>& l = lanes_[chance_() % 3];
    if (l.empty() || !l.front().may()) return {};
    const step next = l.front();
    l.pop_front();
    return next.does();
  }

  std::vector<unsigned char> host_, machine_;
  std::minstd_rand chance_;
  std::deque<step> lanes_[detail::link_lanes];
  int asked_[detail::link_lanes][8] = {}, reached_[detail::link_lanes][8] = {};
};

}  // namespace

TEST_CASE("frames of any number come out changed, in order, from the same memory", "[pipeline]") {
  for (auto& machine : testing::machines())
    for (const auto& shape : {frame<float>{3, 65}, frame<float>{1, 1}, frame<float>{0, 5}, frame<float>{4, 128}})
      for (const int slots : {1, 4}) {
        pipeline frames(machine, frame<uint8>{2 * shape.rows, shape.cols}, shape, slots);
        const size_t bytes = frames.machine_bytes() + frames.host_bytes();
        CHECK(bytes >= 2 * size_t(slots * shape.rows * shape.cols) * 6);
        for (const int count : {0, 1, 11}) {
          INFO(shape.rows << "x" << shape.cols << ", " << slots << " slots, " << count << " frames");
          int given = 0, taken = 0, faults = 0;
          std::vector<int64> progress;
          REQUIRE(frames.run([&](matrix_view<uint8> in) { return given < count && (fill(in, given++), true); },
                             [&](const auto& where, auto in, auto out) {
                               faults += in.pitch % 128 != 0 || out.pitch % 128 != 0;
                               return folded(where, in, out);
                             },
                             [&](matrix_view<const float> out) { faults += wrong(out, taken++); },
                             [&](int64 done) { progress.push_back(done), faults += done != taken; }));
          CHECK((given == count && taken == count && frames.frames() == count && int(progress.size()) == count));
          CHECK(faults == 0);
          CHECK(frames.machine_bytes() + frames.host_bytes() == bytes);
          if (count > 0 && shape.rows > 0) unit::check_clean(machine);
        }
      }
}

TEST_CASE("no order of the lanes makes a frame wrong", "[pipeline]") {
  sim::machine machine;
  for (unsigned seed = 0; seed < 40; ++seed) {
    const int slots = 1 + int(seed % 4), count = int(seed % 13);
    const detail::staging<uint8, float> staging{{4, 3}, {2, 3}, slots};
    late_link link(seed, staging);
    int64 given = 0, taken = 0;
    int faults = 0;
    const auto source = [&](matrix_view<uint8> in) { return given < count && (fill(in, given++), true); };
    const auto work = [&](const detail::on_cpu& where, auto in, auto out) {
      return link.later(detail::link_lane::work, [where, in, out] { return folded(where, in, out); });
    };
    const auto sink = [&](matrix_view<const float> out) { faults += wrong(out, taken++); };
    int64 done = 0;
    const detail::no_progress none;
    REQUIRE(detail::run_frames(link, detail::on_cpu{machine}, staging, done, source, work, sink, none));
    CHECK((done == count && taken == count && faults == 0));

    // Memory is touched by nobody any more, however the run ended.
    const auto stops = [](matrix_view<const float>) { return false; };
    const auto throws = [&](matrix_view<uint8> in) {
      return given++ < 2 ? (fill(in, 0), true) : throw std::runtime_error("the camera is gone");
    };
    done = given = 0;
    REQUIRE(detail::run_frames(link, detail::on_cpu{machine}, staging, done, source, work, stops, none));
    CHECK(link.is_idle());
    given = 0;
    CHECK_THROWS(
        static_cast<void>(detail::run_frames(link, detail::on_cpu{machine}, staging, done, throws, work, sink, none)));
    CHECK(link.is_idle());
  }
}

TEST_CASE("callbacks stop a pipeline, a refused frame keeps those before it, and it runs again", "[pipeline]") {
  for (auto& machine : testing::machines()) {
    pipeline frames(machine, frame<uint8>{4, 5}, frame<float>{2, 5}, 3);
    int given = 0, taken = 0, faults = 0;
    const auto endless = [&](matrix_view<uint8> in) { return fill(in, given++), true; };
    const auto work = [](const auto& where, auto in, auto out) { return folded(where, in, out); };
    const auto sink = [&](matrix_view<const float> out) { faults += wrong(out, taken++); };

    REQUIRE(frames.run(endless, work, [&](matrix_view<const float> out) { return sink(out), taken < 5; }));
    CHECK((frames.frames() == 5 && taken == 5 && given <= 5 + 3));
    given = taken = 0;
    REQUIRE(frames.run(endless, work, sink, [](int64 done) { return done < 4; }));
    CHECK((frames.frames() == 4 && taken == 4 && given <= 4 + 3));

    given = taken = 0;
    const status refused = frames.run(
        endless,
        [&](const auto& where, auto in, auto out) {
          return given == 8 ? launch(where, grid(70000, 1), fold{}, in, out) : folded(where, in, out);
        },
        sink);
    CHECK(refused.message().find("pipeline: frame 7: launch of ") == 0);
    CHECK((refused.code() == status::invalid_configuration && taken == 7 && given == 8));

    given = taken = 0;
    const auto throws = [&](matrix_view<uint8> in) {
      if (given == 2) throw std::runtime_error("the camera is gone");
      return endless(in);
    };
    CHECK_THROWS_AS(static_cast<void>(frames.run(throws, work, sink)), std::runtime_error);
    given = taken = 0;
    REQUIRE(frames.run([&](matrix_view<uint8> in) { return given < 9 && endless(in); }, work, sink));
    CHECK((taken == 9 && faults == 0));
  }
}

TEST_CASE("pipelines that cannot be are refused in words, and nothing is called", "[pipeline]") {
  for (auto& machine : testing::machines()) {
    bool called = false;
    const auto run = [&](auto&& frames) {
      return frames.run([&](auto) { return called = true; }, [](auto&&...) { return status(); }, [](auto&&...) {})
          .message();
    };
    CHECK(run(pipeline(machine, frame<int>{3, 4}, 0)) == "pipeline: 0 slots: there must be 1 or more");
    CHECK(run(pipeline(machine, frame<int>{3, 4}, frame<int>{3, -4})) ==
          "pipeline: frames of 3x4 become 3x-4: sizes must not be negative");
    CHECK(run(pipeline(machine, frame<int>{int64(1) << 40, int64(1) << 40}, 2)) ==
          "pipeline: 2 slots for frames of 1099511627776x1099511627776 and 1099511627776x1099511627776 fit into no "
          "memory");
    CHECK(run(pipeline(machine, frame<int>{int64(1) << 26, int64(1) << 26}, 1)).find("memory") != std::string::npos);
    CHECK(!called);
  }
}
