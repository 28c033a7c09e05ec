// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// pack, unpack, and the same for the whole halo of a subdomain in one launch:
//
//   memtile::pack_halo(stream, u, d, sent);          // for all neighbours, one after the other in a line
//   for (int i = 0; i < d.directions(); ++i)         // by MPI, NCCL, copies between GPUs, ...
//     if (const int other = d.neighbour(i); other >= 0)
//       exchange(other, sent.data + d.offset(i), received.data + d.offset(i), d.count(i));
//   memtile::unpack_halo(stream, received, d, u);
//
// What part p sends in direction i is what d.neighbour(i) receives in direction d.directions() - 1 - i.
#pragma once

#include <memtile/algorithm/pack_parts.cuh>
#include <memtile/core/as_view.hpp>
#include <memtile/core/check.hpp>
#include <memtile/core/overlap.hpp>
#include <memtile/core/subdomain.hpp>
#include <memtile/launch/launch.cuh>

#if !defined(__CUDACC_RTC__)

namespace memtile {

namespace detail {

// The shape of a view, slowest axis first, those that it lacks left out.
template <class T>
int64 extent_along(const volume_view<T>& v, int dimensions, int axis) {
  const int64 extents[3] = {v.depth, v.rows, v.cols};
  return extents[3 - dimensions + axis];
}

template <class View>
inline constexpr int rank_of = 0;
template <class T>
inline constexpr int rank_of<vector_view<T>> = 1;
template <class T>
inline constexpr int rank_of<matrix_view<T>> = 2;
template <class T>
inline constexpr int rank_of<volume_view<T>> = 3;

// Collects parts and starts the kernel. Packs: from the view into the line.
template <bool Packs, class View, class Line>
class part_mover {
  using T = typename View::element;
  using of_its_size = typename element_of_bytes<int(sizeof(T))>::type;
  using element = conditional_t<lies_as<T, of_its_size>, of_its_size, T>;
  using kernel = pack_parts_kernel<element, Packs>;
  static constexpr int dimensions = rank_of<View>;
  static_assert(dimensions != 0, "memtile: pack and unpack must have a vector, a row-major matrix or a volume");
  static_assert(is_same<T, typename Line::element>,
                "memtile: the view and the line of pack and unpack must have one element type");
  static_assert(!is_const<typename conditional_t<Packs, Line, View>::value_type>,
                "memtile: the output of pack and unpack must not be a view of const elements");

 public:
  part_mover(const char* name, const View& view, const Line& line)
      : name_(name), view_(view), volume_(as_volume(view)), line_(line) {}

  status check() const {
    if (status s = check_view(name_, "the view", view_); !s) return s;
    if (status s = check_view(name_, "the line", line_); !s) return s;
    if constexpr (!Packs)
      if (status s = check_slices_apart(name_, "the view", view_); !s) return s;
    if (volume_.depth > 0 && volume_.rows > 0 && volume_.cols > 0 && overlap(extent_of(view_), extent_of(line_)))
      return status::refused("{}: the line overlaps the view: give it memory of its own", name_);
    return {};
  }
  status add(const region& part) {
    const auto along = [&](int axis) { return extent_along(volume_, dimensions, axis); };
    if (status s = check_region(name_, "the view", part, dimensions, along); !s) return s;
    packed_part p{{0, 0, 0}, {1, 1, 1}, int(blocks_), offset_};
    int64 count = 1;
    for (int axis = 0; axis < dimensions; ++axis) {
      const int64 first = part.first[axis], size = part.size[axis];
      count = size == 0 ? 0 : count > highest<int32>() / size ? highest<int64>() : count * size;
      p.first[3 - dimensions + axis] = first, p.size[3 - dimensions + axis] = uint32(size);
    }
    if (count > highest<int32>())
      return status::refused("{}: the region has more than {} elements: move it in parts", name_, highest<int32>());
    if (count == 0) return {};
    if (offset_ + count > line_.size)
      return status::refused("{}: {} elements do not fit into a line of {}", name_, offset_ + count, line_.size);
    all_.parts[all_.count++] = p;
    offset_ += count, blocks_ += ceil_div(count, int64(kernel::threads * kernel::each));
    return {};
  }
  template <class Place>
  status start(const Place& place) const {
    if (blocks_ == 0) return {};
    using packed = typename kernel::packed;
    const vector_view<packed> line(reinterpret_cast<packed*>(line_.data), line_.size);
    return launch(place, grid(blocks_), kernel{}, elements_as<typename kernel::source>(volume_), line, all_);
  }

