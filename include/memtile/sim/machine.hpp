// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The CPU machine: runs the blocks of a launch one after another, each thread as a fiber, and watches.
//
// A lane runs until it has to wait or its trace is full. When all lanes of a warp have stopped, their notes become warp
// accesses, which are counted and checked; then the operations open for which every lane has come. Nothing that is
// reported depends on the order in which threads run, except through the values that a faulty kernel computes.
#pragma once

#include <memtile/sim/accounting.hpp>
#include <memtile/sim/buffer.hpp>
#include <memtile/sim/launch_limits.hpp>
#include <memtile/sim/simulated_thread.hpp>
#include <memtile/sim/standstill.hpp>
#include <memtile/sim/trace.hpp>
#include <memtile/sim/warp_operation.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
#include <utility>

namespace memtile::sim {

class machine final : public listener, public makes_buffers<machine> {
 public:
  bool count = true;        // wavefronts and sectors
  bool check_races = true;  // races, uninitialised reads and copies in flight, all in shared memory
  int max_reports = 32;     // faults of one launch; further ones are only counted
  /// A kernel that does not end is stopped after so many full traces of nothing but the same few addresses, while no
  /// other thread does anything.
  int max_spins = 256;
  /// And after so many barriers and exchanges of one warp in one block.
  int max_stops = 1 << 22;

  machine() = default;
  machine(const machine&) = delete;  // a running kernel knows its address
  machine& operator=(const machine&) = delete;

  /// Runs every thread of every block; fails if there was a fault. What no GPU would launch is refused and does not
  /// run.
  status run(const launch_request&) override;

  /// Of all launches since the last clear_report().
  const sim::report& report() const { return sum_; }
  void clear_report() { sum_ = sim::report(); }
  /// Null before the first launch.
  const sim::report* last_report() const { return last_.launches() > 0 ? &last_ : nullptr; }

  const memory_functions& memory() const { return detail::host_memory; }

  // The rest is called by the running kernel.
  void trace_full() override;
  void wait_for_block(site s) override { stop(detail::thread_state::at_block_barrier, s); }
  void wait_for_warp(uint32 mask, uint64 mine, exchanged& all, bool orders, site) override;
  void async_copy(void* to_shared, const void* from_global, int bytes, int valid, site) override;
  void async_commit(site) override { running().copies.commit(); }
  void async_wait(int groups_left_pending, site) override;
  void* shared_storage() override { return arena_->bytes; }
  void out_of_bounds(const char* what, int dimensions, const int64* index, const int64* extent, site s) override {
    accounting_.out_of_bounds(rank, what, dimensions, index, extent, s);
    left_out(s);
  }
  void misaligned(const void* address, int bytes, site s) override {
    accounting_.misaligned(rank, address, bytes, s);
    left_out(s);
  }

 private:
  using simulated_thread = detail::simulated_thread;
  using thread_state = detail::thread_state;
  struct arena {
    alignas(max_shared_alignment) unsigned char before[1024];  // a kernel that misses its storage a little stays here
    alignas(max_shared_alignment) unsigned char bytes[max_shared_bytes];
    unsigned char behind[1024];
  };
  static constexpr int stops_of_full_trace = 64;

  void left_out(const site&);
  bool has_stacks(int threads);
  void run_blocks();
  void run_block();
  bool run_warp(int warp);
  void resume(int thread);
  bool release_warp(int warp);
  bool release_block_barrier();
  void keep_report();
  status outcome() const;

  static void enter(void* of_thread);
  void stop(thread_state, const site&);
  void set_state(simulated_thread& t, thread_state s) {
    --in_state_[int(t.state)];
    ++in_state_[int(s)];
    t.state = s;
  }
  int number(thread_state s) const { return in_state_[int(s)]; }
  simulated_thread& thread(int t) { return *threads_[std::size_t(t)]; }
  simulated_thread& running() { return thread(rank); }
  int warps() const { return (size + 31) / 32; }

  void give_up_on_standstill();
  void give_up_on_livelock();
  bool spun_too_long();

  sim::report sum_, last_;
  detail::accounting accounting_;
  launch_request request_{};
  bool halted_ = false;  // a block could not go on: nothing further runs
  std::int64_t barriers_ = 0;

