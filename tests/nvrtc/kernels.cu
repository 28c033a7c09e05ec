// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a user of NVRTC (CuPy, cuda.core, Numba) writes: __global__ functions with memtile's parts inside.
#include <memtile/core/convert.hpp>
#include <memtile/gemm.cuh>
#include <memtile/kernel.cuh>
#include <memtile/reduce.cuh>

extern "C" __global__ void __launch_bounds__(256)
    transpose_tile(memtile::matrix_view<const float> in, memtile::matrix_view<float> out) {
  __shared__ memtile::shared_tile<float, 32, 32, memtile::padded<1>> tile;
  const memtile::block block = memtile::this_block();
  const int column = block.rank() % 32, row0 = block.grid_row() * 32, column0 = block.grid_column() * 32;
  for (int r = block.rank() / 32; r < 32; r += 8) tile.store(r, column, in.load_inside(row0 + r, column0 + column));
  block.sync();
  for (int r = block.rank() / 32; r < 32; r += 8) out.store_inside(column0 + r, row0 + column, tile.load(column, r));
}

extern "C" __global__ void narrow(memtile::vector_view<const float> in, memtile::vector_view<memtile::bfloat16> out) {
  const int i = memtile::this_block().rank();
  out.store(i, memtile::bfloat16(memtile::exp(in.load(i))));
}

using product =
    memtile::block_gemm<float, memtile::gemm_policy<memtile::block_tile<64, 64, 8>, memtile::thread_tile<4, 4>>>;
extern "C" __global__ void __launch_bounds__(256)
    multiply(memtile::matrix_view<const float> a, memtile::matrix_view<const float> b, memtile::matrix_view<float> c) {
  __shared__ product::storage storage;
  const memtile::block block = memtile::this_block();
  product multiply{block, storage};
  const int row0 = block.grid_row() * product::block_m, column0 = block.grid_column() * product::block_n;
  multiply.multiply_add(a, b, row0, column0);
  multiply.store(c, row0, column0);
}

extern "C" __global__ void add_up_clusters(memtile::vector_view<const float> in, memtile::vector_view<float> partials,
                                           memtile::vector_view<memtile::uint32> ticket) {
  __shared__ float values[32];
  const memtile::block block = memtile::this_block();
  const memtile::cluster cluster = block.cluster();
  memtile::hw::store_shared(&values[block.rank()], in.load(block.grid_column() * 32 + block.rank()),
                            memtile::site::here());
  cluster.sync();
  float sum = 0;
  for (int rank = 0; rank < cluster.size(); ++rank) sum += cluster.load(values[block.rank()], rank);
  cluster.sync();
  partials.store(block.grid_column() * 32 + block.rank(), sum);
  if (memtile::block_is_last(block, ticket.address(0), block.grid_columns()))
    for (int i = 1; i < block.grid_columns(); ++i)
      partials.store(block.rank(), partials.load(block.rank()) + partials.load(i * 32 + block.rank()));
}

extern "C" __global__ void __launch_bounds__(192)
    mean_of_row(memtile::matrix_view<const float> in, memtile::vector_view<float> out) {
  using reducer = memtile::block_reduce<float, 192>;
  __shared__ reducer::storage storage;
  const memtile::block block = memtile::this_block();
  const int row = block.grid_column();
  float mine = 0;
  for (int c = block.rank(); c < in.cols; c += block.size()) mine += in.load(row, c);
  const float sum = reducer{block, storage}.thread_0(mine, memtile::plus{});
  if (block.rank() == 0) out.store(row, sum / float(in.cols));
}

extern "C" __global__ void finish(memtile::matrix_view<const int> products, memtile::vector_view<const float> scales,
                                  memtile::matrix_view<const memtile::float16, memtile::strided> residual,
                                  memtile::matrix_view<memtile::int8> out) {
  namespace detail = memtile::detail;
  const int row = memtile::this_block().grid_row(), column = memtile::this_block().rank();
  const auto epilogue = memtile::linear{memtile::value_at(scales), 2.f, residual} | memtile::scale_columns(scales) |
                        memtile::add_matrix(residual) | memtile::clamp(0, 3.f) | memtile::silu() | memtile::gelu() |
                        memtile::gelu_tanh() | memtile::relu();
  const auto value = detail::apply_epilogue(epilogue, products.load(row, column), row, column, 0);
  out.store(row, column, detail::stored_as<memtile::int8>(value));
}

extern "C" __global__ void largest(memtile::vector_view<const float> in, memtile::vector_view<float> out) {
  const int i = memtile::this_block().rank();
  const float none = memtile::maximum::identity<float>(), none_or_nan = memtile::maximum_number::identity<float>();
  out.store(i, in.inside(i) ? memtile::maximum{}(none, in.load(i)) : none_or_nan);
}
