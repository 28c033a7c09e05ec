// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs a block on one OS thread, each GPU thread as a fiber, and watches; a block of a cluster, from each barrier of the
// cluster to the next.
//
// A lane runs until it has to wait or its trace is full. When all lanes of a warp have stopped, their notes become warp
// accesses, which are counted and checked; then the operations open for which every lane has come. Races and counts do not
// depend on the order in which threads run, except through the values that a faulty kernel computes.
#pragma once

#include <memtile/core/launch_limits.hpp>
#include <memtile/sim/accounting.hpp>
#include <memtile/sim/simulated_thread.hpp>
#include <memtile/sim/standstill.hpp>
#include <memtile/sim/warp_operation.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace memtile::sim::detail {

class block_runner final : public listener {
 public:
  block_runner(accounting& of_cluster, const machine_options& options) : options_(options), accounting_(of_cluster) {}
  block_runner(const block_runner&) = delete;  // a running kernel knows its address
  block_runner& operator=(const block_runner&) = delete;

  /// False if there is no memory for so many stacks.
  bool has_stacks(int threads);
  void begin_launch(const launch_request&);
  /// The block that is the `number`-th of the launch. `cluster` has the shared memory of each block of its cluster.
  void begin_block(std::int64_t number, const block_place&, int rank_in_cluster,
                   const std::vector<unsigned char*>& cluster);
  /// Until all threads wait for the cluster or the grid or have returned, or the block cannot go on.
  void run_threads();
  void open_cluster_barrier();
  unsigned char* shared_bytes() { return arena_->bytes; }
  bool halted() const { return halted_; }
  bool has_returned() const { return number(thread_state::returned) == size; }
  const simulated_threads& threads() const { return threads_; }
  /// The first thread that waits for other blocks; there is one.
  const simulated_thread& who_waits() const;
  /// Null if all threads have come where that one waits.
  const simulated_thread* who_is_not_with(const simulated_thread&) const;

  // The rest is called by the running kernel: kernel_calls.hpp.
  void trace_full() override;
  bool wait_for_block(bool vote, site) override;
  void wait_for_cluster(site) override;
  void wait_for_grid(site) override;
  void wait_for_warp(uint32 mask, uint64 mine, exchanged& all, bool orders, site) override;
  void async_copy(void* to_shared, const void* from_global, int bytes, int valid, site to, site from) override;
  void async_commit(site) override;
  void async_wait(int groups_left_pending, site) override;
  void* shared_storage() override { return arena_->bytes; }
  void* in_block(const void* own, int block, int bytes, site) override;
  void wait_for_turn() override;
  void out_of_bounds(const char* what, int dimensions, const int64* index, const int64* extent, site) override;
  void misaligned(const void* address, int bytes, site) override;
  void lane_not_named(int lane, uint32 mask, site) override;
  void wrong_group(int group, site) override;
  void no_model(const char* what, site) override;

 private:
  // What lies before and behind, reached by a kernel that goes around the tiles, belongs to nobody.
  struct arena {
    alignas(1024) unsigned char before[1024];
    alignas(1024) unsigned char bytes[memtile::detail::most_shared_bytes(90)];
    unsigned char behind[1024];
  };
  static constexpr int stops_of_full_trace = 4, most_rounds_stuck = 4, most_warps = memtile::detail::most_threads / 32;

  bool run_warp(int warp);
  void resume(int thread);
  std::uint32_t unfinished_lanes(int first, int last);
  bool is_of_locals(const warp_access&, int first);
  bool release_warp(int warp);
  bool release_block_barrier();
  bool release_without_returned();

  static void enter(void* of_thread);
  void stop(thread_state, const site&);
  void left_out(const site&);
  void arrived(const pending_copies::copy&);
  void set_state(simulated_thread& t, thread_state s) {
    --in_state_[int(t.state)];
    ++in_state_[int(s)];
    t.state = s;
  }
  bool has_stopped() const {
    return number(thread_state::returned) + number(thread_state::at_cluster_barrier) +
               number(thread_state::at_grid_barrier) ==
           size;
  }
  int number(thread_state s) const { return in_state_[int(s)]; }
  simulated_thread& thread(int t) { return *threads_[std::size_t(t)]; }
  simulated_thread& running() { return thread(rank); }
  int warps() const { return (size + 31) / 32; }

  void give_up(fault_kind, const site&, std::string sentence);
  void give_up_on_standstill();
  void give_up_on_livelock(std::string sentence);
  bool spun_too_long();

  const machine_options& options_;
  accounting& accounting_;  // of all blocks of the cluster
  launch_request request_{};
  bool halted_ = false;  // the block cannot go on

