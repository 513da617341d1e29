// Laws of ⊕, for its three forms, two number types and two bases.
#include "core/math/merge.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "core/math/flat.h"
#include "core/math/online.h"

using namespace fdlab;

namespace {

template <class T>
constexpr T kNaN = std::numeric_limits<T>::quiet_NaN();

template <class T>
bool same_bits(T a, T b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

template <class Form>
struct FormTraits;
template <template <class, class> class F, class T, class Exp>
struct FormTraits<F<T, Exp>> {
  using Number = T;
  using Base = Exp;
};

/// A partial of one form with a two-component payload.
template <class Form>
struct Pair {
  using T = typename FormTraits<Form>::Number;
  typename Form::Stats stats = Form::empty();
  std::array<T, 2> payload{};

  static Pair key(T score, T v0, T v1) { return {Form::of(score), {v0, v1}}; }
  Pair operator+(const Pair& b) const {
    const auto merged = Form::merge(stats, b.stats);
    return {merged.stats, {merged.blend(payload[0], b.payload[0]), merged.blend(payload[1], b.payload[1])}};
  }
  T o(int c) const { return Form::output(stats, payload[static_cast<std::size_t>(c)]); }
  T log_sum() const { return to_log_sum<typename FormTraits<Form>::Base>(stats).S; }
};

template <class T>
bool same_stats(MaxSum<T> a, MaxSum<T> b) {
  return same_bits(a.m, b.m) && same_bits(a.l, b.l);
}
template <class T>
bool same_stats(LogSum<T> a, LogSum<T> b) {
  return same_bits(a.S, b.S);
}
template <class T>
void poison(MaxSum<T>& a) {
  a.m = kNaN<T>;
}
template <class T>
void poison(LogSum<T>& a) {
  a.S = kNaN<T>;
}

/// Random partial: a few keys with scores around `centre`.
template <class Form>
Pair<Form> random_partial(std::mt19937& random, double centre, double spread) {
  using T = typename FormTraits<Form>::Number;
  std::normal_distribution<double> score(centre, spread), value(0, 1);
  Pair<Form> sum;
  for (int n = 1 + static_cast<int>(random() % 5); n > 0; --n)
    sum = sum + Pair<Form>::key(static_cast<T>(score(random)), static_cast<T>(value(random)),
                                static_cast<T>(value(random)));
  return sum;
}

/// Equal within 4 ulp of the largest value a component may have, for each merge.
template <class T>
bool close(T a, T b, T scale, int merges) {
  return std::abs(a - b) <= T(4 * merges) * std::numeric_limits<T>::epsilon() * std::max(scale, T(1));
}

}  // namespace

#define FD_FORMS                                                                                        \
  MlNormalised<float>, MlUnnormalised<float>, Lse<float>, MlNormalised<double>, MlUnnormalised<double>, \
      Lse<double>, MlNormalised<float, Base2>, MlUnnormalised<float, Base2>, Lse<float, Base2>

TEST_CASE_TEMPLATE("empty is the neutral element, bit by bit, and its payload is never read", Form,
                   FD_FORMS) {
  using T = typename FormTraits<Form>::Number;
  std::mt19937 random(1);
  Pair<Form> nothing;
  nothing.payload = {kNaN<T>, std::numeric_limits<T>::infinity()};
  for (int round = 0; round < 500; ++round) {
    CAPTURE(round);
    Pair<Form> a = random_partial<Form>(random, round % 2 ? 0 : 1e4, 3);
    a.payload[1] = T(-0.0);
    for (const Pair<Form>& sum : {a + nothing, nothing + a}) {
      CHECK(same_stats(sum.stats, a.stats));
      CHECK(same_bits(sum.payload[0], a.payload[0]));
      CHECK(same_bits(sum.payload[1], a.payload[1]));
    }
  }
}

TEST_CASE_TEMPLATE("two empties make an empty, however many meet", Form, FD_FORMS) {
  using T = typename FormTraits<Form>::Number;
  Pair<Form> nothing;
  nothing.payload = {kNaN<T>, kNaN<T>};
  Pair<Form> chain = nothing + nothing;
  for (int i = 0; i < 3; ++i) chain = chain + (nothing + nothing);
  CHECK(same_stats(chain.stats, Form::empty()));
  CHECK(same_bits(chain.payload[0], T(0)));
  CHECK(same_bits(chain.o(0), T(0)));
  CHECK(chain.log_sum() == -std::numeric_limits<T>::infinity());
  const auto merged = Form::merge(Form::empty(), Form::empty());
  CHECK(merged.weight_a == T(0));
  CHECK(merged.weight_b == T(0));
}

TEST_CASE_TEMPLATE("a masked key is empty", Form, FD_FORMS) {
  using T = typename FormTraits<Form>::Number;
  const T masked = -std::numeric_limits<T>::infinity();
  CHECK(same_stats(Form::of(masked), Form::empty()));
  const auto a = Pair<Form>::key(T(2), T(3), T(4));
  const auto sum = a + Pair<Form>::key(masked, kNaN<T>, kNaN<T>);
  CHECK(sum.o(0) == T(3));
  CHECK(sum.o(1) == T(4));
}

TEST_CASE_TEMPLATE("statistics commute exactly", Form, FD_FORMS) {
  std::mt19937 random(2);
  for (int round = 0; round < 2000; ++round) {
    const auto a = random_partial<Form>(random, 0, 20), b = random_partial<Form>(random, 1, 20);
    const auto ab = Form::merge(a.stats, b.stats), ba = Form::merge(b.stats, a.stats);
    CAPTURE(round);
    CHECK(same_stats(ab.stats, ba.stats));
    CHECK(same_bits(ab.weight_a, ba.weight_b));
    CHECK(same_bits(ab.weight_b, ba.weight_a));
  }
}

TEST_CASE_TEMPLATE("grouping does not matter within rounding", Form, FD_FORMS) {
  using T = typename FormTraits<Form>::Number;
  std::mt19937 random(3);
  for (int round = 0; round < 2000; ++round) {
    const double spread = std::array{0.1, 5.0, 50.0}[static_cast<std::size_t>(round % 3)];
    const auto a = random_partial<Form>(random, 0, spread), b = random_partial<Form>(random, 1, spread),
               c = random_partial<Form>(random, -1, spread);
    const auto left = (a + b) + c, right = a + (b + c);
    CAPTURE(round);
    CHECK(close(left.log_sum(), right.log_sum(), std::abs(left.log_sum()), 4));
    CHECK(close(left.o(0), right.o(0), T(4), 4));
    CHECK(close(left.o(1), right.o(1), T(4), 4));
  }
}

TEST_CASE_TEMPLATE("every order of merging up to 7 leaves gives the same", Form, FD_FORMS) {
  using T = typename FormTraits<Form>::Number;
  std::mt19937 random(4);
  for (std::size_t leaves = 2; leaves <= 7; ++leaves) {
    std::vector<Pair<Form>> start;
    for (std::size_t i = 0; i < leaves; ++i) start.push_back(random_partial<Form>(random, 0, 3));
    if (leaves > 3) start[1] = Pair<Form>{};  // an empty one among them
    Pair<Form> expected;
    for (const auto& leaf : start) expected = expected + leaf;
    int orders = 0, wrong = 0;
    // Merge any two of what is left, in both argument orders, until one is left.
    const auto merge_rest = [&](const auto& self, std::vector<Pair<Form>> left) -> void {
      if (left.size() == 1) {
        ++orders;
        const bool equal = close(left[0].o(0), expected.o(0), T(4), 6) &&
                           close(left[0].o(1), expected.o(1), T(4), 6) &&
                           close(left[0].log_sum(), expected.log_sum(), std::abs(expected.log_sum()), 6);
        if (!equal) ++wrong;
        return;
      }
      for (std::size_t i = 0; i < left.size(); ++i)
        for (std::size_t j = i + 1; j < left.size(); ++j) {
          auto next = left;
          next[i] = (orders + static_cast<int>(j)) % 2 ? left[i] + left[j] : left[j] + left[i];
          next.erase(next.begin() + static_cast<std::ptrdiff_t>(j));
          self(self, std::move(next));
        }
    };
    merge_rest(merge_rest, start);
    CAPTURE(leaves);
    CHECK(wrong == 0);
    if (leaves == 7) CHECK(orders == 21 * 15 * 10 * 6 * 3);
  }
}

TEST_CASE_TEMPLATE("adding a constant to every score moves S by it and leaves o", Form, FD_FORMS) {
  using T = typename FormTraits<Form>::Number;
  for (const double shift : {-200.0, -1.0, 64.0, 8192.0}) {
    Pair<Form> plain, shifted;
    for (const double s : {0.25, -3.5, 2.0, 1.75, 2.0}) {  // exact in float together with every shift
      plain = plain + Pair<Form>::key(static_cast<T>(s), static_cast<T>(s), T(1));
      shifted = shifted + Pair<Form>::key(static_cast<T>(s + shift), static_cast<T>(s), T(1));
    }
    CAPTURE(shift);
    CHECK(close(shifted.log_sum(), plain.log_sum() + static_cast<T>(shift), static_cast<T>(std::abs(shift)),
                5));
    // A log-sum near the shift is stored with the shift's ulp, and the next weight inherits that; (m, l) does not.
    const bool stores_S = std::is_same_v<typename Form::Stats, LogSum<T>>;
    CHECK(close(shifted.o(0), plain.o(0), stores_S ? static_cast<T>(4 + std::abs(shift)) : T(4), 5));
    CHECK(close(shifted.o(1), T(1), T(1), 5));
  }
}

TEST_CASE_TEMPLATE("o stays between the smallest and the largest value; l is at least 1, S at least m", Form,
                   FD_FORMS) {
  using T = typename FormTraits<Form>::Number;
  std::mt19937 random(5);
  std::normal_distribution<double> score(0, 30), value(0, 1);
  for (int round = 0; round < 500; ++round) {
    Pair<Form> sum;
    T low = std::numeric_limits<T>::max(), high = -low, max_score = -low;
    for (int i = 0; i < 20; ++i) {
      const T s = static_cast<T>(score(random)), v = static_cast<T>(value(random));
      sum = sum + Pair<Form>::key(s, v, T(1));
      low = std::min(low, v);
      high = std::max(high, v);
      max_score = std::max(max_score, s);
    }
    const T slack = T(80) * std::numeric_limits<T>::epsilon() * T(4);
    CHECK(sum.o(0) >= low - slack);
    CHECK(sum.o(0) <= high + slack);
    CHECK(close(sum.o(1), T(1), T(1), 20));
    CHECK(sum.log_sum() >= max_score);
    if constexpr (std::is_same_v<typename Form::Stats, MaxSum<T>>) {
      CHECK(sum.stats.m == max_score);
      CHECK(sum.stats.l >= T(1));
    }
  }
}

TEST_CASE_TEMPLATE("a NaN statistic is passed on, never skipped", Form, FD_FORMS) {
  using T = typename FormTraits<Form>::Number;
  auto bad = Pair<Form>::key(T(1), T(1), T(1));
  poison(bad.stats);
  const auto good = Pair<Form>::key(T(2), T(1), T(1));
  CHECK(std::isnan((bad + good).o(0)));
  CHECK(std::isnan((good + bad).o(0)));
  CHECK(std::isnan((good + bad).log_sum()));
}

TEST_CASE("four tied scores of 12800 average to 2.5") {
  const auto chain = []<class Form>(Form) {
    Pair<Form> sum;
    for (const float v : {1.0f, 2.0f, 3.0f, 4.0f}) sum = sum + Pair<Form>::key(12800.0f, v, 1.0f);
    return sum.o(0);
  };
  CHECK(chain(MlNormalised<float>{}) == 2.5f);
  CHECK(chain(MlUnnormalised<float>{}) == 2.5f);
  // S = 12800 + ln 2 is stored to half of 2^-10, so a chain of log-sums may be off by that much; a tree of ties is not.
  CHECK(std::abs(chain(Lse<float>{}) - 2.5f) < 0x1p-11f);
  using P = Pair<Lse<float>>;
  CHECK(((P::key(12800, 1, 1) + P::key(12800, 2, 1)) + (P::key(12800, 3, 1) + P::key(12800, 4, 1))).o(0) ==
        2.5f);
  const std::array<float, 4> S{12800, 12800, 12800, 12800};
  const auto flat = FlatMerge<float>::over(S.data(), 4);
  CHECK(flat.weight(12800.0f) == 0.25f);
  CHECK(flat.stats().S == doctest::Approx(12800 + std::log(4.0)));
}

TEST_CASE("two splits of six keys merge to the whole row") {
  // scores (1, 3, 2 | 5, 0, 4); worked out in float64 by hand
  const auto merged = Lse<double>::merge({3.40760596444438}, {5.318175429247454});
  CHECK(merged.stats.S == doctest::Approx(5.456193316018123).epsilon(1e-12));
  CHECK(merged.weight_a == doctest::Approx(0.12891688925738296).epsilon(1e-12));
}

TEST_CASE("the forms convert into one another and keep S and o") {
  const MaxSum<double> a{9.5, 1.75};
  const LogSum<double> S = to_log_sum(a);
  CHECK(S.S == doctest::Approx(9.5 + std::log(1.75)).epsilon(1e-15));
  CHECK(to_max_sum(S).m == S.S);
  CHECK(to_max_sum(S).l == 1.0);
  CHECK(to_log_sum(to_max_sum(S)).S == S.S);
  CHECK(to_max_sum(Lse<double>::empty()).l == 0.0);
  CHECK(to_log_sum(MlNormalised<double>::empty()).S == -std::numeric_limits<double>::infinity());
  CHECK(to_log_sum<Base2>(MaxSum<double>{3, 8}).S == doctest::Approx(6.0));
}

TEST_CASE("base 2 and base e give the same output") {
  std::mt19937 random(6);
  std::normal_distribution<double> score(0, 4), value(0, 1);
  Pair<MlNormalised<double>> natural;
  Pair<Lse<double, Base2>> binary;
  for (int i = 0; i < 100; ++i) {
    const double s = score(random), v = value(random);
    natural = natural + Pair<MlNormalised<double>>::key(s, v, 1);
    binary = binary + Pair<Lse<double, Base2>>::key(s * kLog2E, v, 1);
  }
  CHECK(binary.o(0) == doctest::Approx(natural.o(0)).epsilon(1e-13));
  CHECK(binary.log_sum() * kLn2 == doctest::Approx(natural.log_sum()).epsilon(1e-14));
}

TEST_CASE("a block at a time equals a key at a time") {
  std::mt19937 random(7);
  std::normal_distribution<double> score(0, 5), value(0, 1);
  Pair<MlUnnormalised<double>> by_key;
  double m = -std::numeric_limits<double>::infinity(), l = 0, O = 0;
  for (int block = 0; block < 20; ++block) {
    std::array<double, 8> s{}, v{};
    double block_max = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < s.size(); ++i) {
      s[i] = block == 3 || i == 2 ? -std::numeric_limits<double>::infinity()
                                  : score(random);  // masked keys, one whole block
      v[i] = value(random);
      block_max = larger(block_max, s[i]);
      by_key = by_key + Pair<MlUnnormalised<double>>::key(s[i], v[i], 0);
    }
    const auto step = OnlineBlock<double>::begin(m, block_max);
    l *= step.rescale;
    O *= step.rescale;
    for (std::size_t i = 0; i < s.size(); ++i) {
      l += step.weight(s[i]);
      O += step.weight(s[i]) * v[i];
    }
    m = step.m;
  }
  CHECK(m == by_key.stats.m);
  CHECK(l == doctest::Approx(by_key.stats.l).epsilon(1e-13));
  CHECK(O / l == doctest::Approx(by_key.o(0)).epsilon(1e-12));
}

