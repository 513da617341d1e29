// Two tensors held against each other by somebody who does not know which problem they answer: a plain tolerance.
#pragma once

#include "core/compare/verdict.h"

namespace fdlab {

struct Tolerance {
  double relative = 0, absolute = 0;
  bool equal_nan = false;  ///< NaN where both are NaN passes
};

/// Two units in the last place of the coarser of the two stored types at 1, but at least 10⁻⁵, since float sums of thousands
/// of terms differ by more than their last place; and 10⁻⁵ near zero.
Tolerance default_tolerance(DType found, DType expected);

/// |found − expected| ≤ absolute + relative · |expected| for every element; spans of one length.
Verdict judge_within(std::span<const double> found, std::span<const double> expected, DType stored,
                     const Tolerance& tolerance);

}  // namespace fdlab
