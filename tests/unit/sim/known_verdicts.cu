// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Small faulty kernels, most of them after a fault that somebody had, each beside a twin with that one thing put right.
// All of them are run in every order, with every arrival of copies, and on several OS threads.
#include "verdict.hpp"

#include <support/unit.hpp>

#include <set>

namespace {

namespace hw = memtile::hw;
using memtile::block;
using memtile::shared_tile;
using memtile::site;
using memtile::vector_view;
using memtile::sim::access_kind;
using memtile::sim::arrive;
using memtile::sim::order;
using memtile::sim::space;
using verdict::fault_kind;
using verdict::says;

// The two lines that a fault is about.
MEMTILE_FUNCTION constexpr site first_line() { return site{"first.cu", 11}; }
MEMTILE_FUNCTION constexpr site second_line() { return site{"second.cu", 22}; }
MEMTILE_FUNCTION int result_of(block b) { return b.grid_column() * b.size() + b.rank(); }

constexpr memtile::uint32 full = 0xffffffffu;

// V3: a tile is used as soon as it is stored.
template <bool Right>
struct use_at_once {
  static constexpr int threads = 64;
  struct storage {
    shared_tile<float, 1, threads> tile;
  };
  MEMTILE_KERNEL void operator()(block b, storage& shared, vector_view<const float> in, vector_view<float> out) const {
    const int t = b.rank();
    float sum = 0;
    for (int k = 0; k < 2; ++k) {
      shared.tile.store(0, t, in.load(k * threads + t), first_line());
      if (Right) b.sync();
      sum += shared.tile.load(0, threads - 1 - t, second_line());
      b.sync();
    }
    out.store(result_of(b), sum);
  }
};

// V4: a tree of sums; of its first steps each reads what another warp has written.
template <bool Right>
struct tree_of_sums {
  static constexpr int threads = 128;
  struct storage {
    shared_tile<float, 1, threads> tile;
  };
  MEMTILE_KERNEL void operator()(block b, storage& shared, vector_view<const float> in, vector_view<float> out) const {
    const int t = b.rank();
    shared.tile.store(0, t, in.load(t));
    b.sync();
    for (int step = threads / 2; step > 0; step /= 2) {
      if (t < step) {
        const float other = shared.tile.load(0, t + step, first_line());
        shared.tile.store(0, t, shared.tile.load(0, t) + other, second_line());
      }
      if (Right) b.sync();
    }
    if (t == 0) out.store(b.grid_column(), shared.tile.load(0, 0));
  }
};

// V7: warps sum by shuffles and leave their sums to thread 0.
template <bool Right>
struct sum_by_shuffles {
  static constexpr int threads = 64;
  struct storage {
    shared_tile<float, 1, 2> sums;
  };
  MEMTILE_KERNEL void operator()(block b, storage& shared, vector_view<const float> in, vector_view<float> out) const {
    float sum = in.load(b.rank());
    for (int distance = 16; distance > 0; distance /= 2) sum += b.warp().shuffle_down(sum, distance);
    if (b.warp().lane() == 0) shared.sums.store(0, b.warp().rank(), sum, first_line());
    if (Right) b.sync();
    if (b.rank() == 0) out.store(b.grid_column(), shared.sums.load(0, 0) + shared.sums.load(0, 1, second_line()));
  }
};

// V9: four values of each lane change places through shared memory.
template <bool Right>
struct turn_fragments {
  static constexpr int threads = 32;
  struct storage {
    shared_tile<float, threads, 4> tile;
  };
  MEMTILE_KERNEL void operator()(block b, storage& shared, vector_view<const float> in, vector_view<float> out) const {
    const int t = b.rank();
    shared.tile.store(t, 0, in.load(memtile::wide<4>, 4 * t), first_line());
    if (Right) b.warp().sync();
    float sum = 0;
    for (int i = 0; i < 4; ++i) sum += shared.tile.load(t / 4 * 4 + i, t % 4, second_line());
    out.store(result_of(b), sum);
  }
};

// V10: a word that serves in every round.
template <bool Right>
struct broadcast_in_rounds {
  static constexpr int threads = 64;
  struct storage {
    shared_tile<float, 1, 1> word;
  };
  MEMTILE_KERNEL void operator()(block b, storage& shared, vector_view<const float> in, vector_view<float> out) const {
    float sum = 0;
    for (int round = 0; round < 3; ++round) {
      if (b.rank() == round) shared.word.store(0, 0, in.load(round + 1), first_line());
      b.sync();
      sum += shared.word.load(0, 0, second_line());
      if (Right) b.sync();
    }
    out.store(result_of(b), sum);
  }
};

// V11: one whole warp waits for the block.
template <bool Right>
struct barrier_of_one_warp {
  static constexpr int threads = 64;
  struct storage {
    shared_tile<float, 1, 32> tile;
  };
  MEMTILE_KERNEL void operator()(block b, storage& shared, vector_view<const float> in, vector_view<float> out) const {
    const int t = b.rank();
    if (t < 32) shared.tile.store(0, t, in.load(t));
    if (Right || t < 32) b.sync(first_line());
    if (t < 32) out.store(result_of(b), shared.tile.load(0, 31 - t));
  }
};

// V14: masks that name a lane that has returned, or omit the caller; and a group that is no power of two.
template <memtile::uint32 Mask, int Lanes, int Group>
struct shuffle_of_some {
  static constexpr int threads = 32;
  struct storage {};
  MEMTILE_KERNEL void operator()(block b, storage&, vector_view<const float> in, vector_view<float> out) const {
    if (b.rank() >= Lanes) return;
    const float mine = in.load(b.rank());
    out.store(result_of(b), hw::shuffle(hw::shuffle_kind::exclusive_or, Mask, mine, 1, Group, first_line()));
  }
};

// V15: a block of 20 threads sums by shuffles from lanes that it does not have.
template <bool Right>
struct sum_of_twenty {
  static constexpr int threads = 20;
  MEMTILE_KERNEL void operator()(block b, vector_view<const float> in, vector_view<float> out) const {
    float sum = in.load(b.rank());
    for (int distance = 16; distance > 0; distance /= 2) {
      const float other = b.warp().shuffle_down(sum, distance);
      if (!Right || b.rank() + distance < threads) sum += other;
    }
    out.store(b.rank(), sum);
  }
};

// V16, V18: one element, or four, at a place that may be wrong.
template <int Row, int Column, int Width>
struct read_at {
  static constexpr int threads = 32;
  struct storage {
    shared_tile<float, 4, 8> tile;
  };
  MEMTILE_KERNEL void operator()(block b, storage& shared, vector_view<const float> in, vector_view<float> out) const {
    shared.tile.store(b.rank() / 8, b.rank() % 8, in.load(b.rank()));
    b.sync();
    if (b.rank() == 3) out.store(b.grid_column(), shared.tile.load(memtile::wide<Width>, Row, Column, first_line())[0]);
  }
};

// V23: the copy for the step after the next goes into a ring of so many slots.
template <int Slots>
struct ring_of_copies {
  static constexpr int threads = 32, steps = 4;
  struct storage {
    shared_tile<float, Slots, threads> slots;
  };
  MEMTILE_KERNEL void operator()(block b, storage& shared, vector_view<const float> in, vector_view<float> out) const {
    fetch(b, shared, in, 0);
    fetch(b, shared, in, 1);
    float sum = 0;
    for (int step = 0; step < steps; ++step) {
      hw::async_wait<1>(site::here());
      b.sync();
      fetch(b, shared, in, step + 2);
      sum += shared.slots.load(step % Slots, b.rank() ^ 1, second_line());
    }
    out.store(result_of(b), sum);
  }
  MEMTILE_FUNCTION static void fetch(block b, storage& shared, vector_view<const float> in, int step) {
    if (step < steps)
      hw::async_copy<4>(shared.slots.address(step % Slots, b.rank()), in.address(step * threads + b.rank()), true,
                        first_line());
    hw::async_commit(site::here());
  }
};

// V23: two copies into one place, the second before the first has been waited for.
template <bool Right>
struct copy_twice {
  static constexpr int threads = 32;
  struct storage {
    shared_tile<float, 1, threads> tile;
  };
  MEMTILE_KERNEL void operator()(block b, storage& shared, vector_view<const float> in, vector_view<float> out) const {
    const int t = b.rank();
    hw::async_copy<4>(shared.tile.address(0, t), in.address(t), true, first_line());
    hw::async_commit(site::here());
    if (Right) hw::async_wait<0>(site::here());
    hw::async_copy<4>(shared.tile.address(0, t), in.address(32 + t), true, second_line());
    hw::async_commit(site::here());
    hw::async_wait<0>(site::here());
    out.store(result_of(b), shared.tile.load(0, t));
  }
};

// V24: each half of the warp closes a group of its own.
template <bool Right>
struct commit_in_each_branch {
  static constexpr int threads = 32;
  struct storage {
    shared_tile<float, 1, threads> tile;
  };
  MEMTILE_KERNEL void operator()(block b, storage& shared, vector_view<const float> in, vector_view<float> out) const {
    const int t = b.rank();
    hw::async_copy<4>(shared.tile.address(0, t), in.address(t), true, site::here());
    if (Right) hw::async_commit(site::here());
    else if (t < 16) hw::async_commit(first_line());
    else hw::async_commit(second_line());
    hw::async_wait<0>(site::here());
    out.store(result_of(b), shared.tile.load(0, t));
  }
};

// V30: every block writes one word.
template <bool Right>
struct last_block_wins {
  static constexpr int threads = 32;
  struct storage {};
  MEMTILE_KERNEL void operator()(block b, storage&, vector_view<const float>, vector_view<float> out) const {
    if (b.rank() != 0) return;
    if (Right) out.atomic_add(0, float(b.grid_column() + 1), first_line());
    else out.store(0, float(b.grid_column() + 1), first_line());
  }
};

// SIM-14: neighbours are summed in place, or into another vector.
template <bool Right>
struct sum_of_neighbours {
  static constexpr int threads = 32;
  struct storage {};
  MEMTILE_KERNEL void operator()(block b, storage&, vector_view<const float> in, vector_view<float> out) const {
    const int i = result_of(b), last = threads * int(hw::grid_columns()) - 1;
    const vector_view<const float> from = Right ? in : vector_view<const float>(out);
    const float left = i > 0 ? from.load(i - 1, second_line()) : 0,
                right = i < last ? from.load(i + 1, second_line()) : 0;
    b.sync();
    out.store(i, left + right, first_line());
  }
};

// Block 1 stores at once what stands there already, and block 0, after long work, something else.
struct store_of_what_is_there {
  static constexpr int threads = 32;
  MEMTILE_KERNEL void operator()(block b, vector_view<const float> in, vector_view<float> out) const {
    float sum = 0;
    for (int i = 0; i < (b.grid_column() == 0 ? 20000 : 0); ++i) sum += in.load((i * threads + b.rank()) % in.size);
    if (b.rank() == 0) out.store(0, b.grid_column() == 0 ? sum : 2, first_line());
  }
};

constexpr int blocks = 4, in_size = 256, out_size = blocks * 128;
template <class Kernel>
memtile::status run(memtile::sim::machine& machine) {
  auto in = machine.buffer<float>(in_size, [](int i) { return float(i); });
  auto out = machine.buffer<float>(out_size, [](int i) { return float(i * i); });
  return memtile::launch(machine, memtile::grid{blocks}, Kernel{}, in.view(), out.view());
}

struct known_verdict {
  const char* what;
  fault_kind kind;
  memtile::status (*faulty)(memtile::sim::machine&);
  memtile::status (*right)(memtile::sim::machine&);
  std::vector<const char*> words{};  // in the text of one of its faults of that kind
};
const std::vector<known_verdict> verdicts{
    {"V3: a tile is used before the barrier",
     fault_kind::race,
     run<use_at_once<false>>,
     run<use_at_once<true>>,
     {"first.cu:11", "second.cu:22", "Put block.sync() between them"}},
    {"V3: and before others have written it",
     fault_kind::uninitialised_read,
     run<use_at_once<false>>,
     run<use_at_once<true>>,
     {"second.cu:22", "which no thread of the block has written"}},
    {"V4: a tree of sums without barriers",
     fault_kind::race,
     run<tree_of_sums<false>>,
     run<tree_of_sums<true>>,
     {"first.cu:11", "second.cu:22"}},
    {"V7: sums of warps are added before all are there",
     fault_kind::race,
     run<sum_by_shuffles<false>>,
     run<sum_by_shuffles<true>>,
     {"first.cu:11", "second.cu:22", "tile[0][1]"}},
    {"V9: fragments change places without a barrier of the warp",
     fault_kind::race,
     run<turn_fragments<false>>,
     run<turn_fragments<true>>,
     {"first.cu:11", "second.cu:22", "warp().sync() is enough"}},
    {"V10: a word is written anew while others still read it",
     fault_kind::race,
     run<broadcast_in_rounds<false>>,
     run<broadcast_in_rounds<true>>,
     {"first.cu:11", "second.cu:22"}},
    {"V11: a warp returns before the barrier",
     fault_kind::divergent_barrier,
     run<barrier_of_one_warp<false>>,
     run<barrier_of_one_warp<true>>,
     {"first.cu:11 is reached by threads 0 .. 31 only", "threads 32 .. 63 returned"}},
    {"V14: the mask omits the caller",
     fault_kind::wrong_mask,
     run<shuffle_of_some<0xffff, 18, 32>>,
     run<shuffle_of_some<0x3ffff, 18, 32>>,
     {"thread 16 and 1 more, and in other blocks, first.cu:11", "0x0000ffff"}},
    {"V14: the mask names a lane that has returned",
     fault_kind::wrong_mask,
     run<shuffle_of_some<full, 18, 32>>,
     run<shuffle_of_some<full, 32, 32>>,
     {"first.cu:11: the mask 0xffffffff of this warp operation names threads 18 .. 31, which returned before"}},
    {"V16: one past the end",
     fault_kind::out_of_bounds,
     run<read_at<3, 8, 1>>,
     run<read_at<3, 7, 1>>,
     {"thread 3, and in other blocks, first.cu:11: shared_tile[3][8] is outside 4x8"}},
    {"V16: a negative index",
     fault_kind::out_of_bounds,
     run<read_at<0, -1, 1>>,
     run<read_at<0, 0, 1>>,
     {"first.cu:11: shared_tile[0][-1] is outside 4x8"}},
    {"V16: past the end of a row, in the next one",
     fault_kind::out_of_bounds,
     run<read_at<1, 8, 1>>,
     run<read_at<2, 0, 1>>,
     {"first.cu:11: shared_tile[1][8] is outside 4x8"}},
    {"V18: four elements that begin between two pieces",
     fault_kind::misaligned,
     run<read_at<1, 3, 4>>,
     run<read_at<1, 4, 4>>,
     {"thread 3, and in other blocks, first.cu:11", "begins 12 bytes past one"}},
    {"V23: a ring is one slot short",
     fault_kind::copy_in_flight,
     run<ring_of_copies<2>>,
     run<ring_of_copies<3>>,
     {"first.cu:11", "second.cu:22"}},
    {"V23: a copy overtakes another one",
     fault_kind::copy_in_flight,
     run<copy_twice<false>>,
     run<copy_twice<true>>,
     {"first.cu:11", "second.cu:22"}},
    {"V24: the halves of a warp commit on two lines",
     fault_kind::divergent_commit,
     run<commit_in_each_branch<false>>,
     run<commit_in_each_branch<true>>,
     {"first.cu:11", "second.cu:22"}},
    {"V30: blocks write one word",
     fault_kind::race,
     run<last_block_wins<false>>,
     run<last_block_wins<true>>,
     {"first.cu:11", "of block (0, 0)", "Blocks of a launch run in any order"}},
    {"SIM-14: blocks read what their neighbours write",
     fault_kind::race,
     run<sum_of_neighbours<false>>,
     run<sum_of_neighbours<true>>,
     {"first.cu:11", "second.cu:22", "of block (0, 0)", "view[31]"}},
};

// Nothing but faults of that kind, of which one says so; a wrong order may also leave words unwritten.
bool has(const memtile::sim::report& report, const known_verdict& known) {
  for (const memtile::sim::fault& f : report.faults())
    if (f.kind != known.kind && f.kind != fault_kind::uninitialised_read &&
        (f.kind != fault_kind::race || known.kind != fault_kind::uninitialised_read))
      return false;
  const auto& found = is_remark(known.kind) ? report.remarks() : report.faults();
  return std::any_of(found.begin(), found.end(), [&](const memtile::sim::fault& f) {
    return f.kind == known.kind &&
           std::all_of(known.words.begin(), known.words.end(), [&](const char* words) { return says(f.text, words); });
  });
}

// The kinds of faults, and every total. Whether somebody has written a word before it is read without any order between
// the two is a matter of luck.
struct outcome {
  std::set<fault_kind> kinds;
  std::vector<std::int64_t> totals;
  friend bool operator==(const outcome& a, const outcome& b) { return a.kinds == b.kinds && a.totals == b.totals; }
};
outcome outcome_of(const memtile::sim::report& report) {
  outcome all;
  for (const auto* found : {&report.faults(), &report.remarks()})
    for (const memtile::sim::fault& f : *found)
      if (f.kind != fault_kind::uninitialised_read) all.kinds.insert(f.kind);
  all.totals.push_back(report.barriers());
  for (space where : {space::shared, space::global})
    for (access_kind kind : {access_kind::load, access_kind::store, access_kind::atomic, access_kind::async_copy}) {
      const auto t = report.total(where, kind);
      for (std::int64_t n : {t.requests, t.lanes, t.wavefronts, t.bank_conflicts, t.sectors, t.bytes_asked})
        all.totals.push_back(n);
    }
  return all;
}

template <class Run>
memtile::sim::report report_of(Run kernel, order o, arrive copies, int jobs = 1) {
  memtile::sim::machine machine;
  machine.order = o, machine.copies = copies, machine.jobs = jobs, machine.seed = 5;
  static_cast<void>(kernel(machine));
  REQUIRE(machine.last_report() != nullptr);
  return *machine.last_report();
}

template <class Each>
void for_each_order(Each each) {
  for (order o : {order::forward, order::reverse, order::random})
    for (arrive copies : {arrive::latest, arrive::earliest, arrive::random}) {
      CAPTURE(int(o), int(copies));
      each(o, copies);
    }
}

}  // namespace

