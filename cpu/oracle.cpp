#include "cpu/oracle.h"

#include <Eigen/Dense>
#include <algorithm>
#include <limits>

namespace fdlab {
namespace {

constexpr Eigen::Index kBlock = 4096;  // keys converted to float64 at a time, so that memory stays small
constexpr double kMasked = -std::numeric_limits<double>::infinity();

/// Keys [begin, begin + count) of one head as a float64 matrix (count, dim).
Eigen::MatrixXd load_block(const TensorView& tensor, std::int64_t b, std::int64_t head, Eigen::Index begin,
                           Eigen::Index count, std::int64_t dim) {
  return Eigen::MatrixXd::NullaryExpr(
      count, dim, [&](Eigen::Index n, Eigen::Index c) { return tensor.at(b, head, begin + n, c); });
}

Eigen::VectorXd scores_of(const DecodeProblem& p, std::int64_t b, std::int64_t q_head, std::int64_t row) {
  const Eigen::VectorXd q =
      Eigen::VectorXd::NullaryExpr(p.head_dim, [&](Eigen::Index c) { return p.q.at(b, q_head, row, c); });
  Eigen::VectorXd scores(p.kv_len_of(b));
  for (Eigen::Index begin = 0; begin < scores.size(); begin += kBlock) {
    const Eigen::Index count = std::min(kBlock, scores.size() - begin);
    scores.segment(begin, count) =
        p.scale * (load_block(p.k, b, p.kv_head_of(q_head), begin, count, p.head_dim) * q);
  }
  return scores;
}

/// Σ p V and Σ p |V| over the keys that are not masked.
void weigh_values(const DecodeProblem& p, std::int64_t b, std::int64_t kv_head, const Eigen::ArrayXd& scores,
                  const Eigen::ArrayXd& weights, OracleRow& result) {
  Eigen::Map<Eigen::VectorXd> o(result.o.data(), p.v_head_dim), spread(result.spread.data(), p.v_head_dim);
  for (Eigen::Index begin = 0; begin < scores.size(); begin += kBlock) {
    const Eigen::Index count = std::min(kBlock, scores.size() - begin);
    Eigen::MatrixXd v = load_block(p.v, b, kv_head, begin, count, p.v_head_dim);
    for (Eigen::Index n = 0; n < count; ++n)
      if (scores[begin + n] == kMasked) v.row(n).setZero();
    const Eigen::VectorXd weight = weights.segment(begin, count);
    o += v.transpose() * weight;
    spread += v.cwiseAbs().transpose() * weight;
  }
}

}  // namespace

OracleRow oracle_row(const DecodeProblem& p, std::int64_t b, std::int64_t q_head, std::int64_t row) {
  const auto components = static_cast<std::size_t>(p.v_head_dim);
  OracleRow result{std::vector<double>(components), std::vector<double>(components), kMasked, 0};
  const Eigen::ArrayXd scores = scores_of(p, b, q_head, row).array();
  if ((scores == kMasked).all()) return result;

  const double max = scores.maxCoeff<Eigen::PropagateNaN>();
  const Eigen::ArrayXd exps = (scores - max).exp();
  const double sum = exps.sum();
  weigh_values(p, b, p.kv_head_of(q_head), scores, exps / sum, result);
  result.lse_ln = max + std::log(sum);
  for (const double score : scores)
    if (std::isfinite(score)) result.max_abs_score = std::max(result.max_abs_score, std::abs(score));
  return result;
}

std::vector<OracleRow> oracle_rows(const DecodeProblem& p) {
  std::vector<OracleRow> rows;
  for (std::int64_t b = 0; b < p.batch; ++b)
    for (std::int64_t h = 0; h < p.q_heads; ++h)
      for (std::int64_t r = 0; r < p.q_len; ++r) rows.push_back(oracle_row(p, b, h, r));
  return rows;
}

}  // namespace fdlab
