// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs a faulty kernel or its corrected twin, in the simulator, which prints its verdict, or on the GPU, under
// compute-sanitizer. verdicts.py lays the two beside each other.
//
//   verdicts                              all of them in the simulator: fails unless faulty ones alone are found faulty
//   verdicts list                         names, each with the tool that judges it
//   verdicts NAME[.right] simulator|gpu
#include "faulty_kernels.hpp"

#include <memtile/sim.cuh>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <set>
#include <string>
#include <vector>

using namespace memtile;
using namespace faulty;
using machine = testing::machine;

namespace {

// Memory of exactly so many elements: one past its end belongs to nobody.
template <class T>
class exact {
 public:
  exact(machine& m, int64 size) : memory_(m.memory()), size_(size) {
    data_ = static_cast<T*>(memory_.allocate(std::size_t(size) * sizeof(T)));
    if (data_ == nullptr) std::puts("no memory"), std::exit(2);
    memory_.to_machine(data_, std::vector<T>(std::size_t(size), T(1)).data(), std::size_t(size) * sizeof(T));
  }
  exact(const exact&) = delete;
  ~exact() { memory_.release(data_); }
  vector_view<T> view() const { return {data_, size_}; }
  matrix_view<T> view(int64 rows) const { return row_major(data_, rows, size_ / rows); }

