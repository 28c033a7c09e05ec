// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A stream of frames from the host through calls of memtile and back, in constant memory:
//
//   memtile::pipeline frames(stream, memtile::frame<memtile::uint8>{2160, 3840});
//   auto status = frames.run([&](auto frame) { return read(file, frame); },  // false at the end
//                            [](const auto& where, auto in, auto out) {
//                              return memtile::median_filter<memtile::box<1>>(where, in, out, memtile::reflect{});
//                            },
//                            [&](auto frame) { write(frame); });
//
// While the host fills one frame, the one before is on its way to the GPU, one is worked on and one is on its way back:
//
//   lane up      0 1 2 3 4
//   lane work      0 1 2 3 4
//   lane down        0 1 2 3 4
//
// A frame has a slot from the source to the sink: pinned memory of the host and memory of the machine, once for the way
// in and once for the way out. As many frames as there are slots are under way at one time.
#pragma once

#include <memtile/core/view.hpp>
#include <memtile/launch/host_link.hpp>

#if !defined(__CUDACC_RTC__)
#include <optional>
#include <type_traits>

namespace memtile {

/// The shape and the element type of each frame.
template <class T>
struct frame {
  int64 rows = 0, cols = 0;
};

namespace detail {

/// Where the frames of `slots` slots lie. Those of the host are dense, so that a file is read and written in one call;
/// those of the machine begin their rows at multiples of 128 bytes, so that every access of a kernel may be wide.
template <class In, class Out>
struct staging {
  frame<In> in;
  frame<Out> out;
  int slots;

  template <class T>
  static int64 machine_pitch(const frame<T>& f) {
    return ceil_div(f.cols * int64(sizeof(T)), int64(128)) * 128;
  }
  template <class T>
  static size_t room(const frame<T>& f) {  // of one frame, on either side
    return size_t(f.rows * machine_pitch(f) + 255) / 256 * 256;
  }
  size_t slot_bytes() const { return room(in) + room(out); }
  size_t bytes() const { return size_t(slots) * slot_bytes(); }
  status check() const {
    if (slots < 1) return status::refused("pipeline: {} slots: there must be 1 or more", slots);
    if (in.rows < 0 || in.cols < 0 || out.rows < 0 || out.cols < 0)
      return status::refused("pipeline: frames of {}x{} become {}x{}: sizes must not be negative", in.rows, in.cols,
                             out.rows, out.cols);
    const auto large = [](const auto& f, size_t bytes) {  // at least, with its pitch
      return (double(f.rows) + 1) * (double(f.cols) * double(bytes) + 128) + 256;
    };
    if ((large(in, sizeof(In)) + large(out, sizeof(Out))) * slots > 0x1p60)
      return status::refused("pipeline: {} slots for frames of {}x{} and {}x{} fit into no memory", slots, in.rows,
                             in.cols, out.rows, out.cols);
    return {};
  }

  matrix_view<In> in_at(unsigned char* memory, int slot, bool on_machine) const {
    return at(in, memory + size_t(slot) * slot_bytes(), on_machine);
  }
  matrix_view<Out> out_at(unsigned char* memory, int slot, bool on_machine) const {
    return at(out, memory + size_t(slot) * slot_bytes() + room(in), on_machine);
  }

