// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A domain that is cut into parts, exchanged by hand, has the bits of the whole after some steps of a stencil.
#include <memtile/domain.cuh>
#include <support/stencil.hpp>

#include <memory>

using namespace memtile;

namespace {

// Every neighbour counts, the diagonal ones too (STEN-06), each by a weight of its own.
template <int Dimensions>
struct unlike {
  template <class Neighbours>
  MEMTILE_FUNCTION float operator()(const Neighbours& n) const {
    float sum = 0;
    if constexpr (Dimensions == 2) {
      MEMTILE_UNROLL
      for (int i = 0; i < 25; ++i) sum += n(i / 5 - 2, i % 5 - 2) / float(30 + i);
    } else {
      MEMTILE_UNROLL
      for (int i = 0; i < 27; ++i) sum += n(i / 9 - 1, i / 3 % 3 - 1, i % 3 - 1) / float(30 + i);
    }
    return sum;
  }
};
float value(int64 z, int64 r, int64 c) { return 1.f / float(3 + (z * 57 + r * 31 + c * 7) % 101); }

// Dense memory of a machine as a matrix or a volume, in two copies that a step goes between.
template <class Machine>
struct field {
  int dimensions;
  int64 extent[3];
  int now = 0;
  std::vector<sim::vector_buffer<float>> copies;

  template <class F>
  field(Machine& machine, const subdomain& d, F f) : dimensions(d.dimensions), extent{1, 1, 1} {
    for (int a = 0; a < dimensions; ++a) extent[3 - dimensions + a] = d.extent(a);
    const auto at = [&](int i) { return f(i / (extent[1] * extent[2]), i / extent[2] % extent[1], i % extent[2]); };
    for (int copy = 0; copy < 2; ++copy) {
      copies.push_back(machine.template buffer<float>(extent[0] * extent[1] * extent[2]));
      if (copy == 0) copies.back().write(at);
    }
  }
  template <class Use>
  auto with_view(int copy, const Use& use) {
    float* const p = copies[size_t(copy)].view().data;
    const int64 row = extent[2] * int64(sizeof(float));
    if (dimensions == 2) return use(matrix_view<float>(p, extent[1], extent[2], row));
    return use(volume_view<float>(p, extent[0], extent[1], extent[2], row, extent[1] * row));
  }
};

template <int Dimensions, class Machine, class Border>
void check_parts(Machine& machine, const int64 (&whole)[Dimensions], const int (&parts)[Dimensions],
                 const Border& border, bool wraps) {
  using reach = box<Dimensions == 2 ? 2 : 1>;
  constexpr int halo = Dimensions == 2 ? 2 : 1, steps = 3;
  int count = 1;
  for (int p : parts) count *= p;
  INFO(machine.name() << ": " << count << " parts of " << Dimensions << " dimensions");

  const auto step = [&](field<Machine>& f, const region* part) {
    const auto run = [&](const auto& from) {
      using view = detail::bare_t<decltype(from)>;
      if constexpr ((detail::rank_of<view>) == Dimensions) {
        view to = from;
        to.data = f.copies[size_t(1 - f.now)].view().data;
        return part ? stencil<reach>(machine, from, to, unlike<Dimensions>{}, border, *part)
                    : stencil<reach>(machine, from, to, unlike<Dimensions>{}, border);
      } else {
        return status::refused("not these dimensions");
      }
    };
    REQUIRE(f.with_view(f.now, run));
    f.now = 1 - f.now;
  };

  const int none[3] = {1, 1, 1};
  int one_part[Dimensions];
  std::copy(none, none + Dimensions, one_part);
  field<Machine> all(machine, subdomain_of(whole, one_part, 0, 0), value);
  for (int s = 0; s < steps; ++s) step(all, nullptr);

  std::vector<subdomain> domains;
  std::vector<field<Machine>> fields;
  std::vector<sim::vector_buffer<float>> sent, received;
  for (int n = 0; n < count; ++n) {
    const subdomain d = subdomain_of(whole, parts, n, halo, wraps);
    REQUIRE(d.check());
    const auto axis = [&](int a) {
      return a < 3 - Dimensions ? 0 : d.first(a - 3 + Dimensions) - d.before(a - 3 + Dimensions);
    };
    domains.push_back(d);
    // Where the halo has yet to come, nothing that could be taken for it.
    fields.emplace_back(machine, d, [&](int64 z, int64 r, int64 c) {
      const region own = d.own();
      const int64 at[3] = {z, r, c};
      for (int a = 0; a < Dimensions; ++a) {
        const int64 i = at[3 - Dimensions + a];
        if (i < own.first[a] || i >= own.first[a] + own.size[a]) return -1e9f;
      }
      return value(z + axis(0), r + axis(1), c + axis(2));
    });
    sent.push_back(machine.template buffer<float>(d.halo_size()));
    received.push_back(machine.template buffer<float>(d.halo_size()));
  }

  const auto move = [&](bool packs, int n) {
    field<Machine>& f = fields[size_t(n)];
    const subdomain& d = domains[size_t(n)];
    REQUIRE(f.with_view(f.now, [&](const auto& view) {
      return packs ? pack_halo(machine, view, d, sent[size_t(n)].view())
                   : unpack_halo(machine, received[size_t(n)].view(), view, d);
    }));
    unit::check_clean(machine);
  };
  for (int s = 0; s < steps; ++s) {
    for (int n = 0; n < count; ++n) move(true, n);
    for (int n = 0; n < count; ++n) {
      const subdomain& d = domains[size_t(n)];
      std::vector<float> line(size_t(d.halo_size()), -1e9f);
      for (int i = 0; i < d.directions(); ++i)
        if (const int other = d.neighbour(i); other >= 0) {
          const int back = d.directions() - 1 - i;
          const subdomain& from = domains[size_t(other)];
          CHECK((from.neighbour(back) == n && from.count(back) == d.count(i)));
          const auto values = sent[size_t(other)].host();
          for (int64 k = 0; k < d.count(i); ++k) line[size_t(d.offset(i) + k)] = values(from.offset(back) + k);
        }
      received[size_t(n)].write([&](int i) { return line[size_t(i)]; });
    }
    for (int n = 0; n < count; ++n) {
      move(false, n);
      const region own = domains[size_t(n)].own();
      step(fields[size_t(n)], &own);
    }
  }

  const auto expected = all.copies[size_t(all.now)].host();
  for (int n = 0; n < count; ++n) {
    const subdomain& d = domains[size_t(n)];
    const auto found = fields[size_t(n)].copies[size_t(fields[size_t(n)].now)].host();
    const region own = d.own();
    int64 cells = 1;
    for (int a = 0; a < Dimensions; ++a) cells *= own.size[a];
    int differences = 0;
    for (int64 i = 0; i < cells; ++i) {
      int64 rest = i, here = 0, there = 0, pitch_here = 1, pitch_there = 1;
      for (int a = Dimensions - 1; a >= 0; --a) {
        const int64 at = rest % own.size[a];
        rest /= own.size[a];
        here += (own.first[a] + at) * pitch_here, there += (d.first(a) + at) * pitch_there;
        pitch_here *= d.extent(a), pitch_there *= whole[a];
      }
      differences += found(here) != expected(there);
    }
    CHECK(differences == 0);
    for (auto& copy : fields[size_t(n)].copies) CHECK(copy.untouched());
    CHECK((sent[size_t(n)].untouched() && received[size_t(n)].untouched()));
  }
}

}  // namespace

