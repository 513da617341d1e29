// Plain attention: what a careful kernel without splits computes from the same stored inputs. fp32 accumulation, P
// rounded to V's type before P·V where V has 16 bits, and to f16 where it is e4m3, which f16 holds; output rounded once. Its
// distance from the oracle is the yardstick for everybody else's.
#pragma once

#include <cstdint>
#include <vector>

#include "core/problem/problem.h"
#include "cpu/oracle.h"

namespace fdlab {

struct PlainRow {
  std::vector<double> o;  ///< v_head_dim components, rounded to the output type
  double lse_ln;
  std::vector<double> reach;  ///< of each component, how far roundings may well move it: rounding_reach.h
};

/// Of two orders in which fp32 sums can be added up (vectorised, and one running sum), that result of each number which is
/// further from the oracle: over 10⁵ keys a running sum, which is no fault, is off by several times as much.
PlainRow plain_attention_row(const DecodeProblem& problem, const OracleRow& oracle, std::int64_t sequence,
                             std::int64_t q_head, std::int64_t row, DType out_type);

/// The type that P is rounded to.
DType p_type_of(const DecodeProblem& problem);

}  // namespace fdlab
