// Holds what a device computed against plain float64 attention, and runs problems with poisoned memory.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "cuda/decode.h"
#include "cuda/run.h"
#include "tests/random_problem.h"

namespace fdlab {

inline const DeviceLimits& device_limits() {
  static const DeviceLimits limits = find_device().limits;
  return limits;
}

/// How often to repeat what has to come out the same every time: a tenth where FDLAB_FEW_REPEATS is set, for a sanitizer.
inline int repeats(int count) { return std::getenv("FDLAB_FEW_REPEATS") ? count / 10 : count; }

/// A query row by the textbook, in float64. Stands here so that the device tests need nothing but core.
struct PlainRow {
  std::vector<double> o,
      spread;  ///< Σ p V and Σ p |V|, v_head_dim components; zeros when the row sees no key
  double lse_ln = -INFINITY, largest_score = 0;
};

/// K or V of one sequence and head, widened: (token, component).
inline std::vector<double> widened(const TensorView& t, std::int64_t b, std::int64_t h, std::int64_t tokens,
                                   std::int64_t dim) {
  std::vector<double> wide;
  for (std::int64_t n = 0; n < tokens; ++n)
    for (std::int64_t c = 0; c < dim; ++c) wide.push_back(t.at(b, h, n, c));
  return wide;
}

inline PlainRow plain_row(const DecodeProblem& p, std::int64_t b, std::int64_t h, std::int64_t row,
                          const std::vector<double>& k, const std::vector<double>& v) {
  const KeyRange keys = p.visible_keys(b, row);
  const std::size_t dim = static_cast<std::size_t>(p.head_dim),
                    v_dim = static_cast<std::size_t>(p.v_head_dim);
  std::vector<double> score, q;
  for (std::int64_t c = 0; c < p.head_dim; ++c) q.push_back(p.q.at(b, h, row, c));
  double largest = -INFINITY;
  for (std::int64_t n = keys.begin; n < keys.end; ++n) {
    double dot = 0;
    for (std::size_t c = 0; c < dim; ++c) dot += q[c] * k[static_cast<std::size_t>(n) * dim + c];
    score.push_back(
        score_of(p.rules, h, dot * p.scale * p.k_scale, static_cast<double>(n - p.query_position(b, row))));
    largest = std::max(largest, score.back());
  }
  PlainRow out{std::vector<double>(v_dim), std::vector<double>(v_dim)};
  if (score.empty() && p.rules.sinks.empty()) return out;
  const double sink = p.rules.sink_of(h), reference = std::max(largest, sink);
  double of_keys = 0;
  for (const double s : score) of_keys += std::exp(s - reference);
  const double all = of_keys + std::exp(sink - reference);
  for (std::size_t i = 0; i < score.size(); ++i) {
    const double weight = p.v_scale * std::exp(score[i] - reference) / all;
    const double* value = v.data() + (static_cast<std::size_t>(keys.begin) + i) * v_dim;
    for (std::size_t c = 0; c < v_dim; ++c) {
      out.o[c] += weight * value[c];
      out.spread[c] += weight * std::abs(value[c]);
    }
  }
  out.lse_ln = reference + std::log(p.rules.lse_includes_sink ? all : of_keys);
  for (const double s : score) out.largest_score = std::max(out.largest_score, std::abs(s));
  return out;
}

inline std::vector<PlainRow> plain_rows(const DecodeProblem& p) {
  std::vector<PlainRow> rows;
  for (std::int64_t b = 0; b < p.batch; ++b)
    for (std::int64_t h = 0; h < p.q_heads; ++h) {
      const std::vector<double> k = widened(p.k, b, p.kv_head_of(h), p.kv_len_of(b), p.head_dim);
      const std::vector<double> v = widened(p.v, b, p.kv_head_of(h), p.kv_len_of(b), p.v_head_dim);
      for (std::int64_t row = 0; row < p.q_len; ++row) rows.push_back(plain_row(p, b, h, row, k, v));
    }
  return rows;
}

/// Unit roundoff of the weights: what P is rounded to before it meets V; in float, what the fast exp and the sums leave.
inline double weight_roundoff(DType kv_type) {
  switch (kv_type) {
    case DType::bf16: return 0x1p-9;
    case DType::f16:
    case DType::e4m3: return 0x1p-12;  // e4m3 is multiplied as f16
    default: return 0x1p-21;
  }
}

/// Every component within a few roundoffs of Σ p|V|, the whole closer still, every LSE to float accuracy. LSE is what notices
/// a key that was dropped or counted twice.
inline void expect_right(const DecodeProblem& p, const DeviceOutput& out) {
  const std::vector<PlainRow> rows = plain_rows(p);
  const double u = weight_roundoff(p.k.type);
  REQUIRE(out.lse_ln.size() == rows.size());
  double error_squared = 0, norm_squared = 0, worst_component = 0, worst_lse = 0;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const double score_error = 0x1p-22 * (1 + rows[r].largest_score);
    for (std::size_t c = 0; c < rows[r].o.size(); ++c) {
      const double got = out.o[r * rows[r].o.size() + c], error = std::abs(got - rows[r].o[c]);
      const double limit = (8 * u + 4 * score_error) * rows[r].spread[c] + 1e-30;
      if (!(error <= worst_component * limit)) worst_component = error / limit;
      error_squared += error * error;
      norm_squared += rows[r].spread[c] * rows[r].spread[c];
    }
    if (std::isinf(rows[r].lse_ln)) {
      CHECK(out.lse_ln[r] == rows[r].lse_ln);
      continue;
    }
    const double error = std::abs(out.lse_ln[r] - rows[r].lse_ln);
    const double limit = 8 * score_error + 0x1p-22 * std::abs(rows[r].lse_ln);
    if (!(error <= worst_lse * limit)) worst_lse = error / limit;
  }
  CHECK(worst_component <= 1);
  CHECK(worst_lse <= 1);
  CHECK(std::sqrt(error_squared) <= 3 * u * std::sqrt(norm_squared) + 1e-6 * std::sqrt(norm_squared));
}

