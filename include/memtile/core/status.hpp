// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a host call says about itself: success, or why not, in words with the values.
#pragma once

#include <memtile/core/std.hpp>

#if !defined(__CUDACC_RTC__)
#include <initializer_list>
#include <string>

namespace memtile {

namespace detail {
// cudaError_t, known by an enumerator of its own: no CUDA header is needed, whichever comes first.
template <class E, class = void>
inline constexpr bool is_cuda_error = false;
template <class E>
inline constexpr bool is_cuda_error<E, void_t<decltype(E::cudaErrorInvalidValue)>> = true;

inline void append(std::string& text, const char* words) { text += words; }
inline void append(std::string& text, const std::string& words) { text += words; }
template <class Number>
void append(std::string& text, Number number) {
  text += std::to_string(number);
}
// A value of a message, and how it is appended. Behind it no function goes by the list of values: each list of types would
// cost the compiler another one.
struct word {
  const void* value;
  void (*append_it)(std::string&, const void*);
};
template <class V>
void append_value(std::string& text, const void* value) {
  append(text, *static_cast<const V*>(value));
}
template <class V>
word word_of(const V& value) {
  return {&value, &append_value<V>};
}
// Replaces each {} of the pattern by the next value.
inline std::string filled_with(const char* pattern, std::initializer_list<word> values) {
  std::string text;
  for (const word* next = values.begin(); *pattern != '\0'; ++pattern) {
    if (pattern[0] == '{' && pattern[1] == '}' && next != values.end()) {
      next->append_it(text, next->value);
      ++next, ++pattern;
    } else {
      text += *pattern;
    }
  }
  return text;
}
template <class... V>
std::string filled_in(const char* pattern, const V&... values) {
  return filled_with(pattern, {word_of(values)...});
}
}  // namespace detail

/// Success, or a reason. A refused call has launched nothing and changed nothing.
///
///   if (auto status = memtile::gemm(stream, a, b, c); !status) std::puts(status.message().c_str());
///   CHECK_CUDA(memtile::gemm(stream, a, b, c));        // becomes a cudaError_t where one is asked for
class [[nodiscard]] status {
 public:
  status() = default;  // success
  status(const status&) = default;
  status(status&&) = default;
  // Assignment returns nothing: nvcc would warn that a [[nodiscard]] value is ignored.
  void operator=(const status& other) { code_ = other.code_, message_ = other.message_; }
  void operator=(status&& other) noexcept {
    code_ = other.code_;
    message_ = static_cast<std::string&&>(other.message_);
  }

  /// The arguments are wrong. Each {} of the pattern is replaced by the next value.
  template <class... V>
  static status refused(const char* pattern, const V&... values) {
    return {invalid_value, pattern, {detail::word_of(values)...}};
  }
  /// The kernel cannot run on this machine as it is: too many threads, too much shared memory, a grid out of range.
  template <class... V>
  static status unlaunchable(const char* pattern, const V&... values) {
    return {invalid_configuration, pattern, {detail::word_of(values)...}};
  }
  /// CUDA, or the simulator in its place, reported `code` while doing `what`.
  template <class... V>
  static status failed(int code, const char* pattern, const V&... values) {
    if (code == 0) return {};
    return {code, pattern, {detail::word_of(values)...}};
  }

  bool ok() const noexcept { return code_ == 0; }
  /// Explicit: an implicit one makes (s == cudaSuccess) compare false with 0.
  explicit operator bool() const noexcept { return ok(); }
  /// Empty for success.
  const std::string& message() const noexcept { return message_; }
  /// The value of cudaError_t that fits best.
  int code() const noexcept { return code_; }

  template <class E, class = detail::enable_if_t<detail::is_cuda_error<E>>>
  operator E() const noexcept {
    return static_cast<E>(code_);
  }
  template <class E, class = detail::enable_if_t<detail::is_cuda_error<E>>>
  friend bool operator==(const status& s, E e) noexcept {
    return s.code_ == int(e);
  }
  template <class E, class = detail::enable_if_t<detail::is_cuda_error<E>>>
  friend bool operator!=(const status& s, E e) noexcept {
    return s.code_ != int(e);
  }

  // The values of cudaError_t that memtile gives on its own account; they have never changed.
  static constexpr int invalid_value = 1, invalid_configuration = 9, illegal_address = 700, launch_timeout = 702,
                       launch_failure = 719;

 private:
  // Not to be copied to each place that refuses.
  __attribute__((noinline, cold)) status(int code, const char* pattern, std::initializer_list<detail::word> values)
      : code_(code), message_(detail::filled_with(pattern, values)) {}

  int code_ = 0;
  std::string message_;
};

}  // namespace memtile
#endif
