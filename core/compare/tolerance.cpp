#include "core/compare/tolerance.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace fdlab {

Tolerance default_tolerance(DType found, DType expected) {
  constexpr double kFloatSums = 1e-5, kNearZero = 1e-5;
  return {std::max({4 * roundoff_of(found), 4 * roundoff_of(expected), kFloatSums}), kNearZero};
}

Verdict judge_within(std::span<const double> found, std::span<const double> expected, DType stored,
                     const Tolerance& tolerance) {
  std::vector<double> a(found.begin(), found.end()), b(expected.begin(), expected.end());
  for (std::size_t i = 0; tolerance.equal_nan && i < a.size(); ++i)
    if (std::isnan(a[i]) && std::isnan(b[i])) a[i] = b[i] = 0;
  return judge_elements(a, b, stored, [&](std::size_t i) {
    return tolerance.absolute + (std::isfinite(b[i]) ? tolerance.relative * std::abs(b[i]) : 0);
  });
}

}  // namespace fdlab