 private:
  const sim::memory_functions& memory_;
  T* data_ = nullptr;
  int64 size_;
};

template <barrier_of_loop Missing>
status run_matmul(machine& m) {
  const exact<float> a(m, 16 * 64), b(m, 64 * 16), c(m, 16 * 16);
  const status started = launch(m, grid{1}, tiled_matmul<Missing>{}, a.view(16), b.view(64), c.view(16));
  return started ? m.synchronize() : started;
}

// A kernel that turns a vector into another; `size` and `out_size` elements.
template <class T, class Kernel>
status run_vector(machine& m, const Kernel& kernel, int64 size, int64 out_size) {
  const exact<T> in(m, size), out(m, out_size);
  const status started = launch(m, grid{1}, kernel, in.view(), out.view());
  return started ? m.synchronize() : started;
}
template <barrier_of_count Missing>
status run_count(machine& m) {
  return run_vector<int>(m, count_and_read<Missing>{}, 256, 1);
}
template <class Kernel>
status run_rows(machine& m) {
  const exact<float> in(m, 5 * 64), out(m, 5);
  const status started = launch(m, grid{1}, Kernel{}, in.view(5), out.view());
  return started ? m.synchronize() : started;
}
template <class T, class Kernel, class... More>
status run_output(machine& m, const Kernel& kernel, const More&... more) {
  const exact<T> out(m, 64);
  const status started = launch(m, grid{1}, kernel, out.view(), more...);
  return started ? m.synchronize() : started;
}

struct experiment {
  std::string name, tool;
  std::function<status(machine&)> faulty, right;
};
template <template <bool> class Kernel, class T, int Size>
experiment on_vectors(const char* name, const char* tool) {
  return {name, tool, [](machine& m) { return run_vector<T>(m, Kernel<false>{}, Size, Size); },
          [](machine& m) { return run_vector<T>(m, Kernel<true>{}, Size, Size); }};
}
template <copy_mistake Mistake>
experiment on_copy(const char* name) {
  return {name, "racecheck", [](machine& m) { return run_vector<float>(m, asynchronous_copy<Mistake>{}, 64, 64); },
          [](machine& m) { return run_vector<float>(m, asynchronous_copy<copy_mistake::none>{}, 64, 64); }};
}
template <class Kernel>
experiment on_mask(const char* name, uint32 wrong, uint32 right) {
  return {name, "synccheck", [=](machine& m) { return run_output<int>(m, Kernel{}, wrong); },
          [=](machine& m) { return run_output<int>(m, Kernel{}, right); }};
}

const std::vector<experiment> experiments = {
    {"second-barrier", "racecheck", run_matmul<barrier_of_loop::after_loads>, run_matmul<barrier_of_loop::none>},
    {"first-barrier", "racecheck", run_matmul<barrier_of_loop::after_stores>, run_matmul<barrier_of_loop::none>},
    on_vectors<sum_in_last_warp, float, 64>("sum-in-last-warp", "racecheck"),
    on_vectors<value_from_lane_0, float, 32>("value-from-lane-0", "racecheck"),
    {"scratch-in-loop", "racecheck", run_rows<scratch_in_loop<false>>, run_rows<scratch_in_loop<true>>},
    {"count-before-zero", "racecheck", run_count<barrier_of_count::before>, run_count<barrier_of_count::none>},
    {"read-before-count", "racecheck", run_count<barrier_of_count::after>, run_count<barrier_of_count::none>},
    {"two-store", "racecheck", [](machine& m) { return run_output<int>(m, two_store<false>{}); },
     [](machine& m) { return run_output<int>(m, two_store<true>{}); }},
    on_copy<copy_mistake::no_wait>("copy-without-wait"),
    on_copy<copy_mistake::no_barrier>("copy-without-barrier"),
    on_copy<copy_mistake::store_before>("copy-after-store"),
    on_copy<copy_mistake::store_before_wait>("store-before-wait"),

    {"return-in-warp", "synccheck", [](machine& m) { return run_output<float>(m, early_return<false>{}, 48); },
     [](machine& m) { return run_output<float>(m, early_return<true>{}, 48); }},
    {"return-of-warp", "synccheck", [](machine& m) { return run_output<float>(m, early_return<false>{}, 32); },
     [](machine& m) { return run_output<float>(m, early_return<true>{}, 32); }},
    {"barrier-in-branch", "synccheck", [](machine& m) { return run_output<float>(m, barrier_in_each_branch<false>{}); },
     [](machine& m) { return run_output<float>(m, barrier_in_each_branch<true>{}); }},
    on_mask<all_lanes<use::barrier>>("barrier-mask-omits-caller", 0x0000ffffu, 0xffffffffu),
    on_mask<all_lanes<use::shuffle>>("shuffle-mask-omits-caller", 0x0000ffffu, 0xffffffffu),
    on_mask<some_lanes<use::barrier, true>>("barrier-mask-names-returned", 0xffffffffu, 0x000fffffu),
    on_mask<some_lanes<use::shuffle, true>>("shuffle-mask-names-returned", 0xffffffffu, 0x000fffffu),

    {"global-read-past-end", "memcheck", [](machine& m) { return run_vector<float>(m, one_element_each{}, 63, 64); },
     [](machine& m) { return run_vector<float>(m, one_element_each{}, 64, 64); }},
    {"global-write-past-end", "memcheck", [](machine& m) { return run_vector<float>(m, one_element_each{}, 64, 63); },
     [](machine& m) { return run_vector<float>(m, one_element_each{}, 64, 64); }},
    {"misaligned-by-four", "memcheck", [](machine& m) { return run_vector<float>(m, four_elements_each{1}, 132, 32); },
     [](machine& m) { return run_vector<float>(m, four_elements_each{4}, 132, 32); }},
    {"shared-write-past-end", "memcheck", [](machine& m) { return run_vector<float>(m, element_of_shared{1}, 64, 64); },
     [](machine& m) { return run_vector<float>(m, element_of_shared{0}, 64, 64); }},
    {"shared-read-before-write", "initcheck", [](machine& m) { return run_vector<float>(m, column_of_tile{8}, 9, 32); },
     [](machine& m) { return run_vector<float>(m, column_of_tile{9}, 9, 32); }},

    // On a GPU these may never end.
    on_mask<some_lanes<use::barrier, false>>("barrier-mask-names-elsewhere", 0xffffffffu, 0x000fffffu),
    on_mask<some_lanes<use::shuffle, false>>("shuffle-mask-names-elsewhere", 0xffffffffu, 0x000fffffu),
    {"half-at-each-barrier", "synccheck",
     [](machine& m) { return run_output<float>(m, half_at_each_barrier<false>{}); },
     [](machine& m) { return run_output<float>(m, half_at_each_barrier<true>{}); }},
};

// The kinds of fault and of remark in the report, each once.
std::string verdict(const sim::report& report) {
  std::string words;
  std::set<sim::fault_kind> seen;
  for (const auto* list : {&report.faults(), &report.remarks()})
    for (const sim::fault& f : *list)
      if (seen.insert(f.kind).second)
        words +=
            (words.empty() ? "" : ", ") + std::string(sim::is_remark(f.kind) ? "remark: " : "") + sim::name_of(f.kind);
  return words.empty() ? "clean" : words;
}

int run(const experiment& e, bool right, bool on_gpu) {
  machine& where = on_gpu ? testing::machines().back() : testing::machines().front();
  if (where.is_gpu() != on_gpu) return std::puts("there is no GPU here"), 2;
  const status done = (right ? e.right : e.faulty)(where);
  // On the GPU the sanitizer has the word, and its exit status.
  if (on_gpu) return std::printf("%s\n", done ? "done" : done.message().c_str()), 0;
  std::printf("%s\n", where.last_report() == nullptr ? done.message().c_str() : verdict(*where.last_report()).c_str());
  return 0;
}

// Whether the simulator finds every faulty kernel, and nothing in the others.
bool all_as_expected() {
  bool good = true;
  for (const experiment& e : experiments)
    for (bool right : {false, true}) {
      machine& simulator = testing::machines().front();
      const status done = (right ? e.right : e.faulty)(simulator);
      std::printf("%s%s: %s\n", e.name.c_str(), right ? ".right" : "", verdict(*simulator.last_report()).c_str());
      good &= done.ok() == right;
    }
  return good;
}

}  // namespace

int main(int argument_count, char** arguments) {
  if (argument_count == 1) return all_as_expected() ? 0 : 1;
  if (argument_count == 2 && std::string(arguments[1]) == "list") {
    for (const experiment& e : experiments) std::printf("%s %s\n", e.name.c_str(), e.tool.c_str());
    return 0;
  }
  if (argument_count == 3)
    for (const experiment& e : experiments)
      for (bool right : {false, true})
        if (arguments[1] == e.name + (right ? ".right" : "")) return run(e, right, std::string(arguments[2]) == "gpu");
  std::puts("usage: verdicts, verdicts list, or verdicts NAME[.right] simulator|gpu");
  return 2;
}
