// Standard attention with Eigen, in float or double, one query row at a time: all scores, one softmax, one product. It
// shares no code with the merge operator or the executors; the oracle and plain attention are made of it.
#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "core/problem/problem.h"
#include "cpu/rounding_reach.h"

namespace fdlab {

template <class T>
struct StandardRow {
  std::vector<T> o, spread, score_spread;  ///< Σ p V, Σ p |V| and Σ p (a + ā) |V|, see oracle.h
  T lse_ln;
  T max_abs_score;  ///< over the finite scores
  T mean_size;      ///< ā
};

/// In which order the products of q·k, the exponentials and p·V are added up: as Eigen's vector code does, or in one running
/// sum from the first to the last.
enum class SumOrder { vectorised, one_by_one };

template <class T>
class StandardAttention {
 public:
  using Vector = Eigen::Matrix<T, Eigen::Dynamic, 1>;
  using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
  using Array = Eigen::Array<T, Eigen::Dynamic, 1>;

  StandardAttention(const DecodeProblem& p, std::int64_t b, std::int64_t q_head, std::int64_t row,
                    SumOrder order = SumOrder::vectorised)
      : p_(p), b_(b), q_head_(q_head), row_(row), kv_head_(p.kv_head_of(q_head)), order_(order) {}

  /// round_p is applied to every probability before it weighs V. `reach` is told of every key that has any weight.
  template <class Round>
  StandardRow<T> run(Round round_p, RoundingReach* reach = nullptr) const {
    const auto components = static_cast<std::size_t>(p_.v_head_dim);
    Array sizes(p_.kv_len_of(b_)), errors(reach ? sizes.size() : 0);
    const Array scores = masked_scores(sizes, errors);
    const T sink = sink_logit();
    const T key_max = scores.size() ? scores.template maxCoeff<Eigen::PropagateNaN>() : kMasked;
    const T max = sink > key_max ? sink : key_max;  // NaN stays
    const std::vector<T> none(components);
    StandardRow<T> result{none, none, none, kMasked, T(0), T(0)};
    if (max == kMasked) return result;

    const Array exps = (scores == kMasked).select(T(0), (scores - max).exp());
    const T keys =
        order_ == SumOrder::vectorised ? exps.sum() : std::accumulate(exps.begin(), exps.end(), T(0));
    const T all = keys + std::exp(sink - max);
    const Array p = exps / all, weights = p.unaryExpr(round_p);
    result.mean_size = (weights > T(0)).select(weights * sizes, T(0)).sum();
    weigh_values(scores, weights, sizes + result.mean_size, result);
    if (reach) add_keys(p, errors, *reach);
    result.lse_ln = max + std::log(p_.rules.lse_includes_sink ? all : keys);
    for (const T score : scores)
      if (std::isfinite(score)) result.max_abs_score = std::max(result.max_abs_score, std::abs(score));
    return result;
  }

 private:
  static constexpr T kMasked = -std::numeric_limits<T>::infinity();
  static constexpr Eigen::Index kBlock = 4096;  // keys converted at a time, so that memory stays small

  /// Keys [begin, begin + count) of the row's KV head as a matrix (count, dim).
  Matrix load_block(const TensorView& tensor, Eigen::Index begin, Eigen::Index count,
                    std::int64_t dim) const {
    return Matrix::NullaryExpr(count, dim, [&](Eigen::Index n, Eigen::Index c) {
      return static_cast<T>(tensor.at(b_, kv_head_, begin + n, c));
    });
  }

  T sink_logit() const {
    return p_.rules.sinks.empty() ? kMasked
                                  : static_cast<T>(p_.rules.sinks[static_cast<std::size_t>(q_head_)]);
  }

  Eigen::Index position() const { return static_cast<Eigen::Index>(p_.kv_len_of(b_) - p_.q_len + row_); }

  T bias(Eigen::Index key) const {
    if (p_.rules.alibi_slopes.empty()) return T(0);
    return static_cast<T>(p_.rules.alibi_slopes[static_cast<std::size_t>(q_head_)]) *
           static_cast<T>(key - position());
  }

