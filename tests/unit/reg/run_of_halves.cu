// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Small integers two to a register: which columns stand beside each other, their order and their sums.
#include <memtile/reg/run_of_halves.cuh>
#include <support/unit.hpp>

using namespace memtile;

namespace {

// A thread's line has 16 bytes, with as many before and behind it. Stored: the smaller and the larger one of each column and
// the one two further, and each column itself.
template <class T>
struct take_apart_and_join {
  static constexpr int threads = 64, width = 16 / int(sizeof(T));
  MEMTILE_KERNEL void operator()(block b, matrix_view<const uint32> in, matrix_view<uint32> out) const {
    packed_run<T, width, 3> line;
    MEMTILE_UNROLL
    for (int i = 0; i < 12; ++i) line.units[i] = in.load(b.rank(), i);
    const auto run = run_of_halves<T, width, 1, 2>::of(line, width);
    vec<halves<T>, width / 2> smaller, larger, own;
    MEMTILE_UNROLL
    for (int j = 0; j < width / 2; ++j) {
      smaller[j] = minimum{}(run[j], run[j + 2]);
      larger[j] = maximum{}(run[j], run[j + 3]);
      own[j] = run[j + 1];
    }
    const auto a = side_by_side<width>(smaller), c = side_by_side<width>(larger), d = side_by_side<width>(own);
    MEMTILE_UNROLL
    for (int i = 0; i < 4; ++i) out.store(b.rank(), i, a[i]);
    MEMTILE_UNROLL
    for (int i = 0; i < 4; ++i) out.store(b.rank(), 4 + i, c[i]);
    MEMTILE_UNROLL
    for (int i = 0; i < 4; ++i) out.store(b.rank(), 8 + i, d[i]);
  }
};

uint32 bits(int r, int c) { return uint32(r * 12 + c + 1) * 2654435761u ^ uint32(c) << 13; }
template <class T>
T value(int r, int i) {  // number i of a line: its own ones begin with 16 / sizeof(T)
  constexpr int in_word = 4 / int(sizeof(T));
  return T(bits(r, i / in_word) >> i % in_word * 8 * int(sizeof(T)));
}

template <class T>
void check_runs() {
  using kernel = take_apart_and_join<T>;
  constexpr int width = kernel::width;
  for (auto& machine : testing::machines()) {
    auto in = machine.buffer<uint32>(kernel::threads, 12, bits);
    auto out = machine.buffer<T>(kernel::threads, 3 * width);
    const matrix_view<uint32> words(reinterpret_cast<uint32*>(out.view().data), kernel::threads, 12, out.view().pitch);
    REQUIRE(launch(machine, 1, kernel{}, in.view(), words));
    CHECK(unit::differences(out.host(), kernel::threads, 3 * width, [](int r, int c) {
            const int own = width + c % width;
            if (c < width) return (std::min)(value<T>(r, own - 1), value<T>(r, own + 1));
            if (c < 2 * width) return (std::max)(value<T>(r, own - 1), value<T>(r, own + 2));
            return value<T>(r, own);
          }) == 0);
    CHECK(out.untouched());
    unit::check_clean(machine);
  }
}

// Every pair of bytes in either half, beside another one: what is wrong is counted.
struct all_pairs {
  static constexpr int threads = 256;
  MEMTILE_FUNCTION static uint32 both(uint32 high, uint32 low) { return high << 16 | low; }
  MEMTILE_KERNEL void operator()(block b, vector_view<int> wrong) const {
    const uint32 x = uint32(b.rank());
    int count = 0;
    for (uint32 y = 0; y < 256; ++y) {
      const halves<uint8> p{both(x, y)}, q{both(y, x)}, r{both(y, x ^ y)};
      const uint32 least = x < y ? x : y, most = x < y ? y : x, s = x ^ y, least_of_s = s < x ? s : x;
      count += minimum{}(p, q).both != both(least, least);
      count += maximum{}(p, q).both != both(most, most);
      count += minimum{}(q, r).both != both(y, least_of_s);
      count += ((1 + p + q * 2) >> 2).both != both((x + 2 * y + 1) / 4, (y + 2 * x + 1) / 4);
      const uint32 high = (x + 1) * x, low = (x + 1) * y;
      count +=
          detail::stored_as_halves<uint8>(int(x + 1) * p).both != both(high < 255 ? high : 255, low < 255 ? low : 255);
    }
    wrong.store(b.rank(), count);
  }
};

}  // namespace

TEST_CASE("runs by halves hold every column, and come back to their places", "[reg]") {
  check_runs<uint8>();
  check_runs<int8>();
  check_runs<uint16>();
  check_runs<int16>();
}

TEST_CASE("halves are compared, added, scaled and saturated each by itself", "[reg]") {
  for (auto& machine : testing::machines()) {
    auto wrong = machine.buffer<int>(256);
    REQUIRE(launch(machine, 1, all_pairs{}, wrong.view()));
    CHECK(unit::differences(wrong.host(), 256, [](int) { return 0; }) == 0);
  }
}
