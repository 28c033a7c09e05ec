// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// launch: starts a kernel on the GPU or in the simulator, after checking that it can run there.
//
// A kernel is a function object. What a launch must know stands in it:
//
//   struct my_kernel {
//     static constexpr int threads = 256;          // of a block; or a plain `int threads` that is set at run time
//     static constexpr int max_threads = 512;      // optional, with such an `int threads`: more are refused
//     static constexpr int min_blocks = 2;         // optional: blocks that must fit on a multiprocessor
//     static constexpr const char* name = "mine";  // optional: for messages and reports, which else say the type
//     static constexpr int cluster = 4;            // optional: so many blocks of a row run together; block.cluster()
//     static constexpr bool cooperative = true;    // optional: all blocks run at one time, for a grid_barrier
//     struct storage { ... };                      // optional: shared memory, trivial, up to the card's limit
//     MEMTILE_KERNEL void operator()(memtile::block block, storage& shared, memtile::vector_view<float> v) const;
//   };
#pragma once

#include <memtile/block/block.cuh>
#include <memtile/core/launch_limits.hpp>
#include <memtile/launch/device.hpp>
#include <memtile/launch/where.hpp>

#if !defined(__CUDACC_RTC__)
#include <tuple>

namespace memtile {

/// The blocks of a launch: grid{columns}, grid{rows, columns} or grid{planes, rows, columns}. block.grid_row() and the
/// like say which one a block is.
struct grid {
  int64 planes = 1, rows = 1, columns = 1;
  constexpr grid(int64 columns_) : columns(columns_) {}
  constexpr grid(int64 rows_, int64 columns_) : rows(rows_), columns(columns_) {}
  constexpr grid(int64 planes_, int64 rows_, int64 columns_) : planes(planes_), rows(rows_), columns(columns_) {}
};
/// So many blocks that tiles of tile_rows x tile_columns cover rows x columns elements.
constexpr grid grid_for(int64 rows, int64 columns, int64 tile_rows, int64 tile_columns) {
  return {ceil_div(rows, tile_rows), ceil_div(columns, tile_columns)};
}

namespace detail {

// What a kernel's call operator takes: (block, P...) or (block, storage&, P...).
struct no_storage {};
template <class S, class... P>
struct signature {};
template <class Member>
struct signature_of {
  static_assert(always_false<Member>,
                "memtile: a kernel must have one non-template operator()(memtile::block, ...) const");
};
template <class Kernel, class R, class... P>
struct signature_of<R (Kernel::*)(block, P...) const> {
  using type = signature<no_storage, P...>;
};
template <class Kernel, class R, class S, class... P>
struct signature_of<R (Kernel::*)(block, S&, P...) const> {
  using type = signature<S, P...>;
};

template <class Kernel, class = void>
inline constexpr bool has_threads = false;
template <class Kernel>
inline constexpr bool has_threads<Kernel, void_t<decltype(int(declval<const Kernel&>().threads))>> = true;
// A kernel's constants, or the default.
template <class Kernel, class = void>
inline constexpr int static_threads = 0;  // not known at compile time
template <class Kernel>
inline constexpr int static_threads<Kernel, enable_if_t<(Kernel::threads > 0)>> = Kernel::threads;
template <class Kernel, class = void>
inline constexpr int max_threads_of = static_threads<Kernel>;
template <class Kernel>
inline constexpr int max_threads_of<Kernel, enable_if_t<(Kernel::max_threads > 0)>> = Kernel::max_threads;
template <class Kernel, class = void>
inline constexpr int min_blocks_of = 0;
template <class Kernel>
inline constexpr int min_blocks_of<Kernel, enable_if_t<(Kernel::min_blocks > 0)>> = Kernel::min_blocks;

template <class Kernel, class = void>
inline constexpr bool has_cluster = false;
template <class Kernel>
inline constexpr bool has_cluster<Kernel, void_t<decltype(int(declval<const Kernel&>().cluster))>> = true;
template <class Kernel>
constexpr int cluster_of([[maybe_unused]] const Kernel& kernel) {
  if constexpr (has_cluster<Kernel>) return int(kernel.cluster);
  else return 1;
}

template <class Kernel, class = void>
inline constexpr bool is_cooperative = false;
template <class Kernel>
inline constexpr bool is_cooperative<Kernel, enable_if_t<Kernel::cooperative>> = true;

// What messages and reports call a kernel: its own `name`, or its type.
template <class Kernel, class = void>
inline constexpr bool has_name = false;
template <class Kernel>
inline constexpr bool has_name<Kernel, void_t<decltype(Kernel::name)>> = true;
template <class Kernel>
std::string type_in_words() {
  const std::string whole = __PRETTY_FUNCTION__;  // ... [with Kernel = my_kernel; ...
  const size_t from = whole.find("Kernel = ") + 9;
  return whole.substr(from, whole.find_first_of(";]", from) - from);
}
template <class Kernel>
const char* name_of() {
  if constexpr (has_name<Kernel>) {
    return Kernel::name;
  } else {
    static const std::string name = type_in_words<Kernel>();
    return name.c_str();
  }
}

#if MEMTILE_CUDA
MEMTILE_USER_CODE_BEGIN
// P... and not const P...: g++ cannot take the address of the latter.
template <class Kernel, class S, class... P>
__global__ void __launch_bounds__(max_threads_of<Kernel>, min_blocks_of<Kernel>) kernel_entry(Kernel kernel, P... p) {
  const int rank = int(threadIdx.x);
  constexpr bool fixed = static_threads<Kernel> != 0;
  if constexpr (max_threads_of<Kernel> != 0) __builtin_assume(rank >= 0 && rank < max_threads_of<Kernel>);
  const block b(rank, fixed ? static_threads<Kernel> : int(blockDim.x));
  if constexpr (is_same<S, no_storage>) {
    kernel(b, p...);
  } else if constexpr (sizeof(S) <= static_shared_limit) {
    __shared__ S storage;
    kernel(b, storage, p...);
  } else {
    extern __shared__ __align__(1024) unsigned char memtile_dynamic_shared[];
    kernel(b, *reinterpret_cast<S*>(memtile_dynamic_shared), p...);
  }
}
MEMTILE_USER_CODE_END

// What is known of a kernel_entry. Static, one for each file that launches the kernel: nvcc gives every file an entry
// of its own, and the opt-in of one does not hold for another.
template <class Kernel, class S, class... P>
static prepared_kernel prepared_entry;
#endif

// P... is fixed by the class and not deduced: an argument of another type converts, once, on the host, as in any call.
template <class Kernel, class Signature>
class launcher;
template <class Kernel, class S, class... P>
class launcher<Kernel, signature<S, P...>> {
  static constexpr bool has_storage = !is_same<S, no_storage>;
  static constexpr size_t shared_bytes = has_storage ? sizeof(S) : 0;
  static_assert(has_threads<Kernel>,
                "memtile: a kernel must say how many threads its block has: static constexpr int threads = ...;");
  static_assert(!is_cooperative<Kernel> || !has_cluster<Kernel>,
                "memtile: a cooperative kernel must not run in clusters: leave one of the two out");
  static_assert((true && ... && !is_reference<P>),
                "memtile: a kernel must take its arguments by value: the GPU gets copies");
// With this flag nvcc makes of a host and device lambda a class that copies itself, and brings it to the GPU all the
// same.
#if !defined(__CUDACC_EXTENDED_LAMBDA__)
  static_assert(__is_trivially_copyable(Kernel) && (true && ... && __is_trivially_copyable(P)),
                "memtile: a kernel and its arguments must be trivially copyable");
#endif
  static_assert(!has_storage || __is_trivially_constructible(S),
                "memtile: shared storage must be trivial: no member initialisers");

