#include "cpu/plain_attention.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/problem/round_to.h"

namespace fdlab {
namespace {

constexpr Eigen::Index kBlock = 4096;  // keys converted to float at a time
constexpr float kMasked = -std::numeric_limits<float>::infinity();

Eigen::MatrixXf load_block(const TensorView& tensor, std::int64_t b, std::int64_t head, Eigen::Index begin,
                           Eigen::Index count, std::int64_t dim) {
  return Eigen::MatrixXf::NullaryExpr(count, dim, [&](Eigen::Index n, Eigen::Index c) {
    return static_cast<float>(tensor.at(b, head, begin + n, c));
  });
}

Eigen::ArrayXf scores_of(const DecodeProblem& p, std::int64_t b, std::int64_t q_head, std::int64_t row) {
  const Eigen::VectorXf q = Eigen::VectorXf::NullaryExpr(
      p.head_dim, [&](Eigen::Index c) { return static_cast<float>(p.q.at(b, q_head, row, c)); });
  Eigen::VectorXf scores(p.kv_len_of(b));
  for (Eigen::Index begin = 0; begin < scores.size(); begin += kBlock) {
    const Eigen::Index count = std::min(kBlock, scores.size() - begin);
    scores.segment(begin, count) = static_cast<float>(p.scale) *
                                   (load_block(p.k, b, p.kv_head_of(q_head), begin, count, p.head_dim) * q);
  }
  return scores.array();
}

Eigen::VectorXf weighted_sum(const DecodeProblem& p, std::int64_t b, std::int64_t kv_head,
                             const Eigen::ArrayXf& scores, const Eigen::VectorXf& weights) {
  Eigen::VectorXf o = Eigen::VectorXf::Zero(p.v_head_dim);
  for (Eigen::Index begin = 0; begin < scores.size(); begin += kBlock) {
    const Eigen::Index count = std::min(kBlock, scores.size() - begin);
    Eigen::MatrixXf v = load_block(p.v, b, kv_head, begin, count, p.v_head_dim);
    for (Eigen::Index n = 0; n < count; ++n)
      if (scores[begin + n] == kMasked) v.row(n).setZero();
    o += v.transpose() * weights.segment(begin, count);
  }
  return o;
}

}  // namespace

DType p_type_of(const DecodeProblem& p) { return size_in_bytes(p.v.type) == 2 ? p.v.type : DType::f32; }

PlainRow plain_attention_row(const DecodeProblem& p, std::int64_t b, std::int64_t q_head, std::int64_t row,
                             DType out_type) {
  PlainRow result{std::vector<double>(static_cast<std::size_t>(p.v_head_dim)), kMasked};
  const Eigen::ArrayXf scores = scores_of(p, b, q_head, row);
  if ((scores == kMasked).all()) return result;

  const float max = scores.maxCoeff<Eigen::PropagateNaN>();
  const Eigen::ArrayXf exps = (scores - max).exp();
  const float sum = exps.sum();
  const Eigen::VectorXf weights = (exps / sum).unaryExpr([&](float weight) {
    return static_cast<float>(round_to(p_type_of(p), weight));
  });
  const Eigen::VectorXf o = weighted_sum(p, b, p.kv_head_of(q_head), scores, weights);
  for (Eigen::Index c = 0; c < o.size(); ++c)
    result.o[static_cast<std::size_t>(c)] = round_to(out_type, o[c]);
  result.lse_ln = max + std::log(sum);
  return result;
}

}  // namespace fdlab