  // Of the block that runs
  std::unique_ptr<arena> arena_{new arena};
  const std::vector<unsigned char*>* cluster_ = nullptr;  // the memory of all blocks that run together,
  int first_in_cluster_ = 0;                              // and among them the first one of the cluster
  simulated_threads threads_;
  warp_trace trace_;  // warps take turns
  int in_state_[thread_states] = {};
  int stops_[most_warps] = {};
  int spins_ = 0;
  bool any_vote_ = false;   // at the last block barrier
  std::vector<int> turns_;  // the warps, in the order in which they run
  random_numbers random_{0};
  std::vector<site> commits_[most_warps];  // where the groups of a warp were closed
};

// --- a launch ---

inline bool block_runner::has_stacks(int threads) {
  while (int(threads_.size()) < threads) {
    auto fresh = std::make_unique<simulated_thread>();
    if (!fresh->stack.usable()) return false;
    fresh->owner = this;
    threads_.push_back(std::move(fresh));
  }
  return true;
}

inline void block_runner::begin_launch(const launch_request& request) {
  request_ = request;
  size = request.threads;
  cluster_size = request.is_cooperative ? 1 : request.cluster;
  grid_planes = request.planes, grid_rows = request.rows, grid_columns = request.columns;
  arrange(turns_, warps(), options_.order, options_.seed);
}

// --- a block ---

inline void block_runner::begin_block(std::int64_t number, const block_place& block, int rank_in_cluster,
                                      const std::vector<unsigned char*>& cluster) {
  random_ = random_numbers(random_numbers(options_.seed).next() + std::uint64_t(number));
  cluster_ = &cluster;
  first_in_cluster_ = request_.is_cooperative ? rank_in_cluster : 0;
  cluster_rank = rank_in_cluster - first_in_cluster_;
  block_plane = block.plane, block_row = block.row, block_column = block.column;
  std::memset(arena_->bytes, 0xff, request_.shared_bytes);  // NaN: whoever reads what nobody wrote shall notice
  for (int t = 0; t < size; ++t) {
    thread(t).state = thread_state::ready;
    thread(t).left_out = 0;
    thread(t).copies.drop();
    thread(t).stack.start(&block_runner::enter, &thread(t));
  }
  std::fill(std::begin(in_state_), std::end(in_state_), 0);
  in_state_[int(thread_state::ready)] = size;
  std::fill(std::begin(stops_), std::end(stops_), 0);
  for (int warp = 0; warp < warps(); ++warp) commits_[warp].clear();
  trace_.clear();
  spins_ = 0;
  flops = 0;
  has_turn = false;
  halted_ = false;
}

inline void block_runner::run_threads() {
  listener* const outer = std::exchange(current, this);
  while (!halted_ && !has_stopped()) {
    bool moved = false;
    if (options_.order == order::random) arrange(turns_, warps(), order::random, random_.next());
    for (const int warp : turns_) {
      moved |= run_warp(warp);
      if (halted_) break;
    }
    if (moved) spins_ = 0;
    if (halted_ || has_stopped()) break;
    if (number(thread_state::trace_full) > 0) {
      if (!moved && spun_too_long()) give_up_on_livelock(explain_spinning(threads_, size));
    } else if (!release_block_barrier() && !release_without_returned()) {
      give_up_on_standstill();
    }
  }
  current = outer;
}

inline const simulated_thread& block_runner::who_waits() const {
  std::size_t t = 0;
  while (threads_[t]->state == thread_state::returned) ++t;
  return *threads_[t];
}

inline const simulated_thread* block_runner::who_is_not_with(const simulated_thread& other) const {
  for (std::size_t t = 0; t < std::size_t(size); ++t)
    if (!threads_[t]->stands_with(other)) return threads_[t].get();
  return nullptr;
}

inline void block_runner::open_cluster_barrier() {
  for (int t = 0; t < size; ++t) set_state(thread(t), thread_state::ready);
}

inline bool block_runner::release_block_barrier() {
  if (number(thread_state::at_block_barrier) < size) return false;
  for (int t = 1; t < size; ++t)
    if (!same_site(thread(t).where, thread(0).where)) return false;
  any_vote_ = false;
  for (int t = 0; t < size; ++t) {
    any_vote_ |= thread(t).value != 0;
    set_state(thread(t), thread_state::ready);
  }
  accounting_.block_barrier();
  return true;
}

inline void block_runner::give_up(fault_kind kind, const site& at, std::string sentence) {
  halted_ = true;
  accounting_.standstill(kind, at, std::move(sentence));
}

inline void block_runner::give_up_on_standstill() {
  for (int t = 0; t < size; ++t)
    if (thread(t).state == thread_state::at_block_barrier)
      return give_up(fault_kind::divergent_barrier, thread(t).where,
                     explain_divergent_barrier(threads_, size, thread(t)));
  for (int t = 0; t < size; ++t)
    if (thread(t).state == thread_state::at_warp_operation)
      return give_up(fault_kind::deadlock, thread(t).where, explain_deadlock(threads_, size));
}

