// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// reduce_segments: rows of unequal length, one after the other in one array.
#pragma once

#include <memtile/algorithm/reduce_segments.cuh>
#include <memtile/launch/reduce.cuh>

#if !defined(__CUDACC_RTC__)

namespace memtile {

namespace detail {

template <bool Aligned, class Place, class T, class Index, class R, class Reduction>
status start_segments(const Place& place, const vector_view<const T>& in, const vector_view<const Index>& offsets,
                      const vector_view<R>& out, const Reduction& reduction) {
  using A = typename Reduction::accumulator;
  using kernel = reduce_segments_kernel<T, Aligned, Index, R, Reduction>;
  const int64 tiles = ceil_div(in.size, int64(kernel::tile));
  const size_t part_bytes = ceil_div(size_t(tiles) * sizeof(A), size_t(16)) * 16;
  const workspace_need need{0, 2 * part_bytes + size_t(tiles) * sizeof(int64)};
  return with_workspace(place, "reduce_segments", need, [&](uint32*, void* memory) -> status {
    unsigned char* const bytes = static_cast<unsigned char*>(memory);
    const segment_parts<A> parts{reinterpret_cast<A*>(bytes), reinterpret_cast<A*>(bytes + part_bytes),
                                 reinterpret_cast<int64*>(bytes + 2 * part_bytes)};
    const array_source<T, Aligned> source{in.data, in.size, 0, 0};
    if (status s = launch(place, grid(tiles), kernel{}, source, offsets, parts, out, reduction); !s) return s;
    const int64 blocks = max_of(int64(1), ceil_div(tiles, int64(8)));
    return launch(place, grid(blocks), finish_segments_kernel<Index, R, Reduction>{}, int(tiles), int(kernel::tile),
                  offsets, parts, out, reduction);
  });
}

template <class Place, class T, class Index, class R, class Wanted>
status segments_with(const Place& place, const vector_view<T>& in, const vector_view<Index>& offsets,
                     const vector_view<R>& out, const Wanted& wanted) {
  using element = remove_const_t<T>;
  using index = remove_const_t<Index>;
  static_assert(!is_const<R>, "memtile: the output of reduce_segments must not be a view of const elements");
  static_assert(is_integer<index> && sizeof(index) >= 4,
                "memtile: the offsets of reduce_segments must be integers of 4 or 8 bytes");
  if (status s = check_view("reduce_segments", "the input", in); !s) return s;
  if (status s = check_view("reduce_segments", "the offsets", offsets); !s) return s;
  if (status s = check_view("reduce_segments", "the output", out); !s) return s;
  if (offsets.size != out.size + 1)
    return status::refused("reduce_segments: {} offsets are the ends of {} segments, but the output has {} elements",
                           offsets.size, offsets.size - 1, out.size);
  if (overlap(extent_of(in), extent_of(out)) || overlap(extent_of(offsets), extent_of(out)))
    return status::refused("reduce_segments: the output overlaps the input or the offsets");
  if (out.size == 0) return {};
  const auto reduction = wanted.template over<element>();
  if (is_aligned(in.data, run_width<element> * int64(sizeof(T))))
    return start_segments<true, Place, element, index>(place, in, offsets, out, reduction);
  return start_segments<run_width<element> == 1, Place, element, index>(place, in, offsets, out, reduction);
}

}  // namespace detail

/// out(s) = init op transform(in(offsets(s))) op ... op transform(in(offsets(s + 1) - 1)), for every segment s.
///
/// offsets    one more than segments, in memory of the machine: not descending, from 0 to at most the size of `in`. They
///            are not looked at on the host.
/// Result     fixed_tree, as of reduce. An empty segment gives init. Indices, for arg_minimum and the like and for
///            transforms, count from the beginning of each segment.
/// Memory     every element read once; the offsets a few times
/// Cost       two kernels, and a workspace. The work is cut by elements: long and short segments may be mixed anyhow.
template <class Policy = automatic, class Where, class In, class Offsets, class Out, class Operator, class T,
          class Transform = identity, class Keep = detail::every_element>
status reduce_segments(Where&& where, const In& in, const Offsets& offsets, const Out& out, Operator op, T init,
                       Transform transform = {}, Keep keep = {}) {
  return detail::segments_with(detail::place_of(where), as_view(in), as_view(offsets), as_view(out),
                               detail::folding<Policy>(op, init, transform, keep, identity{}));
}
/// One of the reductions of algorithm/reductions.hpp, or an operator that has an identity, for every segment.
template <class Policy = automatic, class Where, class In, class Offsets, class Out, class Wanted>
status reduce_segments(Where&& where, const In& in, const Offsets& offsets, const Out& out, const Wanted& wanted) {
  return detail::segments_with(detail::place_of(where), as_view(in), as_view(offsets), as_view(out),
                               detail::wanted_of<Policy>(wanted));
}

}  // namespace memtile
#endif