TEST_CASE("a domain in 2 x 2 parts, and in others, has the bits of the whole", "[pack][stencil][STEN-06]") {
  for (auto& machine : testing::machines()) {
    check_parts<2>(machine, {13, 18}, {2, 2}, reflect101{}, false);
    check_parts<2>(machine, {13, 18}, {2, 2}, wrap{}, true);
    check_parts<2>(machine, {9, 11}, {3, 1}, reflect101{}, false);
    check_parts<2>(machine, {9, 11}, {1, 3}, wrap{}, true);  // its own neighbour above and below
  }
}

TEST_CASE("a volume in 2 x 2 x 2 parts has the bits of the whole", "[pack][stencil]") {
  for (auto& machine : testing::machines()) {
    check_parts<3>(machine, {5, 6, 7}, {2, 2, 2}, replicate{}, false);
    check_parts<3>(machine, {4, 5, 6}, {2, 2, 2}, wrap{}, true);
  }
}

TEST_CASE("directions are opposite in pairs and cover the halo", "[pack]") {
  const subdomain d = subdomain_of({30, 40, 50}, {3, 3, 3}, 13, 2);
  CHECK((d.directions() == 26 && d.place[0] == 1 && d.place[1] == 1 && d.place[2] == 1));
  CHECK(d.direction(-1, 0, 1) == 26 - 1 - d.direction(1, 0, -1));
  CHECK(d.neighbour(d.direction(0, 0, 1)) == 14);
  CHECK(d.neighbour(d.direction(-1, 0, 0)) == 4);
  CHECK(d.halo_size() == d.extent(0) * d.extent(1) * d.extent(2) - d.size(0) * d.size(1) * d.size(2));
  const subdomain line = subdomain_of({10}, {3}, 0, 1);
  CHECK((line.directions() == 2 && line.neighbour(line.direction(-1)) == -1 && line.neighbour(line.direction(1)) == 1));
  CHECK((line.size(0) == 3 && line.extent(0) == 4 && line.count(0) == 0 && line.offset(1) == 0));
}
