// How far a tensor is from what it should be: the worst element, the bias, and what is not a number.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>

#include "core/problem/dtype.h"

namespace fdlab {

/// All figures but the counts are over the pairs of finite numbers.
struct Difference {
  std::int64_t compared = 0;      ///< elements looked at, the not comparable ones included
  std::int64_t incomparable = 0;  ///< one side NaN, or infinite where the other is not the same infinity
  std::int64_t nan_found = 0;     ///< NaN in what was found
  std::int64_t nan_expected = 0;  ///< NaN in what was expected
  std::int64_t first_incomparable = -1;
  double max_abs = 0;  ///< largest |found − expected|
  double max_ulp =
      0;  ///< largest |found − expected| in units in the last place of `stored` at the expected value
  double mean_signed = 0;   ///< mean of found − expected: a bias shows here, not in max_abs
  std::int64_t worst = -1;  ///< where max_abs is; −1 if nothing finite was compared
  double worst_found = 0, worst_expected = 0;
};

/// found and expected are of one length; `stored` is the type that `found` was stored in.
Difference measure(std::span<const double> found, std::span<const double> expected, DType stored);

/// True where the two are equal within the tolerance. NaN never is; an infinity equals itself, and a tolerance without end
/// allows nothing else.
inline bool within(double found, double expected, double tolerance) {
  const double apart = found > expected ? found - expected : expected - found;
  return found == expected || (std::isfinite(tolerance) && apart <= tolerance);
}

}  // namespace fdlab
