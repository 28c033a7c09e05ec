// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inputs, operators and references for tests of reductions.
#pragma once

#include <support/unit.hpp>

#include <memtile/reduce.cuh>

#include <cmath>
#include <limits>
#include <vector>

namespace test {

using memtile::int64;
using memtile::uint32;

inline constexpr float infinity = std::numeric_limits<float>::infinity();
inline constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

// From -3 to 3, so that sums of a million of them are exact in float.
inline int small_integer(int i) { return (i * 5 + i / 7) % 7 - 3; }
// Between -1 and 1, with every bit of a float.
inline float random_value(int i) {
  uint32 state = uint32(i) * 747796405u + 12345u;
  state = ((state >> 16) ^ state) * 0x45d9f3bu;
  state = ((state >> 16) ^ state) * 0x45d9f3bu;
  return float(int((state >> 16 ^ state) & 0xffffff) - 0x800000) / float(0x800000);
}
inline uint32 bits(float v) { return memtile::detail::bits_of(v); }
inline memtile::uint64 bits(double v) { return __builtin_bit_cast(memtile::uint64, v); }

// x -> scale * x + shift, modulo 2^32. One after the other is another such function; the order matters.
struct affine {
  uint32 scale, shift;
  friend bool operator==(const affine& a, const affine& b) { return a.scale == b.scale && a.shift == b.shift; }
};
MEMTILE_FUNCTION affine affine_of(int i) { return {uint32(i) * 2654435761u | 1u, uint32(i) ^ 0x9e3779b9u}; }
struct compose_without_identity {
  MEMTILE_FUNCTION affine operator()(const affine& first, const affine& second) const {
    return {first.scale * second.scale, first.shift * second.scale + second.shift};
  }
};
struct compose : compose_without_identity {
  template <class A>
  MEMTILE_FUNCTION static constexpr A identity() {
    return {1, 0};
  }
};

// What a call leaves in its output, which it does not pass; the simulator finds no fault in it.
template <class Out, class Machine, class Call>
Out result_of(Machine& machine, const Call& call) {
  auto out = machine.template buffer<Out>(1);
  const memtile::status status = call(out.view());
  INFO(machine.name() << ": " << status.message());
  REQUIRE(status.ok());
  const Out result = out.host()(0);
  CHECK(out.untouched());
  unit::check_clean(machine);
  return result;
}
template <class Out, class Policy = memtile::automatic, class Machine, class In>
Out sum_of(Machine& machine, const In& in) {
  return result_of<Out>(machine, [&](auto out) { return memtile::sum<Policy>(machine, in, out); });
}
template <class Out, class Machine, class In, class Operator, class Init>
Out reduced(Machine& machine, const In& in, const Operator& op, const Init& init) {
  return result_of<Out>(machine, [&](auto out) { return memtile::reduce(machine, in, out, op, init); });
}
// Of one of the tags: arg_minimum, extremes, moments, ...
template <class Out, class Wanted, class Machine, class In>
Out reduced_to(Machine& machine, const In& in) {
  return result_of<Out>(machine, [&](auto out) { return memtile::reduce(machine, in, out, Wanted{}); });
}
template <class T, class Machine>
auto buffer_of(Machine& machine, const std::vector<T>& values) {
  return machine.template buffer<T>(int64(values.size()), [&](int i) { return values[size_t(i)]; });
}

// The promise for sums of floats.
inline double bound_of_sum(double n, double sum_of_absolutes) {
  return (std::log2(n < 1 ? 1 : n) + 32) * std::ldexp(1., -24) * sum_of_absolutes;
}

}  // namespace test
