// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rows of a report, found by an access. Asked once for every access of a warp: a probe of a small hash table.
#pragma once

#include <memtile/sim/report.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace memtile::sim::detail {

class site_table {
 public:
  site_table() : slots_(64) {}

  /// The row of that access; a new one if it was not met before. Rows keep their number.
  std::uint16_t find(const access& a) {
    for (std::size_t i = hash(a) & (slots_.size() - 1);; i = (i + 1) & (slots_.size() - 1)) {
      if (slots_[i].row == none) return insert(a);
      if (same(slots_[i].key, a)) return slots_[i].row;
    }
  }

  /// The row of what another table calls this.
  std::uint16_t find(const report_row& r) {
    access a{};
    a.file = r.place.file, a.operation = r.place.operation, a.inner_file = r.place.inner_file;
    a.line = r.place.line, a.inner_line = uint16(r.place.inner_line), a.bytes = uint8(r.bytes);
    a.what = packed_what(r.where, r.kind, 0);
    return find(a);
  }

  std::size_t size() const { return rows_.size(); }
  report_row& row(std::size_t number) { return rows_[number]; }

  std::vector<report_row> take_rows() {
    slots_.assign(64, slot{});
    used_ = 0;
    return std::exchange(rows_, {});
  }

 private:
  static constexpr std::uint16_t none = 0xffff;
  struct slot {
    access key{};
    std::uint16_t row = none;
  };

  static std::size_t hash(const access& a) {
    const auto text = reinterpret_cast<std::uintptr_t>(a.file) ^ reinterpret_cast<std::uintptr_t>(a.operation) << 7;
    const auto rest = std::uintptr_t(a.line) * 64 + std::uintptr_t(a.inner_line) * 4096 + std::uintptr_t(a.bytes) * 16 +
                      std::uintptr_t(a.what);
    return std::size_t((text + rest) * 0x9e3779b97f4a7c15u >> 20);
  }
  static bool same(const access& a, const access& b) {
    return a.line == b.line && a.inner_line == b.inner_line && a.file == b.file && a.operation == b.operation &&
           a.inner_file == b.inner_file && a.bytes == b.bytes && a.what == b.what;
  }

  std::uint16_t insert(const access& a) {
    if (2 * (used_ + 1) > slots_.size()) grow();
    slot& free = free_slot(a);
    free.key = a;
    free.row = row_for(a);
    ++used_;
    return free.row;
  }
  slot& free_slot(const access& a) {
    std::size_t i = hash(a) & (slots_.size() - 1);
    while (slots_[i].row != none) i = (i + 1) & (slots_.size() - 1);
    return slots_[i];
  }
  void grow() {
    std::vector<slot> old(2 * slots_.size());
    old.swap(slots_);
    for (const slot& s : old)
      if (s.row != none) free_slot(s.key) = s;
  }
  // Slots compare addresses, rows compare texts.
  std::uint16_t row_for(const access& a) {
    report_row fresh;
    fresh.place = a.place();
    fresh.where = a.where() == space::global ? space::global : space::shared;
    fresh.kind = a.kind() == arrival ? access_kind::async_copy : a.kind();
    fresh.bytes = a.bytes;
    for (std::size_t i = 0; i < rows_.size(); ++i)
      if (rows_[i].same_access(fresh)) return std::uint16_t(i);
    if (rows_.size() == none) return none - 1;  // more lines than numbers: the last row takes the rest
    rows_.push_back(fresh);
    return std::uint16_t(rows_.size() - 1);
  }

  std::vector<slot> slots_;
  std::size_t used_ = 0;
  std::vector<report_row> rows_;
};

}  // namespace memtile::sim::detail
