// An output held against the oracle, row by row and as a whole.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/compare/verdict.h"
#include "core/problem/problem.h"

namespace fdlab {

struct RowCheck {
  std::int64_t sequence, q_head, row;
  Difference o;
  double lse_found, lse_oracle;  ///< natural log
};

struct Check {
  Verdict o, lse;
  std::vector<RowCheck> rows;  ///< in the order (batch, q_heads, q_len)

  bool failed() const { return o.outcome == Outcome::failed || lse.outcome == Outcome::failed; }
};

/// o: (batch, q_heads, q_len, v_head_dim) as stored in out_type; lse_ln: (batch, q_heads, q_len). progress is told the share
/// that is done, after every row.
Check check_against_oracle(const DecodeProblem& problem, const std::vector<float>& o,
                           const std::vector<float>& lse_ln, DType out_type,
                           const std::function<void(double)>& progress = {});

}  // namespace fdlab
