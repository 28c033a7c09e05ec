// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The CPU machine: hands the blocks of a launch to one or several OS threads, and keeps the report.
#pragma once

#include <memtile/sim/buffer.hpp>
#include <memtile/sim/cluster_runner.hpp>
#include <memtile/sim/report_json.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <pthread.h>

namespace memtile::sim {

class machine final : public processor, public makes_buffers<machine>, public machine_options {
 public:
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

  std::string name() const { return "simulator"; }
  const memory_functions& memory() const { return detail::host_memory; }

 private:
  // The clusters of a launch, or its blocks, handed out in order to whoever asks.
  struct distribution {
    machine& owner;
    const launch_request& request;
    std::vector<std::int64_t> sequence{};  // empty: forward
    std::atomic<std::int64_t> next{0};
    std::atomic<bool> halted{false};

    std::int64_t all() const { return request.planes * request.rows * request.columns / request.cluster; }
    detail::block_place place(std::int64_t number) const;
    void run_on(detail::cluster_runner&);
  };

  status check(const launch_request&) const;
  struct helper {
    distribution* blocks;
    detail::cluster_runner* runner;
    pthread_t thread;
  };
  bool has_runners(int wanted, const launch_request&);
  void run_on_threads(distribution&, int threads);
  static void* helper_thread(void* of_helper);
  void keep_report(const launch_request&);
  status outcome() const;

  sim::report sum_, last_;
  detail::launch_record launch_;
  std::vector<std::unique_ptr<detail::cluster_runner>> runners_;  // one for each OS thread that was ever asked for
};

inline status machine::check(const launch_request& r) const {
  if (current != nullptr) return status::unlaunchable("launch of {}: a kernel must not launch another", r.kernel);
  if (status s = memtile::detail::check_configuration(r.kernel, r.planes, r.rows, r.columns, r.threads); !s) return s;
  if (status s = memtile::detail::check_shared_bytes(r.kernel, r.shared_bytes,
                                                     memtile::detail::most_shared_bytes(architecture));
      !s)
    return s;
  if (r.is_cooperative) {
    const int most = memtile::detail::most_threads_at_once / r.threads;
    if (status s = memtile::detail::check_cooperative(r.kernel, r.planes, r.rows, r.columns, most); !s) return s;
  } else {
    if (status s = memtile::detail::check_cluster(r.kernel, r.cluster, r.columns); !s) return s;
    if (status s = memtile::detail::check_clusters_exist(r.kernel, r.cluster, architecture); !s) return s;
  }
  if (r.shared_alignment > 1024)
    return status::unlaunchable("launch of {}: the alignment of shared memory must be at most 1024 bytes, not {}",
                                r.kernel, r.shared_alignment);
  return {};
}

inline status machine::run(const launch_request& request) {
  if (status s = check(request); !s) return s;
  distribution shares{*this, request};
  const std::int64_t at_once = request.cluster > 1 ? 1 : (std::max)(1, jobs);
  const int threads = int((std::min)(at_once, (std::max<std::int64_t>)(1, shares.all())));
  if (!has_runners(threads, request))
    return status::unlaunchable("launch of {}: no memory for {} stacks", request.kernel,
                                request.threads * request.cluster * threads);
  if (order != sim::order::forward) detail::arrange(shares.sequence, shares.all(), order, seed);
  launch_.begin(request, *this);
  run_on_threads(shares, threads);
  keep_report(request);
  return outcome();
}

inline bool machine::has_runners(int wanted, const launch_request& request) {
  while (int(runners_.size()) < wanted) runners_.push_back(std::make_unique<detail::cluster_runner>(launch_, *this));
  for (int i = 0; i < wanted; ++i)
    if (!runners_[std::size_t(i)]->has_stacks(request.cluster, request.threads)) return false;
  return true;
}

// This OS thread runs blocks as well; where the system gives fewer helpers, the others do their work.
inline void machine::run_on_threads(distribution& blocks, int threads) {
  std::vector<helper> helpers(std::size_t(threads - 1));
  std::size_t started = 0;
  for (; started < helpers.size(); ++started) {
    helper& h = helpers[started];
    h.blocks = &blocks;
    h.runner = runners_[started + 1].get();
    if (pthread_create(&h.thread, nullptr, &machine::helper_thread, &h) != 0) break;
  }
  blocks.run_on(*runners_[0]);
  for (std::size_t i = 0; i < started; ++i) pthread_join(helpers[i].thread, nullptr);
}

inline void* machine::helper_thread(void* of_helper) {
  const helper& h = *static_cast<const helper*>(of_helper);
  h.blocks->run_on(*h.runner);
  return nullptr;
}

inline void machine::distribution::run_on(detail::cluster_runner& runner) {
  runner.begin_launch(request);
  while (!halted) {
    const std::int64_t number = next++;
    if (number >= all()) return;
    if (!runner.run(number, place(number))) halted = true;
  }
}

// Of the first block: clusters lie along the columns, which are a multiple of them.
inline detail::block_place machine::distribution::place(std::int64_t number) const {
  const std::int64_t linear = (sequence.empty() ? number : sequence[std::size_t(number)]) * request.cluster;
  const std::int64_t slice = request.rows * request.columns;
  return {linear / slice, linear % slice / request.columns, linear % request.columns, request.planes > 1};
}

inline status machine::outcome() const {
  if (last_.clean()) return status();
  const fault& first = last_.faults().front();
  int code = status::launch_failure;
  if (first.kind == fault_kind::out_of_bounds || first.kind == fault_kind::misaligned) code = status::illegal_address;
  if (first.kind == fault_kind::livelock) code = status::launch_timeout;
  return status::failed(code, "{}", first.text);
}

inline void machine::keep_report(const launch_request& request) {
  last_ = sim::report();
  last_.kernels_ = {request.kernel};
  last_.launches_ = 1;
  last_.barriers_ = launch_.barriers();
  last_.flops_ = launch_.flops();
  last_.counted_ = count;
  last_.shared_bytes_ = request.shared_bytes;
  last_.rows_ = launch_.take_rows();
  last_.faults_ = launch_.faults().take(false);
  last_.remarks_ = launch_.faults().take(true);
  sum_.add(last_);
}

}  // namespace memtile::sim
