// The plain executor: a plan run to its end, on one thread and in double, as the derivation writes it. Easy to check
// rather than fast; it keeps the result only.
#pragma once

#include <cstdint>
#include <vector>

#include "core/plan/method.h"
#include "core/plan/plan.h"
#include "core/plan/plan_for.h"
#include "core/problem/problem.h"

namespace fdlab {

/// One query row's result.
struct RowResult {
  std::vector<double> o;  ///< v_head_dim components
  double lse_ln;
};

struct DecodeOutput {
  std::vector<float> o;       ///< (batch, q_heads, q_len, v_head_dim); zeros where a row sees no key
  std::vector<float> lse_ln;  ///< (batch, q_heads, q_len); −∞ where a row sees no key
};

/// Problem and plan must be without fault; the plan's kv_len is replaced by that of each sequence.
DecodeOutput decode_by_plan(const DecodeProblem& problem, Method method, const DecodePlan& plan);

/// One row of it, not yet rounded. The plan's kv_len must be the sequence's own.
RowResult decode_row_by_plan(const DecodeProblem& problem, Method method, const DecodePlan& plan,
                             std::int64_t sequence, std::int64_t q_head, std::int64_t row);

}  // namespace fdlab
