// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Many steps of a stencil, so many to a kernel, beside a plain copy of the same bytes, in turns: how many steps run in the
// time of one copy. With a kernel for each step that is 1 at best.
//
//   iterate [WORDS [SECONDS]]      only lines whose name holds the words; no new line after so many seconds
#include <memtile/stencil.cuh>

#include <chrono>

#include "benchmark.hpp"
#include "copy.hpp"
#include "scratch.hpp"

namespace {

using benchmark::must;
using benchmark::on;
using namespace memtile;

const char* only = "";
double seconds = 1e9;
float *source = nullptr, *target = nullptr;

double elapsed() {
  static const auto start = std::chrono::steady_clock::now();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

struct five_points {
  template <class Neighbours>
  MEMTILE_FUNCTION auto operator()(const Neighbours& n) const {
    using T = detail::plain_type<decltype(n.centre())>;
    return n(0, 0) + T(0.125) * (n(-1, 0) + n(1, 0) + n(0, -1) + n(0, 1) - 4 * n(0, 0));
  }
};
struct nine_points {
  template <class Neighbours>
  MEMTILE_FUNCTION float operator()(const Neighbours& n) const {
    float sum = 0;
    MEMTILE_UNROLL
    for (int i = 0; i < 9; ++i) sum += n(i / 3 - 1, i % 3 - 1) * (float(i + 1) / 64);
    return sum;
  }
};
struct seven_points {
  template <class Neighbours>
  MEMTILE_FUNCTION auto operator()(const Neighbours& n) const {
    const auto around = n(-1, 0, 0) + n(1, 0, 0) + n(0, -1, 0) + n(0, 1, 0) + n(0, 0, -1) + n(0, 0, 1);
    return n(0, 0, 0) + (around - 6 * n(0, 0, 0)) / 8;
  }
};
struct all_27_points {
  template <class Neighbours>
  MEMTILE_FUNCTION float operator()(const Neighbours& n) const {
    float sum = 0;
    MEMTILE_UNROLL
    for (int i = 0; i < 27; ++i) sum += n(i / 9 - 1, i / 3 % 3 - 1, i % 3 - 1) * (float(i + 1) / 512);
    return sum;
  }
};
struct star_of_2 {
  template <class Neighbours>
  MEMTILE_FUNCTION float operator()(const Neighbours& n) const {
    float sum = 0.5f * n(0, 0);
    MEMTILE_UNROLL
    for (int d = 1; d <= 2; ++d) sum += (n(-d, 0) + n(d, 0) + n(0, -d) + n(0, d)) * (0.0625f / float(d));
    return sum;
  }
};

struct wave {  // two time levels in an element: now, and one step before
  template <class Neighbours>
  MEMTILE_FUNCTION vec<float, 2> operator()(const Neighbours& n) const {
    const vec<float, 2> here = n(0, 0);
    const float around = n(-1, 0)[0] + n(1, 0)[0] + n(0, -1)[0] + n(0, 1)[0];
    return {{2 * here[0] - here[1] + 0.25f * (around - 4 * here[0]), here[0]}};
  }
};

// A square or a cube.
template <int Dimensions, class T>
auto with_sides(float* memory, int64 side) {
  T* const data = reinterpret_cast<T*>(memory);
  const int64 bytes = side * int64(sizeof(T));
  if constexpr (Dimensions == 3) return volume_view<T>(data, side, side, side, bytes, side * bytes);
  else return row_major(data, side, side);
}

template <class Window, class Policy, class T, int Dimensions, class Functor, class Border>
void line(const char* what, int64 side, int steps, const Functor& functor, const Border& border) {
  const std::string name = std::string(what) + ", " + std::to_string(side);
  if (name.find(only) == std::string::npos || elapsed() > seconds) return;
  const auto u = with_sides<Dimensions, T>(source, side), scratch = with_sides<Dimensions, T>(target, side);
  const int64 elements = Dimensions == 3 ? side * side * side : side * side, bytes = elements * int64(sizeof(T));
  const bool is_long = bytes > int64(1) << 26;  // short calls as one graph: the host must not be what is measured
  const auto t = benchmark::milliseconds(
      {{"memtile", [=](cudaStream_t s) { must(iterate<Window, Policy>(on(s), steps, u, scratch, functor, border)); }},
       benchmark::copy_by_kernel(source, target, bytes),
       benchmark::copy_by_engine(source, target, bytes)},
      is_long ? 1 : 4, 7, !is_long);
  const double copy = t[1] < t[2] ? t[1] : t[2], step = t[0] / steps;
  const std::string words = explain_iterate<Window, Policy>(steps, u, scratch, functor, border);
  std::printf("%-28s %9.2f us a step  %7.1f Gpt/s  %5.2f steps a copy   %s\n", name.c_str(), step * 1e3,
              double(elements) / step / 1e6, copy / step, words.c_str());
}

template <class Window, class T, int Dimensions = 2, class Functor, class Border, class... Policy>
void lines(const char* what, const Functor& functor, const Border& border, std::initializer_list<int64> sides,
           Policy...) {
  for (int64 side : sides) (line<Window, Policy, T, Dimensions>(what, side, 120, functor, border), ...);
}

}  // namespace

int main(int words, char** word) {
  if (words > 1) only = word[1];
  if (words > 2) seconds = std::atof(word[2]);
  elapsed();
  source = benchmark::random_floats_on_device(size_t(768) * 768 * 768, 1);
  target = benchmark::random_floats_on_device(size_t(768) * 768 * 768, 2);
  benchmark::print_card();
  lines<star<1>, float>("5 points, float", five_points{}, wrap{}, {16384, 8192, 2048}, automatic{}, fused_steps<1>{},
                        fused_steps<2>{}, fused_steps<3>{}, fused_steps<4>{}, fused_steps<5>{}, fused_steps<6>{},
                        fused_steps<8>{});
  lines<star<1>, float>("5 points, float", five_points{}, wrap{}, {2048, 1024, 512}, on_chip<>{}, fused_steps<1>{},
                        fused_steps<6>{});
  lines<star<1>, float>("5 points, constant border", five_points{}, constant{0.f}, {2048}, on_chip<>{});
  lines<box<1>, float>("9 points, float", nine_points{}, replicate{}, {2048}, on_chip<>{});
  lines<star<1>, float>("5 points, constant border", five_points{}, constant{0.f}, {16384, 2048}, fused_steps<4>{},
                        fused_steps<6>{});
  lines<box<1>, float>("9 points, float", nine_points{}, replicate{}, {16384, 2048}, automatic{}, fused_steps<1>{},
                       fused_steps<2>{}, fused_steps<3>{}, fused_steps<4>{}, fused_steps<5>{});
  lines<star<1>, double>("5 points, double", five_points{}, replicate{}, {11584}, automatic{}, fused_steps<1>{},
                         fused_steps<3>{}, fused_steps<4>{}, fused_steps<5>{});
  lines<star<2>, float>("star of radius 2, float", star_of_2{}, reflect{}, {16384}, automatic{}, fused_steps<1>{},
                        fused_steps<2>{}, fused_steps<3>{});
  lines<star<1>, float16>("5 points, half", five_points{}, replicate{}, {16384}, automatic{}, fused_steps<1>{},
                          fused_steps<2>{}, fused_steps<4>{});
  lines<star<1>, float, 3>("7 points in 3-D, float", seven_points{}, constant{0.f}, {512, 640, 768}, automatic{},
                           fused_steps<1>{}, fused_steps<2>{}, fused_steps<3>{}, fused_steps<4>{});
  lines<star<1>, float, 3>("7 points in 3-D, wrapped", seven_points{}, wrap{}, {512, 720}, fused_steps<3>{});
  lines<star<1>, double, 3>("7 points in 3-D, double", seven_points{}, replicate{}, {512}, automatic{},
                            fused_steps<1>{}, fused_steps<2>{});
  lines<box<1>, float, 3>("27 points, float", all_27_points{}, constant{0.f}, {512}, automatic{});
  lines<star<1>, vec<float, 2>>("wave equation, float", wave{}, reflect{}, {8192}, fused_steps<1>{}, fused_steps<2>{},
                                fused_steps<3>{});
  return 0;
}