TEST_CASE("each faulty kernel is told by its kind and its lines, and its twin is clean", "[sim]") {
  for (const known_verdict& known : verdicts) {
    CAPTURE(known.what);
    memtile::sim::machine machine;
    CHECK(known.faulty(machine).ok() == is_remark(known.kind));
    CAPTURE(machine.last_report()->to_string());
    CHECK(has(*machine.last_report(), known));
    CHECK(known.right(machine).ok());
    CHECK_THAT(*machine.last_report(), memtile::sim::IsClean());
    CHECK(machine.last_report()->remarks().empty());
  }
}

TEST_CASE("the orders of blocks and warps and the arrival of copies change no verdict and no count", "[sim]") {
  for (const known_verdict& known : verdicts)
    for (auto kernel : {known.faulty, known.right}) {
      CAPTURE(known.what, kernel == known.faulty);
      const outcome expected = outcome_of(report_of(kernel, order::forward, arrive::latest));
      CHECK(expected.kinds.empty() == (kernel == known.right));
      for_each_order([&](order o, arrive copies) {
        const auto report = report_of(kernel, o, copies);
        CAPTURE(report.to_string());
        CHECK(outcome_of(report) == expected);
        CHECK(report_of(kernel, o, copies).to_string() == report.to_string());
      });
    }
}

