// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An epilogue on its own, called as a matmul calls it, for any types of what was accumulated and of what is stored.
#pragma once

#include <memtile/algorithm/epilogue.cuh>
#include <memtile/core/convert.hpp>

#include <support/unit.hpp>

namespace test {

template <class A, class T, class Epilogue>
struct apply_to_each {
  static constexpr int threads = 128;
  MEMTILE_KERNEL void operator()(memtile::block b, memtile::matrix_view<const A> accumulated,
                                 memtile::matrix_view<T> out, Epilogue epilogue) const {
    namespace detail = memtile::detail;
    const memtile::int64 i = memtile::int64(b.grid_column()) * threads + b.rank();
    if (i >= out.rows * out.cols) return;
    const memtile::int64 r = i / out.cols, c = i % out.cols;
    detail::plain_type<T> old{};
    if (detail::reads_output(epilogue)) old = detail::plain_type<T>(out.load(r, c));
    out.store(r, c, detail::stored_as<T>(detail::apply_epilogue(epilogue, accumulated.load(r, c), r, c, old)));
  }
};

template <class Machine, class A, class T, class Epilogue>
void apply(Machine& machine, const memtile::matrix_view<A>& accumulated, const memtile::matrix_view<T>& out,
           const Epilogue& epilogue) {
  REQUIRE(memtile::detail::check_epilogue(epilogue, out).message() == "");
  using kernel = apply_to_each<memtile::detail::remove_const_t<A>, T, Epilogue>;
  REQUIRE(launch(machine, memtile::grid{memtile::ceil_div(out.rows * out.cols, kernel::threads)}, kernel{}, accumulated,
                 out, epilogue));
  unit::check_clean(machine);
}

}  // namespace test
