// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a running kernel calls: the members of block_runner that run on the stack of a simulated thread.
#pragma once

#include <memtile/sim/block_runner.hpp>
#include <memtile/sim/fault_words.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

namespace memtile::sim::detail {

// Calls the kernel; what it throws, a GPU cannot.
inline void block_runner::enter(void* of_thread) {
  simulated_thread& t = *static_cast<simulated_thread*>(of_thread);
  block_runner& m = *static_cast<block_runner*>(t.owner);
#if defined(__cpp_exceptions)
  char thrown[128] = "";  // on the stack, which is left for ever: nothing that needs a destructor
  try {
    m.request_.body(m.request_.call);
  } catch (const std::exception& e) {
    std::snprintf(thrown, sizeof thrown, "an exception (%s)", e.what());
  } catch (...) {
    std::snprintf(thrown, sizeof thrown, "an exception");
  }
  if (thrown[0] != '\0') m.no_model(thrown, site::here("", 0));
#else
  m.request_.body(m.request_.call);
#endif
  m.set_state(t, thread_state::returned);
}

inline void block_runner::stop(thread_state s, const site& where) {
  simulated_thread& t = running();
  t.where = where;
  set_state(t, s);
  t.stack.yield();
}

// A kernel that spins has to let the others run.
inline void block_runner::trace_full() {
  running().spins = goes_round(end - warp_trace::capacity, end);
  stop(thread_state::trace_full, end[-1].place());
}

// An access that is left out fills no trace; a thread that spins on one has to let the others run all the same.
inline void block_runner::left_out(const site& s) {
  if (++running().left_out % warp_trace::capacity != 0) return;
  running().spins = true;
  stop(thread_state::trace_full, s);
}

// An earlier block could not go on: this one has not happened.
inline void block_runner::wait_for_turn() {
  has_turn = true;
  if (!accounting_.wait_for_turn()) stop(thread_state::gave_up, site::here("", 0));
}

inline bool block_runner::wait_for_block(bool vote, site s) {
  running().value = vote;
  stop(thread_state::at_block_barrier, s);
  return any_vote_;
}

// The blocks of a cooperative launch run together, and each is a cluster of its own.
inline void block_runner::wait_for_cluster(site s) {
  stop(request_.is_cooperative ? thread_state::at_block_barrier : thread_state::at_cluster_barrier, s);
}

inline void block_runner::wait_for_grid(site s) {
  if (request_.is_cooperative) return stop(thread_state::at_grid_barrier, s);
  accounting_.standstill(fault_kind::deadlock, s, explain_grid_barrier(s));
  stop(thread_state::gave_up, s);
}

inline void block_runner::wait_for_warp(uint32 mask, uint64 mine, exchanged& all, bool orders, site s) {
  if ((mask >> (rank % 32) & 1) == 0) {
    accounting_.add_fault(fault_kind::wrong_mask, rank, s, [&] { return words_for_caller_not_named(rank % 32, mask); });
    for (uint64& value : all.value) value = mine;
    all.came = mask;
    return;
  }
  simulated_thread& t = running();
  t.mask = mask;
  t.value = mine;
  t.all = &all;
  t.orders = orders;
  stop(thread_state::at_warp_operation, s);
}

// Lanes that the block does not have bring nonsense, and nobody minds if it is not used: the last warp of a block may be
// incomplete, and then all its lanes are named.
inline void block_runner::lane_not_named(int lane, uint32 mask, site s) {
  if (rank / 32 * 32 + lane >= size) return;
  accounting_.add_fault(fault_kind::wrong_mask, rank, s,
                        [&] { return words_for_source_not_named(rank % 32, lane, mask); });
}

inline void block_runner::wrong_group(int group, site s) {
  accounting_.add_fault(fault_kind::wrong_mask, rank, s, [&] { return words_for_wrong_group(group); });
}

inline void* block_runner::in_block(const void* own, int block, int bytes, site s) {
  const auto offset = std::int64_t(own) - std::int64_t(arena_->bytes);
  const bool exists = block >= 0 && block < cluster_size;
  if (exists && offset >= 0 && offset + bytes <= std::int64_t(request_.shared_bytes))
    return (*cluster_)[std::size_t(first_in_cluster_ + block)] + offset;
  accounting_.add_fault(fault_kind::out_of_bounds, rank, s, [&] {
    return exists ? words_for_outside_storage(bytes, offset, request_.shared_bytes)
                  : words_for_no_such_block(block, cluster_size);
  });
  left_out(s);
  return nullptr;
}

inline void block_runner::async_copy(void* to_shared, const void* from_global, int bytes, int valid, site to,
                                     site from) {
  note(space::global, access_kind::async_copy, valid > 0 ? from_global : nullptr, bytes, from);
  note(space::shared, access_kind::async_copy, to_shared, bytes, to);
  pending_copies::copy c{to_shared, from_global, bytes, valid, 0, false, {}, to};
  if (valid > 0) std::memcpy(c.source, from_global, std::size_t(valid));
  const bool now =
      options_.copies == arrive::earliest || (options_.copies == arrive::random && (random_.next() & 1) != 0);
  if (now) arrived(c);
  c.done = now;
  running().copies.issue(c);
}

// The bytes become visible; a target outside shared memory was reported where the copy was issued.
inline void block_runner::arrived(const pending_copies::copy& c) {
  const auto offset = std::size_t(static_cast<unsigned char*>(c.to) - arena_->bytes);
  const std::size_t all = request_.shared_bytes, bytes = std::size_t(c.bytes);
  if (offset > all || bytes > all - offset) return;
  std::memset(c.to, 0, bytes);
  if (c.valid > 0) std::memcpy(c.to, c.from, std::size_t(c.valid));
}

inline void block_runner::async_commit(site s) {
  const int group = running().copies.commit();
  std::vector<site>& of_warp = commits_[rank / 32];
  if (std::size_t(group) >= of_warp.size()) return of_warp.push_back(s);
  const site& other = of_warp[std::size_t(group)];
  if (same_site(other, s)) return;
  accounting_.add_fault(fault_kind::divergent_commit, rank, s, -1, other,
                        [&] { return words_for_divergent_commit(group, other); });
}

inline void block_runner::async_wait(int groups_left_pending, site) {
  running().copies.wait(groups_left_pending, [&](const pending_copies::copy& c) {
    if (!c.done) arrived(c);
    note(space::shared, arrival, c.to, c.bytes, c.issued);
    if (c.valid == 0 || std::memcmp(c.from, c.source, std::size_t(c.valid)) == 0) return;
    accounting_.add_fault(fault_kind::copy_in_flight, rank, c.issued, [] { return words_for_changed_source(); });
  });
}

inline void block_runner::out_of_bounds(const char* what, int dimensions, const int64* index, const int64* extent,
                                        site s) {
  accounting_.add_fault(fault_kind::out_of_bounds, rank, s,
                        [&] { return words_for_out_of_bounds(what, dimensions, index, extent); });
  left_out(s);
}

inline void block_runner::misaligned(const void* address, int bytes, site s) {
  accounting_.add_fault(fault_kind::misaligned, rank, s, [&] { return words_for_misaligned(address, bytes); });
  left_out(s);
}

inline void block_runner::no_model(const char* what, site s) {
  accounting_.standstill(fault_kind::no_model, s, words_for_no_model(what, s));
  stop(thread_state::gave_up, s);
}

}  // namespace memtile::sim::detail