 private:
  template <class T>
  static matrix_view<T> at(const frame<T>& f, unsigned char* memory, bool on_machine) {
    return {reinterpret_cast<T*>(memory), f.rows, f.cols, on_machine ? machine_pitch(f) : f.cols * int64(sizeof(T))};
  }
};

template <class T>
rows_to_copy copy_of(const matrix_view<const T>& from, const matrix_view<T>& to) {
  return {to.data, to.pitch, from.data, from.pitch, from.rows, from.cols * int64(sizeof(T))};
}

// A callback of the user says whether to go on: by a bool, or by returning nothing.
template <class Call, class... Argument>
bool goes_on(Call& call, const Argument&... argument) {
  if constexpr (std::is_void_v<decltype(call(argument...))>) return call(argument...), true;
  else return bool(call(argument...));
}
struct no_progress {
  void operator()(int64) const {}
};

template <class Link>
struct drains_at_the_end {  // also where a callback throws
  Link& link;
  ~drains_at_the_end() { link.drain(); }
};

/// Brings the frame in `slot` up, has it worked on and brings it down; only enqueues.
template <class Link, class Place, class In, class Out, class Work>
status start_frame(Link& link, const Place& place, const staging<In, Out>& s, int slot, Work& work) {
  const auto in = s.in_at(link.machine(), slot, true);
  const auto out = s.out_at(link.machine(), slot, true);
  if (status up = link.copy(link_lane::up, copy_of<In>(s.in_at(link.host(), slot, false), in)); !up) return up;
  if (status up = link.mark(link_lane::up, slot); !up) return up;
  if (status go = link.follow(link_lane::work, link_lane::up, slot); !go) return go;
  if (status done = work(place, matrix_view<const In>(in), out); !done) return done;
  if (status done = link.mark(link_lane::work, slot); !done) return done;
  if (status go = link.follow(link_lane::down, link_lane::work, slot); !go) return go;
  if (status down = link.copy(link_lane::down, copy_of<Out>(out, s.out_at(link.host(), slot, false))); !down)
    return down;
  return link.mark(link_lane::down, slot);
}

/// All frames of the source. `done` counts those that the sink has taken.
template <class Link, class Place, class In, class Out, class Source, class Work, class Sink, class Progress>
status run_frames(Link& link, const Place& place, const staging<In, Out>& s, int64& done, Source& source, Work& work,
                  Sink& sink, Progress& progress) {
  const drains_at_the_end<Link> guard{link};
  status trouble;
  int64 begun = done = 0;
  for (bool comes_more = true, is_wanted = true; is_wanted && (comes_more || done < begun);) {
    if (comes_more && begun - done < s.slots) {
      const int slot = int(begun % s.slots);
      comes_more = source(s.in_at(link.host(), slot, false));
      if (!comes_more) continue;
      if (status started = start_frame(link, place, s, slot, work); started) {
        ++begun;
      } else {  // the frames before it come to the sink all the same
        trouble = status::failed(started.code(), "pipeline: frame {}: {}", begun, started.message());
        comes_more = false;
      }
    } else {
      const int slot = int(done % s.slots);
      if (status arrived = link.wait(link_lane::down, slot); !arrived) return trouble ? arrived : trouble;
      is_wanted = goes_on(sink, matrix_view<const Out>(s.out_at(link.host(), slot, false)));
      is_wanted = goes_on(progress, ++done) && is_wanted;
    }
  }
  return trouble;
}

}  // namespace detail

/// Frames of one shape that come from the host, are worked on by calls of memtile or kernels of one's own, and go back:
/// by copies that go on beside the kernels. Its memory does not grow with the number of frames; it keeps it from the
/// first run until it is destroyed.
///
/// where     a stream or a context: the calls run there, the copies on two streams of the pipeline's own. A simulator,
///           or testing::machine: there the frames run one after another
/// in, out   the shapes of what comes and what goes; out is in if left out. Several planes, or slices: as rows of one
///           frame
/// slots     how many frames are under way at one time. 1: each has gone before the next one comes, for the shortest
///           way of one frame; 4: one for the host and one for each lane
template <class Place, class In, class Out>
class pipeline {
  static_assert(__is_trivially_copyable(In) && __is_trivially_copyable(Out),
                "memtile: the elements of a frame must be trivially copyable");

 public:
  template <class Where>
  pipeline(Where&& where, const frame<In>& in, const frame<Out>& out, int slots = 4)
      : place_(detail::place_of(where)), staging_{in, out, slots} {}
  template <class Where>
  pipeline(Where&& where, const frame<In>& both, int slots = 4) : pipeline(where, both, both, slots) {}

  /// Calls source, work, sink and progress on the calling thread until the source ends, in the order of the frames, and
  /// waits until all frames have gone to the sink.
  ///
  /// source    bool(matrix_view<In>): fills the frame, which is dense and pinned memory of the host; false: there is no
  ///           more
  /// work      status(const auto& where, matrix_view<const In>, matrix_view<Out>): enqueues, on `where` alone, what
  ///           makes one of the other; rows begin at multiples of 128 bytes. It must write every element of its output,
  ///           and may not wait
  /// sink      void(matrix_view<const Out>): takes the frame, which it may not keep; where it returns a bool, false
  ///           stops
  /// progress  optional, void(int64 frames): after each sink, with the number so far; where it returns a bool, false
  ///           stops
  /// Result    success also where a callback stopped it: frames() says how many the sink has taken
  /// Errors    a refused or failed call, with the number of its frame: those before it have gone to the sink, the
  ///           source is not asked for more. An error of CUDA: nothing more is called. Whatever happens, also where a
  ///           callback throws, no memory is touched any more on return, and the pipeline may run again
  /// Cost      synchronises; the first run makes the memory and the streams. May not be captured
  template <class Source, class Work, class Sink, class Progress = detail::no_progress>
  status run(Source&& source, Work&& work, Sink&& sink, Progress&& progress = Progress()) {
    frames_ = 0;
    if (status s = staging_.check(); !s) return s;
    if (!link_) {
      link_.emplace(place_);
      if (status s = link_->open(staging_.slots, host_bytes(), machine_bytes()); !s) return link_.reset(), s;
    }
    return detail::run_frames(*link_, place_, staging_, frames_, source, work, sink, progress);
  }

  /// That the sink took in the last run.
  int64 frames() const { return frames_; }
  /// What a run takes of the host's pinned memory, and of the machine's.
  size_t host_bytes() const { return staging_.bytes(); }
  size_t machine_bytes() const { return staging_.bytes(); }

 private:
  Place place_;
  detail::staging<In, Out> staging_;
  int64 frames_ = 0;
  std::optional<typename detail::link_of<Place>::type> link_;
};

template <class Where, class In, class Out>
pipeline(Where&&, const frame<In>&, const frame<Out>&, int = 4)
    -> pipeline<decltype(detail::place_of(detail::declval<Where&>())), In, Out>;
template <class Where, class T>
pipeline(Where&&, const frame<T>&, int = 4) -> pipeline<decltype(detail::place_of(detail::declval<Where&>())), T, T>;

}  // namespace memtile
#endif
