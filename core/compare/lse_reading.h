// Conventions that two log-sum-exps may differ by although both are right: the base of the logarithm, and what marks a row
// without keys. Under a reading the numbers agree; nobody is wrong, but somebody has to say which one holds.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace fdlab {

struct LseReading {
  double factor = 1;         ///< found · factor is in the base of what was expected
  bool marks_empty = false;  ///< +∞ found where −∞ was expected means: no keys (FlashAttention's marker)
  std::int64_t num_empty = 0;  ///< rows that the marker was found in
};

/// `found` as it stands under the reading.
std::vector<double> read_lse(std::span<const double> found, std::span<const double> expected,
                             const LseReading& reading);

/// The first reading, plain ones first, under which `passes` accepts what was found. Nothing if there is none; a reading
/// that changes nothing is not tried.
std::optional<LseReading> find_reading(std::span<const double> found, std::span<const double> expected,
                                       const std::function<bool(std::span<const double>)>& passes);

/// One sentence a convention: what has to be declared.
std::vector<std::string> text_of(const LseReading& reading);

}  // namespace fdlab