 private:
  const char* name_;
  View view_;
  decltype(as_volume(View())) volume_;
  Line line_;
  packed_parts all_{};
  int64 blocks_ = 0, offset_ = 0;
};

template <bool Packs, class Place, class View, class Line>
status move_part(const char* name, const Place& place, const View& view, const Line& line, const region& part) {
  part_mover<Packs, View, Line> mover(name, view, line);
  if (status s = mover.check(); !s) return s;
  if (status s = mover.add(part); !s) return s;
  return mover.start(place);
}
template <bool Packs, class Place, class View, class Line>
status move_halo(const char* name, const Place& place, const View& view, const Line& line, const subdomain& d) {
  part_mover<Packs, View, Line> mover(name, view, line);
  if (status s = d.check(); !s) return s;
  if (status s = mover.check(); !s) return s;
  if (d.dimensions != rank_of<View>)
    return status::refused("{}: the view has {} dimensions, but the subdomain {}", name, rank_of<View>, d.dimensions);
  for (int a = 0; a < d.dimensions; ++a)
    if (extent_along(as_volume(view), d.dimensions, a) != d.extent(a))
      return status::refused(
          "{}: the view must have the {} dimensions of the subdomain, with {} elements along axis {}", name,
          d.dimensions, d.extent(a), a);
  for (int i = 0; i < d.directions(); ++i)
    if (status s = mover.add(Packs ? d.sent(i) : d.received(i)); !s) return s;
  return mover.start(place);
}

}  // namespace detail

/// The elements of a part of a view, row by row, from the beginning of a line on; and back.
///
/// in, out   a vector, a row-major matrix or a volume, any pitch, elements of any trivial type; and a vector for the
///           line
/// part      a region{...} of the view of up to 2^31 - 1 elements; none is success
/// Errors    refused with words and values, with nothing launched or changed: a region that is not inside, a line that
///           is too short or overlaps the view, views that do not lie as they must
/// Memory    every element read once and written once. Columns cost a sector of 32 bytes for each row
/// Cost      enqueues one kernel; allocates nothing, never synchronises, may be captured in a graph
template <class Where, class In, class Line>
status pack(Where&& where, const In& in, const region& part, const Line& line) {
  return detail::move_part<true>("pack", detail::place_of(where), as_view(in), as_view(line), part);
}
template <class Where, class Line, class Out>
status unpack(Where&& where, const Line& line, const Out& out, const region& part) {
  return detail::move_part<false>("unpack", detail::place_of(where), as_view(out), as_view(line), part);
}

/// What all neighbours of a part want of it, direction after direction, each from d.offset(direction) on; and what came
/// from them into the halo. One launch, however many neighbours there are.
///
/// in, out   the array of the part, d.extent(axis) elements along each axis
/// line      d.halo_size() elements or more
/// The rest  as pack; what is not halo is not touched by unpack_halo
template <class Where, class In, class Line>
status pack_halo(Where&& where, const In& in, const subdomain& d, const Line& line) {
  return detail::move_halo<true>("pack_halo", detail::place_of(where), as_view(in), as_view(line), d);
}
template <class Where, class Line, class Out>
status unpack_halo(Where&& where, const Line& line, const Out& out, const subdomain& d) {
  return detail::move_halo<false>("unpack_halo", detail::place_of(where), as_view(out), as_view(line), d);
}

}  // namespace memtile
#endif
