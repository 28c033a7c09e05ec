// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of a matmul policy: in any order, each optional.
#include <memtile/core/policy.hpp>
#include <support/catch.hpp>

#include <type_traits>

namespace {

using memtile::block_tile;
using memtile::gemm_policy;
using memtile::resident_blocks;
using memtile::stages;
using memtile::thread_tile;

template <class A, class B>
constexpr bool same = std::is_same<A, B>::value;

// Whether a policy holds exactly these parts.
template <class Policy, class Math, class Block, class Thread, int Stages, int Resident>
constexpr bool holds =
    same<typename Policy::math, Math>&& same<typename Policy::block, Block>&& same<typename Policy::thread, Thread>&&
        Policy::stages == Stages&& Policy::resident_blocks == Resident;

using tf32 = memtile::math::tf32;
using fp32 = memtile::math::fp32;
using b = block_tile<128, 64, 32>;
using t = thread_tile<8, 4>;
using default_block = block_tile<64, 128, 16>;
using default_thread = thread_tile<8, 8>;

}  // namespace

TEST_CASE("the parts of a policy may stand in any order", "[core]") {
  static_assert(holds<gemm_policy<tf32, b, t, stages<2>, resident_blocks<3>>, tf32, b, t, 2, 3>);
  static_assert(holds<gemm_policy<resident_blocks<3>, stages<2>, t, b, tf32>, tf32, b, t, 2, 3>);
  static_assert(holds<gemm_policy<t, tf32, resident_blocks<3>, b, stages<2>>, tf32, b, t, 2, 3>);
  SUCCEED();
}

TEST_CASE("a part that is left out has its default", "[core]") {
  static_assert(holds<gemm_policy<>, fp32, default_block, default_thread, 3, 0>);
  static_assert(holds<gemm_policy<tf32>, tf32, default_block, default_thread, 3, 0>);
  static_assert(holds<gemm_policy<b>, fp32, b, default_thread, 3, 0>);
  static_assert(holds<gemm_policy<t>, fp32, default_block, t, 3, 0>);
  static_assert(holds<gemm_policy<stages<5>>, fp32, default_block, default_thread, 5, 0>);
  static_assert(holds<gemm_policy<resident_blocks<2>>, fp32, default_block, default_thread, 3, 2>);
  static_assert(
      holds<gemm_policy<memtile::math::fp32_bf16x6>, memtile::math::fp32_bf16x6, default_block, default_thread, 3, 0>);
  static_assert(holds<gemm_policy<stages<4>, memtile::math::fp32_bf16x9>, memtile::math::fp32_bf16x9, default_block,
                      default_thread, 4, 0>);
  SUCCEED();
}

TEST_CASE("a tile keeps its sides apart", "[core]") {
  static_assert(b::m == 128 && b::n == 64 && b::k == 32);
  static_assert(t::m == 8 && t::n == 4);
  static_assert(stages<4>::count == 4 && resident_blocks<2>::count == 2);
  SUCCEED();
}
