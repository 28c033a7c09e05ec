// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions of whole arrays and of rows. The calls are declared, so that programs can be compiled against them; this
// version of memtile does not define them yet.
#pragma once

#include <memtile/core/as_view.hpp>
#include <memtile/core/operators.hpp>
#include <memtile/launch/where.hpp>

#if !defined(__CUDACC_RTC__)

namespace memtile {

/// out(0) = init op transform(in(0)) op transform(in(1)) ...
template <class Where, class In, class Out, class Operator, class T, class Transform = identity>
status reduce(Where&& where, const In& in, const Out& out, Operator op, T init, Transform transform = {});

/// out(r) = init op transform(in(r, 0)) op transform(in(r, 1)) ... for every row.
template <class Where, class In, class Out, class Operator, class T, class Transform = identity>
status reduce_rows(Where&& where, const In& in, const Out& out, Operator op, T init, Transform transform = {});

/// functor(row) for every row, where row is on chip: row.reduce(op), row.map(f), row.store(f). The row is read once and
/// written once.
template <class Where, class In, class Out, class Functor>
status map_rows(Where&& where, const In& in, const Out& out, const Functor& functor);

}  // namespace memtile
#endif
