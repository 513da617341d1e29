#include "cpu/oracle.h"

#include <Eigen/Dense>
#include <limits>

namespace fdlab {
namespace {

/// Rows [0, tokens) of one head as a float64 matrix (tokens, dim).
Eigen::MatrixXd load_head(const TensorView& tensor, std::int64_t b, std::int64_t head, std::int64_t tokens,
                          std::int64_t dim) {
  return Eigen::MatrixXd::NullaryExpr(tokens, dim,
                                      [&](Eigen::Index n, Eigen::Index c) { return tensor.at(b, head, n, c); });
}

}  // namespace

OracleRow oracle_row(const DecodeProblem& p, std::int64_t b, std::int64_t q_head, std::int64_t row) {
  const std::int64_t kv_len = p.kv_len_of(b), kv_head = p.kv_head_of(q_head);
  OracleRow result{std::vector<double>(static_cast<std::size_t>(p.v_head_dim), 0.0),
                   -std::numeric_limits<double>::infinity()};
  if (kv_len == 0) return result;

  const Eigen::VectorXd q =
      Eigen::VectorXd::NullaryExpr(p.head_dim, [&](Eigen::Index c) { return p.q.at(b, q_head, row, c); });
  const Eigen::VectorXd scores = p.scale * (load_head(p.k, b, kv_head, kv_len, p.head_dim) * q);
  const double max = scores.maxCoeff<Eigen::PropagateNaN>();
  const Eigen::ArrayXd exps = (scores.array() - max).exp();
  const double sum = exps.sum();
  Eigen::Map<Eigen::VectorXd>(result.o.data(), p.v_head_dim) =
      load_head(p.v, b, kv_head, kv_len, p.v_head_dim).transpose() * (exps / sum).matrix();
  result.lse_ln = max + std::log(sum);
  return result;
}

}  // namespace fdlab
