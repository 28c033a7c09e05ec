// SPDX-FileCopyrightText: The memtile authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is stored of a value of another type, on each machine, against its definition.
#include <memtile/core/convert.hpp>
#include <support/unit.hpp>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

using namespace memtile;

namespace {

template <class T, class V>
struct store_as {
  static constexpr int threads = 128;
  MEMTILE_KERNEL void operator()(block b, vector_view<const V> in, vector_view<T> out) const {
    const int64 i = int64(b.grid_column()) * threads + b.rank();
    if (out.inside(i)) out.store(i, detail::stored_as<T>(in.load(i)));
  }
};

template <class T, class V, class Expected>
void check_stored(const std::vector<V>& values, Expected expected) {
  const int count = int(values.size());
  for (auto& machine : testing::machines()) {
    auto in = machine.buffer<V>(count, [&](int i) { return values[std::size_t(i)]; });
    auto out = machine.buffer<T>(count);
    REQUIRE(launch(machine, grid{ceil_div(count, 128)}, store_as<T, V>{}, in.view(), out.view()));
    const auto got = out.host();
    int wrong = 0;
    for (int i = 0; i < count; ++i)
      if (const T wanted = expected(values[std::size_t(i)]), made = got(i); std::memcmp(&made, &wanted, sizeof(T)) != 0)
        if (wrong++ == 0) UNSCOPED_INFO(machine.name() << ": " << +values[std::size_t(i)] << " is stored wrongly");
    CHECK(wrong == 0);
    CHECK(out.untouched());
    unit::check_clean(machine);
  }
}

// Halves around zero and around every power of two, the floats beside them, and all that is no number.
template <class F>
std::vector<F> floating_values() {
  const F infinity = std::numeric_limits<F>::infinity();
  std::vector<F> values = {infinity, std::numeric_limits<F>::quiet_NaN(), F(0), std::numeric_limits<F>::denorm_min(),
                           std::numeric_limits<F>::max()};
  for (int exponent = -1; exponent < 70; ++exponent)
    for (F step : {F(-1.5), F(-1), F(-0.5), F(0), F(0.5), F(1), F(1.5)}) {
      const F v = std::ldexp(F(1), exponent) + step;
      values.insert(values.end(), {v, std::nextafter(v, infinity), std::nextafter(v, -infinity)});
    }
  for (std::size_t i = 0, count = values.size(); i < count; ++i) values.push_back(-values[i]);
  return values;
}
template <class V>
std::vector<V> whole_values() {
  std::vector<V> values = {std::numeric_limits<V>::max(), std::numeric_limits<V>::min(), V(0)};
  for (unsigned bit = 0; bit < 8 * sizeof(V); ++bit)
    for (int step = -2; step <= 2; ++step) {
      const V v = V(uint64(V(uint64(1) << bit)) + uint64(int64(step)));
      values.insert(values.end(), {v, V(uint64(0) - uint64(v))});
    }
  return values;
}

// long double has the 64 bits of every integer here, and of every double.
template <class T, class V>
T clamped(V v) {
  static_assert(std::numeric_limits<long double>::digits >= 64);
  if (v != v) return 0;
  const long double whole = std::nearbyint(static_cast<long double>(v));
  if (whole >= static_cast<long double>(std::numeric_limits<T>::max())) return std::numeric_limits<T>::max();
  if (whole <= static_cast<long double>(std::numeric_limits<T>::min())) return std::numeric_limits<T>::min();
  return static_cast<T>(whole);
}
template <class T>
void check_integers() {
  check_stored<T>(floating_values<float>(), clamped<T, float>);
  check_stored<T>(floating_values<double>(), clamped<T, double>);
  check_stored<T>(whole_values<int32>(), clamped<T, int32>);
  check_stored<T>(whole_values<uint32>(), clamped<T, uint32>);
  check_stored<T>(whole_values<int64>(), clamped<T, int64>);
  check_stored<T>(whole_values<uint8>(), clamped<T, uint8>);
  check_stored<T>(whole_values<int16>(), clamped<T, int16>);
}

// The nearest small float, found by the distances of the two beside the float nearest to v.
template <class F>
F nearest_small(long double v) {
  const float near = static_cast<float>(v);
  F best{near};
  for (int step = -1; step <= 1; ++step) {
    F other{near};
    other.bits = decltype(other.bits)(F(near).bits + step);
    const long double is = std::fabs(static_cast<long double>(float(other)) - v),
                      was = std::fabs(static_cast<long double>(float(best)) - v);
    if (is < was || (is == was && other.bits % 2 == 0)) best = other;
  }
  return best;
}
// A middle of two small floats and a little beside it, which a float does not see.
template <class F>
std::vector<double> almost_middles() {
  std::vector<double> values;
  for (int code : {0x0001, 0x0400, 0x3c00, 0x3c01, 0x4234, 0x5bff})
    for (double aside : {0., 1e-9, -1e-9, 1e-14, -1e-14}) {
      F low{}, high{};
      low.bits = decltype(low.bits)(code), high.bits = decltype(high.bits)(code + 1);
      const double middle = (double(float(low)) + double(float(high))) / 2 * (1 + aside);
      values.insert(values.end(), {middle, -middle});
    }
  return values;
}
template <class V>
std::vector<V> long_middles() {  // 1.0000000|1000..01 in binary: halfway between two bfloat16, and one more
  std::vector<V> values;
  for (unsigned bit = 9; bit + 1 < 8 * sizeof(V); ++bit)
    for (int step = -1; step <= 1; ++step)
      for (unsigned code = 128; code < 132; ++code) {
        const V v = V((V(2 * code + 1) << (bit - 8)) + V(step));
        values.insert(values.end(), {v, V(-v)});
      }
  return values;
}

}  // namespace