  // Of the block that runs
  std::unique_ptr<arena> arena_{new arena};
  detail::simulated_threads threads_;
  detail::warp_trace trace_;  // warps take turns
  int in_state_[5] = {};
  int stops_[max_threads / 32] = {};
  int spins_ = 0;
};

// --- a launch ---

inline bool machine::has_stacks(int threads) {
  while (int(threads_.size()) < threads) {
    auto fresh = std::make_unique<simulated_thread>();
    if (!fresh->stack.usable()) return false;
    fresh->owner = this;
    threads_.push_back(std::move(fresh));
  }
  return true;
}

inline status machine::run(const launch_request& request) {
  if (current == this) return status::unlaunchable("launch of {}: a kernel must not launch another", request.kernel);
  if (status s = detail::check_launch(request); !s) return s;
  if (!has_stacks(request.threads))
    return status::unlaunchable("launch of {}: no memory for {} stacks", request.kernel, request.threads);
  request_ = request;
  halted_ = false;
  barriers_ = 0;
  accounting_.begin_launch(request.kernel, count, check_races, max_reports);
  listener* const outer = std::exchange(current, this);
  run_blocks();
  current = outer;
  keep_report();
  return outcome();
}

inline status machine::outcome() const {
  if (last_.clean()) return status();
  const fault& first = last_.faults().front();
  int code = status::launch_failure;
  if (first.kind == fault_kind::out_of_bounds || first.kind == fault_kind::misaligned) code = status::illegal_address;
  if (first.kind == fault_kind::livelock) code = status::launch_timeout;
  return status::failed(code, "{}", first.text);
}

inline void machine::keep_report() {
  last_ = sim::report();
  last_.kernels_ = {request_.kernel};
  last_.launches_ = 1;
  last_.barriers_ = barriers_;
  last_.shared_bytes_ = request_.shared_bytes;
  last_.rows_ = accounting_.take_rows();
  last_.faults_ = accounting_.take_faults();
  sum_.add(last_);
}

inline void machine::run_blocks() {
  size = request_.threads;
  grid_planes = request_.planes, grid_rows = request_.rows, grid_columns = request_.columns;
  for (block_plane = 0; block_plane < grid_planes; ++block_plane)
    for (block_row = 0; block_row < grid_rows; ++block_row)
      for (block_column = 0; block_column < grid_columns; ++block_column) {
        run_block();
        if (halted_) return;
      }
}

// --- a block ---

inline void machine::run_block() {
  std::memset(arena_->bytes, 0xff, request_.shared_bytes);  // NaN: whoever reads what nobody wrote shall notice
  accounting_.begin_block({block_plane, block_row, block_column, grid_planes > 1}, arena_->bytes,
                          request_.shared_bytes);
  for (int t = 0; t < size; ++t) {
    thread(t).state = thread_state::ready;
    thread(t).left_out = 0;
    thread(t).copies.drop();
    thread(t).stack.start(&machine::enter, &thread(t));
  }
  std::fill(std::begin(in_state_), std::end(in_state_), 0);
  in_state_[int(thread_state::ready)] = size;
  std::fill(std::begin(stops_), std::end(stops_), 0);
  spins_ = 0;
  while (!halted_ && number(thread_state::returned) < size) {
    bool moved = false;
    for (int warp = 0; warp < warps() && !halted_; ++warp) moved |= run_warp(warp);
    if (halted_) return;
    if (moved) spins_ = 0;
    if (number(thread_state::trace_full) > 0) {
      if (!moved && spun_too_long()) give_up_on_livelock();
    } else if (number(thread_state::returned) < size && !release_block_barrier()) {
      give_up_on_standstill();
    }
  }
}

inline bool machine::release_block_barrier() {
  if (number(thread_state::at_block_barrier) < size) return false;
  for (int t = 1; t < size; ++t)
    if (!detail::same_site(thread(t).where, thread(0).where)) return false;
  for (int t = 0; t < size; ++t) set_state(thread(t), thread_state::ready);
  accounting_.block_barrier();
  ++barriers_;
  return true;
}

inline void machine::give_up_on_standstill() {
  halted_ = true;
  for (int t = 0; t < size; ++t)
    if (thread(t).state == thread_state::at_block_barrier)
      return accounting_.standstill(fault_kind::divergent_barrier,
                                    detail::explain_divergent_barrier(threads_, size, thread(t)));
  accounting_.standstill(fault_kind::deadlock, detail::explain_deadlock(threads_, size));
}

inline void machine::give_up_on_livelock() {
  halted_ = true;
  accounting_.standstill(fault_kind::livelock, detail::explain_livelock(threads_, size));
}

inline bool machine::spun_too_long() {
  for (int t = 0; t < size; ++t)
    if (thread(t).state == thread_state::trace_full && !thread(t).spins) {
      spins_ = 0;
      return false;
    }
  return ++spins_ > max_spins;
}

// --- a warp ---

// Runs the warp until its lanes wait for other warps, have returned, or have filled their traces. True if any did
// something else than fill its trace.
inline bool machine::run_warp(int warp) {
  const int first = 32 * warp, last = (std::min)(first + 32, size);
  for (int t = first; t < last; ++t)
    if (thread(t).state == thread_state::trace_full) set_state(thread(t), thread_state::ready);
  bool moved = false;
  do {
    bool ran = false, filled = false;
    for (int t = first; t < last; ++t) {
      if (thread(t).state != thread_state::ready) continue;
      resume(t);
      ran = true;
      (thread(t).state == thread_state::trace_full ? filled : moved) = true;
    }
    if (!ran) return moved;
    trace_.drain([&](const access& a, const lane_offsets& addresses, int active) {
      accounting_.visit(a, addresses, active, first);
    });
    stops_[warp] += filled ? stops_of_full_trace : 1;
    if (stops_[warp] > max_stops) {
      give_up_on_livelock();
      return true;
    }
  } while (release_warp(warp));
  return moved;
}

inline void machine::resume(int t) {
  rank = t;
  next = trace_.begin(t % 32);
  end = trace_.end(t % 32);
  thread(t).stack.resume();
  trace_.set_end(t % 32, next);
}

inline bool machine::release_warp(int warp) {
  const int first = 32 * warp;
  return detail::open_warp_operations(
      detail::warp_lanes{threads_, first, (std::min)(32, size - first)},
      [&](uint32 mask) { accounting_.warp_barrier(warp, mask); },
      [&](simulated_thread& t) { set_state(t, thread_state::ready); });
}

// --- a thread, on its own stack ---

inline void machine::enter(void* of_thread) {
  simulated_thread& t = *static_cast<simulated_thread*>(of_thread);
  machine& m = *static_cast<machine*>(t.owner);
  m.request_.body(m.request_.call);
  m.set_state(t, thread_state::returned);
}

inline void machine::stop(thread_state s, const site& where) {
  simulated_thread& t = running();
  t.where = where;
  set_state(t, s);
  t.stack.yield();
}

// A kernel that spins has to let the others run.
inline void machine::trace_full() {
  const access* const notes = end - detail::warp_trace::capacity;
  running().spins = detail::few_addresses(notes, end);
  stop(thread_state::trace_full, site{end[-1].file, end[-1].line, end[-1].operation});
}

// An access that is left out fills no trace; a thread that spins on one has to let the others run all the same.
inline void machine::left_out(const site& s) {
  if (++running().left_out % detail::warp_trace::capacity != 0) return;
  running().spins = true;
  stop(thread_state::trace_full, s);
}

inline void machine::wait_for_warp(uint32 mask, uint64 mine, exchanged& all, bool orders, site s) {
  if ((mask >> (rank % 32) & 1) == 0) {
    accounting_.wrong_mask(rank, mask, s);
    for (uint64& value : all.value) value = mine;
    return;
  }
  simulated_thread& t = running();
  t.mask = mask;
  t.value = mine;
  t.all = &all;
  t.orders = orders;
  stop(thread_state::at_warp_operation, s);
}

inline void machine::async_copy(void* to_shared, const void* from_global, int bytes, int valid, site s) {
  note(space::global, access_kind::async_copy, valid > 0 ? from_global : nullptr, bytes, s);
  note(space::shared, access_kind::async_copy, to_shared, bytes, s);
  running().copies.issue(to_shared, from_global, bytes, valid, s);
}

inline void machine::async_wait(int groups_left_pending, site) {
  running().copies.wait(groups_left_pending, [&](const detail::pending_copies::copy& c) {
    const auto offset = std::size_t(static_cast<unsigned char*>(c.to) - arena_->bytes);
    const std::size_t all = request_.shared_bytes, bytes = std::size_t(c.bytes);
    if (offset > all || bytes > all - offset) return;  // reported where it was issued
    std::memset(c.to, 0, bytes);
    if (c.valid > 0) std::memcpy(c.to, c.from, std::size_t(c.valid));
    note(space::shared, detail::accounting::arrival, c.to, c.bytes, c.issued);
  });
}

}  // namespace memtile::sim
