#include "core/compare/difference.h"

#include <algorithm>
#include <cmath>

#include "core/problem/encode.h"

namespace fdlab {
namespace {

bool comparable(double found, double expected) {
  return (std::isfinite(found) && std::isfinite(expected)) || found == expected;
}

void add_pair(double found, double expected, std::int64_t index, DType stored, Difference& d, double& sum) {
  d.nan_found += std::isnan(found) ? 1 : 0;
  d.nan_expected += std::isnan(expected) ? 1 : 0;
  if (!comparable(found, expected)) {
    if (d.incomparable++ == 0) d.first_incomparable = index;
    return;
  }
  if (!std::isfinite(found)) return;
  const double apart = std::abs(found - expected);
  sum += found - expected;
  d.max_ulp = std::max(d.max_ulp, apart / ulp_of(stored, expected));
  if (d.worst >= 0 && apart <= d.max_abs) return;
  d.max_abs = apart;
  d.worst = index;
  d.worst_found = found;
  d.worst_expected = expected;
}

}  // namespace

Difference measure(std::span<const double> found, std::span<const double> expected, DType stored) {
  Difference d;
  double sum = 0;
  for (std::size_t i = 0; i < found.size(); ++i)
    add_pair(found[i], expected[i], static_cast<std::int64_t>(i), stored, d, sum);
  d.compared = static_cast<std::int64_t>(found.size());
  if (d.worst >= 0) d.mean_signed = sum / static_cast<double>(found.size());
  return d;
}

}  // namespace fdlab
