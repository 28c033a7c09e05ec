// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A simulated thread's own stack, and the switch to it and back: 60 ns for both, without assembly and without a
// library.
//
// ucontext makes the stack, _setjmp and _longjmp switch: swapcontext alone asks the kernel for the signal mask at every
// switch, which is eight times slower. A fiber whose entry has returned keeps its stack and takes the next entry, so
// ucontext runs once per stack.
#pragma once

#include <csetjmp>
#include <cstddef>
#include <cstdint>

#include <sys/mman.h>
#include <ucontext.h>

namespace memtile::sim {

namespace detail {

// The unchecked function under its own name. With _FORTIFY_SOURCE the C header sends longjmp to a check that takes a
// jump to another stack for a mistake and aborts.
extern "C" [[noreturn]] void memtile_sim_longjmp(std::jmp_buf, int) noexcept __asm__("_longjmp");

// AddressSanitizer must be told of every switch. Weak: null in a program that is linked without it, so no macro has to
// be asked and files compiled with and without -fsanitize=address agree on this class.
extern "C" void __sanitizer_start_switch_fiber(void** own_fake_stack, const void* bottom, std::size_t size)
    __attribute__((weak));
extern "C" void __sanitizer_finish_switch_fiber(void* own_fake_stack, const void** bottom, std::size_t* size)
    __attribute__((weak));
extern "C" void __asan_unpoison_memory_region(const volatile void* address, std::size_t size) __attribute__((weak));

}  // namespace detail

/// Not copied and not moved: the stack knows its address. Between two starts it may change to another OS thread.
class fiber {
 public:
  static constexpr std::size_t stack_bytes = 1024 * 1024, guard_bytes = 4096;

  fiber() {
    void* const memory = mmap(nullptr, guard_bytes + stack_bytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return;
    mprotect(memory, guard_bytes, PROT_NONE);  // an overflow faults at once and does not reach a neighbour
    mapping_ = static_cast<char*>(memory);
  }
  fiber(const fiber&) = delete;
  fiber& operator=(const fiber&) = delete;
  ~fiber() {
    if (mapping_ != nullptr) munmap(mapping_, guard_bytes + stack_bytes);
  }

  /// False if there was no memory for the stack.
  bool usable() const { return mapping_ != nullptr; }
  /// Whether that is a local variable of the fiber's functions.
  bool contains(const void* address) const {
    return std::size_t(static_cast<const char*>(address) - mapping_) < guard_bytes + stack_bytes;
  }

  /// The next resume() calls entry(argument). What an earlier entry left unfinished is forgotten; its destructors do
  /// not run.
  void start(void (*entry)(void*), void* argument) {
    entry_ = entry;
    argument_ = argument;
    // AddressSanitizer's own stack of an idle fiber belongs to an OS thread that may be gone.
    if (!idle_ || detail::__sanitizer_start_switch_fiber != nullptr) make_stack();
    idle_ = false;
  }
  /// Runs the fiber until it yields or its entry returns.
  void resume() {
    leave(&resumer_fake_stack_, mapping_ + guard_bytes, stack_bytes);
    if (_setjmp(resumer_) == 0) enter();
    arrive(resumer_fake_stack_, nullptr, nullptr);
  }
  /// Called on the fiber's own stack: returns at the next resume().
  void yield() {
    leave(&fake_stack_, resumer_bottom_, resumer_size_);
    if (_setjmp(here_) == 0) detail::memtile_sim_longjmp(resumer_, 1);
    arrive(fake_stack_, &resumer_bottom_, &resumer_size_);
  }

 private:
  void make_stack() {
    char* const bottom = mapping_ + guard_bytes;
    if (detail::__asan_unpoison_memory_region != nullptr) detail::__asan_unpoison_memory_region(bottom, stack_bytes);
    getcontext(&context_);
    context_.uc_stack.ss_sp = bottom;
    context_.uc_stack.ss_size = stack_bytes;
    context_.uc_link = nullptr;
    const auto self = reinterpret_cast<std::uintptr_t>(this);  // makecontext passes ints: a pointer goes in two halves
    makecontext(&context_, reinterpret_cast<void (*)()>(&fiber::first_entry), 2, unsigned(self >> 32), unsigned(self));
    has_run_ = false;
  }
  void enter() {
    if (has_run_) detail::memtile_sim_longjmp(here_, 1);
    has_run_ = true;
    setcontext(&context_);
  }
  static void first_entry(unsigned high, unsigned low) {
    fiber* const self = reinterpret_cast<fiber*>(std::uintptr_t(high) << 32 | low);
    self->arrive(nullptr, &self->resumer_bottom_, &self->resumer_size_);
    for (;;) {
      self->entry_(self->argument_);
      self->idle_ = true;
      self->yield();
    }
  }

  static void leave(void** own_fake_stack, const void* bottom, std::size_t size) {
    if (detail::__sanitizer_start_switch_fiber != nullptr)
      detail::__sanitizer_start_switch_fiber(own_fake_stack, bottom, size);
  }
  static void arrive(void* own_fake_stack, const void** bottom, std::size_t* size) {
    if (detail::__sanitizer_finish_switch_fiber != nullptr)
      detail::__sanitizer_finish_switch_fiber(own_fake_stack, bottom, size);
  }

  std::jmp_buf here_, resumer_;
  void (*entry_)(void*) = nullptr;
  void* argument_ = nullptr;
  char* mapping_ = nullptr;
  bool idle_ = false, has_run_ = false;
  void *fake_stack_ = nullptr, *resumer_fake_stack_ = nullptr;
  const void* resumer_bottom_ = nullptr;
  std::size_t resumer_size_ = 0;
  ucontext_t context_;
};

}  // namespace memtile::sim
