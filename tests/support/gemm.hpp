// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inputs and references for tests of matrix multiplication.
#pragma once

#include <memtile/gemm.cuh>
#include <memtile/sim.cuh>
#include <memtile/sim/catch2.hpp>

#include <support/unit.hpp>

#include <vector>

namespace test {

// Small integers: every product and every sum is exact in float, double and int32, so results are compared bit for bit.
inline int integer_a(int i, int k) { return (i + 2 * k) % 7 - 3; }
inline int integer_b(int k, int j) { return (3 * k + j) % 5 - 2; }

// Values between -1 and 1 that need every bit of a float.
inline float random_value(int r, int c) {
  unsigned state = unsigned(r) * 747796405u + unsigned(c) * 2891336453u + 12345u;
  state = ((state >> 16) ^ state) * 0x45d9f3bu;
  state = ((state >> 16) ^ state) * 0x45d9f3bu;
  return float(int((state >> 16 ^ state) & 0xffffff) - 0x800000) / float(0x800000);
}

// Element (r, c) of a * b as the kernel promises it: one chain of fused multiply-adds in ascending k.
template <class T, class A, class B>
T chain(const A& a, const B& b, int r, int c, int inner) {
  T sum = 0;
  for (int k = 0; k < inner; ++k) sum = memtile::fma(T(a(r, k)), T(b(k, c)), sum);
  return sum;
}

using unit::differences;

// The simulator found nothing wrong; true on the GPU.
template <class Machine>
bool clean(const Machine& machine) {
  const memtile::sim::report* report = machine.last_report();
  return report == nullptr || report->clean();
}

// A product of integers of the given sizes, with poison everywhere around, is right to the bit and touches nothing
// else.
template <class T, class Policy = memtile::automatic, class Machine>
void check_integers(Machine& machine, int m, int n, int k, memtile::sim::placement where_a = {},
                    memtile::sim::placement where_b = {}, memtile::sim::placement where_c = {}) {
  auto a = machine.template buffer<T>(m, k, integer_a, where_a);
  auto b = machine.template buffer<T>(k, n, integer_b, where_b);
  auto c = machine.template buffer<T>(m, n, where_c);
  INFO(machine.name() << ": " << m << "x" << n << "x" << k);
  const memtile::status status = memtile::gemm<Policy>(machine, a.view(), b.view(), c.view());
  INFO(status.message());
  REQUIRE(status.ok());
  const auto result = c.host();
  CHECK(differences(result, m, n, [&](int r, int q) { return chain<T>(integer_a, integer_b, r, q, k); }) == 0);
  CHECK((a.untouched() && b.untouched() && c.untouched()));
  CHECK(clean(machine));
}

}  // namespace test
