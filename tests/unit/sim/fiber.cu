// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stacks of simulated threads: they take turns, end, begin anew, and may be left unfinished.
#include <memtile/sim/fiber.hpp>

#include <support/catch.hpp>

#include <cstdint>
#include <string>

namespace {

using memtile::sim::fiber;

struct speaker {
  fiber stack;
  char name;
  int words;
  std::string* said;

  // The local array wants the alignment that vector instructions want of a stack.
  static void speak(void* self) {
    speaker& s = *static_cast<speaker*>(self);
    for (int i = 0; i < s.words; ++i) {
      alignas(16) volatile char local[16] = {};
      local[0] = s.name;
      *s.said += reinterpret_cast<std::uintptr_t>(local) % 16 == 0 ? local[0] : '?';
      s.stack.yield();
    }
    *s.said += '.';
  }
};

}  // namespace

TEST_CASE("fibers take turns until they end", "[sim]") {
  std::string said;
  speaker a{{}, 'a', 3, &said}, b{{}, 'b', 1, &said};
  REQUIRE(a.stack.usable());
  a.stack.start(&speaker::speak, &a);
  b.stack.start(&speaker::speak, &b);
  for (int turn = 0; turn < 4; ++turn) {
    a.stack.resume();
    if (turn < 2) b.stack.resume();
  }
  CHECK(said == "aba.a.");
}

TEST_CASE("a fiber begins anew, whether it has ended or not", "[sim]") {
  std::string said;
  speaker a{{}, 'a', 2, &said};
  for (int turns : {3, 1, 2, 3}) {
    a.stack.start(&speaker::speak, &a);
    for (int i = 0; i < turns; ++i) a.stack.resume();
    said += ' ';
  }
  CHECK(said == "aa. a aa aa. ");
}
