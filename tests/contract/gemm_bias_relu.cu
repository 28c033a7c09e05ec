// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A dense layer: out = relu(x * weights + bias), on the GPU if there is one, else in the simulator.
#include <memtile/gemm.cuh>
#include <memtile/sim.cuh>

#include <cstdio>
#include <string>

int main() {
  constexpr int batch = 35, inputs = 79, outputs = 19;
  for (auto& machine : memtile::testing::machines()) {
    auto x = machine.buffer<float>(batch, inputs, [](int r, int c) { return float((r + 2 * c) % 7 - 3); });
    auto weights = machine.buffer<float>(inputs, outputs, [](int r, int c) { return float((3 * r + c) % 5 - 2); });
    auto bias = machine.buffer<float>(outputs, [](int c) { return float(c % 3); });
    auto out = machine.buffer<float>(batch, outputs);

    auto status = memtile::gemm(machine, x.view(), weights.view(), out.view(),
                                memtile::bias_columns(bias.view()) | memtile::relu());
    if (!status) return std::puts(status.message().c_str()), 1;

    auto result = out.host();
    for (int r = 0; r < batch; ++r)
      for (int c = 0; c < outputs; ++c) {
        float sum = float(c % 3);
        for (int k = 0; k < inputs; ++k) sum += float((r + 2 * k) % 7 - 3) * float((3 * k + c) % 5 - 2);
        if (result(r, c) != (sum > 0 ? sum : 0)) return 1;
      }
    // a refusal says why, in words with the values, and changes nothing
    auto refused = memtile::gemm(machine, x.view(), x.view(), out.view());
    if (refused || refused.message().find("35x79") == std::string::npos) return 1;
  }
  return 0;
}
