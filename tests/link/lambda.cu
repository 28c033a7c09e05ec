// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PKG-07: a functor needs no flag; with --extended-lambda a lambda for host and device is as good, in the simulator and
// on the GPU.
#include <memtile/reduce.cuh>
#include <memtile/sim.cuh>

#include <cstdio>

struct times {
  float factor;
  MEMTILE_FUNCTION float operator()(float v) const { return factor * v; }
};

template <class Machine, class Transform>
bool gives_12(Machine& machine, const Transform& transform) {
  auto in = machine.template buffer<float>(3, [](int i) { return float(i + 1); });
  auto out = machine.template buffer<float>(1);
  const memtile::status s = memtile::reduce(machine, in.view(), out.view(), memtile::plus{}, 0.f, transform);
  if (!s || !machine.synchronize()) return std::printf("%s\n", s.message().c_str()), false;
  return out.host()(0) == 12;
}

int main() {
  bool good = true;
  for (auto& machine : memtile::testing::machines()) {
    good &= gives_12(machine, times{2});
#if defined(__CUDACC_EXTENDED_LAMBDA__)
    const float factor = 2;
    good &= gives_12(machine, [factor] __host__ __device__(float v) { return factor * v; });
#endif
  }
  return good ? 0 : 1;
}
