// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// quantised: a layer of a network whose weights are bytes, y = gelu(x * w^T + bias), in one call of gemm.
//
// Each weight is a byte times a scale, which 32 weights of an output share. As bytes they come from global memory and
// lie in shared memory; a functor makes numbers of them on their way into the registers. It is called anew by each
// thread that needs the weight: what it reads itself should be few bytes that the cache holds, as these scales are.
//
// The program checks the layer in two ways: against double precision, with a bound; and against the same layer with
// weights made floats beforehand, to which it must be equal bit for bit.
#include <memtile/gemm.cuh>
#include <memtile/sim.cuh>

#include <algorithm>
#include <cmath>
#include <cstdio>

using namespace memtile;

constexpr int samples = 20, inputs = 288, outputs = 100, group = 32;

// Called for element (output, input) of the weights.
struct dequantise {
  matrix_view<const float> scales;  // a row for each output, a column for each group of its weights
  MEMTILE_FUNCTION float operator()(int8 weight, int64 output, int64 input) const {
    return multiply(float(weight), scales.load(output, input / group));
  }
};

// --- the numbers: what training might have left ---

float random(int row, int column) {  // from -1 to 1
  uint32 v = uint32(row) * 2654435761u ^ uint32(column) * 2246822519u;
  v = (v ^ v >> 15) * 739982445u;
  v = (v ^ v >> 12) * 695872825u;
  return float((v ^ v >> 15) >> 8) / float(1 << 23) - 1.f;
}
float trained_weight(int output, int input) { return random(output, input) * float(1 + output % 5) / 16; }
float scale_of(int output, int number) {  // the largest weight of a group becomes 127
  float largest = 0;
  for (int i = 0; i < group; ++i) largest = std::max(largest, std::fabs(trained_weight(output, number * group + i)));
  return largest / 127;
}
int8 byte_of(int output, int input) {
  return nearest_integer<int8>(trained_weight(output, input) / scale_of(output, input / group));
}
float value_of_x(int sample, int input) { return random(1000 + sample, input); }
float value_of_bias(int output) { return random(2000, output); }

double exact_gelu(double v) { return v / 2 * std::erfc(-v / std::sqrt(2.0)); }

int main() {
  bool right = true;
  for (auto& machine : testing::machines()) {
    const auto x = machine.buffer<float>(samples, inputs, value_of_x);
    const auto bytes = machine.buffer<int8>(outputs, inputs, byte_of);
    const auto scales = machine.buffer<float>(outputs, inputs / group, scale_of);
    const auto bias = machine.buffer<float>(outputs, value_of_bias);
    const auto y = machine.buffer<float>(samples, outputs), y_of_floats = machine.buffer<float>(samples, outputs);

    // split_k<1>: a long sum may be cut into parts, and for the two calls perhaps at different places. The tile would
    // not change the bits; one that is named spares the compiler the others.
    using policy = gemm_policy<block_tile<64, 64, 32>, thread_tile<8, 4>, split_k<1>>;
    const auto epilogue = bias_columns(bias.view()) | gelu();
    const auto asked = [&](sim::access_kind kind) {  // bytes of global memory, in the last call
      const auto* report = machine.last_report();    // the GPU has none
      return report == nullptr ? 0 : static_cast<long long>(report->total(sim::space::global, kind).bytes_asked);
    };
    const auto w = mapped(bytes.view(), dequantise{scales.view()});
    if (const status done = gemm<policy>(machine, x.view(), transposed(w), y.view(), epilogue); !done)
      return std::puts(done.message().c_str()), 1;
    const auto copied = asked(sim::access_kind::async_copy), loaded = asked(sim::access_kind::load);

    const auto floats = machine.buffer<float>(outputs, inputs, [](int output, int input) {
      return multiply(float(byte_of(output, input)), scale_of(output, input / group));
    });
    if (const status done = gemm<policy>(machine, x.view(), transposed(floats.view()), y_of_floats.view(), epilogue);
        !done)
      return std::puts(done.message().c_str()), 1;

    // Each of the inputs + 2 roundings of a sum, those of the weights and the bias included, is at most 2^-24 of the
    // sum of the absolute values; gelu is nowhere steeper than 1.13, and adds an error of a few roundings.
    const double rounding = std::ldexp(1.0, -24);
    const auto result = y.host(), expected = y_of_floats.host();
    int different = 0;
    double worst = 0, lost = 0;
    for (int s = 0; s < samples; ++s)
      for (int o = 0; o < outputs; ++o) {
        double sum = value_of_bias(o), size = std::fabs(sum), unquantised = sum;
        for (int i = 0; i < inputs; ++i) {
          const double product = double(value_of_x(s, i)) * byte_of(o, i) * scale_of(o, i / group);
          sum += product, size += std::fabs(product);
          unquantised += double(value_of_x(s, i)) * trained_weight(o, i);
        }
        const double bound = rounding * (1.13 * (inputs + 2) * size + 8 * std::fabs(sum));
        worst = std::max(worst, std::fabs(result(s, o) - exact_gelu(sum)) / bound);
        lost = std::max(lost, std::fabs(exact_gelu(sum) - exact_gelu(unquantised)));
        different += result(s, o) != expected(s, o);
      }
    std::printf("%s: %d of %d results differ from those of weights made floats beforehand\n", machine.name().c_str(),
                different, samples * outputs);
    std::printf("  largest error %.3f of the bound; by the bytes themselves at most %.4f is lost\n", worst, lost);
    if (machine.last_report() != nullptr)
      std::printf(
          "  copied to shared memory: %lld bytes, with floats %lld; loads of scales: %lld bytes, of a table of %d\n",
          copied, asked(sim::access_kind::async_copy), loaded - asked(sim::access_kind::load),
          outputs * (inputs / group) * int(sizeof(float)));
    right &= different == 0 && worst <= 1 && y.untouched();
  }
  return right ? 0 : 1;
}