TEST_CASE("integers are stored rounded to even and saturated", "[core][GEMM-13]") {
  check_integers<int8>();
  check_integers<uint8>();
  check_integers<int16>();
  check_integers<uint16>();
  check_integers<int32>();
  check_integers<uint32>();
  check_integers<int64>();
  check_integers<uint64>();
  CHECK((detail::stored_as<int8>(200) == 127 && detail::stored_as<int8>(-200) == -128));
}

TEST_CASE("small floats are stored with one rounding, also of double and of long integers", "[core]") {
  const auto float16_of = [](auto v) { return nearest_small<float16>(v); };
  const auto bfloat16_of = [](auto v) { return nearest_small<bfloat16>(v); };
  check_stored<float16>(almost_middles<float16>(), float16_of);
  check_stored<bfloat16>(almost_middles<bfloat16>(), bfloat16_of);
  check_stored<bfloat16>(long_middles<int32>(), bfloat16_of);
  check_stored<bfloat16>(long_middles<int64>(), bfloat16_of);
  check_stored<float16>(whole_values<int16>(), float16_of);
  check_stored<float8_e4m3>(whole_values<int8>(), [](int8 v) { return float8_e4m3(float(v)); });
  check_stored<float16>(floating_values<float>(), [](float v) { return float16(v); });
  check_stored<bfloat16>(floating_values<float>(), [](float v) { return bfloat16(v); });
}

TEST_CASE("small floats become integers, and each other, by way of float", "[core]") {
  CHECK(detail::stored_as<int8>(float16(2.5f)) == 2);
  CHECK(detail::stored_as<uint8>(bfloat16(300.f)) == 255);
  CHECK(detail::stored_as<float16>(bfloat16(1.5f)).bits == float16(1.5f).bits);
  CHECK(detail::stored_as<double>(float16(-0.25f)) == -0.25);
}

TEST_CASE("other types are stored as static_cast makes them", "[core]") {
  CHECK((detail::stored_as<bool>(-3) && detail::stored_as<bool>(0.25f) && !detail::stored_as<bool>(0)));
  CHECK(detail::stored_as<float>(16777217) == 16777216.f);
  CHECK(detail::stored_as<float>(1.0 / 3) == float(1.0 / 3));
}