TEST_CASE("the flat merge equals any chain, from S and from (m, l), and skips empties") {
  std::mt19937 random(8);
  std::array<MaxSum<double>, 6> ml{};
  std::array<double, 6> S{}, o{};
  Pair<MlNormalised<double>> chain;
  for (std::size_t i = 0; i < ml.size(); ++i) {
    const auto part =
        i == 4 ? Pair<MlNormalised<double>>{} : random_partial<MlNormalised<double>>(random, 0, 3);
    ml[i] = part.stats;
    S[i] = part.log_sum();
    o[i] = part.payload[0];
    chain = chain + part;
  }
  const auto by_S = FlatMerge<double>::over(S.data(), 6);
  const auto by_ml = FlatMaxSum<double>::over(ml.data(), 6);
  double sum_S = 0, sum_ml = 0, weights = 0;
  for (std::size_t i = 0; i < 6; ++i) {
    sum_S += by_S.weight(S[i]) * o[i];
    sum_ml += by_ml.share(ml[i]) * o[i];
    weights += by_S.weight(S[i]);
  }
  CHECK(weights == doctest::Approx(1).epsilon(1e-15));
  CHECK(sum_S == doctest::Approx(chain.o(0)).epsilon(1e-13));
  CHECK(sum_ml == doctest::Approx(chain.o(0)).epsilon(1e-13));
  CHECK(by_ml.l == doctest::Approx(chain.stats.l).epsilon(1e-14));
  CHECK(by_S.stats().S == doctest::Approx(chain.log_sum()).epsilon(1e-14));
  const double none = -std::numeric_limits<double>::infinity();
  CHECK(FlatMerge<double>::over(&none, 1).weight(none) == 0.0);
  CHECK(FlatMerge<double>::over(&none, 1).stats().S == none);
}
