// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What each of the four files does with memtile. In an unnamed namespace: every file has its own copy of these functions, and they all
// call the one copy of memtile's inline functions that the linker keeps.
#pragma once

#include "every_header.hpp"

#include <string>
#include <vector>

struct answer {
  std::string what;
  double value;
};
using answers = std::vector<answer>;

struct doubled {
  static constexpr int threads = 32;
  struct storage {
    memtile::shared_tile<float, 1, 32> tile;
  };
  MEMTILE_KERNEL void operator()(memtile::block block, storage& shared, memtile::vector_view<const float> in, memtile::vector_view<float> out) const {
    shared.tile.store(0, block.rank(), 2 * in.load(block.rank()));
    block.sync();
    out.store(block.rank(), shared.tile.load(0, 31 - block.rank()));
  }
};

namespace {

template <class T>
void add_layout(answers& all, const char* name) {
  all.push_back({std::string("sizeof ") + name, double(sizeof(T))});
  all.push_back({std::string("alignof ") + name, double(alignof(T))});
}

answers use_everything() {
  answers all;
#define LAYOUT(...) add_layout<__VA_ARGS__>(all, #__VA_ARGS__)
  LAYOUT(memtile::vector_view<float>);
  LAYOUT(memtile::matrix_view<const double, memtile::column>);
  LAYOUT(memtile::matrix_view<float, memtile::strided>);
  LAYOUT(memtile::volume_view<float>);
  LAYOUT(memtile::float16);
  LAYOUT(memtile::bfloat16);
  LAYOUT(memtile::float8_e4m3);
  LAYOUT(memtile::vec<float, 4>);
  LAYOUT(memtile::vec<float, 3>);
  LAYOUT(memtile::status);
  LAYOUT(memtile::block);
  LAYOUT(memtile::warp);
  LAYOUT(memtile::site);
  LAYOUT(memtile::grid);
  LAYOUT(memtile::context);
  LAYOUT(memtile::shared_tile<float, 32, 32, memtile::padded<1>>);
  LAYOUT(memtile::halo_tile<float, 16, 16, 1>);
  LAYOUT(memtile::fragment<float, 4, 4>);
  LAYOUT(memtile::block_gemm<float>::storage);
  LAYOUT(memtile::sim::machine);
  LAYOUT(memtile::linear<float>);
#undef LAYOUT

  all.push_back({"ceil_div", double(memtile::ceil_div(1000, 32))});
  all.push_back({"float16", float(memtile::float16(1 / 3.f))});
  all.push_back({"bfloat16", float(memtile::bfloat16(1 / 3.f))});
  all.push_back({"float8_e4m3", float(memtile::float8_e4m3(1 / 3.f))});
  all.push_back({"fma", memtile::fma(1 + 0x1p-20f, 1 - 0x1p-20f, -1.f)});
  all.push_back({"rsqrt", memtile::rsqrt(2.f)});
  all.push_back({"popc", double(memtile::popc(0xf0f0u))});
  all.push_back({"status", double(memtile::status::refused("{} of {}", 1, 2).message().size())});

  memtile::sim::machine machine;
  auto in = machine.buffer<float>(32, [](int i) { return float(i); });
  auto out = machine.buffer<float>(32);
  all.push_back({"launch", double(memtile::launch(machine, 1, doubled{}, in.view(), out.view()).ok())});
  all.push_back({"result of launch", out.host()(0)});
  using small = memtile::gemm_policy<memtile::block_tile<32, 32, 8>, memtile::thread_tile<4, 4>>;
  auto a = machine.buffer<float>(40, 24, [](int r, int c) { return float((r + 3 * c) % 7) / 8; });
  auto b = machine.buffer<float>(24, 40, [](int r, int c) { return float((5 * r + c) % 9) / 4; });
  const auto epilogue = memtile::linear{0.5f, 0.f} | memtile::relu();
  auto product = machine.buffer<float>(40, 40);
  all.push_back({"gemm", double(memtile::gemm<small>(machine, a.view(), b.view(), product.view(), epilogue).ok())});
  all.push_back({"result of gemm", product.host()(39, 38)});
  all.push_back({"refused gemm", double(memtile::gemm<small>(machine, a.view(), a.view(), product.view(), epilogue).message().size())});
#if defined(__CUDACC__)  // the same on a stream: without a GPU a status says so
  (void)memtile::launch(cudaStream_t(nullptr), 1, doubled{}, in.view(), out.view());
  (void)memtile::gemm<small>(cudaStream_t(nullptr), a.view(), b.view(), product.view(), epilogue);
#endif
  return all;
}

}  // namespace
