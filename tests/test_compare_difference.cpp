#include "core/compare/difference.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "core/compare/verdict.h"

using namespace fdlab;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
using Values = std::vector<double>;

Difference of(const Values& found, const Values& expected, DType type = DType::f32) {
  return measure(found, expected, type);
}

/// judge_output where plain attention is exact and P's rounding is that of float.
Verdict judge(const Values& found, const Values& oracle, const Values& plain, DType type = DType::f32) {
  const Values spread(oracle.size(), 0.0);
  return judge_output(found, type, {oracle, plain, spread, spread, roundoff_of(DType::f32)});
}

}  // namespace

TEST_CASE("C47: NaN and infinities are counted, never passed over") {
  const Difference nan = of({1, kNaN, 3.5}, {1, 2, 3});
  CHECK(nan.incomparable == 1);
  CHECK(nan.nan_found == 1);
  CHECK(nan.first_incomparable == 1);
  CHECK(nan.max_abs == 0.5);
  CHECK(nan.worst == 2);
  CHECK(nan.worst_found == 3.5);
  CHECK(nan.worst_expected == 3);

  CHECK(of({-kInf}, {-kInf}).incomparable == 0);
  CHECK(of({kInf}, {-kInf}).incomparable == 1);
  CHECK(of({1}, {kInf}).incomparable == 1);
  CHECK(of({kInf}, {1}).incomparable == 1);
  const Difference both = of({kNaN}, {kNaN});
  CHECK(both.incomparable == 1);
  CHECK(both.nan_found == 1);
  CHECK(both.nan_expected == 1);
  CHECK(both.worst == -1);
}

TEST_CASE("C48: figures are in units of the stored type, and bias is not hidden in the largest error") {
  const Difference bf16 = of({0, 2e-7, 0.201171875}, {0, 1e-7, 0.2001953125}, DType::bf16);
  CHECK(bf16.worst == 2);
  CHECK(bf16.max_abs == doctest::Approx(0.0009765625));
  CHECK(of({0.201171875}, {0.2001953125}, DType::bf16).max_ulp == 1);
  CHECK(of({0}, {0}, DType::bf16).max_ulp == 0);
  const Difference biased = of({1.25, 1.25, 1.25, 1.25}, {1, 1, 1, 1});
  CHECK(biased.mean_signed == 0.25);
  CHECK(of({1.25, 0.75}, {1, 1}).mean_signed == 0);
}

TEST_CASE("the tolerance: equal infinities pass, NaN never, a difference of exactly the limit passes") {
  CHECK(within(kInf, kInf, 0));
  CHECK_FALSE(within(kInf, -kInf, kInf - kInf));
  CHECK_FALSE(within(kNaN, kNaN, kInf));
  CHECK_FALSE(within(1, kNaN, kInf));
  CHECK(within(1.5, 1, 0.5));
  CHECK_FALSE(within(1.5, 1, 0.25));
  CHECK_FALSE(within(1, 1.5, 0.25));
}

TEST_CASE("an output passes at one ulp, fails at eight, and fails on NaN and on nothing") {
  const double ulp = std::ldexp(1.0, -10);
  CHECK(judge({0.2001953125 + ulp}, {0.2001953125}, {0.2001953125}, DType::bf16).outcome == Outcome::passed);
  const Verdict far = judge({0.2001953125 + 8 * ulp}, {0.2001953125}, {0.2001953125}, DType::bf16);
  CHECK(far.outcome == Outcome::failed);
  CHECK(far.index == 0);
  CHECK(far.limit == ulp);
  CHECK(judge({kNaN}, {1}, {1}).outcome == Outcome::failed);
  CHECK(judge({1, kNaN, 3}, {1, 2, 3}, {1, 2, 3}).index == 1);
  CHECK(judge({kNaN}, {kNaN}, {kNaN}).outcome == Outcome::failed);
  CHECK(judge({}, {}, {}).outcome == Outcome::nothing_compared);
}

