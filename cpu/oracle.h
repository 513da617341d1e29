// The oracle: standard attention in float64, written with Eigen and sharing no code with what it judges.
#pragma once

#include <cstdint>
#include <vector>

#include "core/problem/problem.h"

namespace fdlab {

/// One query row in float64, with the magnitudes that rounding errors are measured by.
struct OracleRow {
  std::vector<double> o;       ///< v_head_dim components; zeros when the row sees no key
  std::vector<double> spread;  ///< Σ p |V| of each component
  double lse_ln;               ///< natural log of Σ exp(score); −∞ when the row sees no key
  double max_abs_score;        ///< over the finite scores
};

/// softmax(scale · q Kᵀ) V for one sequence, query head and query row. A key whose score is −∞ is masked: its V is
/// not read. The problem must be without fault.
OracleRow oracle_row(const DecodeProblem& problem, std::int64_t sequence, std::int64_t q_head,
                     std::int64_t row = 0);

/// All rows, in the order (batch, q_heads, q_len).
std::vector<OracleRow> oracle_rows(const DecodeProblem& problem);

}  // namespace fdlab
