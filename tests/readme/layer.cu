// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The call of memtile::gemm that the README shows, and the message it quotes.
#include <memtile/gemm.cuh>
#include <memtile/sim.cuh>

#include <cstdio>
#include <string>

// Returns the message.
template <class Where>
std::string layer(Where& stream, const float* x, const float* w, const float* bias_values, float* y, int batch,
                  int inputs, int outputs) {
  const memtile::vector_view<const float> bias(bias_values, outputs);
  // [readme:gemm]
  auto status = memtile::gemm(stream, memtile::row_major(x, batch, inputs), memtile::row_major(w, inputs, outputs),
                              memtile::row_major(y, batch, outputs), memtile::bias_columns(bias) | memtile::relu());
  if (!status) std::puts(status.message().c_str());
  // [readme:end]
  return status.message();
}

int main() {
  for (auto& machine : memtile::testing::machines()) {
    auto x = machine.buffer<float>(3, 2, [](int r, int c) { return float(r - c); });
    auto w = machine.buffer<float>(2, 4, [](int r, int c) { return float(r == 0 ? c : 2); });
    auto bias = machine.buffer<float>(4, [](int c) { return float(-c); });
    auto y = machine.buffer<float>(3, 4);
    if (!layer(machine, x.view().data, w.view().data, bias.view().data, y.view().data, 3, 2, 4).empty()) return 1;
    const auto result = y.host();  // row r: r c + (r - 1) 2 - c, and 0 where that is negative
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 4; ++c)
        if (const int v = (r - 1) * (c + 2); result(r, c) != (v < 0 ? 0 : v)) return 1;

    // the message that the README quotes
    auto a = machine.buffer<float>(35, 79);
    auto c = machine.buffer<float>(35, 79);
    if (memtile::gemm(machine, a.view(), a.view(), c.view()).message() !=
        "gemm: a is 35x79 but b is 35x79: inner sizes differ")
      return 1;
  }
  return 0;
}