TEST_CASE(
    "where infinity is right, nothing else is, and where a number is, infinity only if its type holds no "
    "nearer") {
  for (const DType type : {DType::f32, DType::f16, DType::bf16}) {
    CHECK(judge({kInf}, {kInf}, {kInf}, type).outcome == Outcome::passed);
    for (const double wrong : {-kInf, 0.0, 3294.0, kNaN})
      CHECK(judge({1, wrong}, {1, kInf}, {1, kInf}, type).outcome == Outcome::failed);
    CHECK(judge({kInf}, {1}, {kInf}, type).outcome == Outcome::failed);
    CHECK(judge({kInf}, {1e39}, {kInf}, type).outcome == Outcome::passed);
    CHECK(judge({-kInf}, {1e39}, {kInf}, type).outcome == Outcome::failed);
  }
  CHECK(judge({kInf}, {70000}, {kInf}, DType::f16).outcome == Outcome::passed);
  CHECK(judge({kInf}, {70000}, {70000}, DType::f32).outcome == Outcome::failed);
}

TEST_CASE("a subnormal float may be 0, as where they are flushed; the smallest normal number may not") {
  CHECK(judge({0}, {1.1e-38}, {1.1e-38}, DType::f32).outcome == Outcome::passed);
  CHECK(judge({0}, {1.2e-38}, {1.2e-38}, DType::f32).outcome == Outcome::failed);
  CHECK(judge({0}, {0x1p-24}, {0x1p-24}, DType::f16).outcome == Outcome::passed);  // one ulp there
  CHECK(judge({0}, {0x1p-22}, {0x1p-22}, DType::f16).outcome == Outcome::failed);
}

TEST_CASE("plain attention's own error, twice, is allowed: per element and for the tensor") {
  const double e = 1e-3;
  CHECK(judge({1 + 2 * e}, {1}, {1 + e}).outcome == Outcome::passed);
  CHECK(judge({1 + 3 * e}, {1}, {1 + e}).outcome == Outcome::failed);
  // Element 1 may not use what plain attention lost in element 0.
  CHECK(judge({1, 1 + e}, {1, 1}, {1 + e, 1}).outcome == Outcome::failed);

  // The spread of V allows an element more than the tensor as a whole may differ.
  const Values oracle{1}, plain{1}, spread{1e6};
  const Verdict verdict =
      judge_output(Values{1.01}, DType::f32, {oracle, plain, spread, spread, roundoff_of(DType::f32)});
  CHECK(verdict.outcome == Outcome::failed);
  CHECK(verdict.limit == std::ldexp(1.0, -23));
}

TEST_CASE("for the tensor plain attention's error counts as no smaller than it may well be") {
  const Values oracle{1, 2}, plain{1, 2}, spread{1e6, 1e6}, reach{1e-3, 0};
  const auto judged = [&](double second) {
    return judge_output(Values{1, second}, DType::f32,
                        {oracle, plain, spread, spread, roundoff_of(DType::f32), reach});
  };
  CHECK(judged(2 + 2e-3).outcome == Outcome::passed);
  CHECK(judged(2 + 3e-3).outcome == Outcome::failed);
  CHECK(judged(2 + 3e-3).limit == 2e-3 + std::ldexp(1.0, -22));
}

TEST_CASE("an element may be off by what rounding a score costs, within what the tensor may be off") {
  const Values oracle{1, 1}, plain{1.01, 1}, spread{0, 0}, score_spread{0, 1000};
  const double allowed = 4 * 1000 * roundoff_of(DType::f32);
  const auto judged = [&](double second) {
    return judge_output(Values{1, second}, DType::f32,
                        {oracle, plain, spread, score_spread, roundoff_of(DType::f32)})
        .outcome;
  };
  CHECK(judged(1 + allowed) == Outcome::passed);
  CHECK(judged(1 + 2 * allowed) == Outcome::failed);
}

TEST_CASE("LSE is judged in ulp of the larger of score and LSE") {
  const Values oracle{1.0, -kInf}, scores{1000.0, 0.0};
  const double ulp = std::ldexp(1.0, 9 - 23);
  CHECK(judge_lse(Values{1 + 4 * ulp, -kInf}, {oracle, oracle, scores}).outcome == Outcome::passed);
  CHECK(judge_lse(Values{1 + 5 * ulp, -kInf}, {oracle, oracle, scores}).outcome == Outcome::failed);
  CHECK(judge_lse(Values{1, kInf}, {oracle, oracle, scores}).outcome == Outcome::failed);
  CHECK(judge_lse(Values{1, 0}, {oracle, oracle, scores}).index == 1);
}

TEST_CASE("roundoff is half a unit in the last place at 1") {
  CHECK(roundoff_of(DType::f32) == std::ldexp(1.0, -24));
  CHECK(roundoff_of(DType::bf16) == std::ldexp(1.0, -8));
  CHECK(roundoff_of(DType::f16) == std::ldexp(1.0, -11));
}
