// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pipelines on the runtime of late_runtime.cpp: every frame comes out right, and whichever call fails, nothing is held
// on to.
#include "late_runtime.hpp"

#include <memtile/pipeline.cuh>

#include <cstdio>
#include <vector>

using namespace memtile;

namespace {

struct copies {
  template <class In, class Out, class... Band>
  status operator()(const detail::on_gpu& where, const In& in, const Out& out, const Band&...) const {
    return status::failed(int(cudaMemcpy2DAsync(out.data, size_t(out.pitch), in.data, size_t(in.pitch), size_t(in.cols),
                                                size_t(in.rows), cudaMemcpyDeviceToDevice, where.where.stream)),
                          "the copy failed");
  }
};

int faults = 0;
void expect(bool good, const char* what, int slots, int cols, int count) {
  if (good) return;
  ++faults;
  std::printf("%d slots, %d columns, %d frames, call %d fails: %s\n", slots, cols, count, late_runtime::fail_at, what);
}

void run(int slots, int cols, int count) {
  constexpr int rows = 5;
  const bool may_fail = late_runtime::fail_at > 0;
  {
    pipeline frames(stream_t(nullptr), frame<uint8>{rows, cols}, slots);
    for (int again = 0; again < 2; ++again) {
      int given = 0, taken = 0;
      bool equal = true;
      const auto source = [&](matrix_view<uint8> in) {
        for (int i = 0; i < rows * cols; ++i) in.data[i] = uint8(given * 31 + i);
        return given++ < count;
      };
      const auto sink = [&](matrix_view<const uint8> out) {
        for (int i = 0; i < rows * cols; ++i) equal = equal && out.data[i] == uint8(taken * 31 + i);
        ++taken;
      };
      const status s = frames.run(source, copies{}, sink);
      expect(equal, "a frame is wrong", slots, cols, count);
      expect(!s || taken == count, "frames are missing", slots, cols, count);
      expect(s || may_fail, s.message().c_str(), slots, cols, count);
    }
  }
  expect(late_runtime::held == 0, "something was not given back", slots, cols, count);
  expect(late_runtime::misuses == 0, "a busy stream was destroyed, or a pitch too short", slots, cols, count);
}

}  // namespace

int main() {
  for (const int slots : {1, 2, 3, 5})
    for (const int cols : {7, 128, 130})
      for (const int count : {0, 1, 40}) run(slots, cols, count);
  late_runtime::calls = 0;
  run(3, 7, 8);
  const int all = late_runtime::calls;
  for (late_runtime::fail_at = 1; late_runtime::fail_at <= all; ++late_runtime::fail_at) {
    late_runtime::calls = 0;
    run(3, 7, 8);
  }
  late_runtime::fail_at = -1;
  expect(all > 100, "too few calls for a test", 3, 7, 8);

  std::vector<uint8> in(900), out(900);
  for (size_t i = 0; i < in.size(); ++i) in[i] = uint8(i * 7);
  const status s = run_in_bands(stream_t(nullptr), row_major(in.data(), 100, 9), row_major(out.data(), 100, 9),
                                bands{7, 2}, copies{});
  expect(s && in == out && late_runtime::held == 0, "bands", 4, 9, 15);
  return faults == 0 ? 0 : 1;
}
