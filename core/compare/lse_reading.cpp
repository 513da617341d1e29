#include "core/compare/lse_reading.h"

#include <cmath>
#include <limits>

#include "core/math/exp_base.h"

namespace fdlab {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::int64_t count_empty(std::span<const double> found, std::span<const double> expected) {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < found.size(); ++i)
    count += found[i] == kInfinity && expected[i] == -kInfinity ? 1 : 0;
  return count;
}

}  // namespace

std::vector<double> read_lse(std::span<const double> found, std::span<const double> expected,
                             const LseReading& reading) {
  std::vector<double> read(found.begin(), found.end());
  for (std::size_t i = 0; i < read.size(); ++i) {
    const bool is_marker = reading.marks_empty && read[i] == kInfinity && expected[i] == -kInfinity;
    read[i] = is_marker ? -kInfinity : read[i] * reading.factor;
  }
  return read;
}

std::optional<LseReading> find_reading(std::span<const double> found, std::span<const double> expected,
                                       const std::function<bool(std::span<const double>)>& passes) {
  const std::int64_t num_empty = count_empty(found, expected);
  for (const double factor : {1.0, 1 / kLog2E, kLog2E})
    for (const bool marks_empty : {false, true}) {
      if (marks_empty ? num_empty == 0 : factor == 1) continue;
      const LseReading reading{factor, marks_empty, marks_empty ? num_empty : 0};
      if (passes(read_lse(found, expected, reading))) return reading;
    }
  return std::nullopt;
}

std::vector<std::string> text_of(const LseReading& reading) {
  std::vector<std::string> sentences;
  if (reading.factor < 1) sentences.push_back("found is in base 2, expected is natural");
  if (reading.factor > 1) sentences.push_back("found is natural, expected is in base 2");
  if (reading.marks_empty)
    sentences.push_back(
        "a row without keys is marked +inf in what was found, -inf in what was expected, on " +
        std::to_string(reading.num_empty) + " rows");
  return sentences;
}

}  // namespace fdlab
