// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random matmuls of integers beside a plain loop: every result, and every byte around it and around the inputs.
//
//   MEMTILE_FUZZ_RUNS   cases over all kinds together (400)
//   MEMTILE_FUZZ_SEED   another series of them (1)
//   MEMTILE_FUZZ_ONLY   the number of one case of each kind; a failure prints it, and the name of the test is the
// kind's
//
// What the compiler must know - types, layouts, policy - is a `kind`; all else is drawn at run time. Equal means equal
// as
// numbers: 0 and -0 are one.
#pragma once

#include <support/gemm.hpp>
#include <support/gemm_fuzz_case.hpp>

#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

namespace test::fuzz {

/// How many kinds there are in all files, to share out the runs.
inline constexpr int kinds = 13;

enum class epilogue { none, on_output, on_own_c };

/// Tile: what the policy says, or `automatic`. Slices: whether numbers of slices are forced.
template <class A, class B, class C, class LayoutA, class LayoutB, class LayoutC, class Tile, epilogue Epilogue,
          bool Batch = false, bool Slices = false>
struct kind {
  using a = A;
  using b = B;
  using c = C;
  using layout_a = LayoutA;
  using layout_b = LayoutB;
  using layout_c = LayoutC;
  using tile = Tile;
  static constexpr epilogue how = Epilogue;
  static constexpr bool is_batch = Batch, has_slices = Slices;
};

template <class T>
inline constexpr bool has_nan = memtile::sim::detail::is_any_float<T>::value;
template <class T>
T poison() {
  T v;
  std::memset(static_cast<void*>(&v), memtile::sim::detail::poison_byte<T>, sizeof(T));
  return v;
}
template <class T>
bool same_bytes(const T& x, const T& y) {
  return std::memcmp(static_cast<const void*>(&x), static_cast<const void*>(&y), sizeof(T)) == 0;
}

/// The memory of one operand: small integers where the place says, or where `is_poison` is set, and everywhere else,
/// poison.
template <class T>
class field {
 public:
  template <class Machine>
  field(Machine& machine, const place& where, std::uint64_t key, bool is_poison)
      : where_(where), key_(key), is_poison_(is_poison), belongs_(std::size_t(where.size()), false),
        memory_(machine.template buffer<T>(where.size())) {
    for_each([&](int i, int r, int c) { belongs_[std::size_t(where.at(i, r, c))] = true; });
    memory_.write([&](int at) { return first_value(at); });
  }
  T* data() const { return memory_.view().data; }
  int integer(int i, int r, int c) const { return integer_at(where_.at(i, r, c)); }
  const place& where() const { return where_; }

  /// How many elements are not as they were.
  int changed() const {
    const auto now = memory_.host();
    int count = !memory_.untouched();
    for (int64 at = 0; at < int64(belongs_.size()); ++at) count += !same_bytes(now(at), first_value(at));
    return count;
  }
  /// How many elements are not expected(i, r, c), or not as they were between the matrices.
  template <class F>
  int differences(const F& expected) const {
    const auto now = memory_.host();
    int count = !memory_.untouched();
    for_each([&](int i, int r, int c) { count += !(now(where_.at(i, r, c)) == expected(i, r, c)); });
    for (int64 at = 0; at < int64(belongs_.size()); ++at)
      count += !belongs_[std::size_t(at)] && !same_bytes(now(at), poison<T>());
    return count;
  }

 private:
  template <class F>
  void for_each(const F& f) const {
    for (int i = 0; i < where_.count; ++i)
      for (int r = 0; r < where_.rows; ++r)
        for (int c = 0; c < where_.cols; ++c) f(i, r, c);
  }
  int integer_at(int64 at) const { return dice(key_ + std::uint64_t(at)).below(7) - 3; }
  T first_value(int64 at) const {
    return belongs_[std::size_t(at)] && !is_poison_ ? T(float(integer_at(at))) : poison<T>();
  }

