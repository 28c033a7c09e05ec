// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// video: takes the specks out of a film, frame by frame, while the next frame comes and the last one goes.
//
//   video                                    made-up frames, and a check of what has become of them
//   video WIDTH HEIGHT CHANNELS IN [OUT]     raw frames of 8 bits, 1 channel (grey) or 3 (RGB); - is a pipe
//
//   ffmpeg -i film.mp4 -f rawvideo -pix_fmt rgb24 - | video 3840 2160 3 - calm.raw
//
// Each pixel becomes the median of the 9 around it, channel by channel: a speck that is smaller than 5 pixels is gone,
// and an edge stays where it was. The frames are read into pinned memory and written from there; a file of any length
// takes the memory of four frames. It runs on the GPU if nvcc compiled it and there is one, else in the simulator.
#include <memtile/pipeline.cuh>
#include <memtile/sim.cuh>
#include <memtile/stencil.cuh>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

using namespace memtile;

template <int Channels>
using pixel = vec<uint8, Channels>;

// --- the work ---

MEMTILE_FUNCTION int low(int a, int b) { return a < b ? a : b; }
MEMTILE_FUNCTION int high(int a, int b) { return a < b ? b : a; }
MEMTILE_FUNCTION int middle(int a, int b, int c) { return high(low(a, b), low(high(a, b), c)); }

// The columns in order give the middle of the highest lows, the middle ones and the lowest highs.
template <int Channels>
struct median_of_9 {
  template <class Neighbours>
  MEMTILE_FUNCTION pixel<Channels> operator()(const Neighbours& n) const {
    pixel<Channels> result{};
    MEMTILE_UNROLL
    for (int k = 0; k < Channels; ++k) {
      int lowest = 0, middles[3] = {}, highest = 255;
      MEMTILE_UNROLL
      for (int x = -1; x <= 1; ++x) {
        const int a = n(-1, x)[k], b = n(0, x)[k], c = n(1, x)[k];
        lowest = high(lowest, low(low(a, b), c));
        middles[x + 1] = middle(a, b, c);
        highest = low(highest, high(high(a, b), c));
      }
      result[k] = uint8(middle(lowest, middle(middles[0], middles[1], middles[2]), highest));
    }
    return result;
  }
};

// --- progress ---

// One line that is written over, at most ten times a second. Of a pipe the number of frames is not known: 0.
class progress_bar {
 public:
  explicit progress_bar(int64 frames) : frames_(frames) {}
  void operator()(int64 done) {
    const auto now = std::chrono::steady_clock::now();
    if (done != frames_ && now - shown_ < std::chrono::milliseconds(100)) return;
    shown_ = now;
    const double rate = double(done) / std::chrono::duration<double>(now - begin_).count();
    constexpr int width = 40;
    const int filled = frames_ > 0 ? int(done * width / frames_) : 0;
    const std::string bar = std::string(size_t(filled), '#') + std::string(size_t(width - filled), '.');
    std::fprintf(stderr, "\r%s %lld frames, %.1f frames/s ", frames_ > 0 ? bar.c_str() : "",
                 static_cast<long long>(done), rate);
  }

 private:
  using time = std::chrono::steady_clock::time_point;
  int64 frames_;
  time begin_ = std::chrono::steady_clock::now(), shown_{};
};

// --- a film ---

template <int Channels, class Source, class Sink>
bool denoise(testing::machine& machine, int64 rows, int64 cols, int64 count, const Source& source, const Sink& sink) {
  pipeline frames(machine, frame<pixel<Channels>>{rows, cols});
  progress_bar progress(count);
  const auto calm = [](const auto& where, auto in, auto out) {
    return stencil<box<1>>(where, in, out, median_of_9<Channels>{}, reflect{});
  };
  const status s = frames.run(source, calm, sink, [&](int64 done) { progress(done); });
  std::fprintf(stderr, "\n%s: %lld frames of %lldx%lld, %.1f MB of memory on either side\n", machine.name().c_str(),
               static_cast<long long>(frames.frames()), static_cast<long long>(cols), static_cast<long long>(rows),
               double(frames.machine_bytes()) / 1e6);
  if (!s) std::fprintf(stderr, "video: %s\n", s.message().c_str());
  return s.ok();
}

struct closer {
  void operator()(std::FILE* file) const { static_cast<void>(std::fclose(file)); }
};
std::unique_ptr<std::FILE, closer> opened(const char* name, const char* mode, std::FILE* pipe) {
  return std::unique_ptr<std::FILE, closer>(std::strcmp(name, "-") == 0 ? pipe : std::fopen(name, mode));
}

