// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stencils. The calls are declared, so that programs can be compiled against them; this version of memtile does not
// define them yet. Halo tiles, borders and halo_to_shared, for a stencil kernel of one's own, are in kernel.cuh.
#pragma once

#include <memtile/core/as_view.hpp>
#include <memtile/core/window.hpp>
#include <memtile/global/border.hpp>
#include <memtile/launch/where.hpp>

#if !defined(__CUDACC_RTC__)

namespace memtile {

/// out(r, c) = functor(n), where n(dy, dx) is in(r + dy, c + dx) for the neighbours of the window.
template <class Window, class Where, class In, class Out, class Functor, class Border>
status stencil(Where&& where, const In& in, const Out& out, const Functor& functor, Border border);

/// `steps` applications of the stencil, one after the other; the result is in u, and scratch is written over. Only
/// enqueues.
template <class Window, class Where, class U, class Scratch, class Functor, class Border>
status iterate(Where&& where, int64 steps, const U& u, const Scratch& scratch, const Functor& functor, Border border);

}  // namespace memtile
#endif