/// One launch with output, LSE and scratch full of NaN.
inline DeviceOutput run_poisoned(const UploadedProblem& uploaded, const CudaPlan& plan,
                                 const Workspace& workspace, LaunchDecode launch = launch_decode) {
  const DeviceProblem& p = uploaded.problem();
  const std::size_t rows = static_cast<std::size_t>(p.num_rows());
  FD_CUDA(cudaMemset(p.o, 0xff, rows * static_cast<std::size_t>(p.v_head_dim) * sizeof(float)));
  FD_CUDA(cudaMemset(p.lse_ln, 0xff, rows * sizeof(float)));
  if (workspace.partials.size() > 0)
    FD_CUDA(cudaMemset(workspace.partials.data(), 0xff, workspace.partials.size()));
  launch(p, plan, workspace, nullptr);
  DeviceOutput out = uploaded.output();
  out.plan = plan;
  return out;
}

/// The same on a fresh upload; a fault fails the test.
inline DeviceOutput run_poisoned(const DecodeProblem& problem, const PlanOptions& options = {},
                                 LaunchDecode launch = launch_decode) {
  const Result<UploadedProblem> uploaded = UploadedProblem::of(problem);
  REQUIRE_MESSAGE(static_cast<bool>(uploaded), (uploaded ? "" : uploaded.fault().sentence));
  const PlanResult planned = make_plan(uploaded->problem(), device_limits(), options);
  REQUIRE_MESSAGE(planned.plan.has_value(), planned.fault);
  return run_poisoned(*uploaded, *planned.plan, upload_plan(*planned.plan), launch);
}

inline bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0);
}

/// A random problem whose q is f16 where the cache is e4m3, which no query is.
struct CudaCase : RandomProblem {
  explicit CudaCase(const ProblemShape& s, unsigned seed = 1) : RandomProblem(s, seed) {
    if (s.type != DType::e4m3) return;
    std::vector<float> values;
    for (std::int64_t b = 0; b < s.batch; ++b)
      for (std::int64_t h = 0; h < s.q_heads; ++h)
        for (std::int64_t i = 0; i < s.q_len; ++i)
          for (std::int64_t c = 0; c < s.head_dim; ++c)
            values.push_back(static_cast<float>(problem.q.at(b, h, i, c)));
    q = make_tensor("q", {s.batch, s.q_heads, s.q_len, s.head_dim}, DType::f16, values);
    problem.q = {q.data.get(), DType::f16, c_order_strides(s.q_heads, s.q_len, s.head_dim)};
  }
};

inline constexpr DType kKvTypes[] = {DType::f32, DType::f16, DType::bf16, DType::e4m3};

}  // namespace fdlab
