// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A report for programs: as JSON, and as the commands that make GitHub show it beside the source.
#pragma once

#include <memtile/sim/report.hpp>
#include <memtile/sim/report_text.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace memtile::sim {

namespace detail {

inline std::string json_text(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    char escaped[8];
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      std::snprintf(escaped, sizeof escaped, "\\u%04x", unsigned(c));
      quoted += escaped;
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

// {"name": value, ...} from values that are JSON already.
class json_object {
 public:
  json_object& add(const char* name, const std::string& value) {
    text_ += (text_.empty() ? "\"" : ", \"") + std::string(name) + "\": " + value;
    return *this;
  }
  json_object& add(const char* name, std::int64_t value) { return add(name, std::to_string(value)); }
  json_object& add(const char* name, const char* value) { return add(name, json_text(value)); }
  std::string text() const { return "{" + text_ + "}"; }

 private:
  std::string text_;
};

template <class T, class Json>
std::string json_array(const std::vector<T>& items, Json json) {
  std::string text;
  for (const T& item : items) text += (text.empty() ? "\n  " : ",\n  ") + json(item);
  return "[" + text + "]";
}

inline std::string json(const site& s) {
  json_object object;
  object.add("file", s.file).add("line", s.line);
  if (s.operation[0] != '\0') object.add("operation", s.operation);
  if (s.inner_line > 0) object.add("inner_file", s.inner_file).add("inner_line", s.inner_line);
  return object.text();
}

inline std::string json(const report_row& r) {
  json_object object;
  object.add("place", json(r.place)).add("space", name_of(r.where)).add("kind", name_of(r.kind)).add("bytes", r.bytes);
  object.add("measured", std::string(measured(r.kind) ? "true" : "false"));
  object.add("requests", r.requests).add("lanes", r.lanes);
  object.add("wavefronts", r.wavefronts).add("passes", r.passes()).add("bank_conflicts", r.bank_conflicts);
  object.add("sectors", r.sectors).add("ideal_sectors", r.ideal_sectors);
  object.add("bytes_asked", r.bytes_asked).add("bytes_moved", r.bytes_moved());
  return object.add("advice", json_text(advice(r))).text();
}

inline std::string json(const fault& f) {
  json_object object;
  object.add("kind", name_of(f.kind)).add("text", json_text(f.text)).add("place", json(f.place));
  return object.add("other", json(f.other)).text();
}

// What GitHub's workflow commands need escaped: in the text, and more of it in a property.
inline std::string escaped(const std::string& text, bool property) {
  std::string result;
  for (const char c : text) {
    const bool special = c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ','));
    char code[8];
    std::snprintf(code, sizeof code, "%%%02X", unsigned(static_cast<unsigned char>(c)));
    if (special) result += code;
    else result += c;
  }
  return result;
}

inline std::string annotation(const char* level, const site& s, const std::string& title, const std::string& text) {
  std::string file = s.file;
  const char* const workspace = std::getenv("GITHUB_WORKSPACE");
  const std::string root = workspace != nullptr ? std::string(workspace) + "/" : "";
  if (!root.empty() && file.compare(0, root.size(), root) == 0) file.erase(0, root.size());
  const std::string where = file.empty() ? "" : "file=" + escaped(file, true) + ",line=" + std::to_string(s.line) + ",";
  return std::string("::") + level + " " + where + "title=" + escaped(title, true) + "::" + escaped(text, false) + "\n";
}

}  // namespace detail

inline std::string report::to_json() const {
  const auto each = [](const auto& item) { return detail::json(item); };
  detail::json_object object;
  object.add("kernels", detail::json_array(kernels_, [](const std::string& k) { return detail::json_text(k); }));
  object.add("launches", launches_).add("block_barriers", barriers_).add("shared_bytes", std::int64_t(shared_bytes_));
  object.add("flops", flops_);
  object.add("rows", detail::json_array(detail::worst_first(rows_), each));
  object.add("faults", detail::json_array(faults_, each)).add("remarks", detail::json_array(remarks_, each));
  return object.text() + "\n";
}

inline std::string report::to_github_annotations() const {
  std::string text;
  for (const fault& f : faults_)
    text += detail::annotation("error", f.place, std::string("memtile: ") + name_of(f.kind), f.text);
  for (const fault& f : remarks_)
    text += detail::annotation("notice", f.place, std::string("memtile: ") + name_of(f.kind), f.text);
  for (const report_row& r : detail::worst_first(rows_))
    if (r.excess() > 0)
      text += detail::annotation("warning", r.place,
                                 std::string("memtile: ") + name_of(r.where) + " memory, " + detail::access_words(r),
                                 detail::advice(r));
  return text;
}

}  // namespace memtile::sim