  /// Scale, softcap, bias, mask: in this order.
  T apply_rules(T dot, Eigen::Index key) const {
    const ScoreRules& rules = p_.rules;
    T score = static_cast<T>(p_.scale * p_.k_scale) * dot;
    if (rules.softcap > 0)
      score = static_cast<T>(rules.softcap) * std::tanh(score / static_cast<T>(rules.softcap));
    score += bias(key);
    if (rules.causal && key > position()) return kMasked;
    if (rules.window > 0 && key <= position() - rules.window) return kMasked;
    return score;
  }

  static Vector products_one_by_one(const Matrix& k, const Vector& q) {
    Vector sums = Vector::Zero(k.rows());
    for (Eigen::Index c = 0; c < q.size(); ++c) sums += q[c] * k.col(c);
    return sums;
  }

  /// What a float score is off by, in roundoffs of a float: its dot product, by the size of the terms, then the score itself.
  T score_error(T dot, T size, T score) const {
    if (p_.rules.softcap > 0)
      size /= std::pow(std::cosh(static_cast<T>(p_.scale * p_.k_scale / p_.rules.softcap) * dot), T(2));
    return std::hypot(size, score);
  }

  /// Scores and how large the terms of each are that were added up, a = |scale| Σ |q_c k_c| + |bias|; into `errors`, unless that
  /// is empty, what each is off by.
  Array masked_scores(Array& sizes, Array& errors) const {
    const Vector q = Vector::NullaryExpr(
        p_.head_dim, [&](Eigen::Index c) { return static_cast<T>(p_.q.at(b_, q_head_, row_, c)); });
    Vector scores(p_.kv_len_of(b_));
    for (Eigen::Index begin = 0; begin < scores.size(); begin += kBlock) {
      const Eigen::Index count = std::min(kBlock, scores.size() - begin);
      const Matrix k = load_block(p_.k, begin, count, p_.head_dim);
      scores.segment(begin, count) =
          order_ == SumOrder::vectorised ? Vector(k * q) : products_one_by_one(k, q);
      sizes.segment(begin, count) =
          static_cast<T>(std::abs(p_.scale * p_.k_scale)) * (k.cwiseAbs() * q.cwiseAbs()).array();
    }
    for (Eigen::Index key = 0; key < scores.size(); ++key) {
      const T dot = scores[key];
      scores[key] = apply_rules(dot, key);
      if (errors.size() > 0) errors[key] = score_error(dot, sizes[key], scores[key]);
      sizes[key] += std::abs(bias(key));
    }
    return scores.array();
  }

  /// The V of a masked key is not used here either.
  void add_keys(const Array& p, const Array& errors, RoundingReach& reach) const {
    std::vector<double> row(static_cast<std::size_t>(p_.v_head_dim));
    for (Eigen::Index key = 0; key < p.size(); ++key) {
      if (!(p[key] > T(0))) continue;
      for (std::size_t c = 0; c < row.size(); ++c)
        row[c] = p_.v_scale * p_.v.at(b_, kv_head_, key, static_cast<std::int64_t>(c));
      reach.add(p[key], errors[key], row);
    }
  }

  /// The V of a masked key is not used: it may be NaN, and 0 · NaN is NaN.
  void weigh_values(const Array& scores, const Array& weights, const Array& sizes,
                    StandardRow<T>& result) const {
    const auto output = [&](std::vector<T>& x) { return Eigen::Map<Vector>(x.data(), p_.v_head_dim); };
    for (Eigen::Index begin = 0; begin < scores.size(); begin += kBlock) {
      const Eigen::Index count = std::min(kBlock, scores.size() - begin);
      Matrix v = static_cast<T>(p_.v_scale) * load_block(p_.v, begin, count, p_.v_head_dim);
      for (Eigen::Index n = 0; n < count; ++n)
        if (scores[begin + n] == kMasked) v.row(n).setZero();
      const Array weight = weights.segment(begin, count);
      if (order_ == SumOrder::vectorised) output(result.o) += v.transpose() * weight.matrix();
      else
        for (Eigen::Index n = 0; n < count; ++n) output(result.o) += weight[n] * v.row(n).transpose();
      const Array sized = (weight > T(0)).select(weight * sizes.segment(begin, count), T(0));
      output(result.spread) += v.cwiseAbs().transpose() * weight.matrix();
      output(result.score_spread) += v.cwiseAbs().transpose() * sized.matrix();
    }
  }

  const DecodeProblem& p_;
  std::int64_t b_, q_head_, row_, kv_head_;
  SumOrder order_;
};

}  // namespace fdlab
