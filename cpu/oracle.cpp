#include "cpu/oracle.h"

#include "cpu/standard_attention.h"

namespace fdlab {

OracleRow oracle_row(const DecodeProblem& p, std::int64_t b, std::int64_t q_head, std::int64_t row) {
  auto result = StandardAttention<double>(p, b, q_head, row).run([](double weight) { return weight; });
  return {std::move(result.o), std::move(result.spread), std::move(result.score_spread),
          result.lse_ln,       result.max_abs_score,     result.mean_size};
}

std::vector<OracleRow> oracle_rows(const DecodeProblem& p) {
  std::vector<OracleRow> rows;
  for (std::int64_t b = 0; b < p.batch; ++b)
    for (std::int64_t h = 0; h < p.q_heads; ++h)
      for (std::int64_t r = 0; r < p.q_len; ++r) rows.push_back(oracle_row(p, b, h, r));
  return rows;
}

}  // namespace fdlab
