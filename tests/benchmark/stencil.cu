// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stencils, filters and transpositions beside a plain copy of the same bytes, in turns: ratio 1 is the speed of the copy.
//
//   stencil [WORDS]      only lines whose name holds the words
#include <memtile/stencil.cuh>
#include <memtile/transpose.cuh>

#include "benchmark.hpp"
#include "copy.hpp"
#include "scratch.hpp"

namespace {

using benchmark::must;
using benchmark::on;
using namespace memtile;

const char* only = "";

float *source = nullptr, *target = nullptr;

// `bytes` that are read, and as many that are written.
template <class Call>
void compare(const char* what, int64 bytes, const Call& call) {
  if (std::string(what).find(only) == std::string::npos) return;
  const auto t = benchmark::milliseconds({{"memtile", call},
                                          benchmark::copy_by_kernel(source, target, bytes),
                                          benchmark::copy_by_engine(source, target, bytes)},
                                         4, 11, false);
  const double copy = t[1] < t[2] ? t[1] : t[2];
  std::printf("%-34s %9.1f us  %6.0f GB/s  of copy %.3f\n", what, t[0] * 1e3, 2 * double(bytes) / t[0] / 1e6,
              copy / t[0]);
}

struct five_points {
  template <class Neighbours>
  MEMTILE_FUNCTION auto operator()(const Neighbours& n) const {
    return n(-1, 0) + n(1, 0) + n(0, -1) + n(0, 1) - 4 * n(0, 0);
  }
};
template <int Radius>
struct sum_of_box {
  template <class Neighbours>
  MEMTILE_FUNCTION auto operator()(const Neighbours& n) const {
    auto sum = 0 * n(0, 0);
    MEMTILE_UNROLL
    for (int y = -Radius; y <= Radius; ++y) {
      MEMTILE_UNROLL
      for (int x = -Radius; x <= Radius; ++x) sum += n(y, x) * float(1 + y + 3 * x);
    }
    return sum;
  }
};
struct cross_of_4 {
  template <class Neighbours>
  MEMTILE_FUNCTION float operator()(const Neighbours& n) const {
    float sum = n(0, 0);
    MEMTILE_UNROLL
    for (int d = 1; d <= 4; ++d) sum += (n(-d, 0) + n(d, 0) + n(0, -d) + n(0, d)) * (1.f / float(d));
    return sum;
  }
};
struct gradient {  // not linear
  template <class Neighbours>
  MEMTILE_FUNCTION float operator()(const Neighbours& n) const {
    const float x = n(-1, 1) + 2 * n(0, 1) + n(1, 1) - n(-1, -1) - 2 * n(0, -1) - n(1, -1);
    const float y = n(1, -1) + 2 * n(1, 0) + n(1, 1) - n(-1, -1) - 2 * n(-1, 0) - n(-1, 1);
    return memtile::sqrt(x * x + y * y);
  }
};
struct binomial {
  static constexpr bool takes_halves = true;
  template <class Neighbours>
  MEMTILE_FUNCTION auto operator()(const Neighbours& n) const {
    const auto corners = n(-1, -1) + n(-1, 1) + n(1, -1) + n(1, 1), sides = n(-1, 0) + n(1, 0) + n(0, -1) + n(0, 1);
    return (corners + 2 * sides + 4 * n(0, 0) + 8) >> 4;
  }
};
struct seven_points {
  template <class Neighbours>
  MEMTILE_FUNCTION float operator()(const Neighbours& n) const {
    return n(-1, 0, 0) + n(1, 0, 0) + n(0, -1, 0) + n(0, 1, 0) + n(0, 0, -1) + n(0, 0, 1) - 6 * n(0, 0, 0);
  }
};
struct all_27 {
  template <class Neighbours>
  MEMTILE_FUNCTION float operator()(const Neighbours& n) const {
    float sum = 0;
    MEMTILE_UNROLL
    for (int i = 0; i < 27; ++i) sum += n(i / 9 - 1, i / 3 % 3 - 1, i % 3 - 1) * float(i + 1);
    return sum;
  }
};
struct two_sides {
  template <class Neighbours>
  MEMTILE_FUNCTION float operator()(const Neighbours& n) const {
    return n(-1) - 2 * n(0) + n(1);
  }
};

struct heat_and_change {
  template <class Neighbours>
  MEMTILE_FUNCTION auto operator()(const Neighbours& n) const {
    const float change = 0.1f * five_points{}(n);
    return measured(n(0, 0) + change, memtile::abs(change));
  }
};
struct halved {
  MEMTILE_FUNCTION float operator()(float v) const { return 0.5f * v; }
};

// A matrix of 1 GiB in, and one out.
template <class T>
matrix_view<const T> in(int64 cols) {
  return row_major(reinterpret_cast<const T*>(source), (int64(1) << 30) / int64(sizeof(T)) / cols, cols);
}
template <class T>
matrix_view<T> out(int64 cols) {
  return row_major(reinterpret_cast<T*>(target), (int64(1) << 30) / int64(sizeof(T)) / cols, cols);
}
template <class Window, class T, class Functor, class Border>
void planar(const char* what, int64 cols, const Functor& functor, const Border& border) {
  compare(what, int64(1) << 30,
          [=](cudaStream_t s) { must(stencil<Window>(on(s), in<T>(cols), out<T>(cols), functor, border)); });
}
template <class Window, class Functor>
void solid(const char* what, const Functor& functor) {
  const volume_view<const float> from(source, 256, 1024, 1024, 4096, 4096 * 1024);
  const volume_view<float> to(target, 256, 1024, 1024, 4096, 4096 * 1024);
  compare(what, int64(1) << 30, [=](cudaStream_t s) { must(stencil<Window>(on(s), from, to, functor, replicate{})); });
}
template <class T>
void turned(const char* what, int64 rows, int64 cols) {
  compare(what, rows * cols * int64(sizeof(T)), [=](cudaStream_t s) {
    must(transpose(on(s), row_major(reinterpret_cast<const T*>(source), rows, cols),
                   row_major(reinterpret_cast<T*>(target), cols, rows)));
  });
}

}  // namespace

