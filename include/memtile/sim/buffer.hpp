// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of a machine for tests: a vector or a matrix with poison around it and in its row padding. A kernel that reads
// where it must not computes with NaN, one that writes where it must not is found by untouched(). One implementation
// serves the simulator and a GPU; they differ in four functions.
#pragma once

#include <memtile/core/small_float.hpp>
#include <memtile/core/view.hpp>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

namespace memtile::sim {

/// Where a buffer lies. pitch_elements: from one row to the next, 0 for rows that follow each other. offset_elements:
/// of the first element from a 256-byte boundary, to try misaligned data.
struct placement {
  int64 pitch_elements = 0;
  int64 offset_elements = 0;
};

/// What a machine does with memory. Allocations are aligned to 256 bytes; null if there is none.
struct memory_functions {
  void* (*allocate)(std::size_t bytes);
  void (*release)(void*);
  void (*to_machine)(void* to, const void* from, std::size_t bytes);
  void (*to_host)(void* to, const void* from, std::size_t bytes);
};

namespace detail {

inline const memory_functions host_memory{
    [](std::size_t bytes) { return std::aligned_alloc(256, (bytes + 255) / 256 * 256); }, [](void* p) { std::free(p); },
    [](void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); },
    [](void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); }};

template <class T>
struct is_any_float {
  static constexpr bool value = std::is_floating_point<T>::value;
};
template <>
struct is_any_float<float16> : std::true_type {};
template <>
struct is_any_float<bfloat16> : std::true_type {};
template <>
struct is_any_float<float8_e4m3> : std::true_type {};
template <class T, int Width>
struct is_any_float<vec<T, Width>> : is_any_float<T> {};

// All bits set is a NaN in every floating type.
template <class T>
inline constexpr unsigned char poison_byte = is_any_float<T>::value ? 0xff : 0x7f;

// rows x row_bytes inside one allocation, everything else poison. Knows nothing of element types.
class guarded_memory {
 public:
  guarded_memory(const memory_functions& functions, std::size_t element_bytes, int64 rows, int64 cols, placement where,
                 unsigned char poison)
      : functions_(&functions), rows_(std::size_t(rows)), row_bytes_(std::size_t(cols) * element_bytes),
        poison_(poison) {
    const std::size_t guard = round_up(64 * element_bytes);
    pitch_ = std::size_t(where.pitch_elements > cols ? where.pitch_elements : cols) * element_bytes;
    first_ = guard + std::size_t(where.offset_elements) * element_bytes;
    total_ = round_up(first_ + rows_ * pitch_ + guard);
    memory_ = static_cast<unsigned char*>(functions.allocate(total_));
    if (memory_ != nullptr) functions_->to_machine(memory_, std::vector<unsigned char>(total_, poison).data(), total_);
  }
  guarded_memory(guarded_memory&& other) noexcept { *this = std::move(other); }
  guarded_memory& operator=(guarded_memory&& other) noexcept {
    std::swap(functions_, other.functions_);
    std::swap(memory_, other.memory_);
    rows_ = other.rows_, row_bytes_ = other.row_bytes_, pitch_ = other.pitch_;
    first_ = other.first_, total_ = other.total_, poison_ = other.poison_;
    return *this;
  }
  ~guarded_memory() {
    if (memory_ != nullptr) functions_->release(memory_);
  }

  void* data() const { return memory_ != nullptr ? memory_ + first_ : nullptr; }
  std::size_t pitch() const { return pitch_; }

  /// The whole allocation, guards and all; row r begins at row_begin(r).
  std::vector<unsigned char> image() const {
    std::vector<unsigned char> bytes(total_, poison_);
    if (memory_ != nullptr) functions_->to_host(bytes.data(), memory_, total_);
    return bytes;
  }
  std::size_t row_begin(int64 row) const { return first_ + std::size_t(row) * pitch_; }
  void replace(const std::vector<unsigned char>& image) {
    if (memory_ != nullptr) functions_->to_machine(memory_, image.data(), total_);
  }
  bool untouched() const {
    std::vector<unsigned char> bytes = image();
    for (std::size_t r = 0; r < rows_; ++r) std::memset(bytes.data() + first_ + r * pitch_, poison_, row_bytes_);
    for (unsigned char byte : bytes)
      if (byte != poison_) return false;
    return true;
  }

 private:
  static std::size_t round_up(std::size_t bytes) { return (bytes + 255) / 256 * 256; }

