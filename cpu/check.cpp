#include "cpu/check.h"

#include <algorithm>

#include "cpu/oracle.h"
#include "cpu/plain_attention.h"

namespace fdlab {
namespace {

/// Oracle and plain attention of all rows, one after another.
struct References {
  std::vector<double> o, o_plain, reach, spread, score_spread, lse, lse_plain, score_size;

  void append(const OracleRow& oracle, const PlainRow& plain) {
    o.insert(o.end(), oracle.o.begin(), oracle.o.end());
    spread.insert(spread.end(), oracle.spread.begin(), oracle.spread.end());
    score_spread.insert(score_spread.end(), oracle.score_spread.begin(), oracle.score_spread.end());
    o_plain.insert(o_plain.end(), plain.o.begin(), plain.o.end());
    reach.insert(reach.end(), plain.reach.begin(), plain.reach.end());
    lse.push_back(oracle.lse_ln);
    score_size.push_back(std::max(oracle.max_abs_score, oracle.mean_size));
    lse_plain.push_back(plain.lse_ln);
  }
};

}  // namespace

Check check_against_oracle(const DecodeProblem& p, const std::vector<float>& o,
                           const std::vector<float>& lse_ln, DType out_type,
                           const std::function<void(double)>& progress) {
  const std::vector<double> found(o.begin(), o.end()), found_lse(lse_ln.begin(), lse_ln.end());
  const auto components = static_cast<std::size_t>(p.v_head_dim);
  References references;
  Check check;
  for (std::int64_t b = 0; b < p.batch; ++b)
    for (std::int64_t h = 0; h < p.q_heads; ++h)
      for (std::int64_t r = 0; r < p.q_len; ++r) {
        const OracleRow oracle = oracle_row(p, b, h, r);
        references.append(oracle, plain_attention_row(p, oracle, b, h, r, out_type));
        const std::size_t i = check.rows.size();
        check.rows.push_back(
            {b, h, r, measure(std::span(found).subspan(i * components, components), oracle.o, out_type),
             found_lse[i], oracle.lse_ln});
        if (progress) progress(static_cast<double>(i + 1) / static_cast<double>(lse_ln.size()));
      }
  check.o = judge_output(found, out_type,
                         {references.o, references.o_plain, references.spread, references.score_spread,
                          roundoff_of(p_type_of(p)), references.reach});
  check.lse = judge_lse(found_lse, {references.lse, references.lse_plain, references.score_size});
  return check;
}

}  // namespace fdlab
