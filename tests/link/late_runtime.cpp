// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of the CUDA runtime that a pipeline calls, without a GPU and at its worst: what is enqueued on a stream
// happens at some time, at random, before somebody waits for it; streams are ordered by events alone; and any call may
// fail.
#include "late_runtime.hpp"

#include <cuda_runtime_api.h>

#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <iterator>
#include <map>
#include <random>

namespace {

struct step {
  std::function<bool()> may;
  std::function<void()> does;
};
struct record {
  int asked = 0, reached = 0;
};

std::map<cudaStream_t, std::deque<step>> streams;
std::map<cudaEvent_t, record> events;
std::minstd_rand chance(1);
size_t names = 0;

void any_step() {
  std::deque<step>& steps = std::next(streams.begin(), long(chance() % streams.size()))->second;
  if (steps.empty() || !steps.front().may()) return;
  const step next = steps.front();
  steps.pop_front();
  next.does();
}
bool fails() { return ++late_runtime::calls == late_runtime::fail_at; }
template <class Make>
cudaError_t make(const Make& make_it) {
  if (fails()) return cudaErrorMemoryAllocation;
  make_it();
  ++late_runtime::held;
  return cudaSuccess;
}
template <class Drop>
cudaError_t drop(const Drop& drop_it) {
  drop_it();
  --late_runtime::held;
  return cudaSuccess;
}
cudaError_t enqueue(cudaStream_t stream, std::function<bool()> may, std::function<void()> does) {
  if (fails()) return cudaErrorLaunchFailure;
  streams[stream].push_back({may, does});
  for (unsigned i = chance() % 4; i > 0; --i) any_step();
  return cudaSuccess;
}
bool at_once() { return true; }

}  // namespace

extern "C" {

cudaError_t cudaPeekAtLastError() { return cudaSuccess; }
cudaError_t cudaGetLastError() { return cudaSuccess; }
const char* cudaGetErrorString(cudaError_t) { return "as the test wants it"; }

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  return make([=] { streams[*stream = reinterpret_cast<cudaStream_t>(++names)]; });
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  late_runtime::misuses += !streams[stream].empty();
  return drop([=] { streams.erase(stream); });
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  while (!streams[stream].empty()) any_step();
  return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  return make([=] { events[*event = reinterpret_cast<cudaEvent_t>(++names)] = {}; });
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return drop([=] { events.erase(event); });
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  const int number = ++events[event].asked;
  return enqueue(stream, at_once, [=] { events[event].reached = number; });
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  const int number = events[event].asked;
  return enqueue(
      stream, [=] { return events[event].reached >= number; }, [] {});
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  if (fails()) return cudaErrorLaunchFailure;
  while (events[event].reached < events[event].asked) any_step();
  return cudaSuccess;
}
cudaError_t cudaMallocHost(void** memory, size_t bytes) {
  return make([=] { *memory = std::malloc(bytes); });
}
cudaError_t cudaMalloc(void** memory, size_t bytes) { return cudaMallocHost(memory, bytes); }
cudaError_t cudaFreeHost(void* memory) {
  return drop([=] { std::free(memory); });
}
cudaError_t cudaFree(void* memory) { return cudaFreeHost(memory); }
cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t bytes, size_t rows,
                              cudaMemcpyKind, cudaStream_t stream) {
  late_runtime::misuses += bytes > to_pitch || bytes > from_pitch;
  return enqueue(stream, at_once, [=] {
    for (size_t r = 0; r < rows; ++r)
      std::memcpy(static_cast<char*>(to) + r * to_pitch, static_cast<const char*>(from) + r * from_pitch, bytes);
  });
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  return cudaMemcpy2DAsync(to, bytes, from, bytes, bytes, 1, kind, stream);
}

// What nvcc's own code asks for, of a program without kernels.
void** __cudaRegisterFatBinary(void*) {
  static void* handle = nullptr;
  return &handle;
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
char __cudaInitModule(void**) { return 1; }
}