  const memory_functions* functions_ = nullptr;
  unsigned char* memory_ = nullptr;
  std::size_t rows_ = 0, row_bytes_ = 0, pitch_ = 0, first_ = 0, total_ = 0;
  unsigned char poison_ = 0;
};

}  // namespace detail

/// What stood in a buffer when host() was called, on the host: copy(i) or copy(r, c).
template <class T>
class host_copy {
 public:
  host_copy(std::vector<unsigned char> image, std::size_t first, std::size_t pitch)
      : image_(std::move(image)), first_(first), pitch_(pitch) {}
  T operator()(int64 i) const { return (*this)(0, i); }
  T operator()(int64 r, int64 c) const {
    T value;
    std::memcpy(static_cast<void*>(&value),
                image_.data() + first_ + std::size_t(r) * pitch_ + std::size_t(c) * sizeof(T), sizeof(T));
    return value;
  }

 private:
  std::vector<unsigned char> image_;
  std::size_t first_, pitch_;
};

/// Made by machine.buffer<T>(...); owns its memory.
template <class T>
class matrix_buffer {
  static_assert(std::is_trivially_copyable<T>::value, "memtile: the elements of a buffer must be trivially copyable");

 public:
  matrix_buffer(const memory_functions& functions, int64 rows, int64 cols, placement where)
      : memory_(functions, sizeof(T), rows, cols, where, detail::poison_byte<T>), rows_(rows), cols_(cols) {}

  matrix_view<T> view() const { return {static_cast<T*>(memory_.data()), rows_, cols_, int64(memory_.pitch())}; }
  host_copy<T> host() const { return {memory_.image(), memory_.row_begin(0), memory_.pitch()}; }
  /// Element (r, c) becomes f(r, c); the poison stays as it is.
  template <class F>
  void write(F f) {
    std::vector<unsigned char> image = memory_.image();
    for (int64 r = 0; r < rows_; ++r)
      for (int64 c = 0; c < cols_; ++c) {
        const T value = static_cast<T>(f(int(r), int(c)));
        std::memcpy(image.data() + memory_.row_begin(r) + std::size_t(c) * sizeof(T), static_cast<const void*>(&value),
                    sizeof(T));
      }
    memory_.replace(image);
  }
  /// Nothing was written before, behind and between the rows.
  bool untouched() const { return memory_.untouched(); }
  int64 rows() const { return rows_; }
  int64 cols() const { return cols_; }

 private:
  detail::guarded_memory memory_;
  int64 rows_, cols_;
};

/// A matrix of one row, seen as a vector.
template <class T>
class vector_buffer {
 public:
  vector_buffer(const memory_functions& functions, int64 size, placement where) : row_(functions, 1, size, where) {}

  vector_view<T> view() const { return {row_.view().data, row_.cols()}; }
  host_copy<T> host() const { return row_.host(); }
  template <class F>
  void write(F f) {
    row_.write([&](int, int i) { return f(i); });
  }
  bool untouched() const { return row_.untouched(); }
  int64 size() const { return row_.cols(); }

 private:
  matrix_buffer<T> row_;
};

/// The four ways to ask a machine for a buffer. Machine::memory() names its functions.
template <class Machine>
class makes_buffers {
 public:
  /// n elements of poison.
  template <class T>
  vector_buffer<T> buffer(int64 n, placement where = {}) {
    return {memory(), n, where};
  }
  /// Element i is f(i).
  template <class T, class F, class = std::enable_if_t<std::is_invocable<F&, int>::value>>
  vector_buffer<T> buffer(int64 n, F f, placement where = {}) {
    vector_buffer<T> made{memory(), n, where};
    made.write(f);
    return made;
  }
  template <class T>
  matrix_buffer<T> buffer(int64 rows, int64 cols, placement where = {}) {
    return {memory(), rows, cols, where};
  }
  /// Element (r, c) is f(r, c).
  template <class T, class F, class = std::enable_if_t<std::is_invocable<F&, int, int>::value>>
  matrix_buffer<T> buffer(int64 rows, int64 cols, F f, placement where = {}) {
    matrix_buffer<T> made{memory(), rows, cols, where};
    made.write(f);
    return made;
  }

 private:
  const memory_functions& memory() const { return static_cast<const Machine*>(this)->memory(); }
};

}  // namespace memtile::sim