  // A call in the simulator: every simulated thread runs `body` on it.
  struct call {
    const Kernel& kernel;
    std::tuple<P...> arguments;
    static void body(const void* self) {
      const call& c = *static_cast<const call*>(self);
      std::apply(
          [&](const P&... p) {
            if constexpr (has_storage) c.kernel(this_block(), *static_cast<S*>(sim::current->shared_storage()), p...);
            else c.kernel(this_block(), p...);
          },
          c.arguments);
    }
  };

  static status check(const grid& g, const Kernel& kernel, int cluster) {
    if (status s = check_configuration(name_of<Kernel>(), g.planes, g.rows, g.columns, kernel.threads); !s) return s;
    if constexpr (is_cooperative<Kernel>) return {};  // it is asked of the machine how many blocks that may be
    else return check_cluster(name_of<Kernel>(), cluster, g.columns);
  }

 public:
  static status run(const on_cpu& place, const grid& g, const Kernel& kernel, const P&... p) {
    const int cluster = cluster_of(kernel);
    if (status s = check(g, kernel, cluster); !s) return s;
    if (g.planes * g.rows * g.columns == 0) return {};
    const call c{kernel, std::tuple<P...>(p...)};
    const size_t alignment = has_storage ? alignof(S) : 1;
    return place.machine.run({name_of<Kernel>(), g.planes, g.rows, g.columns, kernel.threads, shared_bytes, alignment,
                              &call::body, &c, is_cooperative<Kernel> ? int(g.columns) : cluster,
                              is_cooperative<Kernel>});
  }
  static status run(const on_query&, const grid&, const Kernel&, const P&...) { return {}; }
#if MEMTILE_CUDA
  // Code for older architectures knows no clusters on a newer device either.
  static bool knows_clusters() {
    void (*const entry)(Kernel, P...) = kernel_entry<Kernel, S, P...>;
    return architecture_of_code(reinterpret_cast<const void*>(entry)) >= 90;
  }
  static status run(const on_gpu& place, const grid& g, const Kernel& kernel, const P&... p) {
    const int cluster = cluster_of(kernel);
    if (status s = check(g, kernel, cluster); !s) return s;
    if (g.planes * g.rows * g.columns == 0) return {};
    void (*const entry)(Kernel, P...) = kernel_entry<Kernel, S, P...>;
    const void* arguments[] = {&kernel, &p...};
    return start_on_device({name_of<Kernel>(), reinterpret_cast<const void*>(entry), g.planes, g.rows, g.columns,
                            int(kernel.threads), cluster, is_cooperative<Kernel>,
                            shared_bytes > static_shared_limit ? shared_bytes : 0, place.where.stream},
                           prepared_entry<Kernel, S, P...>, const_cast<void**>(arguments));
  }
  static status run(const on_either& place, const grid& g, const Kernel& kernel, const P&... p) {
    if (place.machine != nullptr) return run(on_cpu{*place.machine}, g, kernel, p...);
    return run(on_gpu{place.where}, g, kernel, p...);
  }
#else
  template <class Place>
  static status run(const Place&, const grid&, const Kernel&, const P&...) {
    static_assert(
        always_false<Place>,
        "memtile: a file that launches on a GPU must be compiled by nvcc; this compiler has the simulator only");
    return {};
  }
#endif
};

template <class Kernel>
using launcher_of = launcher<Kernel, typename signature_of<decltype(&Kernel::operator())>::type>;

}  // namespace detail

/// Starts one block of `kernel.threads` threads for each place of the grid, with the arguments that its call operator
/// takes after the block and the storage.
///
/// Returns   on the GPU at once: the kernel runs on the stream. In the simulator when it has run; faults of the kernel
///           are in the status.
/// Errors    a configuration that the machine cannot run is refused with the limit that it breaks; an error of an
///           earlier call is neither returned nor cleared. An empty grid is success, and nothing is launched.
/// Requires  rows and planes of the grid up to 65,535; columns up to 2^31 - 1, and a multiple of the kernel's cluster; of a
///           cooperative kernel one row, of no more blocks than can run at one time
/// Cost      the first launch of a kernel on a device asks for its limits, and opts in to shared memory above 48 KiB; every one of
///           a cooperative kernel asks how many blocks the device holds
template <class Where, class Kernel, class... Arguments>
status launch(Where&& where, const grid& blocks, const Kernel& kernel, const Arguments&... arguments) {
  return detail::launcher_of<Kernel>::run(detail::place_of(where), blocks, kernel, arguments...);
}

}  // namespace memtile
#endif
