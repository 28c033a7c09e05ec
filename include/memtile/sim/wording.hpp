// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How reports speak of places, accesses and threads.
#pragma once

#include <memtile/hw/hook.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

namespace memtile::sim {

inline const char* name_of(space where) { return where == space::shared ? "shared" : "global"; }

inline const char* name_of(access_kind kind) {
  switch (kind) {
  case access_kind::load: return "load";
  case access_kind::store: return "store";
  case access_kind::atomic: return "atomic";
  case access_kind::atomic_compare: return "atomic compare";
  case access_kind::atomic_loop: return "atomic (loop)";
  case access_kind::async_copy: return "async copy";
  case access_kind::ldmatrix_x1: return "ldmatrix.x1";
  case access_kind::ldmatrix_x2: return "ldmatrix.x2";
  case access_kind::ldmatrix_x4: return "ldmatrix.x4";
  case access_kind::stmatrix: return "stmatrix";
  }
  return "access";
}

namespace detail {

inline bool same_text(const char* a, const char* b) { return a == b || std::strcmp(a, b) == 0; }

/// The same text may lie at several addresses: one for each file of the program that includes a header.
inline bool same_site(const site& a, const site& b) {
  return a.line == b.line && a.inner_line == b.inner_line && same_text(a.file, b.file) &&
         same_text(a.operation, b.operation) && same_text(a.inner_file, b.inner_file);
}

inline std::string hexadecimal(uint32 mask) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%08x", mask);
  return text;
}

inline std::string base_name(const char* file) {
  const char* const slash = std::strrchr(file, '/');
  return slash != nullptr ? slash + 1 : file;
}

// "own.cu:12" or "own.cu:12 (halo_to_shared, halo_to_shared.cuh:43)"
inline std::string place(const site& s) {
  std::string text = base_name(s.file) + ":" + std::to_string(s.line);
  if (s.operation[0] == '\0') return text;
  text += std::string(" (") + s.operation;
  if (s.inner_line > 0) text += ", " + base_name(s.inner_file) + ":" + std::to_string(s.inner_line);
  return text + ")";
}

// "tile[3][-1]", "view[7]"; empty if the access did not say which element it is of. Undoes site::at.
inline std::string element(space where, std::uint64_t packed, int dimensions) {
  const auto part = [=](int low_bit, int bits) {
    const auto signed_part = std::int64_t(packed << (64 - low_bit - bits)) >> (64 - bits);
    return "[" + std::to_string(signed_part) + "]";
  };
  const std::string what = where == space::shared ? "tile" : "view";
  switch (dimensions) {
  case 1: return what + part(0, 62);
  case 2: return what + part(32, 30) + part(0, 32);
  case 3: return what + part(42, 20) + part(21, 21) + part(0, 21);
  default: return "";
  }
}

// One run of equally spaced numbers that begins at numbers[first]; returns how many it covers.
inline std::size_t run_length(const std::vector<int>& numbers, std::size_t first) {
  if (first + 1 == numbers.size()) return 1;
  const int step = numbers[first + 1] - numbers[first];
  std::size_t last = first + 1;
  while (last + 1 < numbers.size() && numbers[last + 1] - numbers[last] == step) ++last;
  const std::size_t length = last - first + 1;
  return length >= (step == 1 ? 3u : 4u) ? length : 1;
}

/// "thread 5", "threads 48 .. 63", "threads 1, 3, 5 .. 31". The numbers ascend; very ragged sets are cut short.
inline std::string thread_ranges(const std::vector<int>& threads) {
  constexpr std::size_t most_parts = 12;
  std::string text = threads.size() == 1 ? "thread " : "threads ";
  std::size_t parts = 0;
  for (std::size_t i = 0; i < threads.size(); ++parts) {
    if (parts == most_parts) return text + " and " + std::to_string(threads.size() - i) + " more";
    if (parts > 0) text += ", ";
    const std::size_t length = run_length(threads, i);
    text += std::to_string(threads[i]);
    if (length > 1) {
      const int step = threads[i + 1] - threads[i];
      if (step > 1) text += ", " + std::to_string(threads[i + 1]) + ", " + std::to_string(threads[i + 2]);
      text += " .. " + std::to_string(threads[i + length - 1]);
    }
    i += length;
  }
  return text;
}

}  // namespace detail
}  // namespace memtile::sim
