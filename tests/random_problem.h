// A random problem that owns its tensors: normal numbers, seeded, sharp enough that the softmax is not flat.
#pragma once

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "core/io/tensor.h"
#include "core/problem/problem.h"

namespace fdlab {

struct ProblemShape {
  std::int64_t batch = 1, q_heads = 2, kv_heads = 1, q_len = 1, kv_len = 0, head_dim = 8, v_head_dim = 8;
  DType type = DType::f32;
  std::vector<std::int64_t> kv_lens{};
};

struct RandomProblem {
  Tensor q, k, v;
  DecodeProblem problem;

  explicit RandomProblem(const ProblemShape& s, unsigned seed = 1, double sharpness = 2) {
    std::mt19937 random(seed);
    const auto tensor = [&](std::vector<std::int64_t> shape, double factor) {
      std::normal_distribution<float> normal(0.0f, static_cast<float>(factor));
      std::int64_t count = 1;
      for (const std::int64_t extent : shape) count *= extent;
      std::vector<float> values(static_cast<std::size_t>(count));
      for (float& value : values) value = normal(random);
      return make_tensor("random", std::move(shape), s.type, values);
    };
    q = tensor({s.batch, s.q_heads, s.q_len, s.head_dim}, sharpness);
    k = tensor({s.batch, s.kv_heads, s.kv_len, s.head_dim}, 1);
    v = tensor({s.batch, s.kv_heads, s.kv_len, s.v_head_dim}, 1);
    problem.batch = s.batch;
    problem.q_heads = s.q_heads;
    problem.kv_heads = s.kv_heads;
    problem.q_len = s.q_len;
    problem.kv_len = s.kv_len;
    problem.head_dim = s.head_dim;
    problem.v_head_dim = s.v_head_dim;
    problem.scale = 1 / std::sqrt(static_cast<double>(s.head_dim));
    problem.kv_lens = s.kv_lens;
    problem.q = {q.data.get(), s.type, c_order_strides(s.q_heads, s.q_len, s.head_dim)};
    problem.k = {k.data.get(), s.type, c_order_strides(s.kv_heads, s.kv_len, s.head_dim)};
    problem.v = {v.data.get(), s.type, c_order_strides(s.kv_heads, s.kv_len, s.v_head_dim)};
  }
};

/// The fixture of closed forms: one head, scale 1, q = (1, 0, …), key i = (score_i, 0, …) and V_i = value_i in every
/// column. So the score of key i is score_i, and all columns of o are equal.
struct ScoreProblem {
  static constexpr std::int64_t kDim = 8;
  Tensor q, k, v;
  DecodeProblem problem;

  ScoreProblem(const std::vector<float>& scores, const std::vector<float>& values, DType type = DType::f32) {
    const auto kv_len = static_cast<std::int64_t>(scores.size());
    std::vector<float> keys, columns;
    for (std::size_t i = 0; i < scores.size(); ++i) {
      keys.push_back(scores[i]);
      keys.insert(keys.end(), kDim - 1, 0.0f);
      columns.insert(columns.end(), kDim, values[i]);
    }
    std::vector<float> one(kDim, 0.0f);
    one[0] = 1;
    q = make_tensor("q", {1, 1, 1, kDim}, type, one);
    k = make_tensor("k", {1, 1, kv_len, kDim}, type, keys);
    v = make_tensor("v", {1, 1, kv_len, kDim}, type, columns);
    problem.kv_len = kv_len;
    problem.head_dim = problem.v_head_dim = kDim;
    problem.scale = 1;
    problem.q = {q.data.get(), type, c_order_strides(1, 1, kDim)};
    problem.k = {k.data.get(), type, c_order_strides(1, kv_len, kDim)};
    problem.v = {v.data.get(), type, c_order_strides(1, kv_len, kDim)};
  }
};

}  // namespace fdlab
