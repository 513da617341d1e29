// Whether an output passes. The limits are derived, not tuned: what plain attention on the same stored inputs loses
// to rounding, twice, and one unit in the last place of the output type. The same rule judges the CPU, the GPU and
// anybody's own kernel.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "core/compare/difference.h"

namespace fdlab {

enum class Outcome : std::uint8_t { passed, failed, nothing_compared };

struct Verdict {
  Outcome outcome = Outcome::nothing_compared;
  Difference difference;
  /// The element that is furthest beyond (or nearest to) its limit.
  std::int64_t index = -1;
  double found = 0, expected = 0, limit = 0;
};

/// Holds every element against a limit of its own, |found − expected| ≤ limit_of(index), and keeps the one that comes worst
/// off. NaN never passes, an infinity equals itself, and no elements are no pass.
Verdict judge_elements(std::span<const double> found, std::span<const double> expected, DType stored,
                       const std::function<double(std::size_t)>& limit_of);

/// What an output is judged by; all spans as long as the output.
struct OutputReference {
  std::span<const double> oracle;  ///< float64 standard attention
  std::span<const double> plain;   ///< fp32 standard attention, P and output rounded as their types demand
  std::span<const double> spread;  ///< Σ p |V|
  std::span<const double> score_spread;  ///< Σ p (a + ā) |V|, a the size of a score's terms
  double p_roundoff = 0;                 ///< unit roundoff of the type that P is rounded to
  /// How far roundings may well move plain attention at an element, whether or not they did; none: taken as 0.
  std::span<const double> plain_reach{};
};

/// For the tensor: max |found − oracle| ≤ 2 max(max |plain − oracle|, max plain_reach) + 1 grain at max |oracle|, which is a
/// unit in the last place, or a float's smallest normal number where that is more: below it GPUs flush to 0. Without the
/// reach it is FlashAttention's rule, amended here for tensors of few elements, on which the largest error of plain attention
/// may be small by luck: then what it is on a large tensor of such rows counts. For every element:
/// |found − oracle| ≤ 2 |plain − oracle| + 8 · p_roundoff · spread + 4 · float roundoff · score_spread + 1 grain. (A float
/// score of size a is off by roundoff · a, and its probability by that share.)
/// Where the stored type holds nothing near the oracle's number, an infinity is expected.
Verdict judge_output(std::span<const double> found, DType stored, const OutputReference& reference);

struct LseReference {
  std::span<const double> oracle, plain;
  std::span<const double> score_size;  ///< of each row, the largest |score| or term of one
};

/// |found − oracle| ≤ 2 |plain − oracle| + 4 float ulp at max(score_size, |LSE|), row by row.
Verdict judge_lse(std::span<const double> found, const LseReference& reference);

/// Unit roundoff of a type: half a unit in the last place at 1.
double roundoff_of(DType type);

}  // namespace fdlab
