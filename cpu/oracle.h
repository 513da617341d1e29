// The oracle: standard attention in float64, written with Eigen and sharing no code with what it judges.
#pragma once

#include <cstdint>
#include <vector>

#include "core/problem/problem.h"

namespace fdlab {

/// Output and log-sum-exp of one query row, in float64.
struct OracleRow {
  std::vector<double> o;  ///< v_head_dim components; zeros when the row sees no key
  double lse_ln;          ///< natural log of Σ exp(score); −∞ when the row sees no key
};

/// softmax(scale · q Kᵀ) V for one sequence, query head and query row. The problem must be without fault.
OracleRow oracle_row(const DecodeProblem& problem, std::int64_t sequence, std::int64_t q_head, std::int64_t row = 0);

}  // namespace fdlab
