#include "core/compare/tolerance.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

using namespace fdlab;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
using Values = std::vector<double>;

Verdict judge(const Values& found, const Values& expected, DType type = DType::f32, bool equal_nan = false) {
  Tolerance tolerance = default_tolerance(type, type);
  tolerance.equal_nan = equal_nan;
  return judge_within(found, expected, type, tolerance);
}

}  // namespace

TEST_CASE("C47: NaN fails and is counted, equal infinities pass, zero elements are no pass") {
  const Verdict nan = judge({1, kNaN, 3}, {1, 2, 3});
  CHECK(nan.outcome == Outcome::failed);
  CHECK(nan.index == 1);
  CHECK(nan.difference.nan_found == 1);
  CHECK(nan.difference.incomparable == 1);
  CHECK(judge({-kInf, kInf}, {-kInf, kInf}).outcome == Outcome::passed);
  CHECK(judge({kInf}, {-kInf}).outcome == Outcome::failed);
  CHECK(judge({1e300}, {kInf}).outcome == Outcome::failed);
  CHECK(judge({kInf}, {1e300}).outcome == Outcome::failed);
  CHECK(judge({}, {}).outcome == Outcome::nothing_compared);
}

TEST_CASE("C47: NaN equals NaN only where that was asked for, and never a number") {
  CHECK(judge({kNaN, 2}, {kNaN, 2}).outcome == Outcome::failed);
  CHECK(judge({kNaN, 2}, {kNaN, 2}, DType::f32, true).outcome == Outcome::passed);
  CHECK(judge({kNaN, 2}, {1, 2}, DType::f32, true).outcome == Outcome::failed);
  CHECK(judge({1, 2}, {kNaN, 2}, DType::f32, true).outcome == Outcome::failed);
}

TEST_CASE("C48: one bf16 step passes, eight fail, and nothing is divided by zero") {
  CHECK(judge({0, 2e-7, 0.201171875}, {0, 1e-7, 0.2001953125}, DType::bf16).outcome == Outcome::passed);
  CHECK(judge({0.201171875}, {0.2001953125}, DType::bf16).difference.max_ulp == 1);
  const Verdict eight = judge({0, 1e-7, 0.2001953125 + 8 * 0x1p-10}, {0, 1e-7, 0.2001953125}, DType::bf16);
  CHECK(eight.outcome == Outcome::failed);
  CHECK(eight.index == 2);
  CHECK(std::isfinite(eight.limit));
}

TEST_CASE(
    "the coarser type sets the tolerance, and it grows with what was expected, not with what was found") {
  CHECK(default_tolerance(DType::f32, DType::bf16).relative == 0x1p-6);
  CHECK(default_tolerance(DType::bf16, DType::f32).relative == 0x1p-6);
  CHECK(default_tolerance(DType::f32, DType::f32).relative == 1e-5);
  const Tolerance tenth{0.1, 0};
  CHECK(judge_within(Values{110}, Values{100}, DType::f32, tenth).outcome == Outcome::passed);
  CHECK(judge_within(Values{100}, Values{110.9}, DType::f32, tenth).outcome == Outcome::passed);
  CHECK(judge_within(Values{111}, Values{100}, DType::f32, tenth).outcome == Outcome::failed);
}