TEST_CASE("several OS threads write the report of one", "[sim]") {
  for (const known_verdict& known : verdicts)
    for (auto kernel : {known.faulty, known.right})
      for (order o : {order::forward, order::reverse, order::random}) {
        CAPTURE(known.what, kernel == known.faulty, int(o));
        const std::string alone = report_of(kernel, o, arrive::random).to_string();
        for (int jobs : {2, 3}) {
          CAPTURE(jobs);
          CHECK(report_of(kernel, o, arrive::random, jobs).to_string() == alone);
        }
      }
}

TEST_CASE("blocks that store different values race, whichever OS thread is faster", "[sim]") {
  for (int jobs : {1, 2}) {
    CAPTURE(jobs);
    memtile::sim::machine machine;
    machine.jobs = jobs;
    auto in = machine.buffer<float>(4096, [](int i) { return float(i % 2); });
    auto out = machine.buffer<float>(1, [](int) { return 2.f; });
    CHECK_FALSE(memtile::launch(machine, memtile::grid{2}, store_of_what_is_there{}, in.view(), out.view()).ok());
    CHECK(says(verdict::only_fault(machine, fault_kind::race), "of block (0, 0)"));
  }
}

// V14
TEST_CASE("a shuffle in groups that are no power of two is a fault", "[sim]") {
  memtile::sim::machine machine;
  CHECK_FALSE(run<shuffle_of_some<full, 32, 12>>(machine).ok());
  CHECK(run<shuffle_of_some<full, 32, 8>>(machine).ok());
}