template <int Channels>
bool from_file(testing::machine& machine, int64 rows, int64 cols, const char* in, const char* out) {
  const auto from = opened(in, "rb", stdin), to = opened(out, "wb", stdout);
  if (!from || !to) return std::fprintf(stderr, "video: %s cannot be opened\n", from ? out : in), false;
  const size_t bytes = size_t(rows * cols) * Channels;
  bool is_whole = true, is_written = true;
  const auto read = [&](matrix_view<pixel<Channels>> frame) {
    const size_t came = std::fread(static_cast<void*>(frame.data), 1, bytes, from.get());
    is_whole = came == 0 || came == bytes;
    return came == bytes;
  };
  const auto write = [&](matrix_view<const pixel<Channels>> frame) {
    return is_written = std::fwrite(static_cast<const void*>(frame.data), 1, bytes, to.get()) == bytes;
  };
  const bool good = denoise<Channels>(machine, rows, cols, 0, read, write);
  is_written = is_written && std::fflush(to.get()) == 0;
  if (!is_whole) std::fprintf(stderr, "video: %s ends within a frame\n", in);
  if (!is_written) std::fprintf(stderr, "video: %s cannot be written\n", out);
  return good && is_whole && is_written;
}

// --- made-up frames ---

// Slopes that move, with an edge; and one pixel of 25 a black or a white speck.
int scene(int number, int r, int c, int k) {
  return (c > 2 * r + number ? 160 : 40) + (r + 2 * c + 5 * k + number) % 256 / 8;
}
int with_specks(int number, int r, int c, int k) {
  unsigned h =
      unsigned(number) * 2654435761u ^ unsigned(r) * 2246822519u ^ unsigned(c) * 3266489917u ^ unsigned(k) * 668265263u;
  h = (h ^ h >> 15) * 2654435761u;
  h = (h ^ h >> 13) * 2246822519u;
  return h % 25 != 0 ? scene(number, r, c, k) : (h >> 20) % 2 ? 255 : 0;
}

template <int Channels>
bool made_up(testing::machine& machine, int rows, int cols, int count) {
  constexpr int kinds = 4;  // that come again and again: making one takes longer than its way through the GPU
  std::vector<std::vector<pixel<Channels>>> noisy(kinds);
  for (int number = 0; number < kinds; ++number)
    for (int r = 0; r < rows; ++r)
      for (int c = 0; c < cols; ++c) {
        pixel<Channels> p{};
        for (int k = 0; k < Channels; ++k) p[k] = uint8(with_specks(number, r, c, k));
        noisy[size_t(number)].push_back(p);
      }
  const size_t bytes = sizeof(pixel<Channels>) * size_t(rows) * size_t(cols);
  int begun = 0, done = 0;
  double before = 0, after = 0;  // how far the frames are from the scene, in all
  const auto give = [&](matrix_view<pixel<Channels>> frame) {
    if (begun == count) return false;
    std::memcpy(static_cast<void*>(frame.data), static_cast<const void*>(noisy[size_t(begun++ % kinds)].data()), bytes);
    return true;
  };
  const auto compare = [&](matrix_view<const pixel<Channels>> frame) {
    const int number = done++;
    if (number >= kinds) return;
    for (int r = 0; r < rows; ++r)
      for (int c = 0; c < cols; ++c)
        for (int k = 0; k < Channels; ++k) {
          before += std::abs(with_specks(number, r, c, k) - scene(number, r, c, k));
          after += std::abs((*frame.address(r, c))[k] - scene(number, r, c, k));
        }
  };
  if (!denoise<Channels>(machine, rows, cols, count, give, compare)) return false;
  std::printf("%d channel%s: %.1f %% of the specks' difference is left\n", Channels, Channels == 1 ? "" : "s",
              100 * after / before);
  return done == count && after < before / 5;
}

int main(int argc, char** argv) {
  auto& machine = testing::machines().back();  // the GPU, if there is one
  if (argc == 1) {
    const int rows = machine.is_gpu() ? 2160 : 40, cols = machine.is_gpu() ? 3840 : 72;
    const int count = machine.is_gpu() ? 300 : 6;
    return made_up<1>(machine, rows, cols, count) && made_up<3>(machine, rows, cols, count) ? 0 : 1;
  }
  const int64 cols = argc >= 5 ? std::atoll(argv[1]) : 0, rows = argc >= 5 ? std::atoll(argv[2]) : 0;
  const std::string channels = argc >= 5 ? argv[3] : "";
  if (argc > 6 || cols < 1 || rows < 1 || (channels != "1" && channels != "3")) {
    std::fprintf(stderr, "usage: video [WIDTH HEIGHT 1|3 IN [OUT]]\n");
    return 2;
  }
  const char* const out = argc == 6 ? argv[5] : "-";
  const bool good = channels == "1" ? from_file<1>(machine, rows, cols, argv[4], out)
                                    : from_file<3>(machine, rows, cols, argv[4], out);
  return good ? 0 : 1;
}
