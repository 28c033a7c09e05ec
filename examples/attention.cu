// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attention: out = softmax(scale * q * k^T) * v without the matrix of scores in memory: what a query finds among the
// keys never leaves the block that asks.
//
//   registers   32 queries x 64 keys       scores = q * k^T, then exp(score - largest) in their place
//   shared      32 queries x 64 keys       the same, as the left operand of the second product
//   registers   32 queries x 64 numbers    out = out * shrink + weights * v
//
// The softmax of a row is known only when its last key has been seen. So a row remembers its largest score and the sum
// of its weights; a tile of keys with a larger score shrinks what was added up before ("online softmax").
#include <memtile/gemm.cuh>
#include <memtile/kernel.cuh>
#include <memtile/sim.cuh>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

using namespace memtile;
using matrix = matrix_view<const float>;

struct attention {
  using product = block_gemm<float, gemm_policy<block_tile<32, 64, 16>, thread_tile<4, 8>>>;
  static constexpr int threads = product::threads;
  static constexpr int keys_at_once = product::block_n, head = product::block_n;  // numbers of a key, and of a value
  static constexpr int rows = product::thread_m, columns = product::thread_n;     // of scores, and of sums, a thread
  struct storage {
    product::storage multiply;
    product::a_tile<keys_at_once> weights;  // queries x keys
    product::b_tile<keys_at_once> values;   // keys x head
  };

  MEMTILE_KERNEL void operator()(block block, storage& shared, matrix q, matrix k, matrix v, float scale,
                                 matrix_view<float> out) const {
    const int64 query0 = int64(block.grid_column()) * product::block_m;
    constexpr float lowest = maximum::identity<float>();
    product scores{block, shared.multiply}, output{block, shared.multiply};
    auto &score = scores.accumulators(), &sum = output.accumulators();
    vec<float, rows> largest, total;  // of the rows of which this thread has a part
    MEMTILE_UNROLL
    for (int i = 0; i < rows; ++i) largest[i] = lowest, total[i] = 0;

    for (int64 key0 = 0; key0 < k.rows; key0 += keys_at_once) {
      scores.clear();
      scores.multiply_add(q, transposed(k), query0, key0);
      scores.for_each([&](int, int key, float& s) { s = key0 + key < k.rows ? multiply(s, scale) : lowest; });

      const auto largest_here = scores.reduce_rows(maximum{});
      MEMTILE_UNROLL
      for (int i = 0; i < rows; ++i) {
        const float before = largest[i];
        largest[i] = maximum{}(before, largest_here[i]);
        const float shrink = memtile::exp(before - largest[i]);  // 0 at first
        total[i] *= shrink;
        MEMTILE_UNROLL
        for (int j = 0; j < columns; ++j) {
          score(i, j) = memtile::exp(score(i, j) - largest[i]);
          sum(i, j) *= shrink;
        }
      }
      const auto total_here = scores.reduce_rows(plus{});
      MEMTILE_UNROLL
      for (int i = 0; i < rows; ++i) total[i] += total_here[i];

      // The barriers in scores.multiply_add stand between this and the reading of the tiles before.
      scores.store(shared.weights);
      global_to_shared(block, v, key0, 0, shared.values);
      block.sync();
      output.multiply_add(shared.weights, shared.values);
    }
    MEMTILE_UNROLL
    for (int i = 0; i < rows; ++i) {
      MEMTILE_UNROLL
      for (int j = 0; j < columns; ++j) sum(i, j) /= total[i];
    }
    output.store(out, query0, 0);
  }
};

// --- the same in double precision ---

constexpr int queries = 70, keys = 200, head = attention::head;  // neither is a multiple of a tile
constexpr float scale = 0.125f;

float random(int row, int column) {  // from -1 to 1
  uint32 v = uint32(row) * 2654435761u ^ uint32(column) * 2246822519u;
  v = (v ^ v >> 15) * 739982445u;
  v = (v ^ v >> 12) * 695872825u;
  return float((v ^ v >> 15) >> 8) / float(1 << 23) - 1.f;
}
float value_of_q(int query, int i) { return 8 * random(query, i); }  // so that few keys take most of the weight
float value_of_k(int key, int i) { return random(1000 + key, i); }
float value_of_v(int key, int i) { return random(2000 + key, i); }

// The largest error, as a share of what roundings can explain.
template <class Result>
double worst_error(const Result& out) {
  const double rounding = std::ldexp(1.0, -24);
  double worst = 0;
  std::vector<double> weights(keys);
  for (int query = 0; query < queries; ++query) {
    double total = 0, largest_sum = 0, largest = -1e300;
    for (int key = 0; key < keys; ++key) {
      double sum = 0, size = 0;
      for (int i = 0; i < head; ++i) {
        const double product = double(value_of_q(query, i)) * value_of_k(key, i);
        sum += product, size += std::fabs(product);
      }
      weights[std::size_t(key)] = sum * scale;
      largest = std::max(largest, sum * scale);
      largest_sum = std::max(largest_sum, size * scale);
    }
    for (double& weight : weights) total += weight = std::exp(weight - largest);

    // A score is wrong by at most head + 1 roundings of its sum of absolute values, and its distance from the largest
    // by one more of twice that. exp makes a relative error of an absolute one and adds 2 units, or 4 roundings. A
    // weight is shrunk once for each tile, with the exp of a difference again. Both sums have a rounding for each key.
    // All that comes twice, above and below the fraction.
    const double tiles = keys / attention::keys_at_once + 1;
    const double of_weight = (head + 3) * largest_sum + 4 + tiles * (2 * largest_sum + 6);
    const double relative = 2 * rounding * (of_weight + keys) + rounding;
    for (int i = 0; i < head; ++i) {
      double expected = 0, size = 0;
      for (int key = 0; key < keys; ++key) {
        const double part = weights[std::size_t(key)] / total * value_of_v(key, i);
        expected += part, size += std::fabs(part);
      }
      worst = std::max(worst, std::fabs(out(query, i) - expected) / (relative * size));
    }
  }
  return worst;
}

int main() {
  bool right = true;
  for (auto& machine : testing::machines()) {
    const auto q = machine.buffer<float>(queries, head, value_of_q), k = machine.buffer<float>(keys, head, value_of_k),
               v = machine.buffer<float>(keys, head, value_of_v), out = machine.buffer<float>(queries, head);
    const status done = launch(machine, grid(ceil_div(queries, attention::product::block_m)), attention{}, q.view(),
                               k.view(), v.view(), scale, out.view());
    if (!done) return std::puts(done.message().c_str()), 1;
    const double worst = worst_error(out.host());
    right &= worst <= 1 && out.untouched();
    std::printf("%s: %d queries, %d keys of %d numbers: largest error %.3f of the bound\n", machine.name().c_str(),
                queries, keys, head, worst);
    if (const auto* report = machine.last_report()) {  // the simulator's; the GPU has none
      const auto stored = report->total(sim::space::global, sim::access_kind::store).bytes_asked;
      std::printf("  stored in global memory: %lld bytes, the output; the scores would be %d more\n",
                  static_cast<long long>(stored), queries * keys * int(sizeof(float)));
      std::printf("  %s, %lld bank conflicts\n", report->clean() ? "no faults" : report->to_string().c_str(),
                  static_cast<long long>(report->bank_conflicts()));
      right &= report->clean() && stored == queries * head * int(sizeof(float));
    }
  }
  return right ? 0 : 1;
}
