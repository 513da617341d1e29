// The oracle: standard attention in float64, written with Eigen and sharing no code with what it judges.
#pragma once

#include <cstdint>
#include <vector>

#include "core/problem/problem.h"

namespace fdlab {

/// One query row in float64, with the magnitudes that rounding errors are measured by. a_i = |scale| Σ |q_c k_ic| + |bias_i|
/// is the size of the terms of score i: no float score is exact to better than its roundoff times that. ā = Σ p_i a_i.
struct OracleRow {
  std::vector<double> o;             ///< v_head_dim components; zeros when the row sees no key
  std::vector<double> spread;        ///< Σ p |V| of each component
  std::vector<double> score_spread;  ///< Σ p (a + ā) |V| of each component
  double lse_ln;                     ///< natural log of Σ exp(score); −∞ when the row sees no key
  double max_abs_score;              ///< over the finite scores
  double mean_size;                  ///< ā
};

/// softmax(scale · q Kᵀ) V for one sequence, query head and query row. A key whose score is −∞ is masked: its V is
/// not read. The problem must be without fault.
OracleRow oracle_row(const DecodeProblem& problem, std::int64_t sequence, std::int64_t q_head,
                     std::int64_t row = 0);

/// All rows, in the order (batch, q_heads, q_len).
std::vector<OracleRow> oracle_rows(const DecodeProblem& problem);

}  // namespace fdlab
