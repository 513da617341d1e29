#include "core/compare/verdict.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/problem/encode.h"
#include "core/problem/round_to.h"

namespace fdlab {
namespace {

double max_abs_finite(std::span<const double> values) {
  double max = 0;
  for (const double x : values)
    if (std::isfinite(x)) max = std::max(max, std::abs(x));
  return max;
}

/// With infinities where the type holds nothing nearer.
std::vector<double> overflowed(std::span<const double> values, DType stored) {
  std::vector<double> all(values.begin(), values.end());
  for (double& x : all)
    if (const double kept = round_to(stored, x); std::isinf(kept)) x = kept;
  return all;
}

/// |a − b|; 0 where the two are the same infinity.
double apart(double a, double b) { return a == b ? 0 : std::abs(a - b); }

/// What any output may be off by at x: a unit in the last place, or a subnormal float, which is 0 where they are flushed.
double grain_of(DType stored, double x) {
  return std::max(ulp_of(stored, x), double{std::numeric_limits<float>::min()});
}

}  // namespace

Verdict judge_elements(std::span<const double> found, std::span<const double> expected, DType stored,
                       const std::function<double(std::size_t)>& limit_of) {
  Verdict verdict;
  verdict.difference = measure(found, expected, stored);
  if (found.empty()) return verdict;
  verdict.outcome = Outcome::passed;
  double worst_share = -1;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double limit = limit_of(i);
    const bool passes = within(found[i], expected[i], limit);
    double share = found[i] == expected[i] ? 0 : std::abs(found[i] - expected[i]) / limit;
    if (!passes && !(share > 1)) share = std::numeric_limits<double>::infinity();
    if (!passes) verdict.outcome = Outcome::failed;
    if (share <= worst_share) continue;
    worst_share = share;
    verdict.index = static_cast<std::int64_t>(i);
    verdict.found = found[i];
    verdict.expected = expected[i];
    verdict.limit = limit;
  }
  return verdict;
}

double roundoff_of(DType type) { return ulp_of(type, 1.0) / 2; }

Verdict judge_output(std::span<const double> found, DType stored, const OutputReference& r) {
  Verdict verdict = judge_elements(found, overflowed(r.oracle, stored), stored, [&](std::size_t i) {
    return 2 * apart(r.plain[i], r.oracle[i]) + 8 * r.p_roundoff * r.spread[i] +
           4 * roundoff_of(DType::f32) * r.score_spread[i] + grain_of(stored, r.oracle[i]);
  });
  if (verdict.outcome != Outcome::passed) return verdict;

  const double plain = std::max(measure(r.plain, r.oracle, stored).max_abs, max_abs_finite(r.plain_reach));
  const double limit = 2 * plain + grain_of(stored, max_abs_finite(r.oracle));
  if (verdict.difference.max_abs <= limit) return verdict;
  verdict.outcome = Outcome::failed;
  verdict.index = verdict.difference.worst;
  verdict.found = verdict.difference.worst_found;
  verdict.expected = verdict.difference.worst_expected;
  verdict.limit = limit;
  return verdict;
}

Verdict judge_lse(std::span<const double> found, const LseReference& r) {
  return judge_elements(found, overflowed(r.oracle, DType::f32), DType::f32, [&](std::size_t i) {
    const double magnitude =
        std::max(r.score_size[i], std::isfinite(r.oracle[i]) ? std::abs(r.oracle[i]) : 0);
    return 2 * apart(r.plain[i], r.oracle[i]) + 4 * ulp_of(DType::f32, magnitude);
  });
}

}  // namespace fdlab