int main(int words, char** word) {
  if (words > 1) only = word[1];
  source = benchmark::random_floats_on_device((size_t(1) << 28) + 1024, 1);
  target = benchmark::random_floats_on_device((size_t(1) << 28) + 1024, 2);
  benchmark::print_card();
  planar<star<1>, float>("5 points, float", 16384, five_points{}, wrap{});
  planar<star<1>, double>("5 points, double", 16384, five_points{}, replicate{});
  planar<box<1>, float>("9 points, float", 16384, sum_of_box<1>{}, replicate{});
  planar<box<1>, float>("gradient, float", 16384, gradient{}, reflect101{});
  planar<box<1>, float>("gradient, float, 1920 columns", 1920, gradient{}, reflect101{});
  planar<star<4>, float>("star of radius 4, float", 16384, cross_of_4{}, constant{0.f});
  planar<box<2>, float>("5 x 5, float", 16384, sum_of_box<2>{}, replicate{});
  planar<box<3>, float>("7 x 7, float", 16384, sum_of_box<3>{}, replicate{});
  planar<box<1>, uint8>("binomial 3 x 3, bytes", 32768, binomial{}, replicate{});
  solid<star<1>>("7 points, volume", seven_points{});
  solid<box<1>>("27 points, volume", all_27{});
  compare("3 points, vector", int64(1) << 30, [](cudaStream_t s) {
    must(stencil<window<1, 1>>(on(s), vector_view<const float>(source, 1 << 28), vector_view<float>(target, 1 << 28),
                               two_sides{}, replicate{}));
  });
  const auto gauss = gaussian_weights<7>(2.5);
  compare("separable 15 x 15, float", int64(1) << 30, [=](cudaStream_t s) {
    must(separable(on(s), in<float>(16384), out<float>(16384), gauss, gauss, reflect{}));
  });
  compare("mean 15 x 15, bytes", int64(1) << 30,
          [](cudaStream_t s) { must(box_filter<box<7>>(on(s), in<uint8>(32768), out<uint8>(32768), replicate{})); });
  for (int side : {3, 15, 101})
    compare(("mean by running sums, bytes, side " + std::to_string(side)).c_str(), int64(1) << 30, [=](cudaStream_t s) {
      must(box_filter(on(s), in<uint8>(32768), out<uint8>(32768), sized_window{side, side}, replicate{}));
    });
  using rgb = vec<uint8, 3>;
  compare("gaussian 3 x 3, bytes", int64(1) << 30,
          [](cudaStream_t s) { must(gaussian_filter<1>(on(s), in<uint8>(32768), out<uint8>(32768), 0.8, reflect{})); });
  compare("binomial_filter 3 x 3, bytes", int64(1) << 30,
          [](cudaStream_t s) { must(binomial_filter<1>(on(s), in<uint8>(32768), out<uint8>(32768), reflect{})); });
  compare("binomial_filter 5 x 5, bytes", int64(1) << 30,
          [](cudaStream_t s) { must(binomial_filter<2>(on(s), in<uint8>(32768), out<uint8>(32768), reflect{})); });
  compare("binomial_filter 3 x 3, 3 channels", int64(1) << 30,
          [](cudaStream_t s) { must(binomial_filter<1>(on(s), in<rgb>(16384), out<rgb>(16384), reflect{})); });
  compare("gaussian 5 x 5, 3 channels of bytes", int64(1) << 30,
          [](cudaStream_t s) { must(gaussian_filter<2>(on(s), in<rgb>(16384), out<rgb>(16384), 1.0, reflect{})); });
  compare("median 3 x 3, 3 channels of bytes", int64(1) << 30,
          [](cudaStream_t s) { must(median_filter<box<1>>(on(s), in<rgb>(16384), out<rgb>(16384), reflect{})); });
  compare("sobel, float", int64(1) << 30,
          [](cudaStream_t s) { must(sobel_magnitude(on(s), in<float>(16384), out<float>(16384), reflect{})); });
  compare("bilateral 5 x 5, bytes", int64(1) << 30, [](cudaStream_t s) {
    must(bilateral_filter<2>(on(s), in<uint8>(32768), out<uint8>(32768), 1.5, 50, reflect{}));
  });
  compare("heat, and the largest change", int64(1) << 30, [](cudaStream_t s) {
    const vector_view<float> largest(target + (1 << 28), 1);
    must(stencil<star<1>>(on(s), in<float>(16384), out<float>(16384), heat_and_change{}, replicate{},
                          reduce_into(largest, maximum{})));
  });
  compare("median 3 x 3, bytes", int64(1) << 30,
          [](cudaStream_t s) { must(median_filter<box<1>>(on(s), in<uint8>(32768), out<uint8>(32768), replicate{})); });
  compare("median 3 x 3, 16 bits", int64(1) << 30, [](cudaStream_t s) {
    must(median_filter<box<1>>(on(s), in<uint16>(32768), out<uint16>(32768), replicate{}));
  });
  compare("erosion 3 x 3, bytes", int64(1) << 30,
          [](cudaStream_t s) { must(erode<box<1>>(on(s), in<uint8>(32768), out<uint8>(32768), replicate{})); });
  turned<uint8>("transpose, 1 byte", 32768, 32768);
  turned<uint16>("transpose, 2 bytes", 32768, 16384);
  turned<float>("transpose, 4 bytes", 16384, 16384);
  turned<double>("transpose, 8 bytes", 8192, 16384);
  turned<vec<float, 4>>("transpose, 16 bytes", 8192, 8192);
  turned<float>("transpose, 4 bytes, odd", 16383, 16381);
  compare("transpose, 4 bytes, scaled", int64(1) << 30,
          [](cudaStream_t s) { must(transpose(on(s), in<float>(16384), out<float>(16384), halved{})); });
  const volume_view<const float> planes(source, 64, 2048, 2048, 8192, 8192 * 2048);
  compare("axes 1, 2, 0 of 64 planes", int64(1) << 30, [=](cudaStream_t s) {
    must(permute_axes<1, 2, 0>(on(s), planes, volume_view<float>(target, 2048, 2048, 64, 256, 256 * 2048)));
  });
  compare("axes 1, 0, 2 of 64 planes", int64(1) << 30, [=](cudaStream_t s) {
    must(permute_axes<1, 0, 2>(on(s), planes, volume_view<float>(target, 2048, 64, 2048, 8192, 8192 * 64)));
  });
  return 0;
}
