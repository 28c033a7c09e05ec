// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What else the README shows of memtile::gemm: mapped operands of other types, semirings, batches.
#include <memtile/gemm.cuh>
#include <memtile/sim.cuh>

// Lines less for the README:
// clang-format off
// [readme:matmuls]
struct scaled {  // weights of one byte become floats on their way from shared memory to registers
  memtile::vector_view<const float> scales;
  MEMTILE_FUNCTION float operator()(int v, memtile::int64 row, memtile::int64) const { return float(v) * scales.load(row); }
};
using shortest = memtile::gemm_policy<memtile::semiring<memtile::min_plus>>;  // or a semiring of your own
// [readme:end]
// clang-format on

template <class Where>
memtile::status matmuls(Where& stream, memtile::matrix_view<const memtile::int8> bytes, memtile::vector_view<const float> scales,
                        memtile::matrix_view<const memtile::float16> x, memtile::matrix_view<memtile::bfloat16> y,
                        memtile::vector_view<float> most, memtile::matrix_view<const float> roads,
                        memtile::matrix_view<float> paths, memtile::volume_view<const float> parts,
                        memtile::matrix_view<const float> basis, memtile::volume_view<float> products) {
  // [readme:matmuls]
  const auto activation = memtile::gelu() | memtile::reduce_rows_into(most, memtile::maximum{});  // in the same pass
  if (auto s = memtile::gemm(stream, memtile::mapped(bytes, scaled{scales}), x, y, activation); !s) return s;
  if (auto s = memtile::gemm<shortest>(stream, roads, roads, paths); !s) return s;
  return memtile::gemm(stream, parts, basis, products);  // a batch; one basis for all
  // [readme:end]
}

int main() {
  using memtile::bfloat16, memtile::float16, memtile::int8;
  for (auto& machine : memtile::testing::machines()) {
    auto bytes = machine.buffer<int8>(4, 3, [](int r, int c) { return int8(r + c); });
    auto scales = machine.buffer<float>(4, [](int) { return 64.f; });
    auto x = machine.buffer<float16>(3, 2, [](int, int) { return float16(1.f); });
    auto y = machine.buffer<bfloat16>(4, 2);
    auto most = machine.buffer<float>(4);
    auto roads = machine.buffer<float>(5, 5, [](int r, int c) { return r == c ? 0.f : c == (r + 1) % 5 ? 1.f : 9.f; });
    auto paths = machine.buffer<float>(5, 5);
    auto parts = machine.buffer<float>(6, 4, [](int r, int c) { return float(r + c); });
    auto basis = machine.buffer<float>(4, 4, [](int r, int c) { return float(r == c); });
    auto products = machine.buffer<float>(6, 4);
    const auto volume = [](auto& buffer) {
      auto v = buffer.view();
      return memtile::volume_view<float>(v.data, 2, 3, 4, v.pitch, 3 * v.pitch);
    };
    if (!matmuls(machine, bytes.view(), scales.view(), x.view(), y.view(), most.view(), roads.view(), paths.view(),
                 volume(parts), basis.view(), volume(products)))
      return 1;
    for (int r = 0; r < 4; ++r)  // 64 * (3 r + 3): gelu leaves numbers as large as that
      if (float(y.host()(r, 1)) != float(192 * (r + 1)) || most.host()(r) != float(192 * (r + 1))) return 1;
    if (paths.host()(0, 2) != 2 || paths.host()(0, 3) != 9) return 1;  // two roads at most
    for (int r = 0; r < 6; ++r)
      if (products.host()(r, 3) != float(r + 3)) return 1;
  }
  return 0;
}
