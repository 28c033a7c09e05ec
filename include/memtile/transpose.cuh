// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transposition. The call is declared, so that programs can be compiled against it; this version of memtile does not
// define it yet.
#pragma once

#include <memtile/core/as_view.hpp>
#include <memtile/launch/where.hpp>

#if !defined(__CUDACC_RTC__)

namespace memtile {

/// out(c, r) = in(r, c).
template <class Where, class In, class Out>
status transpose(Where&& where, const In& in, const Out& out);

}  // namespace memtile
#endif
