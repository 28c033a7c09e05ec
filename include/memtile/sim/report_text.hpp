// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A report as tables for people, one for each kind of memory: the line that wastes most comes first, and says what might
// be changed.
#pragma once

#include <memtile/sim/report.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace memtile::sim {

namespace detail {

inline std::string left(std::string text, std::size_t width) {
  return text.append(text.size() < width ? width - text.size() : 0, ' ');
}
inline std::string right(const std::string& text, std::size_t width) {
  return std::string(text.size() < width ? width - text.size() : 0, ' ') + text;
}

// "load 4 B". In global memory there is an instruction for every atomic operation.
inline std::string access_words(const report_row& r) {
  const bool one_instruction = r.where == space::global && r.kind == access_kind::atomic_loop;
  const std::string name = name_of(one_instruction ? access_kind::atomic : r.kind);
  return name + " " + std::to_string(r.bytes) + " B" + (measured(r.kind) ? "" : " (model)");
}

// "2.5"
inline std::string ratio(std::int64_t a, std::int64_t b) {
  const std::int64_t tenths = (10 * a + b / 2) / (b > 0 ? b : 1);
  return std::to_string(tenths / 10) + (tenths % 10 != 0 ? "." + std::to_string(tenths % 10) : "");
}

inline std::string advice_on_atomic() {
  return "lanes that update one word or bank go one after the other: sum up within the warp first, or give each warp a "
         "copy of its own";
}

inline std::string advice_on_shared(const report_row& r) {
  const std::string ways = ratio(r.wavefronts, r.passes()) + " wavefronts where 1 would do: ";
  const std::string width = std::to_string((std::min)(r.bytes, 16));
  if (r.bytes > 4)
    return ways + "pad each row of the tile by " + width + " bytes, or lay it out as xor_swizzle<" + width + ">";
  return ways + "pad each row of the tile by one word (padded<" + std::to_string((std::max)(1, 4 / r.bytes)) +
         ">), or let neighbouring lanes go along a row";
}

inline std::string advice_on_global(const report_row& r) {
  const std::string times = ratio(r.sectors, r.sectors - r.excess_sectors) + " times the sectors needed: ";
  if (r.bytes > 16)
    return times + "an access of " + std::to_string(r.bytes) +
           " bytes is several instructions, each with gaps between the lanes; let a lane access 16 bytes at a time";
  if (10 * r.sectors >= 9 * r.lanes)
    return times + "neighbouring lanes are far apart; swap the loop order or the roles of row and column, so that they "
                   "access neighbouring elements";
  if (5 * r.excess_sectors <= 2 * r.sectors)
    return times + "lanes begin between two sectors, or some are apart; begin rows, and the lanes' first element, at a "
                   "multiple of 32 bytes";
  return times + "lanes leave gaps; if each needs the elements in the gap too, load four at once (wide<4>), else let "
                 "neighbouring lanes access neighbouring elements";
}

/// What to change on that line; empty if nothing is known to help.
inline std::string advice(const report_row& r) {
  if (r.excess() > 0 && is_atomic(r.kind)) return advice_on_atomic();
  if (r.bank_conflicts > 0) return advice_on_shared(r);
  if (!r.is_coalesced()) return advice_on_global(r);
  const bool narrow = r.where == space::global && (r.kind == access_kind::load || r.kind == access_kind::store) &&
                      r.bytes <= 2 && r.lanes >= 16 * r.requests && r.requests >= 4;
  if (narrow)
    return "a request moves " + ratio(r.bytes_asked, r.requests) + " bytes of 128: load four at once (wide<4>)";
  if (r.requests > 0 && r.lanes < 8 * r.requests && r.requests >= 4)
    return ratio(r.lanes, r.requests) + " of 32 lanes take part: let whole warps take the same branch";
  return "";
}

inline std::vector<report_row> worst_first(std::vector<report_row> rows) {
  std::stable_sort(rows.begin(), rows.end(), [](const report_row& a, const report_row& b) {
    return a.excess() != b.excess() ? a.excess() > b.excess() : a.requests > b.requests;
  });
  return rows;
}

using text_row = std::vector<std::string>;

inline text_row heading(space where) {
  if (where == space::shared)
    return {"shared memory", "access",    "requests",    "lanes",      "wavefronts",
            "passes",        "conflicts", "bytes asked", "bytes moved"};
  return {"global memory", "access", "requests", "lanes", "sectors", "ideal", "bytes asked", "bytes moved"};
}
inline text_row cells(const report_row& r) {
  text_row cells{place(r.place), access_words(r)};
  const auto add = [&](std::initializer_list<std::int64_t> numbers) {
    for (const std::int64_t n : numbers) cells.push_back(std::to_string(n));
  };
  add({r.requests, r.lanes});
  if (r.where == space::shared) add({r.wavefronts, r.passes(), r.bank_conflicts});
  else add({r.sectors, r.ideal_sectors});
  add({r.bytes_asked, r.bytes_moved()});
  return cells;
}

/// The rows of one kind of memory under their heading, in their order, each followed by its advice; empty if there are
/// none.
inline std::string table(space where, const std::vector<report_row>& rows) {
  std::vector<text_row> lines{heading(where)};
  std::vector<std::string> below{""};
  for (const report_row& r : rows) {
    if (r.where != where) continue;
    lines.push_back(cells(r));
    const std::string what_to_do = advice(r);
    below.push_back(what_to_do.empty() ? "" : "    ^ " + what_to_do + "\n");
  }
  if (lines.size() == 1) return "";
  std::vector<std::size_t> width(lines[0].size());
  for (const text_row& line : lines)
    for (std::size_t i = 0; i < line.size(); ++i) width[i] = (std::max)(width[i], line[i].size());
  std::string text;
  for (std::size_t l = 0; l < lines.size(); ++l) {
    for (std::size_t i = 0; i < width.size(); ++i)
      text += i < 2 ? left(lines[l][i], width[i]) + (i == 0 ? "  " : "") : "  " + right(lines[l][i], width[i]);
    text += "\n" + below[l];
  }
  return text;
}
inline std::string tables(const std::vector<report_row>& rows) {
  return table(space::shared, rows) + table(space::global, rows);
}

}  // namespace detail

inline std::string report::to_string() const {
  std::string text = kernel() + ": " + std::to_string(launches_) + (launches_ == 1 ? " launch, " : " launches, ") +
                     std::to_string(barriers_) + " block barriers, " + std::to_string(shared_bytes_) +
                     " bytes of shared memory" + (flops_ > 0 ? ", " + std::to_string(flops_) + " flops\n" : "\n");
  text += detail::tables(detail::worst_first(rows_));
  for (const fault& f : remarks_) text += "remark: " + f.text + "\n";
  if (faults_.empty()) return text + "no faults\n";
  for (const fault& f : faults_) text += f.text + "\n";
  return text;
}

}  // namespace memtile::sim
