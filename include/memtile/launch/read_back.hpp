// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A call that waits: brings results to the host.
#pragma once

#include <memtile/core/view.hpp>
#include <memtile/launch/device.hpp>
#include <memtile/launch/where.hpp>

#if !defined(__CUDACC_RTC__)
#include <cstring>

namespace memtile {

namespace detail {
template <class T>
status read_back(const on_cpu&, const vector_view<const T>& from, T* to) {
  std::memcpy(static_cast<void*>(to), static_cast<const void*>(from.data), size_t(from.size) * sizeof(T));
  return {};
}
#if MEMTILE_CUDA
template <class T>
status read_back(const on_gpu& place, const vector_view<const T>& from, T* to) {
  const stream_t stream = place.where.stream;
  const auto copy = [&] {
    const cudaError_t error =
        cudaMemcpyAsync(to, from.data, size_t(from.size) * sizeof(T), cudaMemcpyDeviceToHost, stream);
    return error != cudaSuccess ? error : cudaStreamSynchronize(stream);
  };
  return cuda_call("read_back_and_wait", copy);
}
template <class T>
status read_back(const on_either& place, const vector_view<const T>& from, T* to) {
  if (place.machine != nullptr) return read_back(on_cpu{*place.machine}, from, to);
  return read_back(on_gpu{place.where}, from, to);
}
#endif
}  // namespace detail

/// Copies `from`, in memory of the machine, to `to` on the host, and waits until it is there: what was enqueued on the
/// stream before has been done then, and its errors are in the status.
///
/// Requires  room for from.size elements at `to`
/// Cost      synchronises the stream, which may not be capturing
template <class Where, class T>
status read_back_and_wait(Where&& where, const vector_view<T>& from, detail::remove_const_t<T>* to) {
  if (from.size < 0 || (from.size > 0 && (from.data == nullptr || to == nullptr)))
    return status::refused("read_back_and_wait: {} elements from a null pointer, or to one", from.size);
  if (from.size == 0) return {};
  return detail::read_back(detail::place_of(where), vector_view<const detail::remove_const_t<T>>(from), to);
}

}  // namespace memtile
#endif