  place where_;
  std::uint64_t key_;
  bool is_poison_;
  std::vector<bool> belongs_;
  memtile::sim::vector_buffer<T> memory_;
};

template <class Layout, class T>
auto view_of(const field<T>& f) {
  const place& p = f.where();
  constexpr int64 bytes = sizeof(T);
  T* const first = f.data() + p.at(p.by_pointers ? (std::max)(0, p.count - 1) : 0, 0, 0);
  if constexpr (std::is_same<Layout, memtile::row>::value)
    return memtile::matrix_view<T>(first, p.rows, p.cols, p.down * bytes);
  else if constexpr (std::is_same<Layout, memtile::column>::value)
    return memtile::matrix_view<T, memtile::column>(first, p.rows, p.cols, p.across * bytes);
  else return memtile::matrix_view<T, memtile::strided>(first, p.rows, p.cols, p.down * bytes, p.across * bytes);
}

/// A batch of addresses, and the array that holds them.
template <class T>
struct addresses {
  memtile::sim::vector_buffer<T*> memory;
  template <class Machine>
  addresses(Machine& machine, const field<T>& f)
      : memory(machine.template buffer<T*>(f.where().count, [&](int i) { return f.data() + f.where().at(i, 0, 0); })) {}
  template <class Layout>
  auto batch(const field<T>& f) const {
    const auto v = view_of<Layout>(f);
    return memtile::pointer_batch<T, Layout>{{memory.view().data, memory.size()}, v.rows, v.cols, v.pitch};
  }
};
template <class Layout, class T>
auto batch_of(const field<T>& f) {
  return memtile::matrix_batch<T, Layout>{view_of<Layout>(f), f.where().count, f.where().step * int64(sizeof(T))};
}

template <class Policy, int Slices>
struct in_slices;
template <class... Parts, int Slices>
struct in_slices<memtile::gemm_policy<Parts...>, Slices> {
  using type = memtile::gemm_policy<Parts..., memtile::split_k<Slices>>;
};

template <class Kind, int Slices = 9, class Machine, class A, class B, class C, class Epilogue>
memtile::status call(Machine& machine, int slices, const A& a, const B& b, const C& c, const Epilogue& epilogue) {
  if constexpr (Kind::has_slices && Slices > 0) {
    if (slices != Slices) return call<Kind, Slices - 1>(machine, slices, a, b, c, epilogue);
    return memtile::gemm<typename in_slices<typename Kind::tile, Slices>::type>(machine, a, b, c, epilogue);
  } else {
    return memtile::gemm<typename Kind::tile>(machine, a, b, c, epilogue);
  }
}
template <class Kind, class Machine, class Epilogue>
memtile::status multiply(Machine& machine, const problem& p, const field<typename Kind::a>& a,
                         const field<typename Kind::b>& b, const field<typename Kind::c>& c, const Epilogue& epilogue) {
  using row_a = typename Kind::layout_a;
  using row_b = typename Kind::layout_b;
  using row_c = typename Kind::layout_c;
  if constexpr (Kind::is_batch) {
    if (p.c.by_pointers) {
      const addresses<typename Kind::a> at_a(machine, a);
      const addresses<typename Kind::b> at_b(machine, b);
      const addresses<typename Kind::c> at_c(machine, c);
      const auto all_b = at_b.template batch<row_b>(b);
      const auto all_c = at_c.template batch<row_c>(c);
      const memtile::status done = p.one_a
                                       ? call<Kind>(machine, 0, view_of<row_a>(a), all_b, all_c, epilogue)
                                       : call<Kind>(machine, 0, at_a.template batch<row_a>(a), all_b, all_c, epilogue);
      return done ? machine.synchronize() : done;  // before the addresses go
    }
    if (!p.one_a) return call<Kind>(machine, 0, batch_of<row_a>(a), batch_of<row_b>(b), batch_of<row_c>(c), epilogue);
    return call<Kind>(machine, 0, view_of<row_a>(a), batch_of<row_b>(b), batch_of<row_c>(c), epilogue);
  } else {
    return call<Kind>(machine, p.slices, view_of<row_a>(a), view_of<row_b>(b), view_of<row_c>(c), epilogue);
  }
}

template <class T>
T expected_as(double v) {
  if constexpr (std::is_integral<T>::value)
    return T((std::min)((std::max)(std::nearbyint(v), double(std::numeric_limits<T>::min())),
                        double(std::numeric_limits<T>::max())));
  else if constexpr (std::is_same<T, double>::value) return v;
  else return T(float(v));
}

/// One case. True if all is as it should be.
template <class Kind, class Machine>
bool holds(Machine& machine, const problem& p) {
  using T = typename Kind::c;
  using number = std::conditional_t<std::is_same<T, double>::value, double, float>;
  constexpr bool is_linear = Kind::how != epilogue::none, has_own_c = Kind::how == epilogue::on_own_c;
  const std::uint64_t key = dice(p.seed ^ p.index << 20).bits();
  const bool reads_output = is_linear && p.beta != 0 && (!has_own_c || p.adds_output);
  const field<typename Kind::a> a(machine, p.a, key, has_nan<typename Kind::a> && p.alpha == 0);
  const field<typename Kind::b> b(machine, p.b, key + (1 << 28), has_nan<typename Kind::b> && p.alpha == 0);
  const field<T> c(machine, p.c, key + (2 << 28), !reads_output);
  const field<T> added(machine, p.added, key + (3 << 28), p.beta == 0);
  const auto bias_value = [&](int i) { return p.has_bias ? int((unsigned(i) * 7u + unsigned(key)) % 9u) - 4 : 0; };
  const auto bias = machine.template buffer<number>(has_own_c ? p.m : p.n, bias_value);

  const memtile::status done = [&] {
    if constexpr (!is_linear) {
      return multiply<Kind>(machine, p, a, b, c, memtile::store_product{});
    } else {
      const memtile::clamp between(number(p.has_relu ? 0 : -1e30), number(1e30));
      const number alpha(p.alpha), beta(p.beta);
      if constexpr (has_own_c) {
        const auto own = view_of<typename Kind::layout_c>(p.adds_output ? c : added);
        return multiply<Kind>(machine, p, a, b, c,
                              memtile::linear{alpha, beta, own} | memtile::bias_rows(bias.view()) | between);
      } else {
        return multiply<Kind>(machine, p, a, b, c,
                              memtile::linear{alpha, beta} | memtile::bias_columns(bias.view()) | between);
      }
    }
  }();
  const memtile::status ended = machine.synchronize();
  INFO(done.message() << ended.message());
  const int wrong = c.differences([&](int i, int r, int q) {
    int64 sum = 0;
    for (int k = 0; k < p.k; ++k) sum += a.integer(p.one_a ? 0 : i, r, k) * b.integer(i, k, q);
    if (!is_linear) return expected_as<T>(double(sum));
    const int old = has_own_c && !p.adds_output ? added.integer(0, r, q) : c.integer(i, r, q);
    const double value = double(p.alpha) * double(sum) + double(p.beta) * old + bias_value(has_own_c ? r : q);
    return expected_as<T>(p.has_relu ? (std::max)(0., value) : value);
  });
  INFO(wrong << " elements of the output differ");
  const int spoiled = a.changed() + b.changed() + added.changed();
  INFO(spoiled << " elements of the inputs changed; simulator clean: " << clean(machine));
  const bool good = done.ok() && ended.ok() && wrong == 0 && spoiled == 0 && clean(machine);
  CHECK(good);
  return good;
}

template <class Layout>
constexpr lie lie_of() {
  return std::is_same<Layout, memtile::row>::value      ? lie::by_rows
         : std::is_same<Layout, memtile::column>::value ? lie::by_columns
                                                        : lie::any;
}

/// All cases of a kind, on every machine. `Sizes`: the policy around whose tile the sizes lie.
template <class Kind, class Sizes = typename Kind::tile>
void run() {
  const limits of{Sizes::block::m,
                  Sizes::block::n,
                  Sizes::block::k,
                  Sizes::stages,
                  int((std::min)({sizeof(typename Kind::a), sizeof(typename Kind::b), sizeof(typename Kind::c)})),
                  lie_of<typename Kind::layout_a>(),
                  lie_of<typename Kind::layout_b>(),
                  lie_of<typename Kind::layout_c>(),
                  Kind::is_batch,
                  Kind::how != epilogue::none,
                  Kind::how == epilogue::on_own_c};
  const wish asked = wished(kinds);
  for (auto& machine : memtile::testing::machines()) {
    int bad = 0, wide = 0, narrow = 0;
    for (std::uint64_t i = asked.first; i < asked.first + asked.runs && bad < 3; ++i) {
      const problem p = draw(asked.seed, i, of);
      INFO(machine.name() << ": " << p.words());
      bad += !holds<Kind>(machine, p);
      if (const memtile::sim::report* report = machine.last_report())
        for (const auto& row : report->rows())
          if (row.where == memtile::sim::space::global) ++(row.bytes == 16 ? wide : narrow);
    }
    if (machine.last_report() != nullptr && asked.runs >= 30) CHECK((wide > 0 && narrow > 0));  // it tries both
  }
}

}  // namespace test::fuzz