// V15
TEST_CASE("a sum with a lane that does not exist is no number", "[sim]") {
  for_each_order([](order o, arrive copies) {
    memtile::sim::machine machine;
    machine.order = o, machine.copies = copies;
    auto in = machine.buffer<float>(20, [](int i) { return float(i); });
    auto out = machine.buffer<float>(20);
    REQUIRE(memtile::launch(machine, memtile::grid{1}, sum_of_twenty<false>{}, in.view(), out.view()));
    CHECK(out.host()(0) != out.host()(0));
    REQUIRE(memtile::launch(machine, memtile::grid{1}, sum_of_twenty<true>{}, in.view(), out.view()));
    CHECK(out.host()(0) == 190);
    CHECK_THAT(*machine.last_report(), memtile::sim::IsClean());
  });
}

TEST_CASE("a kernel without a race has the same results in every order", "[sim][SIM-14]") {
  const auto results = [](auto kernel, order o, arrive copies) {
    memtile::sim::machine machine;
    machine.order = o, machine.copies = copies, machine.seed = 5;
    auto in = machine.buffer<float>(in_size, [](int i) { return float(i); });
    auto out = machine.buffer<float>(out_size, [](int i) { return float(i * i); });
    REQUIRE(memtile::launch(machine, memtile::grid{blocks}, kernel, in.view(), out.view()));
    return out.host();
  };
  for_each_order([&](order o, arrive copies) {
    CHECK(results(sum_by_shuffles<true>{}, o, copies)(0) == 2016);  // V7
    CHECK(results(tree_of_sums<true>{}, o, copies)(blocks - 1) == 127 * 64);
    CHECK(results(turn_fragments<true>{}, o, copies)(5) == 16 + 20 + 24 + 28 + 4 * 1);
    CHECK(results(ring_of_copies<3>{}, o, copies)(6) == 4 * 7 + 32 * (1 + 2 + 3));
    CHECK(results(copy_twice<true>{}, o, copies)(9) == 32 + 9);
    CHECK(results(last_block_wins<true>{}, o, copies)(0) == 1 + 2 + 3 + 4);
    const auto sums = results(sum_of_neighbours<true>{}, o, copies);
    CHECK((sums(0) == 1 && sums(31) == 62 && sums(32) == 64 && sums(127) == 126));
  });
}

TEST_CASE("a block barrier does not order blocks", "[sim][SIM-14]") {
  for_each_order([](order o, arrive copies) {
    const auto report = report_of(run<sum_of_neighbours<false>>, o, copies);
    REQUIRE(report.faults().size() == 1);
    const std::string text = report.faults()[0].text;
    CAPTURE(text);
    CHECK(says(text, "first.cu:11"));
    CHECK(says(text, "second.cu:22"));
    CHECK(says(text, "Blocks of a launch run in any order"));
    CHECK(says(text, "and in other blocks"));
  });
}
