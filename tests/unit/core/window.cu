// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The types that say which neighbours a stencil reads, and where in the source an access stands.
#include <memtile/core/site.hpp>
#include <memtile/core/window.hpp>
#include <support/catch.hpp>

#include <string>

using namespace memtile;

namespace {

site asked_by_default(site s = site::here()) { return s; }

}  // namespace

TEST_CASE("a window says how far its neighbours reach", "[core]") {
  using uneven = window<1, 2, 3, 4>;
  static_assert(uneven::up == 1 && uneven::down == 2 && uneven::left == 3 && uneven::right == 4);
  static_assert(box<3>::up == 3 && box<3>::down == 3 && box<3>::left == 3 && box<3>::right == 3);
  static_assert(star<2>::up == 2 && star<2>::down == 2 && star<2>::left == 2 && star<2>::right == 2);
  static_assert(box<0>::up == 0 && star<0>::right == 0);
  static_assert(window<3, 4>::left == 3 && window<1, 2, 0, 0, 3, 4>::back == 2);
  using in_volume = detail::reach_of<star<2>, 3>::type;
  using in_matrix = detail::reach_of<box<2>, 2>::type;
  static_assert(in_volume::slices == 5 && in_volume::rows == 5 && in_volume::columns == 5 && in_volume::is_star);
  static_assert(in_matrix::slices == 5 && in_matrix::rows == 1 && !in_matrix::is_star);
  SUCCEED();
}

TEST_CASE("a site is the line of the caller", "[core]") {
  const int line = __LINE__ + 1;
  const site mine = asked_by_default();
  CHECK(mine.line == line);
  CHECK(std::string(mine.file) == __FILE__);
  CHECK(std::string(mine.operation).empty());
}

TEST_CASE("of nested collectives the outermost gives its name to the site", "[core]") {
  const site outer = asked_by_default().within("outer");
  const site inner = outer.within("inner");
  CHECK(std::string(outer.operation) == "outer");
  CHECK(std::string(inner.operation) == "outer");
  CHECK((inner.line == outer.line && inner.file == outer.file));
}
