// What a model may do to a score besides scaling it, in this order: scale, softcap, ALiBi bias, mask (causal, window).
// And the sink: one more logit per row, with value 0, that takes weight away from every key. A key whose score is −∞ counts as
// masked: its value is not felt, even as NaN.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace fdlab {

struct ScoreRules {
  bool causal = false;      ///< bottom-right: the last query row sees every key
  std::int64_t window = 0;  ///< the last `window` keys including the query's own; 0: all
  double softcap = 0;       ///< cap · tanh(score / cap); 0: none
  std::vector<double> alibi_slopes{};  ///< per query head: adds slope · (key − query position); empty: none
  std::vector<double> sinks{};  ///< per query head: an unscaled logit; empty: none
  bool lse_includes_sink = true;

  bool changes_scores() const { return softcap != 0 || !alibi_slopes.empty(); }
  double sink_of(std::int64_t q_head) const {
    return sinks.empty() ? -std::numeric_limits<double>::infinity() : sinks[static_cast<std::size_t>(q_head)];
  }
  bool none() const { return !causal && window == 0 && !changes_scores() && sinks.empty(); }
};

/// The score of a visible key from scale · q·k. distance: key − query position.
inline double score_of(const ScoreRules& rules, std::int64_t q_head, double scaled_dot, double distance) {
  double score = scaled_dot;
  if (rules.softcap > 0) score = rules.softcap * std::tanh(score / rules.softcap);
  if (!rules.alibi_slopes.empty()) score += rules.alibi_slopes[static_cast<std::size_t>(q_head)] * distance;
  return score;
}

}  // namespace fdlab