inline void block_runner::give_up_on_livelock(std::string sentence) {
  int t = 0;
  while (t + 1 < size && thread(t).state == thread_state::returned) ++t;
  give_up(fault_kind::livelock, thread(t).where, std::move(sentence));
}

inline bool block_runner::spun_too_long() {
  for (int t = 0; t < size; ++t)
    if (thread(t).state == thread_state::trace_full && !thread(t).spins) {
      spins_ = 0;
      return false;
    }
  if (++spins_ <= options_.max_spins) return false;
  if (has_turn) return true;
  has_turn = true;  // perhaps it waits for an earlier block
  halted_ = !accounting_.wait_for_turn();
  spins_ = 0;
  return false;
}

// --- a warp ---

// Runs the warp until its lanes wait for other warps, have returned, or have filled their traces. True if any did
// something else than fill its trace.
inline bool block_runner::run_warp(int warp) {
  const int first = 32 * warp, last = (std::min)(first + 32, size);
  bool moved = false;
  int rounds_stuck = 0;  // with a lane that waits for room, while another one may wait for that lane's next deed
  do {
    bool stuck = false;
    for (int t = first; t < last; ++t) {
      if (thread(t).state != thread_state::trace_full) continue;
      if (trace_.has_room(t - first)) set_state(thread(t), thread_state::ready);
      else stuck = true;
    }
    rounds_stuck = stuck ? rounds_stuck + 1 : 0;
    bool ran = false, filled = false;
    for (int t = first; t < last; ++t) {
      if (thread(t).state != thread_state::ready) continue;
      resume(t);
      if (thread(t).state == thread_state::gave_up) return halted_ = true;
      ran = true;
      (thread(t).state == thread_state::trace_full ? filled : moved) = true;
    }
    if (!ran) return moved;
    trace_.drain(rounds_stuck < most_rounds_stuck ? unfinished_lanes(first, last) : 0, [&](const warp_access& a) {
      if (!is_of_locals(a, first)) accounting_.visit(a, first);
    });
    stops_[warp] += filled ? stops_of_full_trace : 1;
    if (stops_[warp] > options_.max_stops) {
      give_up_on_livelock(explain_endless_loop(threads_, size, options_.max_stops));
      return true;
    }
  } while (trace_.has_rest() || release_warp(warp));
  return moved;
}

inline void block_runner::resume(int t) {
  rank = t;
  next = trace_.next(t % 32);
  end = trace_.end(t % 32);
  thread(t).stack.resume();
  trace_.set_next(t % 32, next);
}

// The lanes whose next notes are worth waiting for: they go on without anybody's help.
inline std::uint32_t block_runner::unfinished_lanes(int first, int last) {
  std::uint32_t lanes = 0;
  for (int t = first; t < last; ++t) {
    if (thread(t).state == thread_state::at_warp_operation) return 0;
    lanes |= std::uint32_t(thread(t).state == thread_state::trace_full) << (t - first);
  }
  return lanes;
}

// A view of an array of the thread's own: registers or local memory, which nobody shares.
inline bool block_runner::is_of_locals(const warp_access& a, int first) {
  if (a.first->where() != space::global) return false;
  const auto lane = std::find(std::begin(a.lane), std::end(a.lane), a.first) - std::begin(a.lane);
  return thread(first + int(lane)).stack.contains(a.first->address);
}

inline bool block_runner::release_warp(int warp) {
  const int first = 32 * warp;
  const warp_lanes lanes{threads_, first, (std::min)(32, size - first)};
  return open_warp_operations(
      lanes, 0, [&](uint32 mask) { accounting_.warp_barrier(warp, mask | ~lanes.existing()); },
      [&](int lane) { set_state(thread(first + lane), thread_state::ready); });
}

// A named lane that has returned never comes. The hardware goes on without it.
inline bool block_runner::release_without_returned() {
  bool released = false;
  for (int warp = 0; warp < warps(); ++warp) {
    const int first = 32 * warp;
    const warp_lanes lanes{threads_, first, (std::min)(32, size - first)};
    const uint32 returned = returned_lanes(lanes);
    if (returned == 0) continue;
    released |= open_warp_operations(
        lanes, returned, [&](uint32 mask) { accounting_.warp_barrier(warp, mask | ~lanes.existing()); },
        [&](int lane) {
          simulated_thread& t = thread(first + lane);
          accounting_.add_fault(fault_kind::wrong_mask, first + lane, t.where, [&] {
            return words_for_returned_lanes(t.mask, thread_ranges(ranks_in(first, t.mask & returned)));
          });
          set_state(t, thread_state::ready);
        });
  }
  return released;
}

}  // namespace memtile::sim::detail
